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

// TestKindsOfNamedObjects finds the API of an object that a step names, by the
// objects that were applied before.
func TestKindsOfNamedObjects(t *testing.T) {
	applied := []placed{{document: &document{apiVersion: "apps/v1", kind: "Deployment"}}, {document: &document{apiVersion: "example.com/v2", kind: "Shop"}}}
	need := func(apiVersion, kind string) []clusters.Need {
		return []clusters.Need{{APIVersion: apiVersion, Kind: kind, Verbs: []string{"get", "delete"}}}
	}
	for name, test := range map[string]struct {
		text string
		want []clusters.Need
	}{
		"a pod":                             {"pod/web", need("v1", "Pod")},
		"a pod, shortened":                  {"po/web", need("v1", "Pod")},
		"pods":                              {"pods/web", need("v1", "Pod")},
		"a Job":                             {"job/web", need("batch/v1", "Job")},
		"Jobs, in capitals":                 {"JOBS/web", need("batch/v1", "Job")},
		"a kind that was applied":           {"Deployment/web", need("apps/v1", "Deployment")},
		"a kind of others that was applied": {"shops/web", need("example.com/v2", "Shop")},
		"a kind that was not applied":       {"service/web", nil},
		"no kind":                           {"", nil},
	} {
		t.Run(name, func(t *testing.T) {
			var n needs
			n.named(applied, test.text, "get", "delete")
			if diff := cmp.Diff(test.want, []clusters.Need(n)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestNeedsOfAKindAreJoined(t *testing.T) {
	var n needs
	n.add("v1", "Pod", "", "get", "list")
	n.add("v1", "Pod", "exec", "create")
	n.add("v1", "Pod", "", "list", "delete")
	n.add("v2", "Pod", "", "get")
	want := needs{
		{APIVersion: "v1", Kind: "Pod", Verbs: []string{"get", "list", "delete"}},
		{APIVersion: "v1", Kind: "Pod", Subresource: "exec", Verbs: []string{"create"}},
		{APIVersion: "v2", Kind: "Pod", Verbs: []string{"get"}},
	}
	if diff := cmp.Diff(want, n); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
