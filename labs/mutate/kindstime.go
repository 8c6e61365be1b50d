package mutate

import (
	"fmt"
	"sync"
	"time"

	"github.com/kind-lab/lab/collectors"
	"github.com/kind-lab/lab/dsl/action"
)

// seconds are a duration as it is printed.
func seconds(d time.Duration) string {
	if d = d.Abs(); d%time.Second == 0 {
		return fmt.Sprintf("%d s", d/time.Second)
	}
	return fmt.Sprintf("%.1f s", d.Seconds())
}

func sooner(by time.Duration) string {
	if by < 0 {
		return seconds(by) + " sooner"
	}
	return seconds(by) + " later"
}

// run names a run of a container in a sentence.
func (p *pod) run(c *container, n int) string {
	if len(c.runs) == 1 {
		return p.name(c)
	}
	return fmt.Sprintf("run %d of %s", n+1, p.name(c))
}

// pairs calls f for every two containers of a pod.
func (h *history) pairs(f func(p *pod, a, b *container)) {
	for _, p := range h.pods {
		for i, a := range p.containers {
			for _, b := range p.containers[i+1:] {
				f(p, a, b)
			}
		}
	}
}

func endsSwapped(at *place) (found []change) {
	at.pairs(func(p *pod, a, b *container) {
		m, n := len(a.runs)-1, len(b.runs)-1
		if a.kind == collectors.KindInit {
			return // it ends before the other one starts
		}
		if m < 0 || n < 0 || !a.runs[m].exited || !b.runs[n].exited {
			return
		}
		by := b.runs[n].ended.Sub(a.runs[m].ended)
		if by.Abs() < 2*tick {
			return
		}
		found = append(found, change{fmt.Sprintf("%s and %s end at each other's time, %s apart", p.name(a), p.name(b), seconds(by)), func(d *draft) {
			d.slide(p, a, m, true, by)
			d.slide(p, b, n, true, -by)
		}})
	})
	return found
}

func startsSwapped(at *place) (found []change) {
	at.pairs(func(p *pod, a, b *container) {
		if inOrder(a) || len(a.runs) == 0 || len(b.runs) == 0 || a.runs[0].began.IsZero() || b.runs[0].began.IsZero() {
			return
		}
		by := b.runs[0].began.Sub(a.runs[0].began)
		if by.Abs() < 2*tick {
			return
		}
		found = append(found, change{fmt.Sprintf("%s and %s start at each other's time, %s apart", p.name(a), p.name(b), seconds(by)), func(d *draft) {
			d.slideStart(p, a, by)
			d.slideStart(p, b, -by)
		}})
	})
	return found
}

// slideStart moves the first start of a container; what it does after it stays
// when it was, unless that would be before the start: then all of it moves.
func (d *draft) slideStart(p *pod, c *container, by time.Duration) {
	first := c.runs[0]
	to := first.began.Add(by)
	next := first.ended
	if len(first.lines) > 0 {
		next = d.h.records[first.lines[0]].Time
	}
	if next.IsZero() || to.Before(next.Add(-tick)) {
		d.moveStart(p, c, by)
		return
	}
	d.slide(p, c, 0, false, by)
}

// moveStart moves the first start of a container and nothing else of it.
func (d *draft) moveStart(p *pod, c *container, by time.Duration) {
	l := c.runs[0]
	if l.start >= 0 {
		d.move(l.start, by, time.Time{})
	}
	began := l.began.Add(by).Truncate(time.Second)
	d.eachRun(p, c, l.id, func(_ *collectors.Container, run *collectors.ContainerRun) { run.StartedAt = began })
	states := d.states(p, c.name)
	if from := tells(states, l.id, false); from > 0 && from < len(states) {
		at := states[from].at.Add(by)
		if at.Before(states[from-1].at) {
			at = states[from-1].at.Add(tick)
		}
		if from+1 < len(states) && !at.Before(states[from+1].at) {
			at = states[from+1].at.Add(-tick)
		}
		states[from].at = at
		d.restate(p, map[string][]state{c.name: states})
	}
	d.settle(p)
}

