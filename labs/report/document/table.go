package document

import (
	"cmp"
	"slices"
	"strings"

	"github.com/kind-lab/lab/labs/expect"
	"github.com/kind-lab/lab/labs/report"
)

// CellKind says what a cell of a comparison holds.
type CellKind string

// The kinds of cells.
const (
	// CellScenario is the corner: the scenario's name.
	CellScenario CellKind = "scenario"
	// CellCluster heads a column: the cluster's name.
	CellCluster CellKind = "cluster"
	// CellExpectation and CellStep head a row: its name.
	CellExpectation CellKind = "expectation"
	CellStep        CellKind = "step"
	// CellOutcome is the result of the row on the column's cluster.
	CellOutcome CellKind = "outcome"
	// CellNone is a row that is not there on the column's cluster.
	CellNone CellKind = "none"
)

// Cell is a place in a comparison of clusters.
type Cell struct {
	Kind CellKind `json:"kind"`
	// Text is the name, or the outcome in a word: what the condition was,
	// "true" or "false", where it was decided, else "skipped", "error" or
	// "pending"; of a step "done", "failed" or its Outcome.
	Text string `json:"text"`
	// Notes are the version and the feature gates of a column's cluster, such
	// as "1.28.15" and "+SidecarContainers"; a "-" is before one that is off.
	Notes  []string      `json:"notes,omitempty"`
	Status expect.Status `json:"status"`
	// Reason says why the outcome is what it is.
	Reason string `json:"reason,omitempty"`
}

// Table compares the clusters on which a scenario ran: a row of heads, then
// one for each of its steps and expectations in their order, each with a cell
// for each cluster in the report's order. It is nil if nothing ran.
func Table(r report.Report, scenario string) [][]Cell {
	runs := r.RunsOf(scenario)
	if len(runs) == 0 {
		return nil
	}
	head := []Cell{{Kind: CellScenario, Text: scenario}}
	for _, run := range runs {
		c := r.Cluster(run.Cluster)
		head = append(head, Cell{Kind: CellCluster, Text: c.Name, Notes: c.Notes(), Status: run.Status})
		head[0].Status = max(head[0].Status, run.Status)
	}
	table := [][]Cell{head}
	steps := stepsOf(runs)
	for _, key := range rowKeys(runs) {
		row := []Cell{{Kind: key.kind(), Text: key.title()}}
		for n, run := range runs {
			c := outcome(run, steps[n].find(key))
			row[0].Status = max(row[0].Status, c.Status)
			row = append(row, c)
		}
		table = append(table, row)
	}
	return table
}

// rowKey finds a step again on another cluster: names are unique for a verb,
// or else the place among those of the same name counts.
type rowKey struct {
	verb, name string
	nth        int
	expects    bool
}

func (k rowKey) kind() CellKind {
	if k.expects {
		return CellExpectation
	}
	return CellStep
}

func (k rowKey) title() string {
	if k.expects {
		return k.name
	}
	return strings.TrimSpace(k.verb + " " + k.name)
}

func keysOf(run report.ScenarioRun) []rowKey {
	var keys []rowKey
	seen := map[rowKey]int{}
	for _, s := range run.Steps {
		k := rowKey{verb: s.Verb, name: s.Name, expects: s.Expects()}
		seen[k]++
		k.nth = seen[k] - 1
		keys = append(keys, k)
	}
	return keys
}

// stepIndex finds the steps of a run.
type stepIndex map[rowKey]int

// find is the place of a step among the run's; -1 where it has none.
func (x stepIndex) find(key rowKey) int {
	if i, found := x[key]; found {
		return i
	}
	return -1
}

// stepsOf are the steps of each run.
func stepsOf(runs []report.ScenarioRun) []stepIndex {
	var all []stepIndex
	for _, run := range runs {
		x := stepIndex{}
		for i, key := range keysOf(run) {
			x[key] = i
		}
		all = append(all, x)
	}
	return all
}

// rowKeys are the rows of all runs; one that only a later run has comes after
// what is before it there.
func rowKeys(runs []report.ScenarioRun) []rowKey {
	var all []rowKey
	for _, run := range runs {
		after := 0
		for _, k := range keysOf(run) {
			if i := slices.Index(all, k); i >= 0 {
				after = i + 1
				continue
			}
			all = slices.Insert(all, after, k)
			after++
		}
	}
	return all
}

// outcome is the cell of a step by its place; of none if that is negative.
func outcome(run report.ScenarioRun, i int) Cell {
	if i < 0 {
		return Cell{Kind: CellNone}
	}
	s := run.Steps[i]
	c := Cell{Kind: CellOutcome, Status: s.Status, Reason: s.Detail}
	if s.Verdict != nil {
		c.Reason = s.Verdict.Reason
	}
	switch {
	case s.Status == expect.Skip:
		c.Text = "skipped"
	case s.Status == expect.Error:
		c.Text = "error"
	case s.Status == expect.Pending:
		c.Text = "pending"
	case s.Verdict != nil:
		c.Text = cmp.Or(s.Verdict.Got, s.Status.String())
	case s.Outcome != "":
		c.Text = s.Outcome
	case s.Status == expect.Fail:
		c.Text = "failed"
	default:
		c.Text = "done"
	}
	return c
}

// Notable says whether a row of Table is worth showing to people: a step that
// was done everywhere in the same way is not.
func Notable(row []Cell) bool {
	if row[0].Kind != CellStep {
		return true
	}
	first := ""
	for _, c := range row[1:] {
		switch {
		case c.Kind == CellNone:
			continue
		case c.Status != expect.Pass, first != "" && c.Text != first:
			return true
		}
		first = c.Text
	}
	return false
}

// Place finds what a cell of Table tells: the indexes of a run in the report
// and of a step in the run; -1 where the run has no such step.
type Place struct{ Run, Step int }

// Places are the places of the outcomes of Table(r, scenario): a row for each
// of its rows but the heads, with a place for each cluster.
func Places(r report.Report, scenario string) [][]Place {
	runs := r.RunsOf(scenario)
	indexes, steps := indexesOf(r, runs), stepsOf(runs)
	var rows [][]Place
	for _, key := range rowKeys(runs) {
		var row []Place
		for n := range runs {
			row = append(row, Place{Run: indexes[n], Step: steps[n].find(key)})
		}
		rows = append(rows, row)
	}
	return rows
}

// indexesOf are the places of runs in the report. Runs of the same scenario on
// the same cluster, which a report should not have, are taken in their order.
func indexesOf(r report.Report, runs []report.ScenarioRun) []int {
	taken := map[int]bool{}
	var indexes []int
	for _, run := range runs {
		for i, o := range r.Runs {
			if !taken[i] && o.Scenario == run.Scenario && o.Cluster == run.Cluster {
				taken[i], indexes = true, append(indexes, i)
				break
			}
		}
	}
	return indexes
}
