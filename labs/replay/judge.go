package replay

import (
	"fmt"
	"time"

	"github.com/kind-lab/lab/collectors"
	"github.com/kind-lab/lab/dsl"
	"github.com/kind-lab/lab/labs/expect"
	"github.com/kind-lab/lab/labs/report"
)

// Judge judges what a run recorded by the scenario of a module, which may have
// changed since: expectations, invariants and waits are decided anew, at the
// times at which records were received; what other steps did is taken from the
// recording. An expectation that goes on when the recording ends is an Error.
// The module must have the run's scenario and cluster.
func (rec *Recording) Judge(m *dsl.Module, run Run) (report.Run, error) {
	j, err := rec.Judging(m, run)
	if err != nil {
		return report.Run{}, err
	}
	return j.Over(j.records, time.Time{}), nil
}

// judge judges what a run recorded, or what was made of it, over a view of its
// beginning. The recording ends at the given time where that is later than it
// says itself.
func (rec *Recording) judge(view *View, run Run, records []collectors.Record, end time.Time) report.Run {
	p := &player{view: view, run: run, now: run.Begin, end: run.End, begun: map[string]collectors.Record{}, done: map[string]collectors.Record{}}
	p.out = report.Run{Scenario: run.Scenario, Cluster: run.Cluster, Namespace: view.Namespace, StartedAt: run.Begin, Description: view.scenario.Description}
	if rec.Report != nil {
		for _, r := range rec.Report.Runs {
			if r.Scenario == run.Scenario && r.Cluster == run.Cluster {
				p.before, p.out.Pods = r, r.Pods
				if r.FinishedAt.After(p.end) {
					p.end = r.FinishedAt
				}
			}
		}
	}
	if end.After(p.end) {
		p.end = end
	}
	p.read(records)
	p.play()
	for _, s := range p.out.Steps {
		p.out.Status = max(p.out.Status, s.Status)
	}
	p.out.FinishedAt = p.now
	return p.out
}

// player goes through a recording as the engine went through the run.
type player struct {
	view *View
	run  Run
	// before is what the run found; its steps are empty where there is no
	// report.
	before report.Run
	// records are those that were not taken yet.
	records []collectors.Record
	// begun and done are the records of where steps began and ended.
	begun, done map[string]collectors.Record
	// now is the time that it is; end is when the recording ends.
	now, end time.Time
	watches  []*watched
	out      report.Run
}

// watched is an invariant from its place on.
type watched struct {
	invariant *expect.Invariant
	place     int
	over      bool
}

// read takes the records that come after the run's begin.
func (p *player) read(records []collectors.Record) {
	for _, r := range records {
		switch {
		case r.Type == collectors.TypeStepBegin && r.Step != nil:
			p.begun[stepKey(r.Step.Verb, r.Step.Name)] = r
		case r.Type == collectors.TypeStep && r.Step != nil:
			p.done[stepKey(r.Step.Verb, r.Step.Name)] = r
		}
		if received(r).After(p.run.Begin) {
			p.records = append(p.records, r)
		}
	}
}

func stepKey(verb, name string) string { return verb + " " + name }

func (p *player) play() {
	source := p.view.scenario
	broken := ""
	for _, st := range source.Steps {
		if broken != "" {
			p.tell(report.Step{Name: st.Name, Verb: st.Verb, Status: expect.Skip, Detail: broken, BeganAt: p.seconds(p.now), EndedAt: p.seconds(p.now)})
			continue
		}
		broken = p.step(st)
	}
	p.endWatches()
	for _, st := range source.Finally {
		p.repeat(st)
	}
}

// endWatches ends the invariants at the end of the scenario, or, where nobody
// asked the sources about it, of the recording.
func (p *player) endWatches() {
	end, asked := p.now, false
	for _, r := range p.records {
		if r.Asked != nil && !r.Asked.At.Before(p.now) {
			end, asked = r.Asked.At, true
			break
		}
	}
	if !asked {
		p.until(p.end)
		end = p.now
	}
	for asked && len(p.records) > 0 {
		if !received(p.records[0]).After(end) {
			p.take()
			continue
		}
		r := p.records[0]
		p.records = p.records[1:]
		p.view.Timeline.Add(r)
		if r.Asked != nil {
			break
		}
		for _, w := range p.watches {
			if expect.Place(p.view.Timeline, &r, end) == expect.Unplaced {
				w.invariant.Unplaced(&r)
			}
		}
	}
	for _, w := range p.watches {
		if !w.over {
			p.rule(w, w.invariant.End(end))
		}
	}
	p.until(p.end)
}

