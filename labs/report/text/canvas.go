package text

import (
	"cmp"
	"fmt"
	"math"
	"strings"

	"github.com/kind-lab/lab/collectors"
	"github.com/kind-lab/lab/labs/report/layout"
)

// longestContainer is how many columns a container's name has beside its bar.
const longestContainer = 28

// canvas is where bars are drawn: label columns of names, then columns of time.
type canvas struct {
	layout.Style
	// room is for what stands behind the longest bars.
	label, columns, room int
	// seconds is how long the axis is, step how far its ticks are apart.
	seconds float64
	step    float64
}

// newCanvas makes a canvas as wide as a page of the style, with room for the
// exit codes behind the longest bars.
func newCanvas(style layout.Style, rows []barRow) *canvas {
	c := &canvas{Style: style, label: len("TIMELINE") + 2, seconds: 1, room: 2}
	for _, l := range rows {
		c.label = max(c.label, 4+min(layout.Width(layout.Clean(l.name)), longestContainer))
		for _, r := range l.runs {
			c.seconds = max(c.seconds, r.to)
			c.room = max(c.room, len(r.code))
		}
	}
	c.columns = max(10, style.Columns()-c.label-c.room)
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
		tick := []rune(c.Sign("╷", "|") + tickText(at))
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
func fill(s layout.Style, kind string) (sign, sgr string) {
	switch kind {
	case collectors.KindInit:
		return s.Sign("▒", ":"), layout.Yellow
	case collectors.KindSidecar:
		return s.Sign("░", "="), layout.Cyan
	case collectors.KindEphemeral:
		return s.Sign("▚", "%"), layout.Yellow
	}
	return s.Sign("█", "#"), layout.Green
}

// The marks on bars.
const (
	markReady  = "R"
	markTerm   = "T"
	markUnseen = "?"
)

func (c *canvas) markOpen() string { return c.Sign("→", ">") }

// dot is a place on a row.
type dot struct{ text, sgr string }

// row draws the runs of a container.
func (c *canvas) row(l barRow) string {
	sign, sgr := fill(c.Style, l.kind)
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
			dots[max(first, min(last, c.at(*r.ready)))] = dot{markReady, layout.Bold}
		}
		if r.term != nil {
			dots[max(first, min(last, c.at(*r.term)))] = dot{markTerm, layout.Bold + layout.Red}
		}
		if r.open {
			dots[last] = dot{c.markOpen(), sgr}
		}
	}
	for _, r := range l.runs {
		code, _, _ := strings.Cut(r.code, " ")
		paint := map[bool]string{true: layout.Red, false: layout.Dim}[r.bad]
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
		b.WriteString(c.Paint(dots[i].sgr, text))
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
		if sign, _ := fill(c.Style, kind); kinds[kind] {
			parts = append(parts, sign+" "+kind)
		}
	}
	for _, of := range [][2]string{
		{markReady, "seen ready"}, {markTerm, "the kubelet's Killing event (to the second; for a sidecar, before its turn)"},
		{c.markOpen(), "still runs"}, {markUnseen, "start or end not seen"},
	} {
		if marks[of[0]] {
			parts = append(parts, of[0]+" "+of[1])
		}
	}
	return strings.Join(parts, ", ") + "; a number is the exit code. 0s is where the first container started on each cluster."
}
