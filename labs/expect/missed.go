package expect

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/kind-lab/lab/collectors"
	"github.com/kind-lab/lab/dsl/value"
)

// gaps are the stretches that sources did not see, as they are known at one
// moment, with what is needed to say what they may have hidden.
type gaps struct {
	tl        *collectors.Timeline
	namespace string
	all       []collectors.Record
}

func gapsOf(tl *collectors.Timeline, namespace string) gaps {
	return gaps{tl: tl, namespace: namespace, all: tl.Gaps()}
}

// open says why what is read is not known now: a gap that goes on. It is empty
// if there is none.
func (g gaps) open(r value.Read) string {
	for i := range g.all {
		if gap := &g.all[i]; g.isOpen(gap) && g.hides(gap, r) {
			return g.text(gap)
		}
	}
	return ""
}

func (g gaps) isOpen(gap *collectors.Record) bool {
	return gap.Gap.To.IsZero() || gap.Gap.To.After(g.tl.Last())
}

// slackOfCreation is how much sooner than it says an object may have been made:
// its API server has a clock of its own, and cuts the time to the second.
const slackOfCreation = 2 * time.Second

// lost says why something may have been missed of what is read, from a time on:
// a gap in which something was lost, or that goes on. It is empty if there
// is none.
func (g gaps) lost(r value.Read, since time.Time) string {
	return g.lostBefore(r, since, time.Time{})
}

// lostBefore is lost, without the gaps that begin after a time, unless that is
// zero: what they hide came later.
func (g gaps) lostBefore(r value.Read, since, until time.Time) string {
	for i := range g.all {
		gap := &g.all[i]
		if gap.Gap.Count == 0 && !g.isOpen(gap) || !until.IsZero() && gap.Gap.From.After(until) {
			continue
		}
		if over := !g.isOpen(gap) && gap.Gap.To.Before(since.Add(-slackOfCreation)); !over && g.hides(gap, r) {
			return g.text(gap)
		}
	}
	return ""
}

// between is the first gap that may have hidden a change of what was read
// between two moments, both included; nil if there was none. One in which
// nothing was lost hides nothing once it is over, if what was read is of one
// stream: its changes came late, but they came in their order. What was reported of
// gaps after to does not count, so that a replay finds the same.
func (g gaps) between(reads []value.Read, from, to time.Time) *collectors.Record {
	oneStream := streams(reads) <= 1
	for _, r := range g.tl.GapsBy(to) {
		gap := r.Gap
		open := gap.To.IsZero()
		empty := !open && !gap.To.After(gap.From)
		before := !open && !gap.To.After(from) && (!empty || gap.From.Before(from))
		late := !open && gap.Count == 0 && !gap.To.After(to) && oneStream
		if before || late || gap.From.After(to) {
			continue
		}
		for _, read := range reads {
			if g.hides(&r, read) {
				return &r
			}
		}
	}
	return nil
}

// late is the gap that hid when what was reported at a time happened: a source that
// has just caught up, and lost nothing, reports late. It is nil if there is none.
func (g gaps) late(reads []value.Read, at time.Time) *collectors.Record {
	for i := range g.all {
		gap := &g.all[i]
		isLate := g.isOpen(gap) || gap.Gap.Count == 0 && !gap.Gap.To.Before(at.Add(-tooNear))
		if !isLate || gap.Gap.From.After(at) {
			continue
		}
		if slices.ContainsFunc(reads, func(r value.Read) bool { return g.hides(gap, r) }) {
			return gap
		}
	}
	return nil
}

// streams counts the streams that reads are of. What the runtime tells of the
// containers of one pod is of one stream for each container.
func streams(reads []value.Read) int {
	type stream struct {
		of              value.Stream
		name, container string
	}
	seen := map[stream]bool{}
	for _, r := range reads {
		s := stream{of: r.Stream}
		if r.Stream.Kind() == "" && r.Stream != value.StepStream {
			s.name, s.container = r.Job+"/"+r.Name, r.Container
		}
		seen[s] = true
	}
	return len(seen)
}

