package player

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"github.com/kind-lab/lab/collectors"
	"github.com/kind-lab/lab/dsl"
	"github.com/kind-lab/lab/dsl/action"
	"github.com/kind-lab/lab/dsl/value"
	"github.com/kind-lab/lab/labs/expect"
	"github.com/kind-lab/lab/labs/report"
)

var begin = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// fake is a stage on which every step takes a second. Steps whose names are in
// fails fail, with its errors; a decision ends with awaits.
type fake struct {
	player   *Player
	now      time.Time
	timeline *collectors.Timeline
	fails    map[string]error
	awaits   error
	said     []string
	closed   []error
}

func (f *fake) Now() time.Time { return f.now }

func (f *fake) Begin(*dsl.Step) time.Time {
	f.now = f.now.Add(time.Second)
	return f.now
}

func (f *fake) Scope(*dsl.Step) *expect.Scope {
	return &expect.Scope{Timeline: f.timeline, Evaluator: func(o expect.Observed) expect.Evaluator {
		return &value.Scope{Steps: o.Steps, Pods: o.Pods}
	}}
}

func (f *fake) Await(_ context.Context, d *Decision) error {
	if f.awaits != nil {
		return f.awaits
	}
	for !d.Decided() {
		f.now = d.Deadline()
		d.Observe(f.now, nil)
	}
	return nil
}

func (f *fake) Decided(st *dsl.Step, _, _ time.Time, err error) {
	f.said = append(f.said, fmt.Sprintf("decided %s: %v", st.Name, err))
}

func (f *fake) Do(_ context.Context, st *dsl.Step) (report.Step, error) {
	f.Begin(st)
	result := report.Step{Name: st.Name, Verb: st.Verb, Status: expect.Pass}
	err := f.fails[st.Name]
	if err != nil {
		result.Status = expect.Fail
	}
	return result, err
}

func (f *fake) Watch(*expect.Invariant) { f.said = append(f.said, "watch") }

func (f *fake) Close(early error) time.Time {
	f.closed = append(f.closed, early)
	f.now = f.now.Add(time.Second)
	return f.now
}

func (f *fake) Over(s report.Step) { f.said = append(f.said, s.Status.String()+" "+s.Name) }

func (f *fake) Progress(text string) { f.said = append(f.said, text) }

func is(v cty.Value) hcl.Expression { return hcl.StaticExpr(v, hcl.Range{}) }

func act(name string) *dsl.Step {
	return &dsl.Step{Name: name, Verb: "apply", Action: &action.Apply{}}
}

func expectation(name string, v cty.Value) *dsl.Step {
	return &dsl.Step{Name: name, Verb: "expect", Action: &action.Expect{Name: name, Condition: is(v), Within: time.Second}}
}

func wait(name string, v cty.Value) *dsl.Step {
	return &dsl.Step{Name: name, Verb: "wait", Action: &action.Wait{Name: name, Condition: is(v), Within: time.Second}}
}

func invariant(name string, v cty.Value) *dsl.Step {
	return &dsl.Step{Name: name, Verb: "invariant", Action: &action.Invariant{Name: name, Condition: is(v)}}
}

// play carries out steps, and returns the results as "status name".
func play(ctx context.Context, f *fake, steps ...*dsl.Step) []string {
	f.now, f.timeline = begin, collectors.NewTimeline(begin)
	f.player = New(f, &dsl.Scenario{Steps: steps}, begin)
	f.player.Steps(ctx)
	var out []string
	for _, s := range f.player.Results() {
		out = append(out, s.Status.String()+" "+s.Name)
	}
	return out
}

