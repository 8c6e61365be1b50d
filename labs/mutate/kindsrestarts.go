package mutate

import (
	"fmt"
	"slices"
	"time"

	"github.com/kind-lab/lab/collectors"
)

// longestFirstPause is how long a container that failed once stays down at most.
const longestFirstPause = 10 * time.Second

// restartMore ends a run in its middle and begins another one a second later, or
// right after its start and as late as the kubelet may.
func restartMore(at *place) (found []change) {
	at.eachLife(func(p *pod, c *container, n int, l *life) {
		if l.start < 0 || p.sure && !p.policy.restarts(c.kind, 1) {
			return
		}
		until := l.ended
		if !l.exited {
			until = at.arrivals[len(at.arrivals)-1]
		}
		ran := until.Sub(l.began)
		add := func(after, pause time.Duration) {
			text := fmt.Sprintf("%s fails %s after its start and is restarted %s later", p.run(c, n), seconds(after), seconds(pause))
			found = append(found, change{text, func(d *draft) { d.split(p, c, n, l.began.Add(after), pause, 1) }})
		}
		if ran > 4*tick {
			add(ran/2, min(time.Second, ran/4))
			add(tick, min(longestFirstPause, ran*9/10))
		}
		for _, when := range at.afterSteps(l.began, until.Add(-2*time.Second)) {
			add(when.Sub(l.began), time.Second)
		}
	})
	return found
}

// afterSteps are the times soon after steps that do something, between two times.
func (h *history) afterSteps(from, to time.Time) (all []time.Time) {
	eachStep(h.records, func(_ int, s *collectors.Step) {
		if when := s.FinishedAt.Add(time.Second / 2); when.After(from) && when.Before(to) {
			all = append(all, when)
		}
	})
	return all
}

// split makes two runs of one: the first ends with a code at a time, and the
// second begins a pause later.
func (d *draft) split(p *pod, c *container, n int, at time.Time, pause time.Duration, code int) {
	l := c.runs[n]
	id, again := l.id+"-again", at.Add(pause)
	exit := d.h.records[l.start]
	exit.Type, exit.Time, exit.Task = collectors.TypeTaskExit, at, &collectors.Task{ID: l.id, Node: exit.Task.Node, PID: exit.Task.PID, ExitCode: code}
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
	d.restate(p, map[string][]state{c.name: d.splitStates(p, c, l, id, at, again, code)})
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

func (d *draft) splitStates(p *pod, c *container, l *life, id string, at, again time.Time, code int) []state {
	ended := &collectors.ContainerRun{ID: l.id, StartedAt: l.began.Truncate(time.Second), FinishedAt: at.Truncate(time.Second), ExitCode: code, Reason: reasonOf(code)}
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
	down.State, down.Reason, down.Ready, down.Started, down.ID = terminated, reasonOf(code), false, new(bool), l.id
	down.Current, down.Last = ended, base.Last
	up.Restarts, up.Last, up.ID = base.Restarts+1, ended, id
	up.Current = &collectors.ContainerRun{ID: id, StartedAt: again.Truncate(time.Second)}
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
