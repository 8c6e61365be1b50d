package dsl

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

// testProvider is a provider that refuses some arguments.
type testProvider struct {
	name, summary string
	// refuses are arguments with the reasons.
	refuses map[string]string
	// excludes are settings of which no two may be set.
	excludes []string
}

func (p testProvider) ProviderName() string               { return p.name }
func (p testProvider) ProviderSummary() string            { return p.summary }
func (p testProvider) NeedsVersion() bool                 { return p.refuses == nil }
func (p testProvider) RefusesArgument(name string) string { return p.refuses[name] }

func (p testProvider) SettingsProblem(settings map[string]string) (argument, problem string) {
	set := 0
	for _, name := range p.excludes {
		if settings[name] != "" {
			set++
			argument = name
		}
	}
	if set < 2 {
		return "", ""
	}
	return argument, "Write \"" + strings.Join(p.excludes, "\" or \"") + "\", not both."
}

// testProviders are one that makes clusters and one that has some.
func testProviders() []Provider {
	refuses := map[string]string{}
	for _, name := range []string{"image", "feature_gates", "runtime_config", "workers", "images", "component"} {
		refuses[name] = "\"" + name + "\" is not for provider = \"existing\"."
	}
	return []Provider{
		testProvider{name: "kind", summary: "makes clusters"},
		testProvider{name: "existing", summary: "has clusters", refuses: refuses, excludes: []string{"namespace", "node_access"}},
	}
}

func TestProvidersOfClusters(t *testing.T) {
	for _, tt := range []struct {
		name, body string
		providers  []Provider
		want       string
	}{
		{"the default", `kubernetes = "1.28"`, testProviders(), ""},
		{"the default needs a version", ``, testProviders(), `The argument "kubernetes" is required`},
		{"the default needs a version, whatever providers there are", ``, nil, `The argument "kubernetes" is required`},
		{"one that is configured by nobody", `provider = "existing"`, testProviders(), ""},
		{"unknown", `provider = "kin"`, testProviders(), `There is no provider "kin". Providers are "kind" (makes clusters), "existing" (has clusters). Did you mean "kind"?`},
		{"no providers are known", `provider = "kin"`, nil, ""},
		{"a default that is not there", `kubernetes = "1.28"`, testProviders()[1:], `There is no provider "kind".`},
		{"an argument that it refuses", "provider = \"existing\"\nworkers = 1", testProviders(), `The argument "workers" is not for provider = "existing".`},
		{"a block that it refuses", "provider = \"existing\"\ncomponent \"kubelet\" {}", testProviders(), `The block "component" is not for provider = "existing".`},
		{"the argument of another", "kubernetes = \"1.28\"\ncontext = \"x\"", testProviders(), `it requires provider = "existing"`},
		{"settings that do not go together", "provider = \"existing\"\nnamespace = \"a\"\nnode_access = \"b\"", testProviders(), `Write "namespace" or "node_access", not both.`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			src := "cluster \"c\" {\n" + tt.body + "\n}\nscenario \"s\" {\n clusters = [cluster.c]\n sleep \"a\" { duration = \"1s\" }\n}\n"
			m, list := LoadFS(fstest.MapFS{"x.hcl": {Data: []byte(src)}}, "x.hcl", Options{Providers: tt.providers})
			if tt.want == "" && len(list) > 0 || tt.want != "" && (len(list) != 1 || !strings.Contains(list[0].Detail, tt.want)) {
				t.Fatalf("diagnostics %v, want %q", list, tt.want)
			}
			if tt.want == "" && tt.providers != nil && (m.Clusters[0].Statement == nil || m.Clusters[0].Statement.ProviderName() != m.Clusters[0].Provider) {
				t.Errorf("statement %v", m.Clusters[0].Statement)
			}
		})
	}
}

func TestSettingsAreDecoded(t *testing.T) {
	src := "cluster \"c\" {\n provider = \"existing\"\n kubeconfig = \"config\"\n context = \"stage\"\n namespace = \"\"\n}\n"
	m, _ := LoadFS(fstest.MapFS{"lab/x.hcl": {Data: []byte(src)}}, "lab/x.hcl", Options{Providers: testProviders()})
	if len(m.Clusters) != 1 {
		t.Fatalf("clusters %v", m.Clusters)
	}
	c := m.Clusters[0]
	if diff := cmp.Diff(map[string]string{"kubeconfig": "lab/config", "context": "stage"}, c.Settings); diff != "" {
		t.Errorf("settings (-want +got):\n%s", diff)
	}
	if c.SettingsText() != "context stage, kubeconfig lab/config" || c.ControlPlanes != 0 {
		t.Errorf("%q, %d control planes", c.SettingsText(), c.ControlPlanes)
	}
}
