package mutate

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"

	"github.com/kind-lab/lab/dsl"
	"github.com/kind-lab/lab/dsl/action"
)

// queueFor orders the mutants of a scenario on some clusters by how much of what
// they change a condition with these words speaks of. Those that were made alike
// on another cluster come later, and each of a kind a little later than the one
// before it, so that the kinds take turns.
func (w *work) queueFor(scenario string, words map[string]bool, on []*subject) []*mutant {
	byRank := map[int][][]*mutant{}
	for _, queue := range w.mutants[scenario] {
		bases, times := map[int][]*mutant{}, map[string]int{}
		for _, m := range queue {
			if slices.Contains(on, m.subject) {
				base := alikeCosts*times[m.like] - m.score(words)
				times[m.like]++
				bases[base] = append(bases[base], m)
			}
		}
		mine, nth := map[int][]*mutant{}, 0
		for _, base := range slices.Sorted(maps.Keys(bases)) {
			for _, m := range bases[base] {
				mine[base+nth] = append(mine[base+nth], m)
				nth++
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
const alikeCosts = 4

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

// What a score is made of.
const (
	// spokenScore is for a change of what the condition reads, and silentScore
	// for one of what it does not.
	spokenScore, silentScore = 3, -2
	nameScore                = 2
	// maxWordScore bounds what other words give.
	maxWordScore = 3
)

// score is how much of what a mutant changes is spoken of.
func (m *mutant) score(words map[string]bool) int {
	score, others := silentScore, 0
	if slices.ContainsFunc(m.about, func(word string) bool { return words[word] }) {
		score = spokenScore
	}
	for word := range m.words {
		switch {
		case words[word] && m.subject.names[word]:
			score += nameScore
		case words[word]:
			others++
		}
	}
	return score + min(others, maxWordScore)
}

// aboutOf are the attributes and functions that what a change of a kind changes
// can be read by: of a field of an object the last name of its path.
func aboutOf(kind, text string) []string {
	if kind != KindObjectField {
		return speaksOf[kind]
	}
	names := word.FindAllString(text[strings.LastIndexByte(text, ' ')+1:], -1)
	for _, name := range slices.Backward(names) {
		if strings.Trim(name, "0123456789") != "" {
			return []string{name}
		}
	}
	return nil
}

// speaksOf are the attributes and functions that what a kind changes can be read
// by.
var speaksOf = map[string][]string{
	KindEndsSwapped: {"finished_at", "exit_order", "overlaps"}, KindStartsSwapped: {"started_at", "start_order", "overlaps"},
	KindEndMoved: {"finished_at", "exit_order", "overlaps"}, KindStartMoved: {"started_at", "start_order", "overlaps"},
	KindLater: {"hold"}, KindSooner: {"started_at", "finished_at", "log_time"},
	KindExitCode: {"exit_code", "phase"}, KindSignal: {"exit_code", "signal"}, KindOOM: {"oom_killed", "reason"},
	KindRestartMore: {"restarts", "runs"}, KindRestartLess: {"restarts", "runs"},
	KindAgain: {"restarts", "runs", "ip"}, KindReplaced: {"uid", "created_at", "ip"},
	KindNeverStarted: {"started_at", "state", "runs", "phase"}, KindNeverEnded: {"finished_at", "state", "phase", "complete", "exit_code"},
	KindEnded:     {"state", "complete", "failed", "phase", "hold", "runs"},
	KindExchanged: {"ordered", "exit_code"}, KindReadiness: {"ready", "ready_at", "started", "statuses"},
	KindLineMissing: {"logged", "log_time", "log"}, KindLineMoved: {"log_time"}, KindLineMore: {"logged", "log_time", "log"},
	KindStatusMissing: {"statuses"}, KindStatusMore: {"statuses"}, KindCondition: {"conditions"}, KindPhase: {"phase", "status"},
	KindPodField: {"node", "ip", "reason"}, KindImage: {"image"}, KindContainerKind: {"kind"}, KindPodMissing: {"created_at"}, KindPodMore: {"pods", "failures"},
	KindContainerMissing: {"containers", "keys"}, KindJobOpen: {"complete", "failed"}, KindJobOther: {"complete", "failed", "failures"},
	KindRefusalMissing: {"error"}, KindRefusalOther: {"error"}, KindRefusalMore: {"error"}, KindWarning: {"warnings"},
	KindOutput: {"stdout", "stderr"}, KindObjectMissing: {"object"},
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
	switch a := st.Action.(type) {
	case *action.Expect:
		if a.Hold > 0 {
			words["hold"] = true
		}
	case *action.Invariant:
		words["hold"] = true
	}
	return words
}

// conditionOf is the condition of an expectation, an invariant or a wait; nil of
// other steps.
func conditionOf(st *dsl.Step) hcl.Expression {
	condition, _ := action.Condition(st.Action)
	return condition
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
