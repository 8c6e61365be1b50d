package plan

import (
	"errors"
	"flag"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/hcl/v2"

	"github.com/kind-lab/lab/dsl"
)

var update = flag.Bool("update", false, "write the golden files")

func module() *dsl.Module {
	v127 := &dsl.Cluster{Name: "v127", Kubernetes: "1.27"}
	on := &dsl.Cluster{Name: "v128_on", Kubernetes: "~> 1.28", FeatureGates: map[string]bool{"SidecarContainers": true}}
	unused := &dsl.Cluster{Name: "unused", Kubernetes: "1.29"}
	steps := []*dsl.Step{
		{Name: "job", Verb: dsl.VerbApply, Apply: &dsl.Apply{}},
		{Name: "it completes", Verb: dsl.VerbExpect, Expect: &dsl.Expect{Within: time.Minute, Hold: 5 * time.Second}},
	}
	return &dsl.Module{
		Path: "scenario.hcl", Files: map[string]*hcl.File{}, Clusters: []*dsl.Cluster{unused, on, v127},
		Scenarios: []*dsl.Scenario{
			{Name: "classic", Clusters: []*dsl.Cluster{v127, on}, Steps: steps},
			{Name: "native", Clusters: []*dsl.Cluster{on}, Steps: steps},
		},
	}
}

func resolve(constraint, _ string) (Image, error) {
	switch constraint {
	case "1.27":
		return Image{Version: "1.27.3", Source: "build", Ref: "kindest/node:v1.27.3", Why: "1.27.3 is the newest 1.27 that can be had", Estimate: 7 * time.Minute}, nil
	case "~> 1.28":
		return Image{Version: "1.28.15", Source: "have", Ref: "kindest/node:v1.28.15"}, nil
	}
	return Image{}, errors.New("there is no such version")
}

func TestPlanAsText(t *testing.T) {
	p, problems := Build(module(), Options{Resolve: resolve})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	var got strings.Builder
	if err := p.WriteText(&got); err != nil {
		t.Fatal(err)
	}
	const golden = "testdata/plan.txt"
	if *update {
		if err := os.WriteFile(golden, []byte(got.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got.String()); diff != "" {
		t.Errorf("text differs (-want +got):\n%s", diff)
	}
}

func TestOnlyWhatIsChosenIsPlanned(t *testing.T) {
	tests := []struct {
		name                string
		clusters, scenarios []string
		want                []string // scenario/cluster
		wantProblem         string
	}{
		{"all", nil, nil, []string{"classic/v127", "classic/v128_on", "native/v128_on"}, ""},
		{"one cluster", []string{"v127"}, nil, []string{"classic/v127"}, ""},
		{"one scenario", nil, []string{"native"}, []string{"native/v128_on"}, ""},
		{"no such cluster", []string{"v130"}, nil, nil, `No cluster "v130"`},
		{"no such scenario", nil, []string{"clasic"}, nil, `No scenario "clasic"`},
		{"nothing in common", []string{"v127"}, []string{"native"}, nil, "Nothing to run"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p, problems := Build(module(), Options{Clusters: tt.clusters, Scenarios: tt.scenarios, Resolve: resolve})
			if tt.wantProblem != "" {
				if len(problems) == 0 || problems[0].Summary != tt.wantProblem {
					t.Fatalf("problems = %v, want %q", problems, tt.wantProblem)
				}
				return
			}
			if len(problems) > 0 {
				t.Fatal(problems)
			}
			var got []string
			for _, r := range p.Runs {
				got = append(got, r.Scenario+"/"+r.Cluster)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestEveryVersionThatCannotBeHadIsTold(t *testing.T) {
	m := module()
	m.Clusters[1].Kubernetes, m.Clusters[2].Kubernetes = "1.99", "abc"
	_, problems := Build(m, Options{Resolve: resolve})
	if len(problems) != 2 {
		t.Fatalf("%d problems, want one for each cluster: %v", len(problems), problems)
	}
}

func TestMinorAndNamespace(t *testing.T) {
	for version, want := range map[string]int{"1.28.15": 28, "v1.37.0": 37, "1": 0, "x.y": 0} {
		if got := Minor(version); got != want {
			t.Errorf("Minor(%q) = %d, want %d", version, got, want)
		}
	}
	for scenario, want := range map[string]string{"classic": "lab-classic", "Two Words_": "lab-two-words"} {
		if got := Namespace(scenario); got != want {
			t.Errorf("Namespace(%q) = %q, want %q", scenario, got, want)
		}
	}
}
