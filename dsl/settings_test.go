package dsl

import (
	"errors"
	"maps"
	"testing"
	"testing/fstest"
)

// TestTheLabBlock keeps what a file says about itself.
func TestTheLabBlock(t *testing.T) {
	m := good(t, "lab {\n  name = \"A name\"\n  description = \"More of it.\"\n  required_version = \"~> 1.2\"\n}\n", Options{Version: "1.9.9"})
	same(t, "lab", []string{"A name", "More of it.", "~> 1.2"}, []string{m.Name, m.Description, m.RequiredVersion})
	m = good(t, "", Options{})
	same(t, "without one", []string{"", "", ""}, []string{m.Name, m.Description, m.RequiredVersion})
}

// TestRequiredVersion keeps which versions of lab a file is served by.
func TestRequiredVersion(t *testing.T) {
	for name, tt := range map[string]struct {
		constraint, version string
		want                []problem
	}{
		"the least":            {">= 1.2", "1.2.0", nil},
		"more":                 {">= 1.2", "2.0.0", nil},
		"less":                 {">= 1.2", "1.1.9", []problem{">= 1.2|1.1.9"}},
		"of the same minor":    {"~> 1.2.0", "1.2.9", nil},
		"of the next minor":    {"~> 1.2.0", "1.3.0", []problem{"1.3.0"}},
		"between":              {">= 1.2, < 2.0", "1.9.0", nil},
		"beyond":               {">= 1.2, < 2.0", "2.0.0", []problem{"2.0.0"}},
		"not this one":         {"!= 1.2.3", "1.2.3", []problem{"1.2.3"}},
		"unknown":              {">= 1.2", "", nil},
		"not understood":       {"later", "1.2.3", []problem{"later"}},
		"not understood, anew": {"later", "", []problem{"later"}},
	} {
		t.Run(name, func(t *testing.T) {
			src := "lab {\n  required_version = \"" + tt.constraint + "\"\n}\n"
			if tt.want != nil {
				src = "lab {\n  required_version = «\"" + tt.constraint + "\"»\n}\n"
			}
			wantProblems(t, "x.hcl", src, Options{Version: tt.version}, tt.want...)
		})
	}
}

// TestWrongLab points at what is wrong with the block lab.
func TestWrongLab(t *testing.T) {
	for name, tt := range map[string]struct {
		src  string
		want []problem
	}{
		"two of them":      {"lab {}\n«lab» {}", []problem{"lab|x.hcl:1"}},
		"a label":          {"lab «\"x\"» {}", []problem{"lab"}},
		"a list as a name": {"lab { name = «[\"x\"]» }", []problem{"name|string"}},
		"a null":           {"lab { name = «null» }", []problem{"name|null"}},
		"an unknown block": {"«labs» {}", []problem{`"labs"|"lab"`}},
		"an argument":      {"«name» = \"x\"", []problem{`"name"`}},
	} {
		t.Run(name, func(t *testing.T) { wantProblems(t, "x.hcl", tt.src, Options{}, tt.want...) })
	}
}

// TestOneLabInAFolder tells of a second lab block in another file.
func TestOneLabInAFolder(t *testing.T) {
	_, list := LoadFS(fstest.MapFS{
		"f/scenario.hcl": {Data: []byte("\nlab { name = \"b\" }\n")}, "f/a.hcl": {Data: []byte("lab { name = \"a\" }\n")},
	}, "f", Options{})
	if len(list) != 1 || list[0].Range.Filename != "f/scenario.hcl" || list[0].Range.Start.Line != 2 {
		t.Fatalf("got %s", list.Error())
	}
	says(t, list[0], "lab|f/a.hcl:1")
}

