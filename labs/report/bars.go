package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/kind-lab/lab/collectors"
)

// mostBars bounds the rows of a scenario's bars; the document has all.
const mostBars = 48

// longestContainer is how many columns a container's name has beside its bar.
const longestContainer = 28

// bars draws when each container ran, one row for each, on one axis for all
// clusters: it begins on each where the first container started there.
func (p *page) bars(scenario string, clusters []string) {
	var shown []barRow
	for _, cluster := range clusters {
		i := slices.IndexFunc(p.pictures, func(x Picture) bool { return x.Scenario == scenario && x.Cluster == cluster })
		if i >= 0 {
			shown = append(shown, barRowsOf(p.pictures[i])...)
		}
	}
	if !slices.ContainsFunc(shown, func(l barRow) bool { return len(l.runs) > 0 }) {
		return
	}
	shown, omitted := bounded(shown, mostBars)
	c := p.canvas(shown)
	p.blank()
	p.line(p.paint(sgrDim, pad("TIMELINE", c.label)+c.axis()))
	for i, l := range shown {
		if i == 0 || shown[i-1].group != l.group {
			p.line(p.paint(sgrBold, p.cutMiddle(clean(l.group), p.width())))
		}
		p.line(pad("  "+p.cutMiddle(clean(l.name), longestContainer), c.label) + c.row(l))
	}
	if omitted > 0 {
		p.line(p.paint(sgrDim, fmt.Sprintf("and %s", plural(omitted, "more container"))))
	}
	for _, line := range wrap(c.legend(shown), p.width()) {
		p.line(p.paint(sgrDim, line))
	}
}

// barRow is a row: a container with its runs, in seconds since the first
// container started on its cluster.
type barRow struct {
	cluster, group, name, kind string
	runs                       []laneRun
}

type laneRun struct {
	// from and to are where the bar begins and ends; open says that it still
	// ran at to.
	from, to float64
	// unseen says that one of the two is not known.
	unseen, open bool
	ready, term  *float64
	code         string
	bad          bool
}

// barRowsOf are the rows of a picture: its pods' containers in their order.
func barRowsOf(x Picture) []barRow {
	zero := math.Inf(1)
	for _, pod := range x.Pods {
		for _, c := range pod.Containers {
			for _, r := range c.Runs {
				if r.StartedAt != nil {
					zero = min(zero, r.StartedAt.At)
				}
			}
		}
	}
	if math.IsInf(zero, 1) {
		zero = 0
	}
	var rows []barRow
	for _, pod := range x.Pods {
		group := x.Cluster
		if len(x.Pods) > 1 {
			group += "  " + pod.Title
		}
		for _, c := range pod.Containers {
			l := barRow{cluster: x.Cluster, group: group, name: c.Name, kind: c.Kind}
			for _, r := range c.Runs {
				l.runs = append(l.runs, runOf(r, zero, x.Seconds))
			}
			rows = append(rows, l)
		}
	}
	return rows
}

func runOf(r RunPicture, zero, end float64) laneRun {
	out := laneRun{to: end - zero, open: !r.Exited}
	shift := func(i *Instant) *float64 {
		if i == nil {
			return nil
		}
		at := max(0, i.At-zero)
		return &at
	}
	from, to := shift(r.StartedAt), shift(r.FinishedAt)
	out.ready, out.term = shift(r.ReadyAt), shift(r.KillingAt)
	if to != nil {
		out.to = *to
	}
	switch {
	case from != nil:
		out.from = *from
	default:
		out.from, out.unseen = out.to, true
	}
	if r.Exited {
		out.code, out.bad = exitText(r.ExitCode), r.ExitCode != 0
		if to == nil {
			out.to, out.unseen = out.from, true
		}
	}
	return out
}

// bounded leaves each cluster as many of its rows as fit into so many in all.
func bounded(rows []barRow, most int) (kept []barRow, omitted int) {
	clusters := map[string]int{}
	for _, l := range rows {
		clusters[l.cluster]++
	}
	each := max(2, most/max(1, len(clusters)))
	seen := map[string]int{}
	for _, l := range rows {
		if seen[l.cluster]++; seen[l.cluster] <= each {
			kept = append(kept, l)
		} else {
			omitted++
		}
	}
	return kept, omitted
}

// canvas is where bars are drawn: label columns of names, then columns of time.
type canvas struct {
	Style
	// room is for what stands behind the longest bars.
	label, columns, room int
	// seconds is how long the axis is, step how far its ticks are apart.
	seconds float64
	step    float64
}

// canvas is as wide as the page, with room for the exit codes behind the
// longest bars.
func (p *page) canvas(rows []barRow) *canvas {
	c := &canvas{Style: p.Style, label: len("TIMELINE") + 2, seconds: 1, room: 2}
	for _, l := range rows {
		c.label = max(c.label, 4+min(width(clean(l.name)), longestContainer))
		for _, r := range l.runs {
			c.seconds = max(c.seconds, r.to)
			c.room = max(c.room, len(r.code))
		}
	}
	c.columns = max(10, p.width()-c.label-c.room)
	c.step = math.Inf(1)
	for _, step := range []float64{1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200, 14400, 43200, 86400} {
		if step/c.seconds*float64(c.columns) >= leastTick {
			c.step = step
			break
		}
	}
	return c
}

