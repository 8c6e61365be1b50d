package mutate

import (
	"slices"

	"github.com/kind-lab/lab/dsl"
	"github.com/kind-lab/lab/labs/expect"
)

// Version is that of the JSON form of a Result. It is raised when a reader of an
// older one would be misled; what is added does not raise it.
const Version = 2

// Result is the result of the changed copies of a recording.
type Result struct {
	Version int `json:"version"`
	// Max and Seed are the options.
	Max  int    `json:"max"`
	Seed uint64 `json:"seed"`
	// Candidates counts the changes that there are, Made the copies that were
	// made, Dropped those that were dropped, and Noticed those that changed a
	// verdict.
	Candidates int `json:"candidates"`
	Made       int `json:"made"`
	Dropped    int `json:"dropped"`
	Noticed    int `json:"noticed"`
	// Kinds and Rules say what the names mean.
	Kinds     []Kind     `json:"kinds"`
	Rules     []Rule     `json:"rules"`
	Scenarios []Scenario `json:"scenarios"`
}

// Scenario is the result of the copies of the runs of a scenario.
type Scenario struct {
	Name string `json:"name"`
	// Clusters are those of the runs.
	Clusters []string `json:"clusters"`
	// Kinds counts the copies of each kind, in the order of Kinds.
	Kinds []KindCount `json:"kinds"`
	// Expectations are its expectations, invariants and waits, in its order.
	Expectations []Expectation `json:"expectations"`
	// Unnoticed are the copies in which no verdict changed.
	Unnoticed []Mutant `json:"unnoticed"`
}

// KindCount counts the copies of a kind.
type KindCount struct {
	Kind string `json:"kind"`
	// Candidates counts the changes of the kind that the runs have a place for.
	Candidates int `json:"candidates"`
	Made       int `json:"made"`
	// Dropped counts the copies that were dropped, by the rule's name.
	Dropped map[string]int `json:"dropped,omitempty"`
	Noticed int            `json:"noticed"`
}

// Mutant is a changed copy.
type Mutant struct {
	Kind    string `json:"kind"`
	Cluster string `json:"cluster"`
	// Change says in a sentence what was changed.
	Change string `json:"change"`
}

// Expectation is an expectation, an invariant or a wait of a scenario.
type Expectation struct {
	Name string `json:"name"`
	// Verb is the type of its block; File and Line are where it begins.
	Verb string `json:"verb"`
	File string `json:"file"`
	Line int    `json:"line"`
	// Decided are the clusters on which it is decided without any change.
	Decided []string `json:"decided"`
	// Failed and Errors count the copies in which it came out as that and did
	// not before, and Passed those in which it passed.
	Failed int `json:"failed"`
	Errors int `json:"errors"`
	Passed int `json:"passed,omitempty"`
	// By is the first copy that broke it: it failed there and did not before, or
	// the other way round. It is nil if none did.
	By *Mutant `json:"by,omitempty"`
	// ErrorBy is the first copy that made it an Error, which breaks nothing; nil
	// if none did.
	ErrorBy *Mutant `json:"error_by,omitempty"`
	// Survived says that it is decided on some cluster and no copy broke it;
	// Hint is what may be the reason.
	Survived bool   `json:"survived"`
	Hint     string `json:"hint,omitempty"`
}

// breaks says whether a verdict that became another one breaks what was judged:
// it is no longer the one that the scenario expects, or it is that one now. An Error
// does not break it: it shows only that the verdict could not be decided.
func breaks(was, now expect.Status) bool {
	return now == expect.Fail && was != expect.Fail || now == expect.Pass && was == expect.Fail
}

// Survivors are the expectations that no change could break, by scenario: those
// that a change could only make an Error are among them.
func (r Result) Survivors() map[string][]Expectation {
	found := map[string][]Expectation{}
	for _, s := range r.Scenarios {
		for _, e := range s.Expectations {
			if e.Survived {
				found[s.Name] = append(found[s.Name], e)
			}
		}
	}
	return found
}

