package report

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/kind-lab/lab/collectors"
	"github.com/kind-lab/lab/labs/expect"
)

// lane is what a cluster is doing, and what the pods of its scenario are.
type lane struct {
	name, scenario, text string
	since                time.Time
	tally                Tally
	failed, done         bool
	pods                 []*lanePod
}

// lanePod is a pod as far as it was told.
type lanePod struct {
	id, name, status, ready string
	containers              []*laneContainer
}

// laneContainer is a container in its newest run.
type laneContainer struct {
	name, kind string
	// id is the runtime's of that run and before that of the one before it;
	// over says that the runtime told of the run's end.
	id, before string
	over       bool
	state      string
	ready      bool
	code       int
	// restarts counts the runs but the first.
	restarts int
}

// event takes in what is told of the lane's cluster.
func (l *lane) event(e Event, now time.Time) {
	l.done = l.done || e.Done
	switch e.Kind {
	case EventProgress:
		text, _, _ := strings.Cut(e.Text, "\n")
		if e.Scenario != l.scenario {
			l.pods = nil
		}
		if text = clean(text); text != l.text || e.Scenario != l.scenario {
			l.text, l.scenario, l.since = text, e.Scenario, now
		}
	case EventError:
		l.failed = true
	case EventStep, EventVerdict:
		if e.Step != nil && isExpectation(*e.Step) {
			l.tally.Add(e.Step.Status)
		}
		if e.Step != nil {
			l.failed = l.failed || e.Step.Status >= expect.Fail
		}
	case EventRecord:
		if e.Record != nil && e.Scenario == l.scenario {
			l.record(*e.Record)
		}
	}
	if l.done {
		l.pods = nil
	}
}

// record takes in what was observed of a pod.
func (l *lane) record(r collectors.Record) {
	id := key(r)
	i := slices.IndexFunc(l.pods, func(p *lanePod) bool { return p.id == id })
	switch {
	case r.Type == collectors.TypePodGone:
		if i >= 0 {
			l.pods = slices.Delete(l.pods, i, i+1)
		}
	case r.Type == collectors.TypePod && r.Pod != nil:
		if i < 0 {
			i, l.pods = len(l.pods), append(l.pods, &lanePod{id: id, name: clean(r.Object.Name)})
		}
		l.pods[i].update(*r.Pod)
	case i >= 0 && r.Task != nil:
		l.pods[i].task(r)
	}
}

// update takes in a pod as the API shows it. What the runtime told of the end
// of a container's run is newer.
func (p *lanePod) update(pod collectors.Pod) {
	p.status, p.ready = clean(pod.Status), clean(pod.Ready)
	for _, c := range pod.Containers {
		known := p.container(c.Name)
		known.kind, known.restarts = c.Kind, max(known.restarts, c.Restarts)
		behind := known.id != "" && (c.ID == "" || c.ID == known.before)
		if behind || known.over && c.ID == known.id && c.State != "terminated" {
			continue
		}
		known.over = known.over && c.ID == known.id
		known.state, known.ready, known.id = c.State, c.Ready, c.ID
		if c.State == "terminated" && c.Current != nil {
			known.code = c.Current.ExitCode
		}
	}
}

// task takes in a start or an end that the runtime told.
func (p *lanePod) task(r collectors.Record) {
	if !slices.ContainsFunc(p.containers, func(c *laneContainer) bool { return c.name == r.Container }) {
		return // such as the sandbox
	}
	c := p.container(r.Container)
	switch r.Type {
	case collectors.TypeTaskStart:
		if c.over && c.id != r.Task.ID {
			c.restarts++
			c.before = c.id
		}
		c.id, c.over, c.state, c.ready = r.Task.ID, false, "running", false
	case collectors.TypeTaskExit:
		c.id, c.over, c.state, c.ready, c.code = r.Task.ID, true, "terminated", false, r.Task.ExitCode
	}
}

// container finds a container, or adds it.
func (p *lanePod) container(name string) *laneContainer {
	i := slices.IndexFunc(p.containers, func(c *laneContainer) bool { return c.name == name })
	if i < 0 {
		i, p.containers = len(p.containers), append(p.containers, &laneContainer{name: name})
	}
	return p.containers[i]
}

// head is a lane's first line: what the cluster is doing and for how long. It
// keeps one column free, so that no terminal breaks it.
func (b *board) head(l *lane, longest int, now time.Time) string {
	sign, sgr := b.spinner(now), sgrCyan
	switch {
	case l.done && l.failed:
		sign, sgr = b.mark(expect.Fail), sgrRed
	case l.done:
		sign, sgr = b.mark(expect.Pass), sgrGreen
	}
	name := pad(b.cutMiddle(clean(l.name), longestCluster), longest)
	times := ""
	if !l.done {
		times = "  " + elapsed(now.Sub(l.since).Truncate(time.Second/10))
	}
	counts := b.counts(l.tally)
	text := l.text
	if l.scenario != "" {
		text = clean(l.scenario) + ": " + text
	}
	room := b.columns() - width(sign+" "+name+"  "+times+counts)
	if room < 0 {
		return b.cut(sign+" "+name, b.columns())
	}
	text = b.cut(text, max(1, room))
	return b.paint(sgr, sign) + " " + b.paint(sgrBold, name) + "  " + text + b.paint(sgrDim, times+counts)
}

// pod is a pod's line: its STATUS and READY, and its containers, with their
// names where there is room for all.
func (b *board) pod(p *lanePod, indent int) string {
	name := b.cutMiddle(p.name, longestCluster)
	start := pad("", indent) + name + "  " + p.status + " " + p.ready
	if width(start) > b.columns() {
		return b.cut(start, b.columns())
	}
	painted := pad("", indent) + b.paint(sgrBold, name) + "  " + p.status + " " + b.paint(sgrDim, p.ready)
	for _, named := range []bool{true, false} {
		rest, columns := "", 0
		for _, c := range p.containers {
			mark, sgr := b.state(c)
			text := kindSign(c.kind) + mark
			if named {
				text += " " + clean(c.name)
			}
			rest += "  " + b.paint(sgr, text)
			columns += 2 + width(text)
		}
		if width(start)+columns <= b.columns() {
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
func (b *board) state(c *laneContainer) (sign, sgr string) {
	switch {
	case c.state == "terminated" && c.code == 0:
		sign, sgr = b.mark(expect.Pass), sgrGreen
	case c.state == "terminated":
		sign, sgr = fmt.Sprintf("%s%d", b.mark(expect.Fail), c.code), sgrYellow
	case c.state == "running" && c.ready:
		sign, sgr = b.sign("●", "*"), sgrCyan
	case c.state == "running":
		sign, sgr = b.sign("◐", "o"), sgrCyan
	default:
		sign, sgr = b.sign("○", "."), sgrDim
	}
	if c.restarts > 0 {
		sign += fmt.Sprintf("%s%d", b.sign("↻", "^"), c.restarts)
	}
	return sign, sgr
}

// legend says what the signs of containers mean.
func (b *board) legend() string {
	text := "i init  s sidecar  m main   ○ waits  ◐ runs  ● ready  ✓ ended  ✗ failed  ↻ restarts"
	if b.ASCII {
		text = "i init  s sidecar  m main   . waits  o runs  * ready  + ended  x failed  ^ restarts"
	}
	return b.paint(sgrDim, b.cut(text, b.columns()))
}