// step plays one step. It returns why the rest is skipped, where it is.
func (p *player) step(st *dsl.Step) string {
	p.reach(st)
	scope := p.view.Scope().With(st.Roots)
	switch {
	case st.Expect != nil:
		p.decide(st, st.Expect, scope)
	case st.Wait != nil:
		waited := p.decide(st, &dsl.Expect{
			Name: st.Name, Condition: st.Wait.Condition, Within: st.Wait.Within, Hold: st.Wait.Hold, Range: st.Range,
		}, scope)
		if waited >= expect.Fail {
			return fmt.Sprintf("what step %q waits for did not come", st.Name)
		}
	case st.Invariant != nil:
		w := &watched{invariant: expect.NewInvariant(st.Invariant, scope), place: len(p.out.Steps)}
		p.out.Steps = append(p.out.Steps, report.Step{Name: st.Name, Verb: st.Verb, BeganAt: p.seconds(p.now)})
		p.watches = append(p.watches, w)
		v, decided := w.invariant.Begin(p.now)
		if !decided && w.invariant.Asks() && !p.answers(p.now, p.now.Add(answerIn)) {
			v, decided = w.invariant.Observe(p.now, nil)
		}
		if decided {
			p.rule(w, v)
		}
	default:
		if p.repeat(st) >= expect.Fail {
			return fmt.Sprintf("step %q could not be done", st.Name)
		}
	}
	return ""
}

// reach goes on to where a step began, if that is to come. Old recordings tell
// of its time alone.
func (p *player) reach(st *dsl.Step) {
	key := stepKey(st.Verb, st.Name)
	if r, ok := p.begun[key]; ok {
		p.through(r.Seq, r.Step.StartedAt)
	} else if r, ok := p.done[key]; ok && r.Step.StartedAt.After(p.now) {
		p.until(r.Step.StartedAt)
	}
}

// decide brings an expectation to its verdict.
func (p *player) decide(st *dsl.Step, e *dsl.Expect, scope *expect.Scope) expect.Status {
	began := p.now
	d := expect.New(e, scope)
	v, decided := d.Begin(p.now)
	for !decided {
		deadline := d.Deadline()
		switch {
		case d.Asks() && !p.answers(p.now, p.now.Add(answerIn)):
			v, decided = d.Observe(p.now, nil)
		case len(p.records) > 0 && (deadline.IsZero() || !received(p.records[0]).After(deadline)):
			v, decided = p.observe(d)
		case p.answers(deadline, deadline):
			v, decided = p.lastCall(d, deadline)
		case !deadline.IsZero() && !deadline.After(p.end.Add(slack)):
			p.now = deadline
			v, decided = d.Observe(p.now, nil)
		default:
			p.now = p.end
			p.tell(report.Step{Name: st.Name, Verb: st.Verb, Status: expect.Error, BeganAt: p.seconds(began), EndedAt: p.seconds(p.now),
				Detail: fmt.Sprintf("the recording ends at %.3fs, before this could be decided", p.seconds(p.end))})
			return expect.Error
		}
	}
	result := report.Step{Name: st.Name, Verb: st.Verb, Status: v.Status, Detail: v.Reason, BeganAt: p.seconds(began), EndedAt: p.seconds(p.now)}
	if st.Expect != nil {
		result.Verdict = &v
	}
	p.tell(result)
	return v.Status
}

// answerIn is how long after a question an answer to it was recorded at the
// latest, if at all: a scenario that has changed asks at other times, and an old
// recording has no answers. Then what was recorded counts as all that there was.
const answerIn = time.Second

// answers says whether the recording has an answer to a question that was asked
// between two moments.
func (p *player) answers(from, to time.Time) bool {
	for _, r := range p.records {
		if r.Asked != nil && !r.Asked.At.Before(from) && !r.Asked.At.After(to) {
			return true
		}
		if received(r).After(to.Add(asking)) {
			break
		}
	}
	return false
}

// asking is how long the engine waits for an answer, and a little more.
const asking = 15 * time.Second

// observe takes the next record and lets a decider look at it.
func (p *player) observe(d *expect.Decider) (expect.Verdict, bool) {
	r := p.take()
	if r.Asked != nil {
		return d.Observe(r.Asked.At, nil)
	}
	return d.Observe(p.now, &r)
}