// TestClusterArguments keeps what a cluster has that says nothing, and one that
// says all.
func TestClusterArguments(t *testing.T) {
	m := good(t, `
cluster "least" { kubernetes = "1.28" }
cluster "all" {
  kubernetes         = "~> 1.28"
  provider           = "kind"
  image              = "kindest/node:v1.28.15"
  control_planes     = 3
  workers            = "2"
  ready_timeout      = "1m30s"
  images             = ["a:1", "b:2"]
  feature_gates      = { A = true, B = false, C = "true" }
  runtime_config     = { "api/alpha" = true, "x/v1" = "false" }
  containerd_patches = ["one"]
  kubeadm_patches    = ["two", "three"]
  component "kubelet" {
    feature_gates = { K = true }
    extra_args    = { v = 4 }
  }
  component "kube-apiserver" {}
}
`, Options{})
	least, all := m.Clusters[0], m.Clusters[1]
	if least.Provider != "kind" || least.ControlPlanes != 1 || least.Workers != 0 || least.ReadyTimeout != 0 || least.FeatureGates != nil ||
		least.RuntimeConfig != nil || least.Images != nil || least.Components != nil || len(least.Settings) > 0 || least.Image != "" || least.Key != "" {
		t.Errorf("least: %+v", least)
	}
	if all.ControlPlanes != 3 || all.Workers != 2 || all.ReadyTimeout.Seconds() != 90 || all.Kubernetes != "~> 1.28" || all.Image == "" {
		t.Errorf("all: %+v", all)
	}
	same(t, "gates", map[string]bool{"A": true, "B": false, "C": true}, all.FeatureGates)
	same(t, "runtime_config", map[string]string{"api/alpha": "true", "x/v1": "false"}, all.RuntimeConfig)
	same(t, "images", []string{"a:1", "b:2"}, all.Images)
	same(t, "patches", []string{"one", "two", "three"}, append(all.ContainerdPatches, all.KubeadmPatches...))
	if c := all.Components; len(c) != 2 || c[0].Name != "kubelet" || !c[0].FeatureGates["K"] || c[0].ExtraArgs["v"] != "4" || c[1].Name != "kube-apiserver" {
		t.Errorf("components: %+v", c)
	}
	for what, got := range map[string][2]int{
		"kubernetes": {all.KubernetesRange.Start.Line, 4}, "feature_gates": {all.FeatureGatesRange.Start.Line, 11},
		"the cluster": {all.Range.Start.Line, 3}, "a component": {all.Components[0].Range.Start.Line, 15},
		"a component's gates": {all.Components[0].FeatureGatesRange.Start.Line, 16},
	} {
		if got[0] != got[1] {
			t.Errorf("%s is on line %d, want %d", what, got[0], got[1])
		}
	}
}

// TestLimitsOfClusters keeps the limits of numbers, durations and versions.
func TestLimitsOfClusters(t *testing.T) {
	for name, tt := range map[string]struct {
		argument string
		want     []problem
	}{
		"the least control plane": {"control_planes = 1", nil},
		"no control plane":        {"control_planes = «0»", []problem{"control_planes|1|1000"}},
		"no worker":               {"workers = 0", nil},
		"the most workers":        {"workers = 1000", nil},
		"one worker too many":     {"workers = «1001»", []problem{"workers|1000|1001"}},
		"less than none":          {"workers = «-1»", []problem{"workers|-1"}},
		"half a worker":           {"workers = «0.5»", []problem{"workers|0.5"}},
		"a text":                  {"workers = «\"two\"»", []problem{"workers|number"}},
		"null":                    {"workers = «null»", []problem{"workers|null"}},
		"very many":               {"workers = «1e30»", []problem{"workers"}},
		"the shortest":            {"ready_timeout = \"1ns\"", nil},
		"no time":                 {"ready_timeout = «\"0s\"»", []problem{"ready_timeout"}},
		"a time before":           {"ready_timeout = «\"-1s\"»", []problem{"ready_timeout|-1s"}},
		"a time without a unit":   {"ready_timeout = «\"60\"»", []problem{"60|duration"}},
		"a time by number":        {"ready_timeout = «60»", []problem{`"60s"`}},
		"a time in days":          {"ready_timeout = «\"1d\"»", []problem{"1d"}},
		"a time that is null":     {"ready_timeout = «null»", []problem{"ready_timeout"}},
		"an endless time":         {"ready_timeout = «\"9999999999h\"»", []problem{"9999999999h"}},
		"an unknown component":    {"component «\"kubelt\"» {}", []problem{`"kubelt"|"kubelet"`}},
		"a component far off":     {"component «\"etcd\"» {}", []problem{`"etcd"|kube-scheduler`}},
		"a component twice":       {"component \"kubelet\" {}\ncomponent «\"kubelet\"» {}", []problem{"kubelet|x.hcl:3"}},
		"a gate that is text":     {"feature_gates = «{ A = \"on\" }»", []problem{"feature_gates|true or false"}},
		"a gate that is null":     {"feature_gates = «{ A = null }»", []problem{"feature_gates|null"}},
		"gates as a list":         {"feature_gates = «[\"A\"]»", []problem{"feature_gates"}},
		"an image that is a list": {"image = «[]»", []problem{"image|string"}},
		"an image that is null":   {"images = «[null]»", []problem{"images|null"}},
		"images that nest":        {"images = «[[\"a\"]]»", []problem{"images"}},
		"an argument of a target": {"image = «target».name", []problem{"target"}},
		"a context":               {"«context» = \"x\"", []problem{"context|existing"}},
		"a namespace":             {"«namespace» = \"x\"", []problem{"namespace|existing"}},
		"an unknown provider":     {"provider = «\"exsting\"»", []problem{`"exsting"|"existing"`}},
		"a provider that is null": {"provider = «null»", []problem{"provider|null"}},
	} {
		t.Run(name, func(t *testing.T) {
			wantProblems(t, "x.hcl", "cluster \"c\" {\nkubernetes = \"1.28\"\n"+tt.argument+"\n}\n", Options{Providers: testProviders()}, tt.want...)
		})
	}
}

