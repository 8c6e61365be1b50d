package mutate

import (
	"maps"
	"reflect"
	"regexp"
	"time"

	"github.com/kind-lab/lab/collectors"
	"github.com/kind-lab/lab/dsl"
	"github.com/kind-lab/lab/dsl/action"
	"github.com/kind-lab/lab/dsl/value"
	"github.com/kind-lab/lab/labs/replay"
)

// specStream stands for which objects there are, and what their specs say: what
// does not change while an object is there is not marked as read.
const specStream = value.Stream("spec")

// fact is something that can be read of what was recorded.
type fact struct {
	stream value.Stream
	// name is the object's, and job that of the Job that owns it.
	name, job string
	container string
	// text is a line of a log.
	text string
}

// footprint is what a copy tells otherwise, with when it first does.
type footprint map[fact]time.Time

func (f footprint) add(what fact, at time.Time) {
	if first, has := f[what]; !has || at.Before(first) {
		f[what] = at
	}
}

// footprint compares a draft with its history.
func (d *draft) footprint() footprint {
	f := footprint{}
	for i := range d.entries {
		e := &d.entries[i]
		if i >= len(d.h.records) {
			if !e.gone {
				d.addNew(f, e)
			}
			continue
		}
		was, at := &d.h.records[i], d.h.arrivals[i]
		switch {
		case e.gone:
			d.addOld(f, i, at)
		case e.arrival.Equal(at) && sameRecord(was, &e.record):
		default:
			if e.arrival.Before(at) {
				at = e.arrival
			}
			d.addOther(f, was, &e.record, !e.arrival.Equal(d.h.arrivals[i]), at)
		}
	}
	return f
}

// sameRecord says whether a record of a draft is that of the history. Drafts
// change copies of what a record points to.
func sameRecord(a, b *collectors.Record) bool {
	return a.Object == b.Object && a.Container == b.Container && a.Type == b.Type && a.Time.Equal(b.Time) &&
		a.Job == b.Job && a.Content == b.Content && a.Event == b.Event && a.Task == b.Task && a.Log == b.Log && a.Step == b.Step &&
		(a.Pod == b.Pod || a.Pod != nil && b.Pod != nil && reflect.DeepEqual(a.Pod, b.Pod))
}

// addNew adds a record that the history does not have.
func (d *draft) addNew(f footprint, e *entry) {
	r := &e.record
	if r.Pod == nil {
		f.addRecord(r, jobOf(r, d.h.byUID[r.Object.UID]), e.arrival)
		return
	}
	p := d.h.byUID[r.Object.UID]
	if p == nil {
		f.addPod(nil, r.Pod, fact{name: r.Object.Name, job: jobOf(r, nil)}, e.arrival)
		return
	}
	var before *collectors.Pod
	for _, i := range p.records {
		if !d.h.arrivals[i].After(e.arrival) {
			before = d.h.records[i].Pod
		}
	}
	f.addPod(before, r.Pod, fact{name: r.Object.Name, job: jobOf(r, p)}, e.arrival)
}

// addOld adds a record that the draft does not have.
func (d *draft) addOld(f footprint, i int, at time.Time) {
	r := &d.h.records[i]
	p := d.h.byUID[r.Object.UID]
	if r.Pod == nil || p == nil {
		f.addRecord(r, jobOf(r, p), at)
		return
	}
	var before *collectors.Pod
	for _, n := range p.records {
		if n < i {
			before = d.h.records[n].Pod
		}
	}
	f.addPod(before, r.Pod, fact{name: r.Object.Name, job: jobOf(r, p)}, at)
}

// addOther adds a record that is another one in the draft, or at another time.
func (d *draft) addOther(f footprint, was, now *collectors.Record, moved bool, at time.Time) {
	p := d.h.byUID[was.Object.UID]
	switch {
	case was.Pod == nil || now.Pod == nil || moved:
		f.addRecord(was, jobOf(was, p), at)
		if was.Object != now.Object || was.Container != now.Container || was.Log != now.Log {
			f.addRecord(now, jobOf(now, p), at)
		}
	default:
		f.addPod(was.Pod, now.Pod, fact{name: was.Object.Name, job: jobOf(was, p)}, at)
	}
	if was.Object != now.Object {
		f.add(fact{stream: specStream, name: was.Object.Name, job: jobOf(was, p)}, at)
	}
}

// jobOf is the name of the Job that owns the pod of a record; empty if none does.
func jobOf(r *collectors.Record, p *pod) string {
	var owner *collectors.Object
	switch {
	case r.Pod != nil:
		owner = r.Pod.Owner
	case p != nil:
		owner = p.owner
	}
	if owner == nil || owner.Kind != "Job" {
		return ""
	}
	return owner.Name
}