// lastCall takes what was recorded while the sources were asked what had happened
// by the deadline.
func (p *player) lastCall(d *expect.Decider, deadline time.Time) (expect.Verdict, bool) {
	for len(p.records) > 0 {
		late := received(p.records[0]).After(deadline)
		r := p.take()
		switch {
		case r.Asked != nil && r.Asked.At.Equal(deadline):
			return d.Observe(deadline, nil)
		case r.Asked != nil:
		case late:
			d.Unplaced(&r)
		default:
			d.Observe(deadline, &r)
		}
	}
	return d.Observe(deadline, nil)
}

// slack is how much a deadline may lie behind the end of the recording: the
// run's own clock was read between its last record and the end.
const slack = time.Second

// repeat tells what the recording has of a step that did something.
func (p *player) repeat(st *dsl.Step) expect.Status {
	done, ok := p.done[stepKey(st.Verb, st.Name)]
	if !ok {
		p.tell(report.Step{Name: st.Name, Verb: st.Verb, Status: expect.Error, BeganAt: p.seconds(p.now), EndedAt: p.seconds(p.now),
			Detail: fmt.Sprintf("the recording has no %s %q, and what it would do cannot be told", st.Verb, st.Name)})
		return expect.Error
	}
	s := done.Step
	p.through(done.Seq, s.FinishedAt)
	result := report.Step{Name: st.Name, Verb: st.Verb, Status: expect.Pass, BeganAt: p.seconds(s.StartedAt), EndedAt: p.seconds(s.FinishedAt)}
	for _, was := range p.before.Steps {
		if was.Name == st.Name && was.Verb == st.Verb {
			result = was
		}
	}
	p.tell(result)
	return result.Status
}

// through takes the records up to one, which tells of a time.
func (p *player) through(seq uint64, at time.Time) {
	for len(p.records) > 0 && p.records[0].Seq <= seq {
		p.take()
	}
	if at.After(p.now) {
		p.now = at
	}
}

// until takes the records that were received by then.
func (p *player) until(at time.Time) {
	for len(p.records) > 0 && !received(p.records[0]).After(at) {
		p.take()
	}
	if at.After(p.now) {
		p.now = at
	}
}

// take takes the next record, and lets the invariants look at it.
func (p *player) take() collectors.Record {
	r := p.records[0]
	p.records = p.records[1:]
	if at := received(r); at.After(p.now) {
		p.now = at
	}
	p.view.Timeline.Add(r)
	for _, w := range p.watches {
		if w.over {
			continue
		}
		v, decided := w.invariant.Observe(p.now, &r)
		switch {
		case decided:
		case r.Asked != nil:
			v, decided = w.invariant.Observe(r.Asked.At, nil)
		case w.invariant.Asks() && !p.answers(p.now, p.now.Add(answerIn)):
			v, decided = w.invariant.Observe(p.now, nil)
		}
		if decided {
			p.rule(w, v)
		}
	}
	return r
}

func (p *player) rule(w *watched, v expect.Verdict) {
	w.over = true
	s := &p.out.Steps[w.place]
	s.Status, s.Detail, s.Verdict, s.EndedAt = v.Status, v.Reason, &v, p.seconds(p.now)
}

func (p *player) tell(s report.Step) { p.out.Steps = append(p.out.Steps, s) }

func (p *player) seconds(at time.Time) float64 { return at.Sub(p.run.Begin).Seconds() }

// Difference is a step that came out otherwise than it did before.
type Difference struct {
	Scenario string        `json:"scenario"`
	Cluster  string        `json:"cluster"`
	Step     string        `json:"step"`
	Before   expect.Status `json:"before"`
	Now      expect.Status `json:"now"`
	// Reason is why it is so now.
	Reason string `json:"reason"`
}

// Differences are the steps of a run that came out otherwise than the report
// has it; those that it does not have are left out. same counts the others.
func (rec *Recording) Differences(now report.Run) (found []Difference, same int) {
	if rec.Report == nil {
		return nil, 0
	}
	before := map[string]expect.Status{}
	for _, r := range rec.Report.Runs {
		if r.Scenario == now.Scenario && r.Cluster == now.Cluster {
			for _, s := range r.Steps {
				before[s.Verb+" "+s.Name] = s.Status
			}
		}
	}
	for _, s := range now.Steps {
		was, ok := before[s.Verb+" "+s.Name]
		switch {
		case !ok:
		case was == s.Status:
			same++
		default:
			found = append(found, Difference{Scenario: now.Scenario, Cluster: now.Cluster, Step: s.Name, Before: was, Now: s.Status, Reason: s.Detail})
		}
	}
	return found, same
}
