package mutate

import (
	"fmt"
	"slices"
	"time"

	"github.com/kind-lab/lab/collectors"
)

// The exit codes of a container that a signal ended.
const (
	sigkill = 137
	sigterm = 143
)

const oomKilled = "OOMKilled"

func (at *place) setCode(p *pod, c *container, n, code int, text string) change {
	return change{text, func(d *draft) {
		if oom := c.runs[n].oom; oom >= 0 {
			d.remove(oom)
		}
		d.setExit(p, c, n, code, reasonOf(code))
		d.stopAfter(p, c, code)
	}}
}

// stopAfter lets containers never start that wait for an init container which
// now fails in a pod that restarts nothing.
func (d *draft) stopAfter(p *pod, c *container, code int) {
	if c.kind == collectors.KindInit && code != 0 && p.policy == never {
		d.cutAfter(p, c)
	}
}

// cutAfter lets the containers never start that wait for an init container or a
// sidecar.
func (d *draft) cutAfter(p *pod, c *container) {
	if c.kind != collectors.KindInit && c.kind != collectors.KindSidecar {
		return
	}
	for _, after := range p.containers[slices.Index(p.containers, c)+1:] {
		if len(after.runs) > 0 && after.kind != collectors.KindEphemeral {
			d.cut(p, after, 0, false)
		}
	}
}

func exitCode(at *place) (found []change) {
	at.eachLife(func(p *pod, c *container, n int, l *life) {
		if !l.exited || l.code == sigkill || l.code == sigterm {
			return
		}
		for _, code := range []int{0, 1, 2} {
			if code != l.code && (code < 2 || l.code == 1) {
				found = append(found, at.setCode(p, c, n, code, fmt.Sprintf("%s ends with %d, and not %d", p.run(c, n), code, l.code)))
			}
		}
	})
	return found
}

func signal(at *place) (found []change) {
	at.eachLife(func(p *pod, c *container, n int, l *life) {
		if !l.exited {
			return
		}
		codes := []int{sigkill, sigterm}
		if l.code == sigkill || l.code == sigterm {
			codes = append(codes, 0)
		}
		for _, code := range codes {
			if code != l.code {
				found = append(found, at.setCode(p, c, n, code, fmt.Sprintf("%s ends with %d, and not %d", p.run(c, n), code, l.code)))
			}
		}
	})
	return found
}

func memoryKill(at *place) (found []change) {
	at.eachLife(func(p *pod, c *container, n int, l *life) {
		if !l.exited {
			return
		}
		if l.oom >= 0 || at.reasonOf(p, l) == oomKilled {
			found = append(found, change{fmt.Sprintf("the kernel kills nothing in %s, which ends with %d all the same", p.run(c, n), l.code), func(d *draft) {
				d.removeAll([]int{l.oom})
				d.setExit(p, c, n, l.code, reasonOf(l.code))
			}})
			return
		}
		found = append(found, change{fmt.Sprintf("the kernel kills in %s for memory, which ends with %d", p.run(c, n), sigkill), func(d *draft) {
			d.setExit(p, c, n, sigkill, oomKilled)
			if l.exit >= 0 {
				r := d.entries[l.exit].record
				r.Type, r.Time = collectors.TypeTaskOOM, r.Time.Add(-tick)
				d.add(r, d.entries[l.exit].arrival)
			}
			d.stopAfter(p, c, sigkill)
		}})
	})
	return found
}

// reasonOf is the reason that the API gave for the end of a run.
func (h *history) reasonOf(p *pod, l *life) string {
	for _, i := range slices.Backward(p.records) {
		for _, c := range h.records[i].Pod.Containers {
			for _, run := range []*collectors.Run{c.Current, c.Last} {
				if run != nil && run.ID == l.id && run.Reason != "" {
					return run.Reason
				}
			}
		}
	}
	return ""
}

func neverStarted(at *place) (found []change) {
	at.eachLife(func(p *pod, c *container, n int, _ *life) {
		found = append(found, change{p.run(c, n) + " does not start", func(d *draft) {
			d.cut(p, c, n, false)
			if n == 0 {
				d.cutAfter(p, c)
			}
		}})
	})
	return found
}

func neverEnded(at *place) (found []change) {
	at.eachLife(func(p *pod, c *container, n int, l *life) {
		if !l.exited {
			return
		}
		found = append(found, change{p.run(c, n) + " does not end", func(d *draft) {
			d.cut(p, c, n, true)
			if c.kind == collectors.KindInit && l.code == 0 {
				d.cutAfter(p, c)
			}
		}})
	})
	return found
}

