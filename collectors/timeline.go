package collectors

import (
	"slices"
	"time"
)

// Timeline is the fold of the records of one run on one cluster. The same
// records give the same state, whether they are live or read back from a
// journal. It is not safe for concurrent use: the caller serialises.
//
// The records of one source must be added in the order in which that source
// sent them, with one exception: the runtime's may come in any order, and
// before or after the pod records that name their containers.
type Timeline struct {
	begin   time.Time
	last    time.Time
	seq     uint64
	count   int
	records []Record
	dropped int

	pods     []*pod
	podOf    map[Object]*pod
	podByUID map[string]*pod
	jobs     []*job
	jobOf    map[Object]*job
	objects  []*ObjectState
	objectOf map[objectKey]*ObjectState
	events   []Record
	runs     map[string]*run
	runsOf   map[runKey][]*run
	steps    []Step
	// gaps are all records of gaps, as they were reported.
	gaps []Record
	// clocks are those of the nodes, in the order in which they were first
	// measured.
	clocks []*nodeClock
	logs   map[logKey]*lineIndex
}

// NewTimeline returns the empty timeline of a run that began then.
func NewTimeline(begin time.Time) *Timeline {
	return &Timeline{
		begin:    begin,
		last:     begin,
		podOf:    map[Object]*pod{},
		podByUID: map[string]*pod{},
		jobOf:    map[Object]*job{},
		objectOf: map[objectKey]*ObjectState{},
		runs:     map[string]*run{},
		runsOf:   map[runKey][]*run{},
		logs:     map[logKey]*lineIndex{},
	}
}

// Begin is when the run began.
func (t *Timeline) Begin() time.Time { return t.begin }

// Last is when the newest record was received, or Begin before any was.
func (t *Timeline) Last() time.Time { return t.last }

// Len counts the records that were added.
func (t *Timeline) Len() int { return t.count }

// Seconds is a time in seconds since the run began; negative before it.
func (t *Timeline) Seconds(at time.Time) float64 { return at.Sub(t.begin).Seconds() }

// Add folds a record. One without Seq gets the next; one whose Type's field is
// not set is kept but changes no state. The timeline keeps no Manifest.
func (t *Timeline) Add(r Record) {
	r = t.normal(r)
	t.count++
	if r.Received.After(t.last) {
		t.last = r.Received
	}
	if r.Type == TypeLog {
		t.addLog(r)
		return
	}
	t.keep(r)
	t.fold(r)
}

// normal is the record as it is kept.
func (t *Timeline) normal(r Record) Record {
	if r.Seq == 0 {
		r.Seq = t.seq + 1
	}
	t.seq = max(t.seq, r.Seq)
	r.Time, r.Received = r.Time.Round(0), r.Received.Round(0)
	if r.Received.IsZero() {
		r.Received = r.Time
	}
	if r.Pod != nil && r.Pod.Manifest != nil {
		p := *r.Pod
		p.Manifest = nil
		r.Pod = &p
	}
	if r.Job != nil && r.Job.Manifest != nil {
		j := *r.Job
		j.Manifest = nil
		r.Job = &j
	}
	return r
}

// keep appends to the bounded list of records.
func (t *Timeline) keep(r Record) {
	t.records = append(t.records, r)
	if len(t.records) > MaxRecords {
		t.records[0] = Record{}
		t.records = t.records[1:]
		t.dropped++
	}
}

// fold changes the state by a record other than a log line.
func (t *Timeline) fold(r Record) {
	switch r.Type {
	case TypePod, TypePodGone:
		t.addPod(r)
	case TypeJob, TypeJobGone:
		t.addJob(r)
	case TypeObject, TypeObjectGone:
		t.addObject(r)
	case TypeEvent:
		t.addEvent(r)
	case TypeTaskStart, TypeTaskExit, TypeTaskOOM:
		t.addTask(r)
	case TypeClock:
		t.addClock(r)
	case TypeGap:
		if r.Gap != nil {
			t.gaps = append(t.gaps, r)
		}
	case TypeStep:
		if r.Step != nil {
			t.steps = append(t.steps, *r.Step)
		}
	}
}

// Steps are the steps that were done, in that order.
func (t *Timeline) Steps() []Step { return t.steps[:len(t.steps):len(t.steps)] }

// GapsTold counts the records that reported gaps.
func (t *Timeline) GapsTold() int { return len(t.gaps) }

// Gaps are the stretches that sources did not see, each a record of TypeGap,
// in the order in which they were reported. One whose Gap.To is zero still goes
// on; a later one of the same source, object, container and From closes it and
// stands in its place.
func (t *Timeline) Gaps() []Record { return t.GapsBy(t.last) }

// GapsBy are the gaps as they were reported by a time: one that was reported later is
// left out, one that was closed later still goes on.
func (t *Timeline) GapsBy(at time.Time) []Record {
	var gaps []Record
	for _, r := range t.gaps {
		if r.Received.After(at) {
			continue
		}
		i := slices.IndexFunc(gaps, func(g Record) bool {
			return g.Gap.To.IsZero() && g.Source == r.Source && g.Object == r.Object &&
				g.Container == r.Container && g.Gap.From.Equal(r.Gap.From)
		})
		if i < 0 {
			gaps = append(gaps, r)
		} else {
			gaps[i] = r
		}
	}
	return gaps
}
