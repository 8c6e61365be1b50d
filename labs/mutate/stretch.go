package mutate

import (
	"time"

	"github.com/kind-lab/lab/collectors"
)

// stretch lets time pass at a moment: all that happens at or after it is later
// by so much, or sooner if by is negative; but for what happens in one pod, if
// one is given.
func (d *draft) stretch(at time.Time, by time.Duration, but *pod) {
	d.stretched = true
	d.shift(at, by, nil, func(i int) bool {
		r := &d.entries[i].record
		return but != nil && r.Object.UID == but.object.UID && r.Type != collectors.TypePodGone
	})
}

// shift is stretch, but for the records that stay, and for the times of starts and
// ends of runs that do.
func (d *draft) shift(at time.Time, by time.Duration, turns map[turn]bool, stays func(int) bool) {
	coarse := at.Truncate(time.Second).Add(time.Second)
	for i := range d.entries {
		e := &d.entries[i]
		if e.arrival.Before(at) || stays(i) {
			continue
		}
		if !e.record.Time.Before(at) {
			d.moveBut(i, by, at, turns)
			continue
		}
		// What arrives later and happened before keeps its time.
		e.arrival = e.arrival.Add(by)
		if !e.record.Received.IsZero() {
			e.record.Received = e.record.Received.Add(by)
		}
		moveInside(&e.record, by, coarse, turns)
	}
}

// changed are the records of the cluster that a change has put at another time, or
// added; none if it has let time pass for all of them.
func (d *draft) changed() map[int]bool {
	all := map[int]bool{}
	if d.stretched {
		return all
	}
	for i := range d.entries {
		e := &d.entries[i]
		if !e.gone && e.record.Source != collectors.SourceLab && (i >= len(d.h.records) || !e.arrival.Equal(d.h.arrivals[i])) {
			all[i] = true
		}
	}
	return all
}

// putOff lets a step act later by so much, and all that follows from it. What was
// changed and arrives by then does not follow from it and stays when it is; ok is
// false if the states of a pod do not show the difference.
func (d *draft) putOff(at time.Time, by time.Duration, own map[int]bool) (ok bool) {
	until := at.Add(by)
	turns, last := map[turn]bool{}, map[collectors.Object]time.Time{}
	stays := func(i int) bool { return own[i] && !d.entries[i].arrival.After(until) }
	for i := range own {
		e := &d.entries[i]
		if e.arrival.Before(at) || !stays(i) {
			continue
		}
		if r := &e.record; r.Task != nil {
			turns[turn{r.Task.ID, r.Type == collectors.TypeTaskExit}] = true
		} else if r.Pod != nil {
			last[r.Object] = latest(last[r.Object], e.arrival)
		}
	}
	for i := range d.entries {
		e := &d.entries[i]
		if e.record.Pod != nil && !e.gone && !own[i] && !e.arrival.Before(at) && e.arrival.Before(last[e.record.Object]) {
			return false
		}
	}
	d.shift(at, by, turns, stays)
	return true
}
