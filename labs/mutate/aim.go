package mutate

import (
	"context"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"

	"github.com/kind-lab/lab/dsl"
)

// target is an expectation, an invariant or a wait for which copies are made
// until one breaks it.
type target struct {
	scenario string
	step     *dsl.Step
	// queue are the copies to make, the likeliest first.
	queue  []*mutant
	tries  int
	broken bool
}

// aim makes copies for each expectation until one has broken it: first those that
// change what its condition speaks of.
func (w *work) aim(ctx context.Context) error {
	targets := w.targets()
	for {
		var batch []*mutant
		for _, t := range targets {
			if t.broken || t.tries >= w.options.Tries {
				continue
			}
			if m := t.next(); m != nil && len(w.made)+len(batch) < w.options.Max && !slices.Contains(batch, m) {
				batch = append(batch, m)
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

// next is the next copy to make for a target that is not made yet; nil if there
// is none.
func (t *target) next() *mutant {
	for len(t.queue) > 0 {
		m := t.queue[0]
		t.queue = t.queue[1:]
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

// queueFor orders the mutants of a scenario on some clusters by how much of what
// they change a condition with these words speaks of; those that were made alike
// on another cluster come later.
func (w *work) queueFor(scenario string, words map[string]bool, on []*subject) []*mutant {
	byRank := map[int][][]*mutant{}
	for _, queue := range w.mutants[scenario] {
		mine, times := map[int][]*mutant{}, map[string]int{}
		for _, m := range queue {
			if slices.Contains(on, m.subject) {
				rank := alikeCosts*times[m.like] - m.score(words)
				times[m.like]++
				mine[rank] = append(mine[rank], m)
			}
		}
		for rank, list := range mine {
			byRank[rank] = append(byRank[rank], list)
		}
	}
	var all []*mutant
	for _, rank := range slices.Sorted(maps.Keys(byRank)) {
		all = append(all, interleave(byRank[rank])...)
	}
	return all
}

// alikeCosts is how much of the score one loses that was made on another cluster.
const alikeCosts = 2

// measured are numbers in a sentence that differ from run to run.
var measured = regexp.MustCompile(`[0-9]+\.[0-9]+`)

// likeness is the text of a change without what differs from cluster to cluster.
func (s *subject) likeness(text string) string {
	for _, p := range s.history.pods {
		if p.owner != nil {
			text = strings.ReplaceAll(text, p.object.Name, p.owner.Name)
		}
	}
	return measured.ReplaceAllString(text, "#")
}

// score is how much of what a mutant changes is spoken of.
func (m *mutant) score(words map[string]bool) int {
	score := 0
	for _, word := range speaksOf[m.kind.Name] {
		if words[word] {
			score = 2
		}
	}
	for word := range m.words {
		switch {
		case words[word] && m.subject.names[word]:
			score += 2
		case words[word]:
			score++
		}
	}
	return score
}

// speaksOf are the attributes and functions that what a kind changes can be read
// by.
var speaksOf = map[string][]string{
	KindEndsSwapped: {"finished_at", "exit_order", "overlaps"}, KindStartsSwapped: {"started_at", "start_order", "overlaps"},
	KindEndMoved: {"finished_at", "exit_order", "overlaps"}, KindStartMoved: {"started_at", "start_order", "overlaps"},
	KindLater: {"hold"}, KindSooner: {"started_at", "finished_at", "log_time"},
	KindExitCode: {"exit_code", "phase"}, KindSignal: {"exit_code", "signal"}, KindOOM: {"oom_killed", "reason"},
	KindRestartMore: {"restarts", "runs"}, KindRestartLess: {"restarts", "runs"},
	KindNeverStarted: {"started_at", "state", "runs", "phase"}, KindNeverEnded: {"finished_at", "state", "phase", "complete", "exit_code"},
	KindEnded:     {"state", "complete", "failed", "phase", "hold", "runs"},
	KindExchanged: {"ordered", "exit_code"}, KindReadiness: {"ready", "ready_at", "started", "statuses"},
	KindLineMissing: {"logged", "log_time", "log"}, KindLineMoved: {"log_time"}, KindLineMore: {"logged", "log_time", "log"},
	KindStatusMissing: {"statuses"}, KindStatusMore: {"statuses"}, KindCondition: {"conditions"}, KindPhase: {"phase", "status"},
	KindPodField: {"image", "kind", "node", "ip", "uid", "reason"}, KindPodMissing: {"created_at"}, KindPodMore: {"pods", "failures"},
	KindContainerMissing: {"containers", "keys"}, KindJobOpen: {"complete", "failed"}, KindJobOther: {"complete", "failed", "failures"},
	KindRefusalMissing: {"error"}, KindRefusalOther: {"error"}, KindRefusalMore: {"error"}, KindWarning: {"warnings"},
	KindOutput: {"stdout", "stderr"}, KindObjectField: {"object"}, KindObjectMissing: {"object"},
	KindEventMissing: {"events"}, KindEventMore: {"events"},
}

var word = regexp.MustCompile(`[A-Za-z0-9_][A-Za-z0-9_-]*`)

func wordsOf(text string) map[string]bool {
	words := map[string]bool{}
	for _, w := range word.FindAllString(text, -1) {
		words[w] = true
	}
	return words
}

// conditionWords are the words of a condition and of the locals that it reaches.
func conditionWords(scenario *dsl.Scenario, files map[string]*hcl.File, st *dsl.Step) map[string]bool {
	words := map[string]bool{}
	var add func(hcl.Expression)
	add = func(expr hcl.Expression) {
		for w := range wordsOf(sourceOf(files, expr)) {
			words[w] = true
		}
		for _, ref := range expr.Variables() {
			if len(ref) < 2 || ref.RootName() != "local" {
				continue
			}
			name, ok := ref[1].(hcl.TraverseAttr)
			if local := scenario.Locals[name.Name]; ok && local != nil && !words["local "+name.Name] {
				words["local "+name.Name] = true
				add(local)
			}
		}
	}
	add(conditionOf(st))
	if st.Expect != nil && st.Expect.Hold > 0 || st.Invariant != nil {
		words["hold"] = true
	}
	return words
}

// conditionOf is the condition of an expectation, an invariant or a wait; nil of
// other steps.
func conditionOf(st *dsl.Step) hcl.Expression {
	switch {
	case st.Expect != nil:
		return st.Expect.Condition
	case st.Invariant != nil:
		return st.Invariant.Condition
	case st.Wait != nil:
		return st.Wait.Condition
	}
	return nil
}

// sourceOf is the text of an expression.
func sourceOf(files map[string]*hcl.File, expr hcl.Expression) string {
	at := expr.Range()
	file := files[at.Filename]
	if file == nil || !at.CanSliceBytes(file.Bytes) {
		return ""
	}
	return string(at.SliceBytes(file.Bytes))
}
