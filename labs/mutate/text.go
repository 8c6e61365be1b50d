package mutate

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/kind-lab/lab/labs/expect"
	"github.com/kind-lab/lab/labs/report/layout"
)

// shownUnnoticed bounds how many copies that nothing noticed are printed of a
// scenario.
const shownUnnoticed = 12

// WriteText writes a result for people: for each scenario a row for each kind of
// change, then the expectations that survived, of them apart those that a change
// could make an Error, and some of the changes that nothing noticed.
func WriteText(w io.Writer, r Result, style layout.Style) error {
	s := layout.NewPage(style)
	for _, sc := range r.Scenarios {
		sc.write(s)
	}
	writeRules(s, r)
	for _, line := range r.summary() {
		s.Heading(line)
	}
	if _, err := io.WriteString(w, s.String()); err != nil {
		return fmt.Errorf("writing the results of the changes: %w", err)
	}
	return nil
}

func (sc Scenario) write(s *layout.Page) {
	s.Heading(fmt.Sprintf("Scenario %s on %s", sc.Name, strings.Join(sc.Clusters, ", ")))
	s.Blank()
	var rows [][]layout.StatusCell
	var none, left []string
	for _, k := range sc.Kinds {
		switch {
		case k.Candidates == 0:
			none = append(none, k.Kind)
		case k.Made == 0:
			left = append(left, k.Kind)
		default:
			rows = append(rows, k.row())
		}
	}
	if len(rows) > 0 {
		s.Table([]string{"CHANGE", "THERE ARE", "MADE", "DROPPED", "NOTICED", "DROPPED BY THE RULE"}, rows)
		s.Blank()
	}
	if len(none) > 0 {
		s.Note("Nothing to change for: " + strings.Join(none, ", ") + ".")
	}
	if len(left) > 0 {
		s.Note("Not made, because --max limits their number: " + strings.Join(left, ", ") + ".")
	}
	if len(none)+len(left) > 0 {
		s.Blank()
	}
	sc.writeSurvivors(s)
	sc.writeWeak(s)
	sc.writeUnnoticed(s)
}

func (k KindCount) row() []layout.StatusCell {
	dropped := 0
	var by []string
	for _, rule := range slices.Sorted(maps.Keys(k.Dropped)) {
		dropped += k.Dropped[rule]
		by = append(by, fmt.Sprintf("%s %d", rule, k.Dropped[rule]))
	}
	return cells(k.Kind, strconv.Itoa(k.Candidates), strconv.Itoa(k.Made), strconv.Itoa(dropped), strconv.Itoa(k.Noticed), strings.Join(by, ", "))
}

func cells(texts ...string) []layout.StatusCell {
	row := make([]layout.StatusCell, len(texts))
	for i, text := range texts {
		row[i].Text = text
	}
	return row
}

// place is where an expectation is in its file.
func (e Expectation) place() string { return filepath.Base(e.File) + ":" + strconv.Itoa(e.Line) }

func (sc Scenario) writeSurvivors(s *layout.Page) {
	var rows [][]layout.StatusCell
	fail := expect.Fail
	for _, e := range sc.Expectations {
		if e.Survived && !e.weak() {
			row := cells(e.Verb+" "+e.Name, e.place(), e.Hint)
			row[0].Status = &fail
			rows = append(rows, row)
		}
	}
	if len(rows) > 0 {
		s.Table([]string{"NO CHANGE COULD BREAK", "AT", "HINT"}, rows)
		s.Blank()
	}
}

// weak says that an expectation survived and could only be made an Error.
func (e Expectation) weak() bool { return e.Survived && e.ErrorBy != nil }

func (sc Scenario) writeWeak(s *layout.Page) {
	var rows [][]layout.StatusCell
	fail := expect.Fail
	for _, e := range sc.Expectations {
		if e.weak() {
			row := cells(e.Verb+" "+e.Name, e.place(), fmt.Sprintf("%d, the first on %s: %s", e.Errors, e.ErrorBy.Cluster, e.ErrorBy.Change))
			row[0].Status = &fail
			rows = append(rows, row)
		}
	}
	if len(rows) > 0 {
		s.Table([]string{"NEVER FAILS", "AT", "BECAME AN ERROR"}, rows)
		s.Blank()
	}
}

func (sc Scenario) writeUnnoticed(s *layout.Page) {
	if len(sc.Unnoticed) == 0 {
		return
	}
	var rows [][]layout.StatusCell
	for _, m := range spreadOut(sc.Unnoticed, shownUnnoticed) {
		rows = append(rows, cells(m.Kind, m.Cluster, m.Change))
	}
	s.Table([]string{"NOTHING NOTICED", "ON", "WHAT WAS CHANGED"}, rows)
	if more := len(sc.Unnoticed) - len(rows); more > 0 {
		s.Note(fmt.Sprintf("and %d more, which --json prints", more))
	}
	s.Blank()
}

// spreadOut are some of the mutants, of each kind in turn, in their order.
func spreadOut(all []Mutant, most int) []Mutant {
	nth := map[string]int{}
	type ranked struct{ place, turn int }
	order := make([]ranked, len(all))
	for i, m := range all {
		order[i] = ranked{i, nth[m.Kind]}
		nth[m.Kind]++
	}
	slices.SortFunc(order, func(a, b ranked) int { return cmp.Or(cmp.Compare(a.turn, b.turn), cmp.Compare(a.place, b.place)) })
	order = order[:min(most, len(order))]
	slices.SortFunc(order, func(a, b ranked) int { return cmp.Compare(a.place, b.place) })
	some := make([]Mutant, len(order))
	for i, o := range order {
		some[i] = all[o.place]
	}
	return some
}

// writeRules says why the rules that dropped something do.
func writeRules(s *layout.Page, r Result) {
	used := map[string]int{}
	for _, sc := range r.Scenarios {
		for _, k := range sc.Kinds {
			for rule, n := range k.Dropped {
				used[rule] += n
			}
		}
	}
	var rows [][]layout.StatusCell
	for _, rule := range r.Rules {
		if used[rule.Name] > 0 {
			rows = append(rows, cells(rule.Name, strconv.Itoa(used[rule.Name]), rule.Why))
		}
	}
	if len(rows) > 0 {
		s.Table([]string{"RULE", "DROPPED", "WHAT KUBERNETES ALWAYS DOES"}, rows)
		s.Blank()
	}
}

// summary says in two lines how it went.
func (r Result) summary() []string {
	decided, survived, weak := 0, 0, 0
	for _, sc := range r.Scenarios {
		for _, e := range sc.Expectations {
			if len(e.Decided) == 0 {
				continue
			}
			decided++
			if e.Survived {
				survived++
			}
			if e.weak() {
				weak++
			}
		}
	}
	text := fmt.Sprintf("%d of %d expectations were broken by a change", decided-survived, decided)
	if survived > 0 {
		text += fmt.Sprintf("; %d passed after all of them", survived)
	}
	if weak > 0 {
		text += fmt.Sprintf("; %d of these became an Error", weak)
	}
	return []string{
		text + ".",
		fmt.Sprintf("%d of %d possible changes were made: %d were dropped by a rule, %d were noticed, %d were not.",
			r.Made, r.Candidates, r.Dropped, r.Noticed, r.Made-r.Dropped-r.Noticed),
	}
}