// hides says whether a gap may have hidden a change of what was read. A gap of
// a kind without a name is of all objects of that kind.
func (g gaps) hides(gap *collectors.Record, r value.Read) bool {
	o := gap.Object
	if o.Namespace != "" && g.namespace != "" && o.Namespace != g.namespace {
		return false
	}
	switch gap.Source {
	case collectors.SourceAPI:
		kind := r.Stream.Kind()
		if r.Stream == value.LifeStream {
			kind = "Pod"
		}
		return kind != "" && (o.Kind == "" || o.Kind == kind && (kind == "Event" || g.isOf(o, r)))
	case collectors.SourceRuntime, collectors.SourceKernel:
		return (r.Stream == value.LifeStream || r.Stream == value.RuntimeStream) && g.ofContainer(gap, r)
	case collectors.SourceLog:
		return r.Stream == value.LogStream && g.ofContainer(gap, r)
	}
	return false
}

// ofContainer says whether a gap that tells of containers is of those that were
// read.
func (g gaps) ofContainer(gap *collectors.Record, r value.Read) bool {
	if gap.Container != "" && r.Container != "" && gap.Container != r.Container {
		return false
	}
	if gap.Object.Kind == "Node" {
		return g.onNode(r, gap.Object.Name)
	}
	return gap.Object.Name == "" || g.isOf(gap.Object, r)
}

// isOf says whether an object may be one that was read.
func (g gaps) isOf(o collectors.Object, r value.Read) bool {
	switch {
	case o.Name == "" || r.Name != "":
		return o.Name == "" || o.Name == r.Name
	case r.Job != "":
		return ofJob(g.tl, o, r.Job)
	}
	return true
}

// ofJob says whether a pod belongs to a Job, by its owner, or if that was not
// seen by its name.
func ofJob(tl *collectors.Timeline, pod collectors.Object, job string) bool {
	for _, p := range tl.Pods() {
		if p.Object.Name == pod.Name && p.Object.Namespace == pod.Namespace {
			owner := p.Pod().Owner
			return owner != nil && owner.Kind == jobKind && owner.Name == job
		}
	}
	return strings.HasPrefix(pod.Name, job+"-") || len(job) > longName
}

// longName is from where on the names of a Job's pods do not begin with all of
// the Job's own.
const longName = 50

// onNode says whether a pod that was read may be on a node.
func (g gaps) onNode(r value.Read, node string) bool {
	known := false
	for _, p := range g.tl.Pods() {
		if !g.isOf(p.Object, r) {
			continue
		}
		known = true
		if p.Pod().Node == "" || p.Pod().Node == node {
			return true
		}
	}
	return !known
}

// stands says whether a reason why something could not be known still is one:
// that of a gap that went on is none any more once it is over, as between looks
// at it.
func (g gaps) stands(why string) bool {
	for _, r := range g.tl.Gaps() {
		if g.text(&r) == why && (r.Gap.Count != 0 || r.Gap.To.IsZero()) {
			return true
		}
	}
	return strings.HasPrefix(why, droppedLines)
}

// isOver says whether a reason is that of a gap that is over, and in which nothing
// was lost. What is unknown because of a gap as it was at an earlier time, such as
// when a container became ready meanwhile, stays unknown.
func (g gaps) isOver(why string) bool {
	return slices.ContainsFunc(g.tl.Gaps(), func(r collectors.Record) bool {
		return r.Gap.Count == 0 && !r.Gap.To.IsZero() && g.text(&r) == why
	})
}

// text says what was not seen, when and why.
func (g gaps) text(r *collectors.Record) string {
	of := ""
	if r.Object.Name != "" {
		of = " of " + r.Object.Kind + " " + r.Object.Name
	}
	if r.Container != "" {
		of += fmt.Sprintf(", container %q,", r.Container)
	}
	until := " on"
	if !r.Gap.To.IsZero() {
		until = fmt.Sprintf(" to %.3fs", g.tl.Seconds(r.Gap.To))
	}
	text := fmt.Sprintf("the source %q saw nothing%s from %.3fs%s of the run", r.Source, of, g.tl.Seconds(r.Gap.From), until)
	if r.Gap.Reason != "" {
		text += " (" + r.Gap.Reason + ")"
	}
	return text
}
