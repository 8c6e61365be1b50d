package mutate

import (
	"slices"
	"time"

	"github.com/kind-lab/lab/collectors"
)

// entry is a record of a draft with its arrival.
type entry struct {
	record  collectors.Record
	arrival time.Time
	gone    bool
}

// draft is a copy of a history that is changed. The first entries are those of
// the history's records, so that its indexes hold; new ones come behind them.
type draft struct {
	h       *history
	entries []entry
	// states of pods that are not those of the history.
	own map[*pod][]int
	// jobEnds are the ends that were given to Jobs that had none, by UID.
	jobEnds map[string]int
	// stretched says that time has passed for all that comes after a moment.
	stretched bool
	// born are the pods whose containers were all started again, whatever their
	// restartPolicy.
	born map[*pod]bool
	// ends are those that were given to runs that had none, and afresh the last
	// runs of containers that were restarted after them.
	ends   map[*life]exit
	afresh map[*container]bool
}

// exit is the end of a run.
type exit struct {
	at   time.Time
	code int
}

func newDraft(h *history) *draft {
	d := &draft{h: h, entries: make([]entry, len(h.records), len(h.records)+4), own: map[*pod][]int{}, jobEnds: map[string]int{},
		born: map[*pod]bool{}, ends: map[*life]exit{}, afresh: map[*container]bool{}}
	for i := range h.records {
		d.entries[i] = entry{record: h.records[i], arrival: h.arrivals[i]}
	}
	return d
}

// records are the records of the draft in the order of their arrival, numbered
// anew.
func (d *draft) records() []collectors.Record {
	kept := make([]entry, 0, len(d.entries))
	for _, e := range d.entries {
		if !e.gone {
			kept = append(kept, e)
		}
	}
	slices.SortStableFunc(kept, func(a, b entry) int { return a.arrival.Compare(b.arrival) })
	records := make([]collectors.Record, len(kept))
	for i, e := range kept {
		records[i] = e.record
		records[i].Seq = uint64(i + 1)
	}
	return records
}

// statesOf are the indexes of the states of a pod that are still there, oldest
// first.
func (d *draft) statesOf(p *pod) []int {
	var all []int
	for _, i := range slices.Concat(p.records, d.own[p]) {
		if !d.entries[i].gone {
			all = append(all, i)
		}
	}
	slices.SortStableFunc(all, func(a, b int) int { return d.entries[a].arrival.Compare(d.entries[b].arrival) })
	return all
}

// remove takes a record away.
func (d *draft) remove(i int) { d.entries[i].gone = true }

// add adds a record that arrives then.
func (d *draft) add(r collectors.Record, arrival time.Time) {
	r.Received = arrival
	d.entries = append(d.entries, entry{record: r, arrival: arrival})
}

// move shifts the time and the arrival of a record, and the times in it that
// are not before from.
func (d *draft) move(i int, by time.Duration, from time.Time) { d.moveBut(i, by, from, nil) }

// moveBut is move, but for starts and ends of runs that stay.
func (d *draft) moveBut(i int, by time.Duration, from time.Time, stays map[turn]bool) {
	e := &d.entries[i]
	e.arrival = e.arrival.Add(by)
	e.record.Time = e.record.Time.Add(by)
	if !e.record.Received.IsZero() {
		e.record.Received = e.record.Received.Add(by)
	}
	moveInside(&e.record, by, from, stays)
}

// shifted is a time that was moved if it is not before from.
func shifted(at time.Time, by time.Duration, from time.Time) time.Time {
	if at.IsZero() || at.Before(from) {
		return at
	}
	return at.Add(by)
}

// moveInside shifts the times in a record that are not before from, but for those
// of starts and ends of runs that stay.
func moveInside(r *collectors.Record, by time.Duration, from time.Time, stays map[turn]bool) {
	switch {
	case r.Pod != nil:
		p := *r.Pod
		p.CreatedAt, p.DeletedAt = shifted(p.CreatedAt, by, from), shifted(p.DeletedAt, by, from)
		p.Containers = slices.Clone(p.Containers)
		for i := range p.Containers {
			c := &p.Containers[i]
			c.Current, c.Last = moveRun(c.Current, by, from, stays), moveRun(c.Last, by, from, stays)
		}
		r.Pod = &p
	case r.Job != nil:
		j := *r.Job
		j.CreatedAt, j.DeletedAt = shifted(j.CreatedAt, by, from), shifted(j.DeletedAt, by, from)
		j.StartedAt, j.CompletedAt = shifted(j.StartedAt, by, from), shifted(j.CompletedAt, by, from)
		r.Job = &j
	case r.Step != nil:
		s := *r.Step
		s.StartedAt, s.FinishedAt = shifted(s.StartedAt, by, from), shifted(s.FinishedAt, by, from)
		r.Step = &s
	case r.Event != nil:
		e := *r.Event
		e.FirstAt, e.LastAt = shifted(e.FirstAt, by, from), shifted(e.LastAt, by, from)
		r.Event = &e
	case r.Asked != nil:
		a := *r.Asked
		a.At = shifted(a.At, by, from)
		r.Asked = &a
	case r.Gap != nil:
		g := *r.Gap
		g.From, g.To = shifted(g.From, by, from), shifted(g.To, by, from)
		r.Gap = &g
	}
}

// turn is the start or the end of a run.
type turn struct {
	id  string
	end bool
}

func moveRun(run *collectors.ContainerRun, by time.Duration, from time.Time, stays map[turn]bool) *collectors.ContainerRun {
	if run == nil {
		return nil
	}
	moved := *run
	if !stays[turn{run.ID, false}] {
		moved.StartedAt = shifted(run.StartedAt, by, from)
	}
	if !stays[turn{run.ID, true}] {
		moved.FinishedAt = shifted(run.FinishedAt, by, from)
	}
	return &moved
}
