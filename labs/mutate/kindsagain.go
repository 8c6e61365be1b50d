package mutate

import (
	"fmt"
	"slices"
	"time"

	"github.com/kind-lab/lab/collectors"
)

// reborn is how long after the end of a pod's containers the first of them starts
// again.
const reborn = time.Second

// otherIP is an address that no pod has.
const otherIP = "10.244.99.98"

// whole is when all of a pod runs that is to run on: its init containers are done,
// its other containers have started and none has ended. It is also how long its
// containers took to start.
func (at *place) whole(p *pod) (from, to time.Time, took time.Duration, ok bool) {
	to = at.arrivals[len(at.arrivals)-1]
	if when := at.deletedAt(p); !when.IsZero() {
		to = when
	}
	var first time.Time
	for _, c := range p.containers {
		if c.kind == collectors.KindEphemeral {
			continue
		}
		if len(c.runs) == 0 || c.runs[0].start < 0 {
			return from, to, 0, false
		}
		last := c.runs[len(c.runs)-1]
		if c.kind == collectors.KindInit {
			if last.start < 0 || last.exit < 0 || last.code != 0 {
				return from, to, 0, false
			}
			from = latest(from, last.ended)
		} else if from = latest(from, c.runs[0].began); last.exited && last.ended.Before(to) {
			to = last.ended
		}
		if first.IsZero() || c.runs[0].began.Before(first) {
			first = c.runs[0].began
		}
	}
	return from, to, from.Sub(first), len(p.records) > 0 && !first.IsZero()
}

func latest(a, b time.Time) time.Time {
	if a.Before(b) {
		return b
	}
	return a
}

// deletedAt is when it was seen that a pod's deletion was asked for; zero if it
// was not.
func (h *history) deletedAt(p *pod) time.Time {
	for _, i := range p.records {
		if !h.records[i].Pod.DeletedAt.IsZero() {
			return h.arrivals[i]
		}
	}
	if p.gone >= 0 {
		return h.arrivals[p.gone]
	}
	return time.Time{}
}

// eachBirth calls f for the times at which a pod can start again: soon after steps
// that do something, and in the middle of the time in which all of it runs.
func (at *place) eachBirth(f func(p *pod, when time.Time)) {
	for _, p := range at.pods {
		from, to, took, ok := at.whole(p)
		if to = to.Add(-took - 3*reborn); !ok || !from.Before(to) {
			continue
		}
		for _, when := range append(at.afterSteps(from, to), from.Add(to.Sub(from)/2)) {
			if until := when.Add(took + 2*reborn); at.runsAll(p, when, until) && !at.acts(when, until) {
				f(p, when)
			}
		}
	}
}

// runsAll says whether every container of a pod that is to run on does from one
// time to another one.
func (h *history) runsAll(p *pod, from, to time.Time) bool {
	for _, c := range p.containers {
		if c.kind == collectors.KindInit || c.kind == collectors.KindEphemeral {
			continue
		}
		if n := c.at(from); n < 0 || c.runs[n].exited && c.runs[n].ended.Before(to) {
			return false
		}
	}
	return true
}

// acts says whether lab does something to the cluster between two times.
func (h *history) acts(from, to time.Time) bool {
	return slices.ContainsFunc(h.records, func(r collectors.Record) bool {
		return r.Type == collectors.TypeStepBegin && r.Step != nil && acting(r.Step.Verb) && r.Time.After(from) && r.Time.Before(to)
	})
}

// at is the run of a container at a time; -1 if it does not run then.
func (c *container) at(when time.Time) int {
	return slices.IndexFunc(c.runs, func(l *life) bool {
		return l.start >= 0 && l.began.Before(when) && (!l.exited || l.ended.After(when))
	})
}

func startedAgain(at *place) (found []change) {
	at.eachBirth(func(p *pod, when time.Time) {
		if p.policy == never {
			return // the kubelet makes no other sandbox for it
		}
		text := fmt.Sprintf("all containers of %s are killed %.1f s after the begin and start again, as its sandbox is gone", p.object.Name, when.Sub(at.begin).Seconds())
		found = append(found, change{text, func(d *draft) { d.startAgain(p, when) }})
	})
	return found
}

// startAgain kills all containers of a pod at a time, and starts them again as
// they were started at first.
func (d *draft) startAgain(p *pod, when time.Time) {
	d.bear(p, when)
	for _, i := range d.statesOf(p) {
		e := &d.entries[i]
		if now := *e.record.Pod; now.IP != "" && e.arrival.After(when.Add(reborn)) {
			now.IP = otherIP
			e.record.Pod = &now
		}
	}
	d.add(collectors.Record{Time: when, Precision: time.Second, Source: collectors.SourceAPI, Type: collectors.TypeEvent, Object: p.object,
		Event: &collectors.Event{Reason: "SandboxChanged", Message: "Pod sandbox changed, it will be killed and re-created.", EventType: "Normal",
			Count: 1, FirstAt: when.Truncate(time.Second), LastAt: when.Truncate(time.Second)}}, when.Add(lag))
	d.settle(p)
}

// bear ends all containers of a pod at a time and starts them again in their
// order.
func (d *draft) bear(p *pod, when time.Time) {
	d.born[p] = true
	first := p.containers[0].runs[0].began
	for _, c := range p.containers {
		if len(c.runs) > 0 && c.runs[0].began.Before(first) {
			first = c.runs[0].began
		}
	}
	for _, c := range p.containers {
		switch {
		case c.kind == collectors.KindEphemeral:
		case c.kind == collectors.KindInit:
			d.repeat(p, c, when, when.Add(reborn).Sub(first))
		default:
			d.split(p, c, c.at(when), when, reborn+c.runs[0].began.Sub(first), sigkill)
		}
	}
}

// repeat lets an init container run once more, as its last run and so much later.
func (d *draft) repeat(p *pod, c *container, when time.Time, by time.Duration) {
	l := c.runs[len(c.runs)-1]
	id := l.id + "-again"
	for _, i := range []int{l.start, l.exit} {
		r := d.h.records[i]
		task := *r.Task
		task.ID, r.Task, r.Time = id, &task, r.Time.Add(by)
		d.add(r, r.Time.Add(tick))
	}
	states := d.states(p, c.name)
	if len(states) == 0 {
		return
	}
	done := states[len(states)-1].c
	waits := done
	waits.State, waits.Reason, waits.Ready, waits.ID, waits.Current, waits.Last = waiting, "PodInitializing", false, "", nil, done.Current
	began, ended := l.began.Add(by), l.ended.Add(by)
	up := waits
	up.State, up.Reason, up.ID, up.Restarts = runs, "", id, done.Restarts+1
	up.Current = &collectors.ContainerRun{ID: id, StartedAt: began.Truncate(time.Second)}
	again := done
	again.ID, again.Restarts, again.Last = id, up.Restarts, done.Current
	again.Current = &collectors.ContainerRun{ID: id, StartedAt: began.Truncate(time.Second), FinishedAt: ended.Truncate(time.Second), Reason: completed}
	states = append(states, state{when.Add(lag / 10), waits}, state{began.Add(lag / 10), up}, state{ended.Add(lag / 10), again})
	d.restate(p, map[string][]state{c.name: states})
}
