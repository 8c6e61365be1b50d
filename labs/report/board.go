package report

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/kind-lab/lab/labs/expect"
)

// board are the status lines at a terminal's bottom, one for each cluster.
type board struct {
	Style
	began    time.Time
	clusters []*doing
	// drawn is how many lines stand there.
	drawn int
}

// doing is what a cluster is doing.
type doing struct {
	name, scenario, text string
	since                time.Time
	tally                Tally
	failed, done         bool
}

func newBoard(s Style, clusters []string, now time.Time) board {
	b := board{Style: s, began: now}
	for _, name := range clusters {
		b.clusters = append(b.clusters, &doing{name: name, text: "waiting", since: now})
	}
	return b
}

func (b *board) event(e Event, now time.Time) {
	if e.Cluster == "" {
		return
	}
	i := slices.IndexFunc(b.clusters, func(d *doing) bool { return d.name == e.Cluster })
	if i < 0 {
		i = len(b.clusters)
		b.clusters = append(b.clusters, &doing{name: e.Cluster, since: now})
	}
	d := b.clusters[i]
	d.done = d.done || e.Done
	switch e.Kind {
	case EventProgress:
		text, _, _ := strings.Cut(e.Text, "\n")
		if text = clean(text); text != d.text || e.Scenario != d.scenario {
			d.text, d.scenario, d.since = text, e.Scenario, now
		}
	case EventError:
		d.failed = true
	case EventStep, EventVerdict:
		if e.Step != nil && isExpectation(*e.Step) {
			d.tally.Add(e.Step.Status)
		}
		if e.Step != nil {
			d.failed = d.failed || e.Step.Status >= expect.Fail
		}
	}
}

// erase takes the lines away; the cursor is then where they began.
func (b *board) erase() string {
	if b.drawn == 0 {
		return ""
	}
	up := ""
	if b.drawn > 1 {
		up = fmt.Sprintf("\x1b[%dA", b.drawn-1)
	}
	b.drawn = 0
	return "\r" + up + "\x1b[J"
}

// mostLines bounds the board: where there are more clusters, those that are
// done are left out first.
const mostLines = 10

// draw returns the lines; the cursor is then at the last one's end.
func (b *board) draw(now time.Time) string {
	shown := slices.Clone(b.clusters)
	if len(shown) > mostLines {
		slices.SortStableFunc(shown, func(x, y *doing) int {
			return rank(x) - rank(y)
		})
		shown = shown[:mostLines-1]
	}
	longest := 0
	for _, d := range shown {
		longest = max(longest, min(width(clean(d.name)), longestCluster))
	}
	var out []string
	for _, d := range shown {
		out = append(out, b.line(d, longest, now))
	}
	if more := len(b.clusters) - len(shown); more > 0 {
		out = append(out, b.paint(sgrDim, "  and "+plural(more, "cluster")+" more"))
	}
	b.drawn = len(out)
	return strings.Join(out, "\n")
}

func rank(d *doing) int {
	if d.done {
		return 1
	}
	return 0
}

// line is a cluster's line. It keeps one column free, so that no terminal
// breaks it.
func (b *board) line(d *doing, longest int, now time.Time) string {
	sign, sgr := b.spinner(now), sgrCyan
	switch {
	case d.done && d.failed:
		sign, sgr = b.mark(expect.Fail), sgrRed
	case d.done:
		sign, sgr = b.mark(expect.Pass), sgrGreen
	}
	name := pad(b.cutMiddle(clean(d.name), longestCluster), longest)
	times := ""
	if !d.done {
		times = "  " + elapsed(now.Sub(d.since).Truncate(time.Second/10))
	}
	counts := b.counts(d.tally)
	text := d.text
	if d.scenario != "" {
		text = clean(d.scenario) + ": " + text
	}
	columns := b.Width
	if columns == 0 {
		columns = defaultWidth
	}
	room := columns - 1 - width(sign+" "+name+"  "+times+counts)
	if room < 0 {
		return b.cut(sign+" "+name, columns-1)
	}
	text = b.cut(text, max(1, room))
	return b.paint(sgr, sign) + " " + b.paint(sgrBold, name) + "  " + text + b.paint(sgrDim, times+counts)
}

func (b *board) counts(t Tally) string {
	text := ""
	for _, of := range []struct {
		n      int
		status expect.Status
	}{{t.Pass, expect.Pass}, {t.Fail, expect.Fail}, {t.Error, expect.Error}} {
		if of.n > 0 {
			text += fmt.Sprintf("  %s%d", b.mark(of.status), of.n)
		}
	}
	return text
}

func (b *board) spinner(now time.Time) string {
	frames := []string{"⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"}
	if b.ASCII {
		frames = []string{"|", "/", "-", "\\"}
	}
	return frames[max(0, int(now.Sub(b.began)/tick))%len(frames)]
}
