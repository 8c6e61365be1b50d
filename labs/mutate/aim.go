package mutate

import (
	"context"
	"slices"

	"github.com/kind-lab/lab/dsl"
)

// target is an expectation, an invariant or a wait for which copies are made
// until one breaks it.
type target struct {
	scenario string
	step     *dsl.Step
	// queue are the copies to make, the likeliest first; rest are those of them
	// that change nothing which its condition read.
	queue, rest []*mutant
	// looked counts the copies that were made to see what they change, and tries
	// those of them that were judged.
	looked, tries int
	broken        bool
}

const (
	// atOnce is how many copies are judged at least, if there are so many, before
	// it is looked which targets they break.
	atOnce = 4
	// looks bounds how many copies are looked at for each that may be judged.
	looks = 10
)

// aim makes copies for each expectation until one has broken it: first those that
// change what its condition read before it was decided, of these those that
// change what it speaks of.
func (w *work) aim(ctx context.Context) error {
	targets := w.targets()
	for {
		open := slices.DeleteFunc(slices.Clone(targets), func(t *target) bool { return t.broken || t.tries >= w.options.Tries })
		var batch []*mutant
		for range (atOnce + len(open) - 1) / max(1, len(open)) {
			for _, t := range open {
				if m := t.next(w, len(batch)); m != nil && !slices.Contains(batch, m) {
					batch = append(batch, m)
				}
			}
		}
		if len(batch) == 0 {
			return nil
		}
		if err := w.judge(ctx, batch); err != nil {
			return err
		}
		for _, t := range targets {
			t.broken = t.broken || slices.ContainsFunc(batch, t.brokenBy)
		}
	}
}

// next is the next copy to make for a target that is not made yet, if so many are
// to be judged already; nil if there is none. Those that a rule drops it makes.
func (t *target) next(w *work, waiting int) *mutant {
	if t.tries >= w.options.Tries {
		return nil
	}
	for len(t.queue) > 0 && t.looked < looks*w.options.Tries && len(w.made)+waiting < w.options.Max {
		m := t.queue[0]
		t.queue = t.queue[1:]
		if m.out == nil && m.footprint == nil {
			t.looked++
			if m.look(); m.out != nil {
				w.done(m)
			}
		}
		switch {
		case m.out != nil:
		case m.subject.readings[t.step].concerns(m.footprint):
			t.tries++
			return m
		default:
			t.rest = append(t.rest, m)
		}
	}
	for len(t.rest) > 0 && len(w.made)+waiting < w.options.Max {
		m := t.rest[0]
		t.rest = t.rest[1:]
		if m.out == nil {
			t.tries++
			return m
		}
	}
	return nil
}

func (t *target) brokenBy(m *mutant) bool {
	if m.out == nil || m.subject.judging.Run().Scenario != t.scenario {
		return false
	}
	return slices.ContainsFunc(m.out.noticed, func(n notice) bool {
		st := m.subject.judging.Scenario().Steps[n.step]
		return breaks(n.was, n.now) && st.Verb == t.step.Verb && st.Name == t.step.Name
	})
}

// targets are the expectations of all scenarios that are decided somewhere.
func (w *work) targets() []*target {
	var all []*target
	for _, scenario := range scenariosOf(w.subjects) {
		clusters := map[*dsl.Step][]*subject{}
		var steps []*dsl.Step
		for _, s := range w.subjects {
			if s.judging.Run().Scenario != scenario {
				continue
			}
			for i, st := range s.judging.Scenario().Steps {
				if conditionOf(st) == nil || i >= len(s.before.Steps) || !decided(s.before.Steps[i].Status) {
					continue
				}
				if !slices.Contains(steps, st) {
					steps = append(steps, st)
				}
				clusters[st] = append(clusters[st], s)
			}
		}
		for _, st := range steps {
			words := conditionWords(clusters[st][0].judging.Scenario(), clusters[st][0].judging.Files(), st)
			all = append(all, &target{scenario: scenario, step: st, queue: w.queueFor(scenario, words, clusters[st])})
		}
	}
	return all
}
