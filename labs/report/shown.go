package report

import (
	"slices"
	"time"

	"github.com/kind-lab/lab/collectors"
	"github.com/kind-lab/lab/labs/expect"
)

// What the page says in words, it says in the words of the text.

// Clean is one line of text without control sequences and characters, and
// without what turns the direction of writing. A tab or a line's end within it
// becomes a space.
func Clean(text string) string { return clean(text) }

// Headline says in a sentence how it went, the gravest first.
func Headline(r Report) string {
	c := Summary(r)
	word, _ := verdictWord(r, c)
	return word + " " + tallyText(r, c)
}

// Mark is the sign of a status, such as "✓".
func Mark(s expect.Status) string { return Style{}.mark(s) }

// Scenarios are the names of a report's scenarios in their order.
func Scenarios(r Report) []string { return scenarios(r) }

// Notes are a cluster's version and feature gates, as in the head of Table.
func Notes(c Cluster) []string { return notes(c) }

// Describe says what a record tells, in a line that is not clean.
func Describe(r collectors.Record) string { return describe(r) }

// Seconds is a record's time in seconds since begin, with the digits that its
// precision gives it.
func Seconds(r collectors.Record, begin time.Time) string { return since(r, begin) }

// ObservedText says when a condition's value was last observed, by whom, and
// how finely that is known.
func ObservedText(ref expect.Reference) string { return observed(ref) }

// Elapsed is a duration as people read it: 0.4s, 42.3s, 1m42s, 2h05m.
func Elapsed(d time.Duration) string { return elapsed(d) }

// Place finds what a cell of Table tells: the indexes of a run in the report
// and of a step in the run; -1 where the run has no such step.
type Place struct{ Run, Step int }

// Places are the places of the outcomes of Table(r, scenario): a row for each
// of its rows but the heads, with a place for each cluster.
func Places(r Report, scenario string) [][]Place {
	runs := runsOf(r, scenario)
	var rows [][]Place
	for _, key := range rowKeys(runs) {
		var row []Place
		for _, run := range runs {
			i := slices.IndexFunc(r.Runs, func(o Run) bool {
				return o.Scenario == run.Scenario && o.Cluster == run.Cluster
			})
			row = append(row, Place{Run: i, Step: slices.Index(keysOf(run), key)})
		}
		rows = append(rows, row)
	}
	return rows
}
