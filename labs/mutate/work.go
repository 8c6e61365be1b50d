package mutate

import (
	"context"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"runtime"
	"sync"
)

// mutant is a changed copy that may be made.
type mutant struct {
	subject *subject
	kind    Kind
	change  change
	// words are those of the change, and about the attributes and functions that
	// it can be read by.
	words map[string]bool
	about []string
	// like is the text of the change, the same on all clusters.
	like string
	// footprint is what it changes; nil if nobody asked.
	footprint footprint
	// out is the result of it; nil if it was not made.
	out *outcome
}

// work is the making and judging of the copies of a recording.
type work struct {
	subjects []*subject
	options  Options
	// mutants are those that there are, by scenario and kind, on the clusters in
	// turn.
	mutants map[string][][]*mutant
	// made are those that were made, in that order.
	made []*mutant
}

func newWork(subjects []*subject, all *others, o Options) *work {
	w := &work{subjects: subjects, options: o, mutants: map[string][][]*mutant{}}
	for _, scenario := range scenariosOf(subjects) {
		for _, kind := range Kinds() {
			var lists [][]*mutant
			for _, s := range subjects {
				run := s.judging.Run()
				if run.Scenario != scenario {
					continue
				}
				var list []*mutant
				for _, c := range kind.candidates(&place{history: s.history, others: all, spoken: s.spoken, readings: s.readings}) {
					list = append(list, &mutant{subject: s, kind: kind, change: c, words: s.wordsOf(c.text), about: aboutOf(kind.Name, c.text), like: s.likeness(c.text)})
				}
				shuffle(list, o.Seed, run.Key, kind.Name)
				lists = append(lists, list)
			}
			w.mutants[scenario] = append(w.mutants[scenario], interleave(lists))
		}
	}
	return w
}

// wordsOf are the words of a change. The pod of a Job has the Job's name, too.
func (s *subject) wordsOf(text string) map[string]bool {
	words := wordsOf(text)
	for _, p := range s.history.pods {
		if p.owner != nil && words[p.object.Name] {
			words[p.owner.Name] = true
		}
	}
	return words
}

func scenariosOf(subjects []*subject) []string {
	var names []string
	for _, s := range subjects {
		names = appendNew(names, s.judging.Run().Scenario)
	}
	return names
}

func shuffle(list []*mutant, seed uint64, key, kind string) {
	h := fnv.New64a()
	fmt.Fprint(h, key, "\x00", kind)
	r := rand.New(rand.NewPCG(seed, h.Sum64()))
	r.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
}

// interleave takes one of each list in turn.
func interleave(lists [][]*mutant) []*mutant {
	var all []*mutant
	for n := 0; ; n++ {
		more := false
		for _, list := range lists {
			if n < len(list) {
				all, more = append(all, list[n]), true
			}
		}
		if !more {
			return all
		}
	}
}

// spread makes what is left of the copies that were asked for: of each kind as
// many, of each scenario as many, as far as there are so many.
func (w *work) spread(ctx context.Context) error {
	var queues [][]*mutant
	for _, scenario := range scenariosOf(w.subjects) {
		queues = append(queues, w.mutants[scenario]...)
	}
	var batch []*mutant
	for _, m := range interleave(queues) {
		if m.out == nil && len(w.made)+len(batch) < w.options.Max {
			batch = append(batch, m)
		}
	}
	return w.judge(ctx, batch)
}

// done notes that a copy was made.
func (w *work) done(m *mutant) {
	w.made = append(w.made, m)
	if w.options.Progress != nil {
		w.options.Progress(len(w.made), w.options.Max)
	}
}

// judge makes and judges copies, several at a time.
func (w *work) judge(ctx context.Context, batch []*mutant) error {
	var mu sync.Mutex
	var wg sync.WaitGroup
	next, outs := 0, make([]outcome, len(batch))
	for range min(len(batch), runtime.GOMAXPROCS(0)) {
		wg.Go(func() {
			for {
				mu.Lock()
				i := next
				next++
				mu.Unlock()
				if i >= len(batch) || ctx.Err() != nil {
					return
				}
				outs[i] = batch[i].judge()
			}
		})
	}
	wg.Wait()
	if err := ctx.Err(); err != nil {
		return err
	}
	for i, m := range batch {
		m.out = &outs[i]
		w.done(m)
	}
	return nil
}
