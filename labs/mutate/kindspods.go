package mutate

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/kind-lab/lab/collectors"
)

// exchanged gives each of two containers of a pod the runs, the lines and the
// states of the other; kind and image stay.
func exchanged(at *place) (found []change) {
	at.pairs(func(p *pod, a, b *container) {
		if inOrder(a) && len(a.runs) > 0 && len(b.runs) > 0 || a.kind != b.kind && (a.kind == collectors.KindMain || b.kind == collectors.KindMain) && len(a.runs)+len(b.runs) == 0 {
			return
		}
		found = append(found, change{fmt.Sprintf("%s does what %s did, and vice versa", p.name(a), p.name(b)), func(d *draft) { d.exchange(p, a, b) }})
	})
	return found
}

func (d *draft) exchange(p *pod, a, b *container) {
	other := map[string]string{a.name: b.name, b.name: a.name}
	for i := range d.h.records {
		r := &d.entries[i].record
		if to, has := other[r.Container]; has && r.Object.UID == p.object.UID {
			r.Container = to
		}
	}
	d.restate(p, map[string][]state{a.name: renamed(d.states(p, b.name), a, d), b.name: renamed(d.states(p, a.name), b, d)})
	d.settleJob(p)
}

// renamed are the states of one container as those of another one.
func renamed(states []state, as *container, d *draft) []state {
	image := ""
	for _, p := range d.h.pods {
		if last := d.h.last(p); last != nil && p.container(as.name) == as {
			image = last.Containers[slices.Index(p.containers, as)].Image
		}
	}
	for i := range states {
		states[i].c.Name, states[i].c.Kind, states[i].c.Image = as.name, as.kind, image
	}
	return states
}

func readiness(at *place) (found []change) {
	for _, p := range at.pods {
		for _, c := range p.containers {
			found = append(found, at.readinessOf(p, c)...)
		}
	}
	return found
}

func (at *place) readinessOf(p *pod, c *container) (found []change) {
	ready, started, runs := at.everReady(p, c)
	if ready {
		found = append(found, change{p.name(c) + " is never ready", func(d *draft) {
			d.eachState(p, c, func(in *collectors.Container) { in.Ready = false })
		}})
		found = append(found, at.readyUntil(p, c))
	}
	if started {
		found = append(found, change{p.name(c) + " does not pass its startup probe", func(d *draft) {
			d.eachState(p, c, func(in *collectors.Container) { in.Started, in.Ready = new(bool), false })
			d.cutAfter(p, c)
		}})
	}
	if runs && c.kind != collectors.KindInit {
		found = append(found, change{p.name(c) + " is ready whenever it runs", func(d *draft) {
			yes := true
			d.eachState(p, c, func(in *collectors.Container) {
				if in.State == "running" {
					in.Ready, in.Started = true, &yes
				}
			})
		}})
	}
	return found
}

// readyUntil lets a container cease to be ready in the middle of its last state.
func (at *place) readyUntil(p *pod, c *container) change {
	return change{p.name(c) + " stops being ready one second after it became ready", func(d *draft) {
		states := d.states(p, c.name)
		for i, s := range states {
			if !s.c.Ready {
				continue
			}
			unready := s
			unready.c.Ready = false
			unready.at = s.at.Add(time.Second)
			kept := append(slices.Clone(states[:i+1]), unready)
			for _, later := range states[i+1:] {
				later.c.Ready = false
				if later.at.After(unready.at) {
					kept = append(kept, later)
				}
			}
			d.restate(p, map[string][]state{c.name: kept})
			return
		}
	}}
}

func (h *history) everReady(p *pod, c *container) (ready, started, isRunning bool) {
	for _, i := range p.records {
		for _, in := range h.records[i].Pod.Containers {
			if in.Name == c.name {
				ready, started = ready || in.Ready, started || sidecarUp(&in)
				isRunning = isRunning || in.State == runs && !in.Ready
			}
		}
	}
	return ready, started, isRunning
}

func statusMissing(at *place) (found []change) {
	for _, p := range at.pods {
		var seen []string
		for _, i := range p.records {
			seen = appendNew(seen, at.records[i].Pod.Status)
		}
		for _, status := range seen {
			found = append(found, change{fmt.Sprintf("STATUS %s of %s is not seen", status, p.object.Name), func(d *draft) {
				for n, i := range p.records {
					if n > 0 && i != p.gone && d.h.records[i].Pod.Status == status {
						d.remove(i)
					}
				}
				if first := p.records[0]; d.h.records[first].Pod.Status == status && len(p.records) > 1 {
					d.remove(first)
				}
			}})
		}
	}
	return found
}

