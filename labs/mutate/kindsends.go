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
		d.follow(p, c, n)
	}}
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
			found = append(found, change{fmt.Sprintf("the kernel kills no process in %s, which still ends with %d", p.run(c, n), l.code), func(d *draft) {
				d.removeAll([]int{l.oom})
				d.setExit(p, c, n, l.code, reasonOf(l.code))
			}})
			return
		}
		found = append(found, change{fmt.Sprintf("the kernel kills a process in %s for lack of memory, and the container ends with %d", p.run(c, n), sigkill), func(d *draft) {
			d.setExit(p, c, n, sigkill, oomKilled)
			if l.exit >= 0 {
				r := d.entries[l.exit].record
				r.Type, r.Time = collectors.TypeTaskOOM, r.Time.Add(-tick)
				d.add(r, d.entries[l.exit].arrival)
			}
			d.follow(p, c, n)
		}})
	})
	return found
}

// reasonOf is the reason that the API gave for the end of a run.
func (h *history) reasonOf(p *pod, l *life) string {
	for _, i := range slices.Backward(p.records) {
		for _, c := range h.records[i].Pod.Containers {
			for _, run := range []*collectors.ContainerRun{c.Current, c.Last} {
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
			d.followSidecars(p)
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
			if c.kind != collectors.KindSidecar {
				d.follow(p, c, n)
			}
		}})
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
		whens := append(at.afterSteps(l.began, last), l.began.Add(last.Sub(l.began)/2))
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
				found = append(found, change{text, func(d *draft) {
					d.finish(p, c, n, when, code)
					d.follow(p, c, n)
				}})
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
	d.ends[l] = exit{when, code}
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
		down.c.Current = &collectors.ContainerRun{ID: l.id, StartedAt: l.began.Truncate(time.Second), FinishedAt: when.Truncate(time.Second), ExitCode: code, Reason: reasonOf(code)}
		states = append(states, down)
	}
	d.restate(p, map[string][]state{c.name: states})
	d.settle(p)
}
