package plan

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/hcl/v2"

	"github.com/kind-lab/lab/dsl"
	"github.com/kind-lab/lab/dsl/action"
)

var update = flag.Bool("update", false, "write the golden files")

func module() *dsl.Module {
	v127 := &dsl.Cluster{Name: "v127", Kubernetes: "1.27"}
	on := &dsl.Cluster{Name: "v128_on", Kubernetes: "~> 1.28", FeatureGates: map[string]bool{"SidecarContainers": true}}
	unused := &dsl.Cluster{Name: "unused", Kubernetes: "1.29"}
	limits := action.Limits{Timeout: time.Minute}
	steps := []*dsl.Step{
		{Name: "job", Verb: "apply", Action: &action.Apply{Limits: limits}},
		{Name: "it completes", Verb: "expect", Action: &action.Expect{Within: time.Minute, Hold: 5 * time.Second}},
	}
	all := []*dsl.Step{
		{Name: "never restarts", Verb: "invariant", Action: &action.Invariant{}},
		{Name: "until it runs", Verb: "wait", Action: &action.Wait{Within: 30 * time.Second}},
		{Name: "settle", Verb: "sleep", Action: &action.Sleep{Duration: 5 * time.Second}},
		{Name: "image", Verb: "patch", Action: &action.Patch{Limits: limits}},
		{Name: "here", Verb: "exec", Action: &action.Exec{Host: true, Limits: limits}, Range: hcl.Range{Filename: "scenario.hcl", Start: hcl.Pos{Line: 9}}},
		{Name: "stop", Verb: "signal", Action: &action.Signal{Limits: limits}},
		{Name: "gone", Verb: "delete", Action: &action.Delete{Limits: limits}},
	}
	back := []*dsl.Step{{Name: "back", Verb: "node", Action: &action.Node{Limits: limits}}}
	by := &dsl.Cluster{Name: `by["1.27"]`, Block: "by", Key: "1.27", Kubernetes: "1.27"}
	return &dsl.Module{
		Path: "scenario.hcl", Files: map[string]*hcl.File{}, Clusters: []*dsl.Cluster{unused, on, v127, by},
		Scenarios: []*dsl.Scenario{
			{Name: "classic", Clusters: []*dsl.Cluster{v127, on}, Steps: steps},
			{Name: "native", Clusters: []*dsl.Cluster{on}, Steps: steps},
			{Name: "rows", Row: "grace=5", Clusters: []*dsl.Cluster{by}, Steps: all, Finally: back},
			{Name: "rows", Row: `grace="5"`, Clusters: []*dsl.Cluster{by}, Steps: all, Finally: back},
		},
	}
}