// addRecord adds all that a record tells.
func (f footprint) addRecord(r *collectors.Record, job string, at time.Time) {
	of := fact{name: r.Object.Name, job: job}
	switch {
	case r.Pod != nil:
		f.addPod(nil, r.Pod, of, at)
		return
	case r.Type == collectors.TypePodGone:
		of.stream = specStream
	case r.Task != nil:
		of.stream, of.container = value.LifeStream, r.Container
	case r.Log != nil:
		of.stream, of.container, of.text = value.LogStream, r.Container, r.Log.Text
	case r.Event != nil:
		of.stream = value.EventStream
	case r.Job != nil || r.Type == collectors.TypeJobGone:
		of.stream = value.JobStream
	case r.Type == collectors.TypeObject || r.Type == collectors.TypeObjectGone:
		of.stream = value.ObjectStream(r.Object.Kind)
	case r.Step != nil:
		of.stream, of.name = value.StepStream, r.Step.Name
	default:
		return
	}
	f.add(of, at)
}

// addPod adds what two states of a pod differ in; was may be nil.
func (f footprint) addPod(was, now *collectors.Pod, of fact, at time.Time) {
	add := func(stream value.Stream, container string) {
		what := of
		what.stream, what.container = stream, container
		f.add(what, at)
	}
	if was == nil || len(was.Containers) != len(now.Containers) {
		add(specStream, "")
		add(value.PodStream, "")
		add(value.LifeStream, "")
		return
	}
	for i := range now.Containers {
		a, b := &was.Containers[i], &now.Containers[i]
		if a.Name != b.Name || a.Kind != b.Kind {
			add(specStream, "")
		}
		if a.Image != b.Image || a.Ready != b.Ready {
			add(value.PodStream, "")
		}
		if !sameState(*a, *b) {
			add(value.LifeStream, b.Name)
		}
	}
	if was.Phase != now.Phase || was.Status != now.Status || was.Ready != now.Ready || was.Reason != now.Reason || was.Node != now.Node ||
		was.IP != now.IP || was.QOS != now.QOS || !was.DeletedAt.Equal(now.DeletedAt) || !maps.Equal(was.Conditions, now.Conditions) {
		add(value.PodStream, "")
	}
}

// reading is what a condition read when it was decided.
type reading struct {
	reads []value.Read
	// patterns are those of reads of logs, by their text.
	patterns map[string]*regexp.Regexp
	// until is when it was decided.
	until time.Time
	// steps says that it reads what steps did; all that it is not known what it
	// reads.
	steps, all bool
}

// readingsOf are what the conditions of a run's steps read, by the step.
func (s *subject) readingsOf() map[*dsl.Step]reading {
	var questions, last []replay.Question
	for i, st := range s.judging.Scenario().Steps {
		expr := conditionOf(st)
		if expr == nil || i >= len(s.before.Steps) || !decided(s.before.Steps[i].Status) {
			continue
		}
		q := replay.Question{Step: st, Expr: expr, Until: s.history.begin.Add(time.Duration(s.before.Steps[i].EndedAt * float64(time.Second)))}
		if _, watched := st.Action.(*action.Invariant); watched {
			q.Until = s.end
			last = append(last, q)
			continue
		}
		questions = append(questions, q)
	}
	questions = append(questions, last...)
	all := map[*dsl.Step]reading{}
	for i, f := range s.judging.Find(questions) {
		q := questions[i]
		words := conditionWords(s.judging.Scenario(), s.judging.Files(), q.Step)
		r := reading{until: q.Until, patterns: map[string]*regexp.Regexp{}, steps: words["step"], all: len(f.Reads)+len(f.Objects) == 0 && !words["step"]}
		for _, one := range f.Reads {
			if one.Stream == value.RuntimeStream {
				one.Stream = value.LifeStream
			}
			if re, err := regexp.Compile(one.Pattern); err == nil && one.Pattern != "" {
				r.patterns[one.Pattern] = re
			}
			r.reads = append(r.reads, one)
		}
		for _, one := range f.Objects {
			if one.Stream == value.PodStream {
				one.Stream = specStream
			}
			r.reads = append(r.reads, one)
		}
		all[q.Step] = r
	}
	return all
}

// looksFor says whether it looks for a line in a log.
func (r reading) looksFor(line fact) bool {
	line.stream = value.LogStream
	return !r.all && r.has(line)
}

// concerns says whether a footprint is of what was read before it was decided.
func (r reading) concerns(f footprint) bool {
	for what, at := range f {
		if !at.After(r.until) && r.has(what) {
			return true
		}
	}
	return false
}

func (r reading) has(what fact) bool {
	if r.all || r.steps && what.stream == value.StepStream || what.stream == specStream && what.job != "" {
		return true
	}
	for _, one := range r.reads {
		switch {
		case one.Stream != what.stream:
		case one.Name != "" && one.Name != what.name, one.Job != "" && one.Job != what.job:
		case one.Container != "" && what.container != "" && one.Container != what.container:
		case r.patterns[one.Pattern] != nil && !r.patterns[one.Pattern].MatchString(what.text):
		default:
			return true
		}
	}
	return false
}