func TestStepsAreCarriedOutInOrder(t *testing.T) {
	broken := errors.New(`step "a" could not be done`)
	tests := map[string]struct {
		stage  *fake
		steps  []*dsl.Step
		want   []string
		closed error
	}{
		"all is well":                    {&fake{}, []*dsl.Step{act("a"), expectation("e", cty.True), act("b")}, []string{"pass a", "pass e", "pass b"}, nil},
		"an expectation does not end it": {&fake{}, []*dsl.Step{expectation("e", cty.False), act("b")}, []string{"fail e", "pass b"}, nil},
		"a step that fails does":         {&fake{fails: map[string]error{"a": broken}}, []*dsl.Step{act("a"), expectation("e", cty.True), invariant("i", cty.True)}, []string{"fail a", "skip e", "skip i"}, broken},
		"so does a wait":                 {&fake{}, []*dsl.Step{wait("w", cty.False), act("b")}, []string{"fail w", "skip b"}, errors.New(`what step "w" waits for did not come`)},
		"an interrupted step":            {&fake{fails: map[string]error{"a": ErrInterrupted}}, []*dsl.Step{invariant("i", cty.True), act("a"), act("b")}, []string{"error i", "fail a", "error b"}, ErrInterrupted},
		"a lost observation": {&fake{awaits: Lost(errors.New("gone"))}, []*dsl.Step{expectation("e", cty.UnknownVal(cty.Bool)), act("b")}, []string{"error e", "error b"},
			errors.New("the observation was lost: gone")},
		"a recording that ends in an expectation": {&fake{awaits: &CutOffError{"cut"}}, []*dsl.Step{expectation("e", cty.UnknownVal(cty.Bool)), act("b")}, []string{"error e", "pass b"}, nil},
		"a recording that ends in a wait": {&fake{awaits: &CutOffError{"cut"}}, []*dsl.Step{wait("w", cty.UnknownVal(cty.Bool)), act("b")}, []string{"error w", "skip b"},
			errors.New(`what step "w" waits for did not come`)},
		"an invariant that holds":     {&fake{}, []*dsl.Step{invariant("i", cty.True), act("a")}, []string{"pass i", "pass a"}, nil},
		"an invariant that is broken": {&fake{}, []*dsl.Step{invariant("i", cty.False), act("a")}, []string{"fail i", "pass a"}, nil},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, play(t.Context(), tt.stage, tt.steps...)); diff != "" {
				t.Errorf("results (-want +got):\n%s", diff)
			}
			if len(tt.stage.closed) != 1 || fmt.Sprint(tt.stage.closed[0]) != fmt.Sprint(tt.closed) {
				t.Errorf("closed with %v, want once %v", tt.stage.closed, tt.closed)
			}
			if len(tt.stage.player.Watching()) > 0 {
				t.Error("an invariant is not decided")
			}
		})
	}
}

func TestNothingIsBegunOnceItIsInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	f := &fake{}
	if diff := cmp.Diff([]string{"error a", "error e"}, play(ctx, f, act("a"), expectation("e", cty.True))); diff != "" {
		t.Errorf("results (-want +got):\n%s", diff)
	}
	if got := f.player.Status(); got != expect.Error {
		t.Errorf("status %s", got)
	}
}

func TestWhatIsTold(t *testing.T) {
	f := &fake{}
	play(t.Context(), f, invariant("i", cty.True), wait("w", cty.True), expectation("e", cty.False))
	want := []string{"watch", "waiting: w", "decided w: <nil>", "pass w", "expecting: e", "decided e: <nil>", "fail e", "pass i"}
	if diff := cmp.Diff(want, f.said); diff != "" {
		t.Errorf("reported (-want +got):\n%s", diff)
	}
	results := f.player.Results()
	if results[0].Verdict == nil || results[1].Verdict != nil || results[2].Verdict == nil {
		t.Error("expectations and invariants have verdicts, and waits have none")
	}
	if results[1].BeganAt != 2 || results[0].EndedAt <= results[2].EndedAt {
		t.Errorf("times: %+v", results)
	}
}

func TestARecordSaysWhatTheReportSays(t *testing.T) {
	st := act("a")
	r := &collectors.Step{Name: "a", Verb: "apply", StartedAt: begin.Add(time.Second), FinishedAt: begin.Add(3 * time.Second)}
	if old, ok := Noted(st, r, begin); ok || old.Status != expect.Pass || old.BeganAt != 1 || old.EndedAt != 3 {
		t.Errorf("an older record gives %+v, %t", old, ok)
	}
	Note(r, expect.Fail, "no", "")
	if got, ok := Noted(st, r, begin); !ok || got.Status != expect.Fail || got.Detail != "no" {
		t.Errorf("%+v, %t", got, ok)
	}
	Note(r, expect.Pass, "refused as expected: no", "refused")
	if got, ok := Noted(st, r, begin); !ok || got.Outcome != "refused" {
		t.Errorf("%+v, %t", got, ok)
	}
	r.Status = "splendid"
	if got, _ := Noted(st, r, begin); got.Status != expect.Error || !strings.Contains(got.Detail, "splendid") {
		t.Errorf("an unknown status gives %+v", got)
	}
}

func TestInterruptionsAndLosses(t *testing.T) {
	cause := errors.New("cause")
	for text, err := range map[string]error{
		"interrupted": Interrupted(nil), "interrupted: cause": Interrupted(cause), "the observation was lost: cause": Lost(cause),
	} {
		if err.Error() != text {
			t.Errorf("says %q, want %q", err, text)
		}
	}
	if Interrupted(context.Canceled) != ErrInterrupted || Lost(nil) != nil || Lost(ErrInterrupted) != ErrInterrupted {
		t.Error("what says no more is not wrapped")
	}
}
