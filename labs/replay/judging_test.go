package replay_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kind-lab/lab/dsl/action"
	"github.com/kind-lab/lab/dsl/value"
	"github.com/kind-lab/lab/labs/replay"
)

// TestWhatAConditionRestsOn asks what a condition is at times of a run, and what it
// rests on.
func TestWhatAConditionRestsOn(t *testing.T) {
	j, err := open(t, true).Judging(module(t), replay.ScenarioRun{Key: "exits/v129", Scenario: "exits", Cluster: "v129", Begin: begin})
	if err != nil {
		t.Fatal(err)
	}
	st := j.Scenario().Steps[0]
	condition, _ := action.Condition(st.Action)
	var questions []replay.Question
	for _, at := range []float64{0, 3, 5} {
		questions = append(questions, replay.Question{Step: st, Expr: condition, Until: after(at)})
	}
	var known []bool
	var reads []value.Read
	for _, f := range j.Find(questions) {
		known = append(known, f.Value.IsKnown())
		reads = f.Reads
	}
	if diff := cmp.Diff([]bool{false, false, true}, known); diff != "" {
		t.Errorf("when it is known (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]value.Read{{Stream: value.RuntimeStream, Name: "web", Container: "main"}}, reads); diff != "" {
		t.Errorf("what it rests on (-want +got):\n%s", diff)
	}
}