// TestVersionsOfClusters keeps how a version is written, and who decides.
func TestVersionsOfClusters(t *testing.T) {
	refuse := func(string) error { return errors.New("nobody has it.") }
	for name, tt := range map[string]struct {
		version string
		check   func(string) error
		want    []problem
	}{
		"a minor version":     {`"1.28"`, nil, nil},
		"a whole version":     {`"1.28.15"`, nil, nil},
		"a constraint":        {`">= 1.28, < 1.31"`, nil, nil},
		"a number":            {`«1.28»`, nil, []problem{"string|1.28"}},
		"a number that loses": {`«1.30»`, nil, []problem{"string|1.3"}},
		"null":                {`«null»`, nil, []problem{"string|null"}},
		"a list":              {`«["1.28"]»`, nil, []problem{"string"}},
		"no version":          {`«"newest"»`, nil, []problem{"newest"}},
		"an empty text":       {`«""»`, nil, []problem{"version"}},
		"refused by the user": {`«"1.28"»`, refuse, []problem{"Nobody has it"}},
		"accepted by them":    {`"newest"`, func(string) error { return nil }, nil},
	} {
		t.Run(name, func(t *testing.T) {
			wantProblems(t, "x.hcl", "cluster \"c\" { kubernetes = "+tt.version+" }\n", Options{CheckVersion: tt.check}, tt.want...)
		})
	}
	wantProblems(t, "x.hcl", "cluster \"c\" «»{\n  workers = 1\n}\n", Options{}, "kubernetes|required")
}

// TestExistingClusters keeps what is known of a cluster that is there.
func TestExistingClusters(t *testing.T) {
	for name, tt := range map[string]struct {
		args string
		want map[string]string
	}{
		"what kubectl takes":        {"", map[string]string{}},
		"a file beside":             {`kubeconfig = "kc"`, map[string]string{"kubeconfig": "lab/kc"}},
		"a file above":              {`kubeconfig = "../kc"`, map[string]string{"kubeconfig": "kc"}},
		"a file from the root":      {`kubeconfig = "/etc/kc"`, map[string]string{"kubeconfig": "/etc/kc"}},
		"a file in the home folder": {`kubeconfig = "~/kc"`, map[string]string{"kubeconfig": "~/kc"}},
		"an empty name":             {`kubeconfig = ""`, map[string]string{}},
		"a name with a tilde":       {`kubeconfig = "~kc"`, map[string]string{"kubeconfig": "lab/~kc"}},
		"a context":                 {`context = "prod"`, map[string]string{"context": "prod"}},
		"a namespace":               {`namespace = "team"`, map[string]string{"namespace": "team"}},
		"access to nodes":           {`node_access = "busybox:1.35"`, map[string]string{"node_access": "busybox:1.35"}},
	} {
		t.Run(name, func(t *testing.T) {
			src := "cluster \"c\" {\n  provider = \"existing\"\n  " + tt.args + "\n}\n"
			m, list := LoadFS(fstest.MapFS{"lab/x.hcl": {Data: []byte(src)}}, "lab/x.hcl", Options{})
			if list.HasErrors() {
				t.Fatal(list.Error())
			}
			c := m.Clusters[0]
			if c.Provider != "existing" || c.Kubernetes != "" || !maps.Equal(c.Settings, tt.want) {
				t.Errorf("got %+v of %+v, want %+v", c.Settings, c, tt.want)
			}
		})
	}
}
