package mutate

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/kind-lab/lab/collectors"
)

// state is what the API has of a container from a time on.
type state struct {
	at time.Time
	c  collectors.Container
}

// states are the changes of what the API has of a container, oldest first.
func (d *draft) states(p *pod, name string) []state {
	var all []state
	for _, i := range d.statesOf(p) {
		e := &d.entries[i]
		for _, c := range e.record.Pod.Containers {
			if c.Name == name && (len(all) == 0 || !sameState(all[len(all)-1].c, c)) {
				all = append(all, state{e.arrival, c})
			}
		}
	}
	return all
}

func sameState(a, b collectors.Container) bool {
	return a.ID == b.ID && a.Kind == b.Kind && a.Image == b.Image && a.State == b.State && a.Reason == b.Reason &&
		a.Ready == b.Ready && sameBool(a.Started, b.Started) && a.Restarts == b.Restarts &&
		sameRun(a.Current, b.Current) && sameRun(a.Last, b.Last)
}

func sameBool(a, b *bool) bool { return (a == nil) == (b == nil) && (a == nil || *a == *b) }

func sameRun(a, b *collectors.ContainerRun) bool {
	return (a == nil) == (b == nil) && (a == nil || *a == *b)
}

// restate gives containers of a pod other states in the API. Phase, conditions,
// STATUS and READY follow; a state that tells nothing new is not sent.
func (d *draft) restate(p *pod, changed map[string][]state) {
	moments := d.moments(p, changed)
	as := *p
	if d.born[p] {
		as.policy = always
	}
	var before *collectors.Pod
	base := -1
	for _, m := range moments {
		if m.record >= 0 {
			base = m.record
		}
		if base < 0 {
			continue
		}
		was := d.entries[base].record.Pod
		now := *was
		now.Containers = slices.Clone(was.Containers)
		for i := range now.Containers {
			if s := stateAt(changed[now.Containers[i].Name], m.at); s != nil {
				now.Containers[i] = *s
			}
		}
		as.derive(before, was, &now)
		if before != nil && samePod(before, &now) && (m.record < 0 || d.news(p, m.record)) {
			if m.record < 0 {
				continue
			}
			if m.record != p.gone {
				d.remove(m.record)
				continue
			}
		}
		before = &now
		d.put(p, base, m, &now)
	}
}

// put sets the state of a pod at a moment.
func (d *draft) put(p *pod, base int, m moment, now *collectors.Pod) {
	if m.record >= 0 {
		d.entries[m.record].record.Pod = now
		return
	}
	r := d.entries[base].record
	r.Type, r.Pod, r.Time = collectors.TypePod, now, m.at
	d.own[p] = append(d.own[p], len(d.entries))
	d.add(r, m.at)
}

// moment is when a pod has a state: a record of the history, or none if record
// is -1.
type moment struct {
	at     time.Time
	record int
}

func (d *draft) moments(p *pod, changed map[string][]state) []moment {
	var all []moment
	for _, i := range d.statesOf(p) {
		all = append(all, moment{d.entries[i].arrival, i})
	}
	own := len(all)
	for _, name := range slices.Sorted(maps.Keys(changed)) {
		for _, s := range changed[name] {
			if !slices.ContainsFunc(all, func(m moment) bool { return m.at.Equal(s.at) }) {
				all = append(all, moment{s.at, -1})
			}
		}
	}
	if own == 0 {
		return nil
	}
	slices.SortStableFunc(all, func(a, b moment) int { return cmp.Or(a.at.Compare(b.at), cmp.Compare(b.record, a.record)) })
	return all
}

func stateAt(states []state, at time.Time) *collectors.Container {
	var found *collectors.Container
	for i := range states {
		if i == 0 || !states[i].at.After(at) {
			found = &states[i].c
		}
	}
	return found
}

// news says whether a record of the history reported something new of its pod.
func (d *draft) news(p *pod, record int) bool {
	n := slices.Index(p.records, record)
	return n < 0 || n > 0 && !samePod(d.h.records[p.records[n-1]].Pod, d.h.records[record].Pod)
}

// samePod says whether two states of a pod are the same but for their version.
func samePod(a, b *collectors.Pod) bool {
	return a.Phase == b.Phase && a.Status == b.Status && a.Ready == b.Ready && a.Reason == b.Reason && a.Node == b.Node && a.IP == b.IP &&
		a.QOS == b.QOS && a.DeletedAt.Equal(b.DeletedAt) && maps.Equal(a.Conditions, b.Conditions) &&
		slices.EqualFunc(a.Containers, b.Containers, func(x, y collectors.Container) bool { return x.Name == y.Name && sameState(x, y) })
}
