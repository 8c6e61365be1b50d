package report

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/kind-lab/lab/labs/expect"
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
	// CellOutcome is what became of the row on the column's cluster.
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
// for each cluster in the report's order. It is nil where nothing ran.
func Table(r Report, scenario string) [][]Cell {
	runs := runsOf(r, scenario)
	if len(runs) == 0 {
		return nil
	}
	head := []Cell{{Kind: CellScenario, Text: scenario}}
	for _, run := range runs {
		c := clusterOf(r, run.Cluster)
		head = append(head, Cell{Kind: CellCluster, Text: c.Name, Notes: notes(c), Status: run.Status})
		head[0].Status = max(head[0].Status, run.Status)
	}
	table := [][]Cell{head}
	for _, key := range rowKeys(runs) {
		row := []Cell{{Kind: key.kind(), Text: key.title()}}
		for _, run := range runs {
			c := outcome(run, key)
			row[0].Status = max(row[0].Status, c.Status)
			row = append(row, c)
		}
		table = append(table, row)
	}
	return table
}

// runsOf are the runs of a scenario in the order of the report's clusters.
func runsOf(r Report, scenario string) []Run {
	var runs []Run
	for _, run := range r.Runs {
		if run.Scenario == scenario {
			runs = append(runs, run)
		}
	}
	place := map[string]int{}
	for i, c := range r.Clusters {
		place[c.Name] = i + 1
	}
	slices.SortStableFunc(runs, func(a, b Run) int { return cmp.Compare(place[a.Cluster], place[b.Cluster]) })
	return runs
}

// scenarios are the names of a report's scenarios in their order.
func scenarios(r Report) []string {
	var names []string
	for _, run := range r.Runs {
		if !slices.Contains(names, run.Scenario) {
			names = append(names, run.Scenario)
		}
	}
	return names
}

func notes(c Cluster) []string {
	var out []string
	if v := cmp.Or(c.Version, c.Kubernetes); v != "" {
		out = append(out, v)
	}
	for _, gate := range slices.Sorted(maps.Keys(c.FeatureGates)) {
		if c.FeatureGates[gate] {
			out = append(out, "+"+gate)
		} else {
			out = append(out, "-"+gate)
		}
	}
	return out
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

func keysOf(run Run) []rowKey {
	var keys []rowKey
	for _, s := range run.Steps {
		k := rowKey{verb: s.Verb, name: s.Name, expects: isExpectation(s)}
		for slices.Contains(keys, k) {
			k.nth++
		}
		keys = append(keys, k)
	}
	return keys
}

// rowKeys are the rows of all runs; one that only a later run has comes after
// what is before it there.
func rowKeys(runs []Run) []rowKey {
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

func outcome(run Run, key rowKey) Cell {
	i := slices.Index(keysOf(run), key)
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

// worth says whether a row is to be shown to people: a step that was done
// everywhere in the same way is not.
func worth(row []Cell) bool {
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

const (
	longestCluster = 24
	widestGate     = 40
	narrowestGate  = 12
	shortestName   = 24
)

// column is a cluster's column, laid out.
type column struct {
	head, cells []cell
	width       int
}

func (p *page) table(rows [][]Cell) {
	rows = slices.DeleteFunc(slices.Clone(rows), func(row []Cell) bool { return !worth(row) })
	if len(rows) < 2 {
		p.line("  nothing was to be decided")
		return
	}
	longest, height := 0, 0
	for _, row := range rows[1:] {
		longest = max(longest, width(clean(row[0].Text)))
	}
	var columns []column
	for _, gate := range []int{widestGate, narrowestGate} {
		columns, height = nil, 0
		total := longest
		for i := 1; i < len(rows[0]); i++ {
			c := p.column(rows, i, gate)
			columns = append(columns, c)
			height = max(height, len(c.head))
			total += columnGap + c.width
		}
		if total <= p.width() {
			break
		}
	}
	for i, some := range p.slices(columns, p.width()-min(longest, max(shortestName, p.width()*2/5))) {
		if i > 0 {
			p.blank()
		}
		p.slice(rows, some, height)
	}
}

// slices are the columns in as few tables as there is room for, as equal as
// they come.
func (p *page) slices(columns []column, room int) [][]column {
	fill := func(most int) [][]column {
		var out [][]column
		left := 0
		for _, c := range columns {
			need := columnGap + c.width
			if len(out) == 0 || need > left || len(out[len(out)-1]) == most {
				out = append(out, nil)
				left = room
			}
			out[len(out)-1] = append(out[len(out)-1], c)
			left -= need
		}
		return out
	}
	fewest := fill(len(columns))
	for most := 1; most < len(columns); most++ {
		if even := fill(most); len(even) == len(fewest) {
			return even
		}
	}
	return fewest
}

// column lays out the column of the rows' i-th cells, feature gates in lines of
// so many columns.
func (p *page) column(rows [][]Cell, i, gate int) column {
	var c column
	name := p.cutMiddle(clean(rows[0][i].Text), longestCluster)
	c.head = []cell{{text: name, sgr: sgrBold}}
	c.width = width(name)
	for _, row := range rows[1:] {
		body := cell{}
		if row[i].Kind != CellNone {
			body = cell{text: p.mark(row[i].Status) + " " + clean(row[i].Text), sgr: statusColor(row[i].Status)}
		}
		c.cells = append(c.cells, body)
		c.width = max(c.width, width(body.text))
	}
	for n, note := range rows[0][i].Notes {
		if n == 0 {
			c.width = max(c.width, min(width(note), longestCluster))
		}
	}
	for _, note := range rows[0][i].Notes {
		for _, part := range p.humps(clean(note), max(c.width, gate)) {
			c.head = append(c.head, cell{text: part, sgr: sgrDim})
			c.width = max(c.width, width(part))
		}
	}
	return c
}

// slice writes the table of some of the columns.
func (p *page) slice(rows [][]Cell, columns []column, height int) {
	g := grid{rule: true}
	for n := range height {
		line := []cell{{}}
		for _, c := range columns {
			if n < len(c.head) {
				line = append(line, c.head[n])
			} else {
				line = append(line, cell{})
			}
		}
		if slices.ContainsFunc(line, func(c cell) bool { return c.text != "" }) {
			g.head = append(g.head, line)
		}
	}
	for n, row := range rows[1:] {
		line := []cell{{text: clean(row[0].Text)}}
		for _, c := range columns {
			line = append(line, c.cells[n])
		}
		g.rows = append(g.rows, line)
	}
	p.grid(g)
}

// humps breaks a name such as a feature gate's where a word begins in it.
func (p *page) humps(name string, columns int) []string {
	var words []string
	from, before := 0, 'A'
	for i, r := range name {
		if i > 0 && unicode.IsUpper(r) && unicode.IsLower(before) {
			words = append(words, name[from:i])
			from = i
		}
		before = r
	}
	words = append(words, name[from:])
	out := []string{""}
	for _, w := range words {
		w = p.cutMiddle(w, columns)
		if last := &out[len(out)-1]; width(*last)+width(w) <= columns {
			*last += w
		} else {
			out = append(out, w)
		}
	}
	if out[0] == "" {
		out = out[1:]
	}
	return out
}
