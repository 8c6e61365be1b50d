package plan

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kind-lab/lab/clusters"
	"github.com/kind-lab/lab/dsl"
)

// existingModule has a scenario on a cluster that exists, and on one that is
// made.
func existingModule() *dsl.Module {
	m := module()
	stage := &dsl.Cluster{Name: "stage", Provider: dsl.ProviderExisting, Kubernetes: "~> 1.28",
		Existing: &dsl.Existing{Kubeconfig: "secrets/config", Context: "stage", Namespace: "team"}}
	m.Clusters = append(m.Clusters, stage)
	m.Scenarios = []*dsl.Scenario{{Name: "native", Clusters: []*dsl.Cluster{stage, m.Clusters[1]}}}
	return m
}

func TestAClusterThatExistsIsAskedForItsVersion(t *testing.T) {
	var asked []any
	p, problems := Build(existingModule(), Options{Resolve: resolve, Ask: func(constraint string, on clusters.Existing) (Image, error) {
		asked = append(asked, constraint, on)
		return Image{Version: "1.29.15", Source: "existing", Why: "the API server of context \"stage\" says so"}, nil
	}})
	if problems.HasErrors() {
		t.Fatal(problems)
	}
	meant := clusters.Existing{Kubeconfig: "secrets/config", Context: "stage", Namespace: "team"}
	if diff := cmp.Diff([]any{"~> 1.28", meant}, asked); diff != "" {
		t.Errorf("asked (-want +got):\n%s", diff)
	}
	stage := p.Clusters[1]
	want := clusters.Spec{Name: "stage", Provider: clusters.ProviderExisting, Existing: &meant, Version: "1.29.15"}
	if diff := cmp.Diff(want, stage.Spec); diff != "" {
		t.Errorf("spec (-want +got):\n%s", diff)
	}
	target := Target(stage.Spec, "1.29.15")
	if !target.GatesUnknown || !target.NativeSidecars || !target.OrderedTermination {
		t.Errorf("target %+v", target)
	}
	if target := Target(stage.Spec, "1.28.15"); target.NativeSidecars {
		t.Errorf("target of 1.28 %+v", target)
	}
	paths := p.Estimate(Bounds{Creates: 1}).Paths
	if paths[1].Boot != time.Second || paths[1].Wait != 0 || paths[0].Wait != 0 {
		t.Errorf("a cluster that exists waits for one that boots, or the other way: %+v", paths)
	}
	var text strings.Builder
	if err := p.WriteText(&text); err != nil || !strings.Contains(text.String(), "stage    ~> 1.28     1.29.15  -") || !strings.Contains(text.String(), "says so") {
		t.Errorf("%v\n%s", err, text.String())
	}
}

func TestAClusterThatCannotBeAsked(t *testing.T) {
	for _, ask := range []Ask{nil, func(string, clusters.Existing) (Image, error) { return Image{}, errors.New("it cannot be reached") }} {
		_, problems := Build(existingModule(), Options{Resolve: resolve, Ask: ask})
		if len(problems) != 1 || problems[0].Summary != "This cluster cannot be used" || !strings.Contains(problems[0].Detail, `cluster "stage": `) || !strings.Contains(problems[0].Detail, "cannot be reached") {
			t.Errorf("problems %v", problems)
		}
	}
}