// longestFirstPause is how long a container that failed once stays down at most.
const longestFirstPause = 10 * time.Second

// restartMore ends a run in its middle and begins another one a second later, or
// right after its start and as late as the kubelet may.
func restartMore(at *place) (found []change) {
	at.eachLife(func(p *pod, c *container, n int, l *life) {
		if l.start < 0 {
			return
		}
		until := l.ended
		if !l.exited {
			until = at.arrivals[len(at.arrivals)-1]
		}
		ran := until.Sub(l.began)
		add := func(after, pause time.Duration) {
			text := fmt.Sprintf("%s fails %s after its start and is restarted %s later", p.run(c, n), seconds(after), seconds(pause))
			found = append(found, change{text, func(d *draft) { d.split(p, c, n, l.began.Add(after), pause) }})
		}
		if ran > 4*tick {
			add(ran/2, min(time.Second, ran/4))
			add(tick, min(longestFirstPause, ran*9/10))
		}
	})
	return found
}

// endedToo ends a container that ran on at the end of the recording: in the
// middle of its run, or soon after another container of its pod ended.
func endedToo(at *place) (found []change) {
	at.eachLife(func(p *pod, c *container, n int, l *life) {
		if l.start < 0 || l.exited {
			return
		}
		last := at.arrivals[len(at.arrivals)-1]
		whens := []time.Time{l.began.Add(last.Sub(l.began) / 2)}
		for _, other := range p.containers {
			for _, o := range other.runs {
				if o.exited && o.ended.After(l.began) {
					whens = append(whens, o.ended.Add(time.Second), o.ended.Add(shifts[len(shifts)-1]))
				}
			}
		}
		for _, when := range whens {
			for _, code := range []int{0, 1} {
				text := fmt.Sprintf("%s ends with %d %s after its start", p.run(c, n), code, seconds(when.Sub(l.began)))
				found = append(found, change{text, func(d *draft) { d.finish(p, c, n, when, code) }})
			}
		}
	})
	return found
}

// finish ends a run that did not end.
func (d *draft) finish(p *pod, c *container, n int, when time.Time, code int) {
	l := c.runs[n]
	r := d.h.records[l.start]
	r.Type, r.Time = collectors.TypeTaskExit, when
	r.Task = &collectors.Task{ID: l.id, Node: r.Task.Node, PID: r.Task.PID, ExitCode: code}
	d.add(r, when.Add(tick))
	for _, i := range l.lines {
		if d.entries[i].record.Time.After(when) {
			d.remove(i)
		}
	}
	states := d.states(p, c.name)
	states = slices.DeleteFunc(states, func(s state) bool { return s.at.After(when) && s.c.State != waiting })
	if len(states) > 0 {
		down := states[len(states)-1]
		down.at = when.Add(lag)
		down.c.State, down.c.Reason, down.c.Ready, down.c.Started, down.c.ID = terminated, reasonOf(code), false, new(bool), l.id
		down.c.Current = &collectors.Run{ID: l.id, StartedAt: l.began.Truncate(time.Second), FinishedAt: when.Truncate(time.Second), ExitCode: code, Reason: reasonOf(code)}
		states = append(states, down)
	}
	d.restate(p, map[string][]state{c.name: states})
	d.settle(p)
}

// split makes two runs of one: the first ends with 1 at a time, and the second
// begins a pause later.
func (d *draft) split(p *pod, c *container, n int, at time.Time, pause time.Duration) {
	l := c.runs[n]
	id, again := l.id+"-again", at.Add(pause)
	exit := d.h.records[l.start]
	exit.Type, exit.Time, exit.Task = collectors.TypeTaskExit, at, &collectors.Task{ID: l.id, Node: exit.Task.Node, PID: exit.Task.PID, ExitCode: 1}
	start := d.h.records[l.start]
	start.Time, start.Task = again, &collectors.Task{ID: id, Node: exit.Task.Node, PID: exit.Task.PID + 1}
	for _, i := range []int{l.exit, l.oom} {
		if i >= 0 {
			task := *d.h.records[i].Task
			task.ID = id
			d.entries[i].record.Task = &task
		}
	}
	d.add(exit, at.Add(tick))
	d.add(start, again.Add(tick))
	d.renumber(c, n, 1, func(i int) bool { return d.h.records[i].Time.After(at) })
	for k, i := range l.lines {
		// What it would write while it is down it writes when it is up again.
		if late := again.Add(time.Duration(k+1) * tick).Sub(d.h.records[i].Time); late > 0 && d.h.records[i].Time.After(at) {
			d.move(i, late, time.Time{})
		}
	}
	d.restate(p, map[string][]state{c.name: d.splitStates(p, c, l, id, at, again)})
	d.settle(p)
}

