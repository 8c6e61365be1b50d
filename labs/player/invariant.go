package player

import (
	"fmt"
	"time"

	"github.com/kind-lab/lab/dsl"
	"github.com/kind-lab/lab/dsl/action"
	"github.com/kind-lab/lab/labs/expect"
	"github.com/kind-lab/lab/labs/report"
)

// watch is an invariant from its place in the scenario to the end.
type watch struct {
	st        *dsl.Step
	invariant *expect.Invariant
	// place is where its result belongs among the steps.
	place int
	began time.Time
	over  bool
}

// watch begins to watch an invariant; the place of its result is kept.
func (p *Player) watch(st *dsl.Step, i *action.Invariant) {
	w := &watch{st: st, place: len(p.steps), began: p.stage.Begin(st)}
	w.invariant = expect.NewInvariant(i, p.stage.Scope(st))
	p.steps = append(p.steps, report.Step{Name: st.Name, Verb: st.Verb, Status: expect.Pending, BeganAt: p.seconds(w.began)})
	p.watches = append(p.watches, w)
	if verdict, decided := w.invariant.Begin(w.began); decided {
		p.rule(w, verdict)
		return
	}
	p.stage.Watch(w.invariant)
}

// Watching are the invariants that are not decided.
func (p *Player) Watching() []*expect.Invariant {
	var open []*expect.Invariant
	for _, w := range p.watches {
		if !w.over {
			open = append(open, w.invariant)
		}
	}
	return open
}

// Observe lets every invariant that is not decided look at what is observed.
func (p *Player) Observe(look func(*expect.Invariant) (expect.Verdict, bool)) {
	for _, w := range p.watches {
		if w.over {
			continue
		}
		if verdict, decided := look(w.invariant); decided {
			p.rule(w, verdict)
		}
	}
}

// Unplaced lets every invariant look at a record of which nobody knows whether
// it is of the time before the end, decided or not.
func (p *Player) Unplaced(look func(*expect.Invariant)) {
	for _, w := range p.watches {
		look(w.invariant)
	}
}

// close ends the invariants that are not decided, over all that was observed.
// early is why the scenario did not reach its end, if it did not: what was not
// broken until then is not known to hold if somebody stopped it, or nothing was
// seen any more.
func (p *Player) close(early error) {
	at := p.stage.Close(early)
	p.Observe(func(i *expect.Invariant) (expect.Verdict, bool) {
		verdict := i.End(at)
		if early != nil && verdict.Status == expect.Pass && abandoned(early) == expect.Error {
			verdict.Status = expect.Error
			verdict.Reason = fmt.Sprintf("%s before the scenario's end; until then: %s", early, verdict.Reason)
		}
		return verdict, true
	})
}

// rule reports the verdict over an invariant, in its place.
func (p *Player) rule(w *watch, verdict expect.Verdict) {
	w.over = true
	result := report.Step{
		Name: w.st.Name, Verb: w.st.Verb, Status: verdict.Status, Detail: verdict.Reason, Verdict: &verdict,
		BeganAt: p.seconds(w.began), EndedAt: p.seconds(p.stage.Now()),
	}
	p.steps[w.place] = result
	p.stage.Over(result)
}
