package expect

import (
	"slices"
	"time"

	"github.com/kind-lab/lab/collectors"
	"github.com/kind-lab/lab/dsl"
	"github.com/kind-lab/lab/dsl/value"
)

// evidence is what a timeline has about the subjects of an expectation.
type evidence struct {
	s        *Scope
	logs     bool
	subjects []subject
}

// newEvidence reads off the expectation's condition what it is about.
func newEvidence(s *Scope, e *dsl.Expect, logs bool) evidence {
	ev := evidence{s: s, logs: logs}
	w := walker{locals: s.Locals, seen: map[string]bool{}}
	for _, t := range observed(w.traversals(e.Condition)) {
		if sub := parse(steps(t)); !slices.Contains(ev.subjects, sub) {
			ev.subjects = append(ev.subjects, sub)
		}
	}
	return ev
}

// podsOf are the pods of a subject, oldest first.
func (ev evidence) podsOf(sub subject) []*collectors.PodState {
	return slices.DeleteFunc(inNamespace(ev.s.Timeline, ev.s.Namespace), func(p *collectors.PodState) bool { return !sub.has(p) })
}

// recent are the last n records about the subjects that were received by a
// time, oldest first; log lines only where the expectation uses logs.
func (ev evidence) recent(n int, by time.Time) []collectors.Record {
	pods := make([][]*collectors.PodState, len(ev.subjects))
	for i, sub := range ev.subjects {
		pods[i] = ev.podsOf(sub)
	}
	return ev.s.Timeline.Recent(func(r *collectors.Record) bool {
		if r.Type == collectors.TypeLog && !ev.logs || r.Received.After(by) {
			return false
		}
		for i, sub := range ev.subjects {
			if ev.about(sub, pods[i], r) {
				return true
			}
		}
		return false
	}, n)
}

// about says whether a record is about a subject.
func (ev evidence) about(sub subject, pods []*collectors.PodState, r *collectors.Record) bool {
	switch {
	case sub.root == rootStep:
		return r.Step != nil && r.Step.Name == sub.name
	case ev.s.Namespace != "" && r.Object.Namespace != "" && r.Object.Namespace != ev.s.Namespace:
		return false
	case r.Type == collectors.TypeEvent && sub.attr != "events":
		return false // hints, which would stand before what happened
	case sub.container != "" && r.Container != "" && r.Container != sub.container:
		return false
	}
	return sub.named(r.Object, pods)
}

// unseen is the first gap that could have changed the condition between two
// moments, both included; nil where there was none. A gap ends before its To:
// then the source sees again. One in which nothing was lost hides nothing once
// it is over: its changes came late, but they came. What was told of gaps
// after to does not count, so that a replay finds the same.
func (ev evidence) unseen(from, to time.Time) *collectors.Record {
	for _, r := range ev.s.Timeline.GapsBy(to) {
		g := r.Gap
		open := g.To.IsZero()
		empty := !open && !g.To.After(g.From)
		before := !open && !g.To.After(from) && (!empty || g.From.Before(from))
		late := !open && g.Count == 0 && !g.To.After(to)
		if before || late || g.From.After(to) {
			continue
		}
		if slices.ContainsFunc(ev.subjects, func(sub subject) bool { return ev.concerns(r, sub) }) {
			return &r
		}
	}
	return nil
}

// concerns says whether a gap may have hidden something of a subject. A gap of
// a kind without a name is of all objects of that kind.
func (ev evidence) concerns(gap collectors.Record, sub subject) bool {
	if !sub.from(gap.Source, ev.logs) {
		return false
	}
	if sub.container != "" && gap.Container != "" && sub.container != gap.Container {
		return false
	}
	pods := ev.podsOf(sub)
	if kind, ofKind := value.KindOf(sub.root); ofKind {
		return gap.Object.Kind == "" || gap.Object.Kind == kind.Kind || gap.Object.Kind == "Event" && sub.attr == "events"
	}
	if gap.Source == collectors.SourceAPI && gap.Object.Kind == "Event" {
		return sub.attr == "events"
	}
	if gap.Source == collectors.SourceAPI && gap.Object.Kind != "" && gap.Object.Kind != "Pod" && gap.Object.Kind != "Job" {
		return false
	}
	switch gap.Object.Kind {
	case "Pod", "Job":
		if gap.Object.Name == "" {
			// The pods of a Job are not known either where the Job is not.
			if gap.Object.Kind == "Job" {
				return sub.root == rootJob
			}
			return sub.root == rootPod || sub.pods || sub.attr == ""
		}
		if ns := gap.Object.Namespace; ns != "" && ev.s.Namespace != "" && ns != ev.s.Namespace {
			return false
		}
		return sub.named(gap.Object, pods)
	case "Node":
		return len(pods) == 0 || slices.ContainsFunc(pods, func(p *collectors.PodState) bool {
			return p.Pod().Node == "" || p.Pod().Node == gap.Object.Name
		})
	}
	return true
}

// dropped is the container of a subject of whose log older lines are no longer
// kept, and how many; empty where there is none.
func (ev evidence) dropped() (container string, lines int) {
	if !ev.logs {
		return "", 0
	}
	for _, sub := range ev.subjects {
		if !sub.from(collectors.SourceLog, true) {
			continue
		}
		for _, p := range ev.podsOf(sub) {
			for _, c := range p.Containers {
				if n := ev.s.Timeline.Log(p.Object, c.Name).Dropped; n > 0 && (sub.container == "" || sub.container == c.Name) {
					return c.Name, n
				}
			}
		}
	}
	return "", 0
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