// renumber counts the runs of lines anew: those of run n for which moved is
// true, and all of later runs.
func (d *draft) renumber(c *container, n, by int, moved func(int) bool) {
	for m, l := range c.runs {
		for _, i := range l.lines {
			if m < n || m == n && !moved(i) {
				continue
			}
			log := *d.entries[i].record.Log
			log.Run += by
			d.entries[i].record.Log = &log
		}
	}
}

func (d *draft) splitStates(p *pod, c *container, l *life, id string, at, again time.Time) []state {
	ended := &collectors.Run{ID: l.id, StartedAt: l.began.Truncate(time.Second), FinishedAt: at.Truncate(time.Second), ExitCode: 1, Reason: "Error"}
	var before, after []state
	var base collectors.Container
	for i, s := range d.states(p, c.name) {
		if i == 0 || s.at.Before(at) {
			base = s.c
		}
		if i == 0 || s.at.Before(at.Add(lag)) {
			before = append(before, s)
			if s.at.Before(at) {
				continue
			}
			before = before[:len(before)-1]
		}
		s.c.Restarts++
		if s.c.Current != nil && s.c.Current.ID == l.id {
			run := *s.c.Current
			run.ID, run.StartedAt = id, again.Truncate(time.Second)
			s.c.ID, s.c.Current, s.c.Last = id, &run, ended
		}
		if s.c.Last != nil && s.c.Last.ID == l.id && s.c.Last != ended {
			run := *s.c.Last
			run.ID, run.StartedAt = id, again.Truncate(time.Second)
			s.c.Last = &run
		}
		after = append(after, s)
	}
	down, up := base, base
	down.State, down.Reason, down.Ready, down.Started, down.ID = terminated, "Error", false, new(bool), l.id
	down.Current, down.Last = ended, base.Last
	up.Restarts, up.Last, up.ID = base.Restarts+1, ended, id
	up.Current = &collectors.Run{ID: id, StartedAt: again.Truncate(time.Second)}
	middle := []state{{at.Add(lag / 10), down}, {again.Add(lag / 10), up}}
	after = slices.DeleteFunc(after, func(s state) bool { return !s.at.After(middle[1].at) })
	return slices.Concat(before, middle, after)
}

// restartLess lets a run go on instead of ending and being restarted.
func restartLess(at *place) (found []change) {
	at.eachLife(func(p *pod, c *container, n int, l *life) {
		if n == 0 {
			return
		}
		found = append(found, change{fmt.Sprintf("run %d of %s goes on, and is not restarted", n, p.name(c)), func(d *draft) { d.join(p, c, n) }})
	})
	return found
}

// join makes one run of run n and the one before it.
func (d *draft) join(p *pod, c *container, n int) {
	before, l := c.runs[n-1], c.runs[n]
	d.removeAll([]int{before.exit, before.oom, l.start})
	for _, i := range []int{l.exit, l.oom} {
		if i >= 0 {
			task := *d.h.records[i].Task
			task.ID = before.id
			d.entries[i].record.Task = &task
		}
	}
	d.renumber(c, n, -1, func(int) bool { return true })
	states := d.states(p, c.name)
	from := tells(states, before.id, true)
	var kept []state
	for i, s := range states {
		if i >= from {
			if s.c.Current == nil || s.c.Current.ID == before.id {
				continue
			}
			s.c.Restarts--
			if s.c.Last != nil && s.c.Last.ID == before.id {
				s.c.Last = states[max(0, from-1)].c.Last
			}
			if s.c.Current.ID == l.id {
				run := *s.c.Current
				run.ID, run.StartedAt = before.id, before.began.Truncate(time.Second)
				s.c.ID, s.c.Current = before.id, &run
			}
			if s.c.Last != nil && s.c.Last.ID == l.id {
				run := *s.c.Last
				run.ID, run.StartedAt = before.id, before.began.Truncate(time.Second)
				s.c.Last = &run
			}
		}
		kept = append(kept, s)
	}
	d.restate(p, map[string][]state{c.name: kept})
	d.settle(p)
}