// result counts what was made.
func (w *work) result() Result {
	r := Result{Version: Version, Max: w.options.Max, Seed: w.options.Seed, Made: len(w.made), Kinds: Kinds(), Rules: allRules()}
	for _, name := range scenariosOf(w.subjects) {
		s := Scenario{Name: name, Clusters: []string{}, Expectations: []Expectation{}, Unnoticed: []Mutant{}}
		for i, kind := range r.Kinds {
			n := len(w.mutants[name][i])
			r.Candidates += n
			s.Kinds = append(s.Kinds, KindCount{Kind: kind.Name, Candidates: n, Dropped: map[string]int{}})
		}
		for _, sub := range w.subjects {
			if sub.judging.Run().Scenario == name {
				s.addRun(sub)
			}
		}
		for _, m := range w.made {
			if m.subject.judging.Run().Scenario == name {
				s.addOutcome(m)
			}
		}
		s.finish(w.subjects)
		for _, k := range s.Kinds {
			r.Noticed += k.Noticed
			for _, n := range k.Dropped {
				r.Dropped += n
			}
		}
		r.Scenarios = append(r.Scenarios, s)
	}
	return r
}

func allRules() []Rule {
	return append(Rules(), Rule{Name: RuleSame, Why: "A copy that reports nothing different is not a change."},
		Rule{Name: RuleLate, Why: "lab carries out a step when it has decided everything before the step in the scenario."})
}

// addRun adds the cluster of a run and what is decided there.
func (s *Scenario) addRun(sub *subject) {
	cluster := sub.judging.Run().Cluster
	s.Clusters = append(s.Clusters, cluster)
	for i, st := range sub.judging.Scenario().Steps {
		if conditionOf(st) == nil {
			continue
		}
		e := s.expectation(st)
		if i < len(sub.before.Steps) && decided(sub.before.Steps[i].Status) {
			e.Decided = append(e.Decided, cluster)
		}
	}
}

// expectation finds a step among the expectations, or adds it.
func (s *Scenario) expectation(st *dsl.Step) *Expectation {
	i := slices.IndexFunc(s.Expectations, func(e Expectation) bool { return e.Verb == st.Verb && e.Name == st.Name })
	if i < 0 {
		i = len(s.Expectations)
		s.Expectations = append(s.Expectations, Expectation{Name: st.Name, Verb: st.Verb, File: st.Range.Filename, Line: st.Range.Start.Line, Decided: []string{}})
	}
	return &s.Expectations[i]
}

func (s *Scenario) addOutcome(m *mutant) {
	o := m.out
	k := &s.Kinds[slices.IndexFunc(s.Kinds, func(k KindCount) bool { return k.Kind == m.kind.Name })]
	k.Made++
	it := Mutant{Kind: m.kind.Name, Cluster: m.subject.judging.Run().Cluster, Change: m.change.text}
	switch {
	case o.dropped != "":
		k.Dropped[o.dropped]++
	case len(o.noticed) == 0:
		s.Unnoticed = append(s.Unnoticed, it)
	default:
		k.Noticed++
		for _, n := range o.noticed {
			s.notice(m.subject.judging.Scenario().Steps[n.step], n, it)
		}
	}
}

func (s *Scenario) notice(st *dsl.Step, n notice, by Mutant) {
	if conditionOf(st) == nil {
		return
	}
	e := s.expectation(st)
	switch n.now {
	case expect.Fail:
		e.Failed++
	case expect.Error:
		e.Errors++
		if e.ErrorBy == nil {
			e.ErrorBy = &by
		}
	default:
		e.Passed++
	}
	if e.By == nil && breaks(n.was, n.now) {
		e.By = &by
	}
}

func (s *Scenario) finish(subjects []*subject) {
	for i := range s.Expectations {
		e := &s.Expectations[i]
		e.Survived = len(e.Decided) > 0 && e.By == nil
		if e.Survived {
			e.Hint = hintOf(s.Name, e, subjects)
		}
	}
}
