package mutate

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/kind-lab/lab/collectors"
)

// replaced lets another pod take the place of one that does not belong to a Job,
// which has rules of its own for that.
func replaced(at *place) (found []change) {
	at.eachBirth(func(p *pod, when time.Time) {
		if p.owner != nil && p.owner.Kind == "Job" {
			return
		}
		text := fmt.Sprintf("%s is deleted %.1f s after the begin, and another pod with another UID takes its place", p.object.Name, when.Sub(at.begin).Seconds())
		found = append(found, change{text, func(d *draft) { d.replace(p, when) }})
	})
	return found
}

// successor is the pod that takes the place of another one.
type successor struct {
	p      *pod
	object collectors.Object
	// born is when it is there and the other one is no longer.
	born time.Time
	// old are the runs of the other one, runs how many each container had, and
	// restarts how often it was restarted.
	old            map[string]bool
	runs, restarts map[string]int
}

// replace lets the life of a pod from a time on be that of another pod.
func (d *draft) replace(p *pod, when time.Time) {
	s := successor{p: p, object: p.object, born: when.Add(reborn * 3 / 4), old: map[string]bool{}, runs: map[string]int{}, restarts: map[string]int{}}
	s.object.UID += otherSuffix
	if p.owner != nil && p.owner.Kind != "StatefulSet" {
		s.object.Name += otherSuffix
	}
	for _, c := range p.containers {
		for _, l := range c.runs {
			if l.began.Before(when) {
				s.old[l.id] = true
				s.runs[c.name]++
			}
		}
	}
	for _, i := range d.statesOf(p) {
		if e := &d.entries[i]; !e.arrival.After(when) {
			for _, c := range e.record.Pod.Containers {
				s.restarts[c.Name] = c.Restarts + 1
			}
		}
	}
	d.bear(p, when)
	d.bury(p, when, s.born)
	for i := range d.entries {
		e := &d.entries[i]
		switch {
		case e.record.Object != p.object || !e.arrival.After(s.born):
		case s.isOld(&e.record):
			e.arrival = latest(s.born.Add(-tick), e.record.Time)
			e.record.Received = e.arrival
		default:
			s.take(&e.record)
		}
	}
}

// isOld says whether a record that arrived late is of the other pod.
func (s *successor) isOld(r *collectors.Record) bool {
	return r.Task != nil && s.old[r.Task.ID] || r.Log != nil && r.Log.Run < s.runs[r.Container]
}

// bury deletes a pod at a time and lets it be gone at another one, after which its
// last states are reported once more.
func (d *draft) bury(p *pod, when, gone time.Time) {
	var last, content *collectors.Record
	for i := range d.entries {
		e := &d.entries[i]
		if e.gone || e.record.Object != p.object || e.arrival.After(gone) {
			continue
		}
		switch {
		case e.record.Type == collectors.TypeObject:
			content = &e.record
		case e.record.Pod != nil && e.arrival.After(when):
			now := *e.record.Pod
			now.DeletedAt = when.Truncate(time.Second)
			now.Status = p.statusOf(&now)
			e.record.Pod = &now
		}
	}
	for _, i := range d.statesOf(p) {
		if e := &d.entries[i]; !e.arrival.After(gone) {
			last = &e.record
		}
	}
	for _, r := range []*collectors.Record{last, content} {
		if r == nil {
			continue
		}
		end, next := *r, *r
		end.Type, end.Time, next.Time = collectors.TypePodGone, gone, gone.Add(2*tick)
		if r.Content != nil {
			end.Type = collectors.TypeObjectGone
		}
		d.add(end, gone)
		d.add(next, gone.Add(2*tick))
	}
}

// take makes of a record of the other pod one of the successor.
func (s *successor) take(r *collectors.Record) {
	r.Object = s.object
	switch {
	case r.Pod != nil:
		r.Pod = s.young(r.Pod)
	case r.Log != nil:
		log := *r.Log
		log.Run -= s.runs[r.Container]
		r.Log = &log
	case r.Content != nil:
		content := *r.Content
		content.CreatedAt = s.born.Truncate(time.Second)
		if document := decoded(content.JSON); document != nil && setLeaf(document, []string{"metadata", "uid"}, false) {
			if text, err := json.Marshal(document); err == nil {
				content.JSON = text
			}
		}
		r.Content = &content
	}
}

// young is a state of the other pod as one of the successor, which knows nothing
// of the runs of the other.
func (s *successor) young(was *collectors.Pod) *collectors.Pod {
	now := *was
	now.Containers = slices.Clone(was.Containers)
	now.CreatedAt = s.born.Truncate(time.Second)
	if now.DeletedAt.Before(s.born) {
		now.DeletedAt = time.Time{}
	}
	if now.IP != "" {
		now.IP = otherIP
	}
	for i := range now.Containers {
		c := &now.Containers[i]
		c.Restarts = max(0, c.Restarts-s.restarts[c.Name])
		if c.Last != nil && s.old[c.Last.ID] {
			c.Last = nil
		}
		if c.Current != nil && s.old[c.Current.ID] {
			*c = collectors.Container{Name: c.Name, Kind: c.Kind, Image: c.Image, State: waiting, Reason: "PodInitializing"}
		}
	}
	s.p.derive(nil, was, &now)
	return &now
}
