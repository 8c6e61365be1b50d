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

// existing states what a provider of clusters does that others use as well.
func existing() *clusters.Provider {
	return &clusters.Provider{Name: "existing", Capabilities: func(spec clusters.Spec) clusters.Capabilities {
		return clusters.Capabilities{CanAnswerBeforeRuns: true, GivenNamespace: spec.Settings["namespace"]}
	}}
}

// existingModule has a scenario on a cluster that exists, and on one that is
// made.
func existingModule() *dsl.Module {
	m := module()
	stage := &dsl.Cluster{Name: "stage", Provider: "existing", Kubernetes: "~> 1.28", Statement: existing(),
		Settings: map[string]string{"kubeconfig": "secrets/config", "context": "stage", "namespace": "team"}}
	m.Clusters = append(m.Clusters, stage)
	m.Scenarios = []*dsl.Scenario{{Name: "native", Clusters: []*dsl.Cluster{stage, m.Clusters[1]}}}
	return m
}

func TestAClusterThatExistsIsAskedForItsVersion(t *testing.T) {
	var asked []any
	p, problems := Build(existingModule(), Options{Resolve: resolve, Ask: func(constraint string, spec clusters.Spec) (Image, error) {
		asked = append(asked, constraint, spec.Provider, spec.Settings)
		return Image{Version: "1.29.15", Source: "existing", Why: "the API server of context \"stage\" says so"}, nil
	}})
	if problems.HasErrors() {
		t.Fatal(problems)
	}
	meant := map[string]string{"kubeconfig": "secrets/config", "context": "stage", "namespace": "team"}
	if diff := cmp.Diff([]any{"~> 1.28", "existing", meant}, asked); diff != "" {
		t.Errorf("asked (-want +got):\n%s", diff)
	}
	stage := p.Clusters[1]
	want := clusters.Spec{Name: "stage", Provider: "existing", Settings: meant, Version: "1.29.15"}
	if diff := cmp.Diff(want, stage.Spec); diff != "" {
		t.Errorf("spec (-want +got):\n%s", diff)
	}
	target := Target(stage.Spec, stage.Capabilities, "1.29.15")
	if !target.GatesUnknown || !target.NativeSidecars || !target.OrderedTermination {
		t.Errorf("target %+v", target)
	}
	if target := Target(stage.Spec, stage.Capabilities, "1.28.15"); target.NativeSidecars {
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
	for _, ask := range []Ask{nil, func(string, clusters.Spec) (Image, error) { return Image{}, errors.New("it cannot be reached") }} {
		_, problems := Build(existingModule(), Options{Resolve: resolve, Ask: ask})
		if len(problems) != 1 || problems[0].Summary != "This cluster cannot be used" || !strings.Contains(problems[0].Detail, `cluster "stage": `) || !strings.Contains(problems[0].Detail, "cannot be reached") {
			t.Errorf("problems %v", problems)
		}
	}
}

func TestAProviderThatIsNotThere(t *testing.T) {
	m := existingModule()
	m.Clusters[len(m.Clusters)-1].Statement = nil
	_, problems := Build(m, Options{Resolve: resolve})
	if len(problems) != 1 || !strings.Contains(problems[0].Detail, `there is no provider "existing"`) {
		t.Errorf("problems %v", problems)
	}
	if can := Capabilities(m.Clusters[len(m.Clusters)-1]); can != (clusters.Capabilities{}) {
		t.Errorf("nothing is known of it, and it can %+v", can)
	}
}

func TestLacking(t *testing.T) {
	m := existingModule()
	stage, made := m.Scenarios[0].Clusters[0], m.Scenarios[0].Clusters[1]
	if lacks := Lacking([]*dsl.Cluster{made}, clusters.ExecOnNodes); lacks != nil {
		t.Errorf("a cluster that lab makes: %v", lacks)
	}
	if lacks := Lacking([]*dsl.Cluster{made, stage}, clusters.ExecOnNodes); lacks == nil || lacks.Cluster != "stage" || lacks.Provider != "existing" {
		t.Errorf("a cluster that exists: %v", lacks)
	}
	other := &dsl.Cluster{Name: "o", Provider: "other"}
	if lacks := Lacking([]*dsl.Cluster{other}, clusters.Reuse); lacks == nil || lacks.Provider != "other" {
		t.Errorf("a provider that is not there: %v", lacks)
	}
}