// leastTick is how many columns ticks are apart at the least.
const leastTick = 8

// at is the column of a time.
func (c *canvas) at(seconds float64) int {
	return min(c.columns-1, max(0, int(seconds/c.seconds*float64(c.columns))))
}

// axis are the ticks with their times.
func (c *canvas) axis() string {
	line := []rune(strings.Repeat(" ", c.columns+c.room))
	for at := 0.0; at <= c.seconds; at += c.step {
		tick := []rune(c.sign("╷", "|") + tickText(at))
		if c.at(at)+len(tick) <= len(line) {
			copy(line[c.at(at):], tick)
		}
	}
	return strings.TrimRight(string(line), " ")
}

func tickText(at float64) string {
	switch {
	case at >= 3600 && math.Mod(at, 1800) == 0:
		return fmt.Sprintf("%gh", at/3600)
	case at >= 120 && math.Mod(at, 60) == 0:
		return fmt.Sprintf("%gm", at/60)
	}
	return fmt.Sprintf("%gs", at)
}

// fills are the characters of bars by the container's kind, and their colours.
func (s Style) fill(kind string) (sign, sgr string) {
	switch kind {
	case collectors.KindInit:
		return s.sign("▒", ":"), sgrYellow
	case collectors.KindSidecar:
		return s.sign("░", "="), sgrCyan
	case collectors.KindEphemeral:
		return s.sign("▚", "%"), sgrYellow
	}
	return s.sign("█", "#"), sgrGreen
}

// The marks on bars.
const (
	markReady  = "R"
	markTerm   = "T"
	markUnseen = "?"
)

func (s Style) markOpen() string { return s.sign("→", ">") }

// dot is a place on a row.
type dot struct{ text, sgr string }

// row draws the runs of a container.
func (c *canvas) row(l barRow) string {
	sign, sgr := c.fill(l.kind)
	dots := make([]dot, c.columns+c.room)
	for _, r := range l.runs {
		for i := c.at(r.from); i <= c.at(r.to); i++ {
			dots[i] = dot{sign, sgr}
		}
		if r.unseen {
			dots[c.at(r.from)] = dot{markUnseen, sgr}
		}
	}
	for _, r := range l.runs {
		first, last := c.at(r.from), c.at(r.to)
		if r.ready != nil {
			dots[max(first, min(last, c.at(*r.ready)))] = dot{markReady, sgrBold}
		}
		if r.term != nil {
			dots[max(first, min(last, c.at(*r.term)))] = dot{markTerm, sgrBold + sgrRed}
		}
		if r.open {
			dots[last] = dot{c.markOpen(), sgr}
		}
	}
	for _, r := range l.runs {
		code, _, _ := strings.Cut(r.code, " ")
		paint := map[bool]string{true: sgrRed, false: sgrDim}[r.bad]
		_ = put(dots, c.at(r.to)+1, r.code, paint) || put(dots, c.at(r.to)+1, code, paint)
	}
	return c.paintDots(dots)
}

// put writes a text where there is room for it, and says whether there was.
func put(dots []dot, at int, text, sgr string) bool {
	for i := at; i <= at+len(text); i++ {
		if text == "" || i > len(dots) || i < len(dots) && dots[i].text != "" {
			return false
		}
	}
	for i, r := range text {
		dots[at+i] = dot{string(r), sgr}
	}
	return true
}

// paintDots writes neighbours of a colour together.
func (c *canvas) paintDots(dots []dot) string {
	var b strings.Builder
	for i := 0; i < len(dots); {
		j, text := i, ""
		for ; j < len(dots) && dots[j].sgr == dots[i].sgr; j++ {
			text += cmp.Or(dots[j].text, " ")
		}
		if dots[i].sgr == "" && j == len(dots) {
			break
		}
		b.WriteString(c.paint(dots[i].sgr, text))
		i = j
	}
	return strings.TrimRight(b.String(), " ")
}

// legend says what is drawn, and where the axis begins.
func (c *canvas) legend(rows []barRow) string {
	kinds, marks := map[string]bool{}, map[string]bool{}
	for _, l := range rows {
		for _, r := range l.runs {
			kinds[l.kind] = true
			marks[markReady] = marks[markReady] || r.ready != nil
			marks[markTerm] = marks[markTerm] || r.term != nil
			marks[markUnseen] = marks[markUnseen] || r.unseen
			marks[c.markOpen()] = marks[c.markOpen()] || r.open
		}
	}
	var parts []string
	for _, kind := range []string{collectors.KindInit, collectors.KindSidecar, collectors.KindMain, collectors.KindEphemeral} {
		if sign, _ := c.fill(kind); kinds[kind] {
			parts = append(parts, sign+" "+kind)
		}
	}
	for _, of := range [][2]string{
		{markReady, "seen ready"}, {markTerm, "to be killed, said the kubelet (to the second; of a sidecar before its turn)"},
		{c.markOpen(), "still runs"}, {markUnseen, "start or end not seen"},
	} {
		if marks[of[0]] {
			parts = append(parts, of[0]+" "+of[1])
		}
	}
	return strings.Join(parts, ", ") + "; a number is the exit code. 0s is where the first container started on each cluster."
}
