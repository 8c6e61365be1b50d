package mutate

import (
	"slices"
	"time"

	"github.com/kind-lab/lab/collectors"
)

// follow lets follow what the kubelet does when a container of a pod ends in
// another way or not at all: those that wait for an init container or a sidecar
// do not start, one that is to be restarted runs again, and sidecars end with the
// pod and not before.
func (d *draft) follow(p *pod, c *container, n int) {
	_, code, ended := d.end(c.runs[n])
	if n == len(c.runs)-1 && d.isRestarted(p, c) {
		d.again(p, c, n, time.Second)
	}
	if first := c.firstDone(); c.kind == collectors.KindInit && first >= 0 && n <= first && (!ended || code != 0) {
		d.cutAfter(p, c)
	}
	d.followSidecars(p)
}

// isRestarted says whether the kubelet restarts a container after its last run
// as it ends in the draft, and would not as that ended in the history.
func (d *draft) isRestarted(p *pod, c *container) bool {
	l := c.runs[len(c.runs)-1]
	at, code, ended := d.end(l)
	if !ended || !p.policy.restarts(c.kind, code) || d.h.deleted(p) {
		return false
	}
	if c.kind == collectors.KindSidecar {
		over, isOver := d.over(p)
		return !l.exited && (!isOver || at.Before(over))
	}
	return !l.exited || !p.policy.restarts(c.kind, l.code)
}

// firstDone is the first run that ended with 0; -1 if none did.
func (c *container) firstDone() int {
	return slices.IndexFunc(c.runs, func(l *life) bool { return l.exited && l.code == 0 })
}

// end is when a run ends in the draft, and how.
func (d *draft) end(l *life) (at time.Time, code int, ended bool) {
	if is, has := d.ends[l]; has {
		return is.at, is.code, true
	}
	if l.exit < 0 || !l.exited {
		return l.ended, l.code, l.exited
	}
	e := &d.entries[l.exit]
	return e.record.Time, e.record.Task.ExitCode, !e.gone
}

// started says whether a run begins in the draft.
func (d *draft) started(l *life) bool {
	return l.start >= 0 && !d.entries[l.start].gone || l.start < 0 && !l.began.IsZero()
}

// over is when nothing of a pod but sidecars runs any more or ever will; false if
// that does not come.
func (d *draft) over(p *pod) (time.Time, bool) {
	var last time.Time
	mains := 0
	for _, c := range p.containers {
		if c.kind != collectors.KindInit && c.kind != collectors.KindMain {
			continue
		}
		at, code, ended := d.lastEndOf(c)
		if c.kind == collectors.KindInit && ended && code != 0 && p.policy == never {
			return at, true
		}
		if c.kind == collectors.KindInit {
			continue
		}
		mains++
		if !ended || p.policy.restarts(c.kind, code) {
			return time.Time{}, false
		}
		if at.After(last) {
			last = at
		}
	}
	return last, mains > 0
}

// lastEndOf is when the last run of a container ends in the draft; false if that
// runs on or the container never starts.
func (d *draft) lastEndOf(c *container) (at time.Time, code int, ended bool) {
	for _, l := range slices.Backward(c.runs) {
		if d.started(l) {
			at, code, ended = d.end(l)
			return at, code, ended && !d.afresh[c]
		}
	}
	return time.Time{}, 0, false
}

// followSidecars ends the sidecars of a pod that is over, soon after that if
// they ended in the history or not, and lets those run on that ended with a pod
// which is not over any more.
func (d *draft) followSidecars(p *pod) {
	if d.h.deleted(p) {
		return
	}
	was, wasOver := newDraft(d.h).over(p)
	now, isOver := d.over(p)
	for _, c := range p.containers {
		if c.kind != collectors.KindSidecar || len(c.runs) == 0 {
			continue
		}
		n := len(c.runs) - 1
		l := c.runs[n]
		if l.start < 0 || !d.started(l) {
			continue
		}
		at, _, ended := d.end(l)
		switch {
		case isOver && !ended:
			d.finish(p, c, n, now.Add(lag), sigkill)
		case isOver && at.Before(now.Add(-longestPause(len(c.runs)))):
			d.slide(p, c, n, true, now.Add(lag).Sub(at))
		case isOver && wasOver && now.Before(was):
			d.endSoon(p, c, now)
		case !isOver && wasOver && ended && !at.Before(was):
			d.cut(p, c, n, true)
		}
	}
}

// endSoon ends a sidecar soon after its pod was over: what it would do later it
// does not do.
func (d *draft) endSoon(p *pod, c *container, over time.Time) {
	n := slices.IndexFunc(c.runs, func(l *life) bool {
		at, _, ended := d.end(l)
		return d.started(l) && (!ended || at.After(over))
	})
	if n < 0 || c.runs[n].start < 0 {
		return
	}
	if began := c.runs[n].began; began.After(over) {
		d.cut(p, c, n, false)
		return
	}
	last := len(c.runs) - 1
	at, code, ended := d.end(c.runs[n])
	if n == last && ended {
		d.slide(p, c, n, true, over.Add(lag).Sub(at))
		return
	}
	d.cut(p, c, n, true)
	if !ended {
		code = sigkill
	}
	d.finish(p, c, n, over.Add(lag), code)
}

// again restarts a container whose last run ended, a while later; it runs on.
func (d *draft) again(p *pod, c *container, n int, pause time.Duration) {
	l := c.runs[n]
	states := d.states(p, c.name)
	from := tells(states, l.id, true)
	ended, _, _ := d.end(l)
	if from == len(states) || l.start < 0 {
		return
	}
	at := ended.Add(pause)
	if at.Before(states[from].at) {
		at = states[from].at.Add(tick)
	}
	start := d.h.records[l.start]
	start.Time, start.Task = at, &collectors.Task{ID: l.id + "-again", Node: start.Task.Node, PID: start.Task.PID + 1}
	d.add(start, at.Add(tick))
	d.afresh[c] = true
	yes := true
	up := states[from].c
	up.State, up.Reason, up.ID, up.Started, up.Restarts = runs, "", start.Task.ID, &yes, up.Restarts+1
	up.Ready = c.kind != collectors.KindInit && slices.ContainsFunc(states, func(s state) bool { return s.c.Ready })
	up.Last, up.Current = states[from].c.Current, &collectors.ContainerRun{ID: start.Task.ID, StartedAt: at.Truncate(time.Second)}
	states = append(states[:from+1], state{at.Add(lag), up})
	d.restate(p, map[string][]state{c.name: states})
	d.settle(p)
}
