package mutate

import (
	"slices"
	"strings"
	"time"

	"github.com/kind-lab/lab/collectors"
)

// lag is how much later the API tells of what happened in a container that was
// made to happen.
const lag = 300 * time.Millisecond

// tick is the least time between two things that happen one after the other.
const tick = time.Millisecond

// tells says from which of the states on the API tells of the start of a run, or
// of its end; len(states) if it never does.
func tells(states []state, id string, end bool) int {
	for i, s := range states {
		current := s.c.Current != nil && s.c.Current.ID == id
		if current && (!end || s.c.State == terminated) || s.c.Last != nil && s.c.Last.ID == id {
			return i
		}
	}
	return len(states)
}

// slide moves the end of a run of a container, or its start and with it the whole
// run, and all of the container that comes after it. Lines that would be after
// an end that is sooner come just before it.
func (d *draft) slide(p *pod, c *container, n int, end bool, by time.Duration) {
	l := c.runs[n]
	if !end && l.start >= 0 {
		d.move(l.start, by, time.Time{})
	}
	if l.exit >= 0 {
		d.move(l.exit, by, time.Time{})
	}
	if l.oom >= 0 {
		d.move(l.oom, by, time.Time{})
	}
	if end {
		d.squeeze(l, l.ended.Add(by))
	} else {
		d.moveAll(l.lines, by)
	}
	for _, later := range c.runs[n+1:] {
		d.moveAll([]int{later.start, later.exit, later.oom}, by)
		d.moveAll(later.lines, by)
	}
	states := d.states(p, c.name)
	from := tells(states, l.id, end)
	for i := range states {
		s := &states[i]
		s.c.Current, s.c.Last = d.slideRun(c, n, end, s.c.Current, by), d.slideRun(c, n, end, s.c.Last, by)
		if i < from {
			continue
		}
		s.at = s.at.Add(by)
		if i > 0 && !s.at.After(states[i-1].at) {
			s.at = states[i-1].at.Add(tick)
		}
	}
	d.restate(p, map[string][]state{c.name: states})
	d.settle(p)
}

func (d *draft) moveAll(records []int, by time.Duration) {
	for _, i := range records {
		if i >= 0 {
			d.move(i, by, time.Time{})
		}
	}
}

// squeeze puts the lines of a run before its end.
func (d *draft) squeeze(l *life, end time.Time) {
	limit := end.Add(-tick)
	for _, i := range slices.Backward(l.lines) {
		at := d.entries[i].record.Time
		if at.After(limit) && !l.ended.IsZero() && !at.After(l.ended) {
			d.move(i, limit.Sub(at), time.Time{})
			limit = limit.Add(-tick)
		}
	}
}

// slideRun is what the API has of a run of the container after a slide.
func (d *draft) slideRun(c *container, n int, end bool, run *collectors.ContainerRun, by time.Duration) *collectors.ContainerRun {
	if run == nil {
		return nil
	}
	at := slices.IndexFunc(c.runs, func(l *life) bool { return l.id == run.ID })
	if at < n {
		return run
	}
	moved := *run
	if at > n || !end {
		moved.StartedAt = moved.StartedAt.Add(by).Truncate(time.Second)
	}
	if !moved.FinishedAt.IsZero() {
		exact := c.runs[at].ended
		if c.runs[at].exit < 0 {
			exact = moved.FinishedAt
		}
		moved.FinishedAt = exact.Add(by).Truncate(time.Second)
	}
	return &moved
}

// setExit gives a run another exit code.
func (d *draft) setExit(p *pod, c *container, n, code int, reason string) {
	l := c.runs[n]
	if l.exit >= 0 {
		task := *d.entries[l.exit].record.Task
		task.ExitCode = code
		d.entries[l.exit].record.Task = &task
	}
	d.eachRun(p, c, l.id, func(in *collectors.Container, run *collectors.ContainerRun) {
		if run.FinishedAt.IsZero() {
			return
		}
		run.ExitCode, run.Signal, run.Reason = code, 0, reason
		if in.Current == run && in.State == terminated {
			in.Reason = reason
		}
	})
	d.settle(p)
}

// eachRun changes what the API has of a run.
func (d *draft) eachRun(p *pod, c *container, id string, change func(*collectors.Container, *collectors.ContainerRun)) {
	d.eachState(p, c, func(in *collectors.Container) {
		for _, run := range []**collectors.ContainerRun{&in.Last, &in.Current} {
			if *run != nil && (*run).ID == id {
				changed := **run
				*run = &changed
				change(in, *run)
			}
		}
	})
}

// eachState changes what the API has of a container.
func (d *draft) eachState(p *pod, c *container, change func(*collectors.Container)) {
	states := d.states(p, c.name)
	for i := range states {
		change(&states[i].c)
	}
	d.restate(p, map[string][]state{c.name: states})
}

// reasonOf is the reason that the API gives for an exit code.
func reasonOf(code int) string {
	if code == 0 {
		return completed
	}
	return "Error"
}

// cut lets a container stay as it was before the start of a run, or before its
// end: what the container did from then on did not happen.
func (d *draft) cut(p *pod, c *container, n int, end bool) {
	l := c.runs[n]
	if !end {
		d.removeAll([]int{l.start})
		d.removeAll(l.lines)
	}
	if !end && n == 0 {
		d.removeStarts(p, c)
	}
	d.removeAll([]int{l.exit, l.oom})
	for _, later := range c.runs[n+1:] {
		d.removeAll([]int{later.start, later.exit, later.oom})
		d.removeAll(later.lines)
	}
	states := d.states(p, c.name)
	at := max(1, tells(states, l.id, end))
	states = states[:min(at, len(states))]
	if end && len(states) > 0 {
		d.keepRunning(states, l)
	}
	d.restate(p, map[string][]state{c.name: states})
	d.settle(p)
}

// removeStarts takes away the events that say that a container was made and
// started.
func (d *draft) removeStarts(p *pod, c *container) {
	for i := range d.h.records {
		r := &d.h.records[i]
		if r.Event == nil || r.Object.UID != p.object.UID || r.Event.Reason != "Created" && r.Event.Reason != "Started" {
			continue
		}
		if strings.HasSuffix(r.Event.Message, " "+c.name) {
			d.remove(i)
		}
	}
}

// keepRunning lets the last of the states be that of a run which goes on.
func (d *draft) keepRunning(states []state, l *life) {
	last := &states[len(states)-1].c
	if last.Current != nil && last.Current.ID == l.id && last.State == terminated || last.State == waiting && l.start >= 0 {
		yes := true
		last.State, last.Reason, last.ID, last.Ready, last.Started = runs, "", l.id, last.Kind != collectors.KindInit, &yes
		last.Current = &collectors.ContainerRun{ID: l.id, StartedAt: l.began.Truncate(time.Second)}
	}
}

func (d *draft) removeAll(records []int) {
	for _, i := range records {
		if i >= 0 {
			d.remove(i)
		}
	}
}
