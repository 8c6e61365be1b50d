package expect

import (
	"slices"
	"time"

	"github.com/kind-lab/lab/collectors"
	"github.com/kind-lab/lab/dsl/value"
)

// evidence is what a timeline has about what an expectation read.
type evidence struct {
	s *Scope
	// reads are what was read at any time.
	reads []value.Read
}

// evidence is that of all that was read so far.
func (d *Decider) evidence() evidence {
	ev := evidence{s: d.s}
	for r := range d.all {
		ev.reads = append(ev.reads, r)
	}
	value.SortReads(ev.reads)
	return ev
}

func (ev evidence) gaps() gaps { return gaps{tl: ev.s.Timeline, namespace: ev.s.Namespace} }

// podsOf are the pods of a subject, oldest first.
func (ev evidence) podsOf(sub subject) []*collectors.PodState {
	return slices.DeleteFunc(inNamespace(ev.s.Timeline, ev.s.Namespace), func(p *collectors.PodState) bool { return !sub.has(p) })
}

// pods are those that were read, oldest first.
func (ev evidence) pods() []*collectors.PodState {
	g := ev.gaps()
	return slices.DeleteFunc(inNamespace(ev.s.Timeline, ev.s.Namespace), func(p *collectors.PodState) bool {
		return !slices.ContainsFunc(ev.reads, func(r value.Read) bool {
			return (r.Name != "" || r.Job != "") && r.Stream != value.JobStream && r.Stream != value.StepStream && g.isOf(p.Object, r)
		})
	})
}

// recent are the last n records that could change what was read, or say what was
// not seen of it, and were received by a time, oldest first.
func (ev evidence) recent(n int, by time.Time) []collectors.Record {
	return ev.s.Timeline.Recent(func(r *collectors.Record) bool {
		return !r.Received.After(by) && r.Type != collectors.TypeClock && touched(ev.s, ev.reads, r)
	}, n)
}

// at is when a subject's value was last observed; not known where it never
// was.
func (ev evidence) at(sub subject) collectors.Moment {
	if sub.root == rootStep {
		return ev.stepAt(sub.name)
	}
	if kind, ofKind := value.KindOf(sub.root); ofKind {
		s := newestObjects(ev.s.Timeline, ev.s.Namespace)[value.ObjectKey{Kind: kind, Name: sub.name}]
		if s == nil {
			return collectors.Moment{}
		}
		return told(s.Last)
	}
	if sub.root == rootJob && !sub.pods {
		j := newestJobs(ev.s.Timeline, ev.s.Namespace)[sub.name]
		if j == nil {
			return collectors.Moment{}
		}
		return told(j.Last)
	}
	pods := ev.podsOf(sub)
	if len(pods) == 0 {
		return collectors.Moment{}
	}
	p := pods[len(pods)-1]
	if c := p.Container(sub.container); c != nil {
		if m := ev.containerAt(p, c, sub.attr); m.Known() {
			return m
		}
	}
	return told(p.Last)
}

func told(r collectors.Record) collectors.Moment {
	return collectors.Moment{Time: r.Time, Precision: r.Precision, Source: r.Source}
}

func (ev evidence) stepAt(name string) collectors.Moment {
	for _, s := range slices.Backward(ev.s.Timeline.Steps()) {
		if s.Name == name {
			return collectors.Moment{Time: s.FinishedAt, Precision: time.Nanosecond, Source: collectors.SourceLab}
		}
	}
	return collectors.Moment{}
}

// containerAt is when what a container's attribute tells of happened, by the
// source that its value is from; not known for those that only the API tells.
func (ev evidence) containerAt(p *collectors.PodState, c *collectors.ContainerState, attr string) collectors.Moment {
	switch attr {
	case "started_at":
		if r := c.Started(); r != nil {
			return r.StartedAt
		}
	case "exit_code", "signal", "finished_at", "oom_killed":
		if r := c.Exited(); r != nil {
			return r.FinishedAt
		}
	case "ready_at":
		return c.ReadyAt
	case attrLog:
		if lines := ev.s.Timeline.Log(p.Object, c.Name).Lines; len(lines) > 0 {
			return told(lines[len(lines)-1])
		}
	}
	return collectors.Moment{}
}
