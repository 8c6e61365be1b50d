package live

import (
	"fmt"
	"time"

	"github.com/kind-lab/lab/collectors"
	"github.com/kind-lab/lab/labs/expect"
	"github.com/kind-lab/lab/labs/report"
	"github.com/kind-lab/lab/labs/report/layout"
	"github.com/kind-lab/lab/labs/report/text"
)

// tick is how often the lanes are drawn, and how long a spinner's frame stands.
const tick = 100 * time.Millisecond

// lanePen draws lanes: their lines, one by one.
type lanePen struct {
	layout.Style
	// began is when the spinner began to turn.
	began time.Time
}

// columns is what a line may take: one column stays free, so that no terminal
// breaks it.
func (p lanePen) columns() int {
	if p.Width == 0 {
		return layout.DefaultWidth - 1
	}
	return max(1, p.Width-1)
}

// head is a lane's first line: what the cluster is doing and for how long. It
// keeps one column free, so that no terminal breaks it.
func (p lanePen) head(l *lane, longest int, now time.Time) string {
	sign, sgr := p.spinner(now), layout.Cyan
	switch {
	case l.done && l.failed:
		sign, sgr = p.Mark(expect.Fail), layout.Red
	case l.done:
		sign, sgr = p.Mark(expect.Pass), layout.Green
	}
	name := layout.Pad(p.CutMiddle(layout.Clean(l.name), layout.LongestName), longest)
	times := ""
	if !l.done {
		times = "  " + text.Elapsed(now.Sub(l.since).Truncate(time.Second/10))
	}
	counts := p.counts(l.tally)
	doing := l.text
	if l.scenario != "" {
		doing = layout.Clean(l.scenario) + ": " + doing
	}
	room := p.columns() - layout.Width(sign+" "+name+"  "+times+counts)
	if room < 0 {
		return p.Cut(sign+" "+name, p.columns())
	}
	doing = p.Cut(doing, max(1, room))
	return p.Paint(sgr, sign) + " " + p.Paint(layout.Bold, name) + "  " + doing + p.Paint(layout.Dim, times+counts)
}

// pod is a pod's line: its STATUS and READY, and its containers, with their
// names where there is room for all.
func (p lanePen) pod(pod *lanePod, indent int) string {
	name := p.CutMiddle(pod.name, layout.LongestName)
	start := layout.Pad("", indent) + name + "  " + pod.status + " " + pod.ready
	if layout.Width(start) > p.columns() {
		return p.Cut(start, p.columns())
	}
	painted := layout.Pad("", indent) + p.Paint(layout.Bold, name) + "  " + pod.status + " " + p.Paint(layout.Dim, pod.ready)
	for _, named := range []bool{true, false} {
		rest, columns := "", 0
		for _, c := range pod.containers {
			mark, sgr := p.state(c)
			text := kindSign(c.kind) + mark
			if named {
				text += " " + layout.Clean(c.name)
			}
			rest += "  " + p.Paint(sgr, text)
			columns += 2 + layout.Width(text)
		}
		if layout.Width(start)+columns <= p.columns() {
			return painted + rest
		}
	}
	return painted
}

// kindSign tells init containers, sidecars, main and ephemeral containers
// apart.
func kindSign(kind string) string {
	switch kind {
	case collectors.KindInit, collectors.KindSidecar, collectors.KindMain, collectors.KindEphemeral:
		return kind[:1]
	}
	return "?"
}

// state is the sign of a container's state, and its colour.
func (p lanePen) state(c *laneContainer) (sign, sgr string) {
	switch {
	case c.state == "terminated" && c.code == 0:
		sign, sgr = p.Mark(expect.Pass), layout.Green
	case c.state == "terminated":
		sign, sgr = fmt.Sprintf("%s%d", p.Mark(expect.Fail), c.code), layout.Yellow
	case c.state == "running" && c.ready:
		sign, sgr = p.Sign("●", "*"), layout.Cyan
	case c.state == "running":
		sign, sgr = p.Sign("◐", "o"), layout.Cyan
	default:
		sign, sgr = p.Sign("○", "."), layout.Dim
	}
	if c.restarts > 0 {
		sign += fmt.Sprintf("%s%d", p.Sign("↻", "^"), c.restarts)
	}
	return sign, sgr
}

// legend says what the signs of containers mean.
func (p lanePen) legend() string {
	text := "i init  s sidecar  m main   ○ waits  ◐ runs  ● ready  ✓ ended  ✗ failed  ↻ restarts"
	if p.ASCII {
		text = "i init  s sidecar  m main   . waits  o runs  * ready  + ended  x failed  ^ restarts"
	}
	return p.Paint(layout.Dim, p.Cut(text, p.columns()))
}

func (p lanePen) counts(t report.Tally) string {
	text := ""
	for _, of := range []struct {
		n      int
		status expect.Status
	}{{t.Pass, expect.Pass}, {t.Fail, expect.Fail}, {t.Error, expect.Error}} {
		if of.n > 0 {
			text += fmt.Sprintf("  %s%d", p.Mark(of.status), of.n)
		}
	}
	return text
}

func (p lanePen) spinner(now time.Time) string {
	frames := []string{"⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"}
	if p.ASCII {
		frames = []string{"|", "/", "-", "\\"}
	}
	return frames[max(0, int(now.Sub(p.began)/tick))%len(frames)]
}
