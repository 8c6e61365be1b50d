// Package mutate says what the expectations of a scenario are worth. It makes
// changed copies of what a run recorded, drops those that Kubernetes could
// not have produced, judges each of the others again, and says which expectations no
// change could break and which changes nothing noticed.
//
// An expectation that holds in every world proves nothing; and a change that
// nothing notices is a question that the scenario does not ask. An
// expectation that a change only made an Error is not broken: that it could not be
// decided does not say how it would have been decided.
package mutate

import (
	"cmp"
	"context"
	"maps"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/kind-lab/lab/collectors"
	"github.com/kind-lab/lab/dsl"
	"github.com/kind-lab/lab/labs/expect"
	"github.com/kind-lab/lab/labs/replay"
	"github.com/kind-lab/lab/labs/report"
)

// DefaultMax is how many changed copies are made of a recording if nothing else
// is asked for.
const DefaultMax = 800

// DefaultTries is how many copies are judged for one expectation that nothing has
// broken yet if nothing else is asked for.
const DefaultTries = 60

// afterwards is for how long a recording goes on after its end, so that every
// deadline of an expectation passes: nothing happens in that time.
const afterwards = 2 * time.Hour

// Options are what can be chosen.
type Options struct {
	// Max bounds how many changed copies are made, dropped ones included; 0
	// means DefaultMax.
	Max int
	// Seed chooses which are made where there are more: the same seed chooses
	// the same.
	Seed uint64
	// Tries bounds how many copies are judged for one expectation that nothing has
	// broken yet; 0 means DefaultTries.
	Tries int
	// Progress is called now and then with how many copies are done; nil for
	// nobody. It is not called at the same time by two.
	Progress func(done, all int)
	// aimOnly leaves out the copies that are made for no expectation.
	aimOnly bool
}

// Run makes changed copies of runs of a recording and judges them by the
// scenario of a module, which must have the scenarios and clusters of the runs.
// The same recording, module and options give the same result. It ends early
// with the error of the context.
func Run(ctx context.Context, rec *replay.Recording, m *dsl.Module, runs []replay.ScenarioRun, o Options) (Result, error) {
	o.Max, o.Tries = cmp.Or(max(o.Max, 0), DefaultMax), cmp.Or(max(o.Tries, 0), DefaultTries)
	judgings, err := rec.Judgings(m, runs)
	if err != nil {
		return Result{}, err
	}
	subjects := newSubjects(judgings)
	all := newOthers()
	for _, s := range subjects {
		all.add(s.history)
	}
	w := newWork(subjects, all, o)
	if err := w.aim(ctx); err != nil {
		return Result{}, err
	}
	if !o.aimOnly {
		if err := w.spread(ctx); err != nil {
			return Result{}, err
		}
	}
	return w.result(), nil
}

// subject is a run whose records are changed.
type subject struct {
	judging *replay.Judging
	history *history
	// before is how the unchanged records are judged, and breaks what of them
	// breaks rules, by rule.
	before report.ScenarioRun
	breaks []map[string]bool
	end    time.Time
	// names are those of pods, containers, steps and objects, and spoken the
	// words of the conditions.
	names, spoken map[string]bool
	// readings are what the conditions of its steps read.
	readings map[*dsl.Step]reading
}

// newSubjects makes the subjects, several at a time.
func newSubjects(judgings []*replay.Judging) []*subject {
	subjects := make([]*subject, len(judgings))
	places := make(chan int, len(judgings))
	for i := range judgings {
		places <- i
	}
	close(places)
	var wg sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for i := range places {
				subjects[i] = newSubject(judgings[i])
			}
		})
	}
	wg.Wait()
	return subjects
}

func newSubject(j *replay.Judging) *subject {
	s := &subject{judging: j, history: newHistory(j.Run().Begin, j.Records()), end: j.Run().End.Add(afterwards)}
	s.history.know(knownOf(j))
	s.before = j.Over(j.Records(), s.end)
	s.names = s.history.names()
	s.spoken = map[string]bool{}
	for _, st := range j.Scenario().Steps {
		if conditionOf(st) != nil {
			maps.Copy(s.spoken, conditionWords(j.Scenario(), j.Files(), st))
		}
	}
	s.readings = s.readingsOf()
	for _, rule := range Rules() {
		found := map[string]bool{}
		for _, text := range rule.broken(s.history) {
			found[text] = true
		}
		s.breaks = append(s.breaks, found)
	}
	return s
}

// outcome is the result of a copy.
type outcome struct {
	// dropped is the rule by which it was dropped; empty if it was not.
	dropped string
	// noticed are the steps that came out otherwise.
	noticed []notice
}

// notice is a step that came out otherwise: its place in the run, what it was
// and what it is.
type notice struct {
	step     int
	was, now expect.Status
}

// drop says by which rule the copy is dropped before it is judged; empty if by
// none.
func (m *mutant) drop(records []collectors.Record) string {
	s := m.subject
	if sameRecords(records, s.history.records) {
		return RuleSame
	}
	changed := newHistory(s.history.begin, records)
	for i, rule := range Rules() {
		if slices.ContainsFunc(rule.broken(changed), func(text string) bool { return !s.breaks[i][text] }) {
			return rule.Name
		}
	}
	return ""
}

// look makes the copy to see what it changes, and drops it if a rule says so.
func (m *mutant) look() {
	d := newDraft(m.subject.history)
	m.change.apply(d)
	m.footprint = d.footprint()
	if rule := m.drop(d.records()); rule != "" {
		m.out = &outcome{dropped: rule}
	}
}

// judge makes the copy and judges it.
func (m *mutant) judge() outcome {
	s := m.subject
	d := newDraft(s.history)
	m.change.apply(d)
	records := d.records()
	if m.footprint == nil {
		if rule := m.drop(records); rule != "" {
			return outcome{dropped: rule}
		}
	}
	if n := s.step(records); n != nil {
		return outcome{noticed: []notice{*n}}
	}
	after, onTime := s.judge(d, records)
	if !onTime {
		return outcome{dropped: RuleLate}
	}
	return outcome{noticed: s.differences(after)}
}

// differences are the steps that were decided before and came out otherwise.
func (s *subject) differences(after report.ScenarioRun) []notice {
	var found []notice
	for i, was := range s.before.Steps {
		if i >= len(after.Steps) || !decided(was.Status) {
			continue
		}
		if now := after.Steps[i]; decided(now.Status) && now.Status != was.Status {
			found = append(found, notice{i, was.Status, now.Status})
		}
	}
	return found
}

func decided(s expect.Status) bool { return s == expect.Pass || s == expect.Fail || s == expect.Error }