// statusMore lets the image of a container not be there at first.
func statusMore(at *place) (found []change) {
	at.eachLife(func(p *pod, c *container, n int, l *life) {
		if n > 0 || l.began.IsZero() || len(p.records) == 0 {
			return
		}
		reasons := []string{"ErrImagePull"}
		if len(c.runs) > 1 {
			reasons = append(reasons, "CrashLoopBackOff")
		}
		for _, reason := range reasons {
			text := fmt.Sprintf("%s is %s before it starts", p.name(c), reason)
			found = append(found, change{text, func(d *draft) { d.waitsWith(p, c, reason) }})
		}
	})
	return found
}

// waitsWith adds a state in which a container waits for a reason, before the
// first that tells of its start.
func (d *draft) waitsWith(p *pod, c *container, reason string) {
	l := c.runs[0]
	states := d.states(p, c.name)
	from := tells(states, l.id, false)
	at := l.began.Add(-tick)
	if from == 0 || from == len(states) || states[from-1].at.After(at) {
		return
	}
	waits := states[from-1]
	waits.at, waits.c.State, waits.c.Reason = at, waiting, reason
	d.restate(p, map[string][]state{c.name: slices.Insert(states, from, waits)})
}

func condition(at *place) (found []change) {
	for _, p := range at.pods {
		for _, name := range at.others.conditions["Pod"] {
			found = append(found, at.conditionOf(p.object, name)...)
		}
	}
	for _, job := range at.objects(collectors.TypeJob) {
		for _, name := range at.others.conditions["Job"] {
			found = append(found, at.conditionOf(job, name)...)
		}
	}
	return found
}

// objects are the objects of the records of a type.
func (h *history) objects(t collectors.Type) []collectors.Object {
	var all []collectors.Object
	for i := range h.records {
		if r := &h.records[i]; r.Type == t && !slices.Contains(all, r.Object) {
			all = append(all, r.Object)
		}
	}
	return all
}

// conditionOf flips a condition of an object or takes it away, and adds it if
// the object does not have it.
func (at *place) conditionOf(o collectors.Object, name string) []change {
	has := false
	for i := range at.records {
		if r := &at.records[i]; r.Object == o {
			_, is := conditionsIn(r)[name]
			has = has || is
		}
	}
	title := fmt.Sprintf("condition %s of %s %s", name, o.Kind, o.Name)
	if !has {
		return []change{{title + " is there", func(d *draft) {
			d.eachConditions(o, func(m map[string]string) { m[name] = "True" })
		}}}
	}
	return []change{
		{title + " is not there", func(d *draft) {
			d.eachConditions(o, func(m map[string]string) { delete(m, name) })
		}},
		{title + " is the opposite", func(d *draft) {
			d.eachConditions(o, func(m map[string]string) {
				if is, has := m[name]; has {
					m[name] = truth(is != "True")
				}
			})
		}},
	}
}

func conditionsIn(r *collectors.Record) map[string]string {
	switch {
	case r.Pod != nil:
		return r.Pod.Conditions
	case r.Job != nil:
		return r.Job.Conditions
	}
	return nil
}

// eachConditions changes the conditions in all states of a pod or Job. Those of
// a pod let READY and STATUS follow.
func (d *draft) eachConditions(o collectors.Object, change func(map[string]string)) {
	for i := range d.entries {
		r := &d.entries[i].record
		if r.Object != o {
			continue
		}
		switch {
		case r.Pod != nil && r.Pod.Conditions != nil:
			now := *r.Pod
			now.Conditions = maps.Clone(r.Pod.Conditions)
			change(now.Conditions)
			if p := d.h.byUID[o.UID]; p != nil && p.statusOf(r.Pod) == r.Pod.Status {
				now.Status = p.statusOf(&now)
			}
			r.Pod = &now
		case r.Job != nil:
			now := *r.Job
			now.Conditions = maps.Clone(r.Job.Conditions)
			if now.Conditions == nil {
				now.Conditions = map[string]string{}
			}
			change(now.Conditions)
			r.Job = &now
		}
	}
}
