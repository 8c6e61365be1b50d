package mutate

import (
	"maps"
	"time"

	"github.com/kind-lab/lab/collectors"
)

// The conditions of a Job that its end brings.
const (
	complete        = "Complete"
	jobFailed       = "Failed"
	successCriteria = "SuccessCriteriaMet"
	failureTarget   = "FailureTarget"
)

// settle lets follow what waits for the ends of a pod's containers: the pod's
// removal, with all that the run did after it, and what its Job says of it.
func (d *draft) settle(p *pod) {
	d.settleGone(p)
	d.settleJob(p)
}

// settleGone keeps the removal of a pod behind the ends of its containers.
func (d *draft) settleGone(p *pod) {
	if p.gone < 0 || d.entries[p.gone].gone {
		return
	}
	gone := d.entries[p.gone].arrival
	last, open := d.lastEnd(p)
	if open {
		d.remove(p.gone)
		return
	}
	if by := last.Add(lag).Sub(gone); by > 0 {
		// A step that waits for the removal ends at about that time.
		d.stretch(gone.Add(-lag/3), by, p)
	}
	states := d.statesOf(p)
	if r := &d.entries[p.gone].record; r.Pod != nil && len(states) > 1 {
		last := states[len(states)-1]
		if last == p.gone {
			last = states[len(states)-2]
		}
		r.Pod = d.entries[last].record.Pod
	}
}

// lastEnd is when the last container of a pod ended in the draft, and whether
// one that ended in the history does not.
func (d *draft) lastEnd(p *pod) (last time.Time, open bool) {
	for _, c := range p.containers {
		for _, l := range c.runs {
			if l.exit < 0 {
				continue
			}
			e := &d.entries[l.exit]
			started := l.start < 0 || !d.entries[l.start].gone
			if e.gone && started {
				open = true
			}
			if !e.gone && e.record.Time.After(last) {
				last = e.record.Time
			}
		}
	}
	return last, open
}

// ending is how a pod ended, and when the API said so; no phase if it did not.
type ending struct {
	phase string
	at    time.Time
}

func (e ending) is(phase string) bool { return e.phase == phase }

// settleJob lets a Job follow the end of its newest pod.
func (d *draft) settleJob(p *pod) {
	if p.owner == nil || p.owner.Kind != "Job" || d.h.newestOf(p.owner.UID) != p {
		return
	}
	was, now := d.h.endingOf(p), d.endingOf(p)
	var jobs []int
	for i := range d.h.records {
		if r := &d.h.records[i]; r.Type == collectors.TypeJob && r.Object.UID == p.owner.UID && !d.entries[i].gone {
			jobs = append(jobs, i)
		}
	}
	if i, has := d.jobEnds[p.owner.UID]; has {
		d.remove(i)
	}
	if len(jobs) == 0 || was == now {
		return
	}
	if was.phase == "" {
		d.endJob(jobs[len(jobs)-1], now)
		return
	}
	for n, i := range jobs {
		if n == 0 || d.h.arrivals[i].Before(was.at) {
			continue
		}
		if now.phase == "" {
			d.remove(i)
			continue
		}
		// Nothing else has changed it but an earlier call.
		d.entries[i] = entry{record: d.h.records[i], arrival: d.h.arrivals[i]}
		if by := now.at.Sub(was.at); by != 0 {
			d.move(i, by, was.at.Truncate(time.Second).Add(-time.Second))
		}
		if was.phase != now.phase {
			d.entries[i].record.Job = flipJob(d.entries[i].record.Job, now, d.entries[i].arrival)
		}
	}
}

// newestOf is the newest pod of an owner; nil if it has none.
func (h *history) newestOf(uid string) *pod {
	var newest *pod
	for _, p := range h.pods {
		if p.owner != nil && p.owner.UID == uid {
			newest = p
		}
	}
	return newest
}

func (h *history) endingOf(p *pod) ending {
	for _, i := range p.records {
		if phase := h.records[i].Pod.Phase; isFinal(phase) {
			return ending{phase, h.arrivals[i]}
		}
	}
	return ending{}
}

func (d *draft) endingOf(p *pod) ending {
	for _, i := range d.statesOf(p) {
		if phase := d.entries[i].record.Pod.Phase; isFinal(phase) {
			return ending{phase, d.entries[i].arrival}
		}
	}
	return ending{}
}

// endJob adds the end of a Job after one of its states.
func (d *draft) endJob(last int, now ending) {
	if now.phase == "" {
		return
	}
	r := d.entries[last].record
	at := now.at.Add(lag)
	if at.Before(d.entries[last].arrival) {
		at = d.entries[last].arrival.Add(tick)
	}
	j := *r.Job
	j.Active = 0
	j.Conditions = maps.Clone(j.Conditions)
	if j.Conditions == nil {
		j.Conditions = map[string]string{}
	}
	if now.is(succeeded) {
		j.Succeeded, j.CompletedAt = j.Succeeded+1, at.Truncate(time.Second)
		j.Conditions[complete] = "True"
	} else {
		j.Failed++
		j.Conditions[jobFailed] = "True"
	}
	r.Job, r.Time = &j, at
	d.jobEnds[r.Object.UID] = len(d.entries)
	d.add(r, at)
}

// flipJob is a state of a Job whose pod ended in the other way.
func flipJob(was *collectors.Job, now ending, at time.Time) *collectors.Job {
	j := *was
	j.Conditions = map[string]string{}
	for name, status := range was.Conditions {
		j.Conditions[otherCondition(name)] = status
	}
	if now.is(failed) {
		j.Failed, j.Succeeded, j.CompletedAt = j.Failed+j.Succeeded, 0, time.Time{}
		return &j
	}
	j.Succeeded, j.Failed = j.Succeeded+min(1, j.Failed), max(0, j.Failed-1)
	if j.Conditions[complete] == "True" {
		j.CompletedAt = at.Truncate(time.Second)
	}
	return &j
}

// otherCondition is the condition of a Job for the other outcome.
func otherCondition(name string) string {
	switch name {
	case complete:
		return jobFailed
	case jobFailed:
		return complete
	case successCriteria:
		return failureTarget
	case failureTarget:
		return successCriteria
	}
	return name
}