func endMoved(at *place) (found []change) {
	at.eachLife(func(p *pod, c *container, n int, l *life) {
		if !l.exited || l.ended.IsZero() {
			return
		}
		for _, by := range bothWays() {
			if by < 0 && !l.began.IsZero() && l.ended.Add(by).Before(l.began) {
				continue
			}
			found = append(found, change{fmt.Sprintf("%s ends %s", p.run(c, n), sooner(by)), func(d *draft) {
				d.slide(p, c, n, true, by)
				if by > 0 {
					d.followSidecars(p)
				}
			}})
		}
		if ran := l.ended.Sub(l.began); !l.began.IsZero() && ran > time.Second {
			by := -(ran - ran/10)
			found = append(found, change{fmt.Sprintf("%s ends %s, soon after its start", p.run(c, n), sooner(by)), func(d *draft) { d.slide(p, c, n, true, by) }})
		}
		at.past(p, c, l.ended, func(by time.Duration, where string) {
			if l.ended.Add(by).After(l.began) {
				found = append(found, change{fmt.Sprintf("%s ends %s", p.run(c, n), where), func(d *draft) { d.slide(p, c, n, true, by) }})
			}
		})
	})
	return found
}

func bothWays() []time.Duration {
	var all []time.Duration
	for _, by := range shifts {
		all = append(all, by, -by)
	}
	return all
}

func startMoved(at *place) (found []change) {
	at.eachLife(func(p *pod, c *container, n int, l *life) {
		if l.began.IsZero() {
			return
		}
		move := func(by time.Duration, where string) {
			if at.mayStart(p, l, by) {
				found = append(found, change{fmt.Sprintf("%s starts %s, and everything in it moves too", p.run(c, n), where), func(d *draft) { d.slide(p, c, n, false, by) }})
			}
		}
		for _, by := range bothWays() {
			move(by, sooner(by))
		}
		at.past(p, c, l.began, move)
	})
	return found
}

// moments are when containers start, end or write, and steps begin.
func (h *history) moments() []time.Time {
	var all []time.Time
	for i := range h.records {
		r := &h.records[i]
		acts := r.Type == collectors.TypeStepBegin && r.Step != nil && acting(r.Step.Verb)
		if r.Task == nil && r.Log == nil && !acts {
			continue
		}
		at := r.Time
		if len(all) == 0 || at.Sub(all[len(all)-1]).Abs() > 100*time.Millisecond {
			all = append(all, at)
		}
	}
	return all
}

// acting says whether a step of that verb does something to the cluster. A verb
// that this program does not have may do so.
func acting(verb string) bool { return !idle()[verb] }

// idle are the verbs that wait or decide.
var idle = sync.OnceValue(func() map[string]bool {
	verbs, idle := action.Default(), map[string]bool{}
	for _, name := range verbs.Names() {
		idle[name] = !verbs.Acts(name)
	}
	return idle
})

func allLater(at *place) (found []change) {
	for _, moment := range at.moments() {
		for _, by := range shifts {
			text := fmt.Sprintf("everything from %.3f s on comes %s later", moment.Sub(at.begin).Seconds(), seconds(by))
			found = append(found, change{text, func(d *draft) { d.stretch(moment, by, nil) }})
		}
	}
	return found
}

func allSooner(at *place) (found []change) {
	moments := at.moments()
	for i, moment := range moments {
		if i == 0 {
			continue
		}
		pause := moment.Sub(at.quietBefore(moment))
		if pause < time.Second {
			continue
		}
		by := -(pause - 50*time.Millisecond)
		text := fmt.Sprintf("everything from %.3f s on comes %s sooner", moment.Sub(at.begin).Seconds(), seconds(by))
		found = append(found, change{text, func(d *draft) { d.stretch(moment, by, nil) }})
	}
	return found
}

// quietBefore is when the last record before a moment arrived or happened.
func (h *history) quietBefore(moment time.Time) time.Time {
	last := h.begin
	for i := range h.records {
		for _, at := range []time.Time{h.arrivals[i], h.records[i].Time} {
			if at.Before(moment) && at.After(last) {
				last = at
			}
		}
	}
	return last
}
