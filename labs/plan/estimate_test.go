package plan

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kind-lab/lab/clusters"
)

func planned() *Plan {
	limit := 30 * time.Second
	quick := []Step{
		{Verb: "apply", Timeout: limit},
		{Verb: "expect", Within: time.Minute, Hold: 5 * time.Second},
	}
	all := []Step{
		{Verb: "delete", Timeout: limit}, {Verb: "patch", Timeout: limit}, {Verb: "exec", Timeout: limit},
		{Verb: "signal", Timeout: limit}, {Verb: "wait", Within: 20 * time.Second, Hold: time.Second},
		{Verb: "sleep", Duration: 3 * time.Second}, {Verb: "expect"}, {Verb: "invariant"},
		{Verb: "node", Timeout: limit, Finally: true},
	}
	image := func(version string, takes time.Duration) Image {
		return Image{Version: version, Ref: "kindest/node:v" + version, Estimate: takes}
	}
	can := clusters.OwnCluster()
	return &Plan{
		File: "scenario.hcl",
		Clusters: []Cluster{
			{Name: "a", Image: image("1.27.3", 7*time.Minute), Capabilities: can},
			{Name: "b", Image: image("1.27.3", 7*time.Minute), Capabilities: can},
			{Name: "c", Image: image("1.28.15", 0), Capabilities: can, Spec: clusters.Spec{ControlPlanes: 1, Workers: 2}},
		},
		Runs: []ScenarioRun{
			{Scenario: "quick", Cluster: "a", Steps: quick}, {Scenario: "quick", Cluster: "c", Steps: quick},
			{Scenario: "all", Cluster: "c", Steps: all},
		},
	}
}

func TestEstimate(t *testing.T) {
	quick, both := Span{7 * time.Second, 97 * time.Second}, Span{13 * time.Second, 283 * time.Second}
	tests := []struct {
		name   string
		bounds Bounds
		want   []Path
	}{
		{"all at once", Bounds{Creates: 3}, []Path{
			{"a", 7 * time.Minute, 0, 40 * time.Second, []string{"quick"}, quick, Span{469 * time.Second, 559 * time.Second}},
			{"b", 0, 7 * time.Minute, 40 * time.Second, []string{}, Span{}, Span{462 * time.Second, 462 * time.Second}},
			{"c", 0, 7 * time.Minute, 70 * time.Second, []string{"quick", "all"}, both, Span{505 * time.Second, 775 * time.Second}},
		}},
		{"one boots after the other", Bounds{}, []Path{
			{"a", 7 * time.Minute, 0, 40 * time.Second, []string{"quick"}, quick, Span{469 * time.Second, 559 * time.Second}},
			{"b", 0, 460 * time.Second, 40 * time.Second, []string{}, Span{}, Span{502 * time.Second, 502 * time.Second}},
			{"c", 0, 500 * time.Second, 70 * time.Second, []string{"quick", "all"}, both, Span{585 * time.Second, 855 * time.Second}},
		}},
		{"one in use at once", Bounds{Creates: 3, Clusters: 1}, []Path{
			{"a", 7 * time.Minute, 0, 40 * time.Second, []string{"quick"}, quick, Span{469 * time.Second, 559 * time.Second}},
			{"b", 0, 469 * time.Second, 40 * time.Second, []string{}, Span{}, Span{511 * time.Second, 601 * time.Second}},
			{"c", 0, 511 * time.Second, 70 * time.Second, []string{"quick", "all"}, both, Span{596 * time.Second, 956 * time.Second}},
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e := planned().Estimate(tt.bounds)
			if diff := cmp.Diff(tt.want, e.Paths); diff != "" {
				t.Error(diff)
			}
			if last := tt.want[len(tt.want)-1].Total; e.Total != last {
				t.Errorf("total %v, want %v", e.Total, last)
			}
		})
	}
	if e := (&Plan{}).Estimate(Bounds{Creates: 1}); e.Total != (Span{}) {
		t.Errorf("nothing takes %v", e.Total)
	}
}

func TestEstimateAsText(t *testing.T) {
	var got strings.Builder
	if err := planned().Estimate(Bounds{Creates: 2}).WriteText(&got); err != nil {
		t.Fatal(err)
	}
	const golden = "testdata/estimate.txt"
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

func TestDocument(t *testing.T) {
	data, err := json.Marshal(planned().Document(Bounds{Creates: 1}))
	if err != nil {
		t.Fatal(err)
	}
	var got map[string]any
	if err := json.Unmarshal(data, &got); err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"version", "file", "clusters", "runs", "estimate"} {
		if _, ok := got[key]; !ok || len(got) != 5 {
			t.Errorf("the document has no %q, or more than it should: %s", key, data)
		}
	}
}
