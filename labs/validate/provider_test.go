package validate

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kind-lab/lab/clusters"
	"github.com/kind-lab/lab/clusters/existing"
	"github.com/kind-lab/lab/clusters/kind"
	"github.com/kind-lab/lab/dsl"
	"github.com/kind-lab/lab/labs/plan"
)

// providers are those that scenarios may name.
func providers() []dsl.Provider {
	return []dsl.Provider{kind.Provider(), existing.Provider()}
}

func TestNeedsOfScenariosOnClustersThatExist(t *testing.T) {
	m, problems := dsl.Load("testdata/existing", dsl.Options{Providers: providers()})
	if problems.HasErrors() {
		t.Fatal(problems)
	}
	image := plan.Image{Version: "1.29.15"}
	p, problems := plan.Build(m, plan.Options{
		Resolve: func(string, string) (plan.Image, error) { return image, nil },
		Ask:     func(string, clusters.Spec) (plan.Image, error) { return image, nil },
	})
	if problems.HasErrors() {
		t.Fatal(problems)
	}
	Needs(p)
	got := map[string][]clusters.Need{}
	for _, c := range p.Clusters {
		if c.Capabilities.CanCheckRights {
			got[c.Name] = c.Spec.Needs
		}
	}
	apply := []string{"create", "get", "patch"}
	want := map[string][]clusters.Need{
		"stage": {
			{APIVersion: "v1", Kind: "Pod", Verbs: apply},
			{APIVersion: "v1", Kind: "Secret", Verbs: apply},
			{APIVersion: "v1", Kind: "ConfigMap", Verbs: apply},
			{APIVersion: "v1", Kind: "Pod", Subresource: "exec", Verbs: []string{"create"}},
			{APIVersion: "apps/v1", Kind: "Deployment", Verbs: []string{"list", "watch"}},
		},
		"open": nil,
		"old": {
			{APIVersion: "v1", Kind: "Pod", Verbs: apply},
			{APIVersion: "v1", Kind: "Secret", Verbs: []string{"create", "get", "patch", "delete", "list", "watch"}},
			{APIVersion: "v1", Kind: "ConfigMap", Verbs: apply},
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("needs differ (-want +got):\n%s", diff)
	}
}