func resolve(constraint, _ string) (Image, error) {
	switch constraint {
	case "1.27":
		return Image{Version: "1.27.3", Source: "build", Ref: "kindest/node:v1.27.3", Why: "1.27.3 is the newest 1.27 that is available", Estimate: 7 * time.Minute}, nil
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
		{"all", nil, nil, []string{"classic/v127", "classic/v128_on", "native/v128_on", `rows[grace=5]/by["1.27"]`, `rows[grace="5"]/by["1.27"]`}, ""},
		{"all rows", nil, []string{"rows"}, []string{`rows[grace=5]/by["1.27"]`, `rows[grace="5"]/by["1.27"]`}, ""},
		{"one row", nil, []string{`rows[grace="5"]`}, []string{`rows[grace="5"]/by["1.27"]`}, ""},
		{"all of a block", []string{"by"}, []string{"rows[grace=5]"}, []string{`rows[grace=5]/by["1.27"]`, `rows[grace="5"]/by["1.27"]`}, ""},
		{"one of a block", []string{"by[1.27]"}, []string{`rows[grace="5"]`}, []string{`rows[grace="5"]/by["1.27"]`}, ""},
		{"a pattern of clusters", []string{"v12?"}, nil, []string{"classic/v127"}, ""},
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
	m.Scenarios = m.Scenarios[:2]
	_, problems := Build(m, Options{Resolve: resolve})
	if len(problems) != 2 {
		t.Fatalf("%d problems, want one for each cluster: %v", len(problems), problems)
	}
}

func TestWhatCannotBeHadIsLeftOut(t *testing.T) {
	without := func(missing ...string) Resolve {
		return func(constraint, image string) (Image, error) {
			if slices.Contains(missing, constraint) {
				return Image{}, fmt.Errorf("%w: %s", ErrUnavailable, constraint)
			}
			return resolve(constraint, image)
		}
	}
	p, problems := Build(module(), Options{SkipUnavailable: true, Resolve: without("~> 1.28")})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	want := []Skipped{{"v128_on", "~> 1.28", "this Kubernetes version is not available here: ~> 1.28"}}
	if diff := cmp.Diff(want, p.Skipped); diff != "" {
		t.Error(diff)
	}
	for _, r := range p.Runs {
		if r.Cluster == "v128_on" {
			t.Errorf("%s is planned on it", r.Scenario)
		}
	}
	if len(p.Runs) != 3 || len(p.Clusters) != 2 {
		t.Errorf("%d runs on %d clusters are left, want 3 on 2", len(p.Runs), len(p.Clusters))
	}
	for name, o := range map[string]Options{
		"not asked for":  {Resolve: without("~> 1.28")},
		"nothing left":   {SkipUnavailable: true, Resolve: without("~> 1.28", "1.27")},
		"another reason": {SkipUnavailable: true, Resolve: func(string, string) (Image, error) { return Image{}, errors.New("a disk broke") }},
	} {
		if _, problems := Build(module(), o); len(problems) == 0 || problems[0].Summary != "This Kubernetes version is not available" {
			t.Errorf("%s: %v, want the versions that is not available", name, problems)
		}
	}
}

func TestMinor(t *testing.T) {
	for version, want := range map[string]int{"1.28.15": 28, "v1.37.0": 37, "v1.30.0-rc.1+k3s1": 30, "1.30": 30, "1": 0, "x.y": 0, "": 0} {
		if got := Minor(version); got != want {
			t.Errorf("Minor(%q) = %d, want %d", version, got, want)
		}
	}
}

func TestNamesAreAllowedAndDistinct(t *testing.T) {
	long := strings.Repeat("a-long-name-", 6)
	tests := []struct {
		name    string
		names   []string
		shape   func(string) string
		longest int
		want    []string
	}{
		{"as they are", []string{"v127", "v128"}, label, 29, []string{"v127", "v128"}},
		{"made to fit", []string{"v128_on", `all["1.28"]`, "Ärger"}, label, 29, []string{"v128-on", "all-1-28", "rger"}},
		{"kept apart", []string{"v128_on", "v128-on", "other"}, label, 29, []string{"v128-on-1c038775", "v128-on-4b763b4b", "other"}},
		{"also by case", []string{"A", "a"}, folder, 29, []string{"A-d3d99e8b", "a-e8b7be43"}},
		{"too long", []string{long + "1", long + "2"}, label, 29, []string{"a-long-name-a-long-n-2c62b538", "a-long-name-a-long-n-b56be482"}},
		{"nothing is left", []string{"[]"}, label, 29, []string{"0d4cbb29"}},
		{"folders", []string{`native[grace=5,image="a/b:1"]`, "../..", "v128_on"}, folder, 100, []string{"native-grace-5-image-a-b-1", "1cfebb4b", "v128_on"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			shaped := distinct(tt.names, tt.shape, tt.longest)
			seen := map[string]bool{}
			for i, name := range tt.names {
				got := shaped[name]
				if len(got) > tt.longest || seen[strings.ToLower(got)] || tt.shape(got) != got {
					t.Errorf("%q became %q, which is too long, not distinct or not allowed", name, got)
				}
				seen[strings.ToLower(got)] = true
				if got != tt.want[i] {
					t.Errorf("%q became %q, want %q", name, got, tt.want[i])
				}
			}
		})
	}
}

func TestRunsOfAMatrixAreKeptApart(t *testing.T) {
	p, problems := Build(module(), Options{Resolve: resolve, Scenarios: []string{"rows", "native"}})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	namespaces, folders := map[string]bool{}, map[string]bool{}
	for _, r := range p.Runs {
		namespaces[r.Namespace], folders[r.Folder] = true, true
	}
	if len(namespaces) != len(p.Runs) || len(folders) != len(p.Runs) {
		t.Errorf("%d runs have the namespaces %v and folders %v", len(p.Runs), namespaces, folders)
	}
	if r := p.Runs[1]; r.Row != "grace=5" || r.Deadline != 30*time.Second+5*time.Second+5*time.Minute {
		t.Errorf("row %q takes at most %s", r.Row, r.Deadline)
	}
}

func FuzzDistinct(f *testing.F) {
	f.Add("v128_on", "v128-on")
	f.Add("", "[]")
	f.Add("\xff", "..")
	f.Fuzz(func(t *testing.T, a, b string) {
		for _, shape := range []func(string) string{label, folder} {
			shaped := distinct([]string{a, b}, shape, 29)
			if a != b && strings.EqualFold(shaped[a], shaped[b]) {
				t.Errorf("%q and %q are both %q", a, b, shaped[a])
			}
			for _, name := range shaped {
				if name == "" || len(name) > 29 || strings.Trim(name, "-.") != name || strings.ContainsAny(name, "/\\") {
					t.Errorf("the name %q is not allowed", name)
				}
			}
		}
	})
}
