package mutate

import (
	"reflect"
	"regexp"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/kind-lab/lab/collectors"
	"github.com/kind-lab/lab/dsl"
	"github.com/kind-lab/lab/dsl/action"
	"github.com/kind-lab/lab/labs/expect"
	"github.com/kind-lab/lab/labs/report"
)

// sameRecords says whether records tell the same, but for their numbers.
func sameRecords(a, b []collectors.Record) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		x, y := a[i], b[i]
		x.Seq, y.Seq = 0, 0
		if !reflect.DeepEqual(x, y) {
			return false
		}
	}
	return true
}

// punctual is how much later than in the recording lab may have decided what
// comes before a step that acts.
const punctual = 100 * time.Millisecond

// maxDelays bounds how often the steps of a copy are put off.
const maxDelays = 12

// early is a step that acts before lab has decided what comes before it: its place
// in the scenario, when it acts, and by how much that is too early.
type early struct {
	place int
	at    time.Time
	by    time.Duration
}

// judge judges the records of a draft. Where lab decides an expectation later
// than it did, what it does next comes later, too, and all that follows. onTime
// is false if that does not end.
func (s *subject) judge(d *draft, records []collectors.Record) (after report.ScenarioRun, onTime bool) {
	var before early
	changed := d.changed()
	for range maxDelays {
		after = s.judging.Over(records, s.end)
		now := s.late(records, after)
		if now.by <= 0 {
			return after, true
		}
		by := now.by
		if now.place == before.place && by > before.by/2 {
			// What decides it comes of the step itself: it is not decided.
			by = max(by, s.patience(now.place))
		}
		if !d.putOff(now.at, by, changed) {
			return after, false
		}
		records, before = d.records(), now
	}
	return after, false
}

// patience is how long lab waits at most for all that comes before a step.
func (s *subject) patience(place int) time.Duration {
	all := time.Minute
	for _, st := range s.judging.Scenario().Steps[:place] {
		if _, ok := st.Action.(action.Decided); ok {
			all += st.Action.Times().Longest()
		}
	}
	return all
}

// late finds the first step that acts too early; its by is 0 if none does.
func (s *subject) late(records []collectors.Record, after report.ScenarioRun) early {
	begun := map[string]time.Time{}
	for i := range records {
		if r := &records[i]; r.Type == collectors.TypeStepBegin && r.Step != nil {
			begun[r.Step.Verb+" "+r.Step.Name] = r.Step.StartedAt
		}
	}
	var ready time.Time
	for i, st := range s.judging.Scenario().Steps {
		if i >= len(after.Steps) || after.Steps[i].Status == expect.Skip && action.Acts(st.Action) {
			return early{}
		}
		_, decided := st.Action.(action.Decided)
		switch {
		case decided:
			// In the recording the next step began when this one was decided.
			if at := s.history.begin.Add(time.Duration(after.Steps[i].EndedAt * float64(time.Second))); at.After(ready) {
				ready = at
			}
		case action.Acts(st.Action):
			began, has := begun[st.Verb+" "+st.Name]
			if by := ready.Sub(began); has && by > punctual {
				return early{i, began, by}
			}
		}
	}
	return early{}
}

// step finds the first step that would fail by itself, as it is not rejected as
// the scenario expects, or its command ends otherwise; nil if there is none.
func (s *subject) step(records []collectors.Record) *notice {
	was, now := map[string]*collectors.Step{}, map[string]*collectors.Step{}
	eachStep(s.history.records, func(_ int, st *collectors.Step) { was[st.Verb+" "+st.Name] = st })
	eachStep(records, func(_ int, st *collectors.Step) { now[st.Verb+" "+st.Name] = st })
	for i, st := range s.judging.Scenario().Steps {
		before, after := was[st.Verb+" "+st.Name], now[st.Verb+" "+st.Name]
		if before == nil || after == nil || i >= len(s.before.Steps) || s.before.Steps[i].Status != expect.Pass {
			continue
		}
		if s.fails(st, before, after) {
			return &notice{i, expect.Pass, expect.Fail}
		}
	}
	return nil
}

// fails says whether a step fails that did not before: it is rejected, or is not
// as the scenario expects, or its command fails.
func (s *subject) fails(st *dsl.Step, before, after *collectors.Step) bool {
	switch {
	case (before.Error == "") != (after.Error == ""):
		return true
	case before.Error != after.Error && !s.accepts(st, after.Error):
		return true
	}
	l := action.LimitsOf(st.Action)
	return l != nil && !l.IgnoreExitCode && code(before) == 0 && code(after) != 0
}

func code(s *collectors.Step) int {
	if s.ExitCode == nil {
		return 0
	}
	return *s.ExitCode
}

// accepts says whether a rejection is one that the scenario expects.
func (s *subject) accepts(st *dsl.Step, rejection string) bool {
	l := action.LimitsOf(st.Action)
	if l == nil || l.ExpectError == nil {
		return true
	}
	v, diags := s.judging.Eval(st, l.ExpectError)
	if diags.HasErrors() || v.IsNull() || !v.IsKnown() || v.Type() != cty.String {
		return true
	}
	pattern, err := regexp.Compile(v.AsString())
	return err != nil || pattern.MatchString(rejection)
}
