package expect

import (
	"regexp"

	"github.com/kind-lab/lab/collectors"
	"github.com/kind-lab/lab/dsl/value"
)

// touched says whether a record can change what was read.
func touched(s *Scope, reads []value.Read, r *collectors.Record) bool {
	if s.Namespace != "" && r.Object.Namespace != "" && r.Object.Namespace != s.Namespace {
		return false
	}
	switch r.Type {
	case collectors.TypeGap:
		return r.Gap != nil && hidden(s, reads, r)
	case collectors.TypeClock: // the times of steps are by another clock
		return true
	}
	for _, read := range reads {
		if touches(s, read, r) {
			return true
		}
	}
	return false
}

// hidden says whether a gap is of what was read.
func hidden(s *Scope, reads []value.Read, r *collectors.Record) bool {
	g := gaps{tl: s.Timeline, namespace: s.Namespace}
	for _, read := range reads {
		if g.hides(r, read) {
			return true
		}
	}
	return false
}

// touches says whether a record can change one read.
func touches(s *Scope, read value.Read, r *collectors.Record) bool {
	g := gaps{tl: s.Timeline, namespace: s.Namespace}
	switch r.Type {
	case collectors.TypePod, collectors.TypePodGone:
		switch {
		case read.Stream != value.PodStream && read.Stream != value.LifeStream && read.Stream != value.RuntimeStream:
			return false
		case read.Job != "" && r.Pod != nil && r.Pod.Owner != nil:
			return r.Pod.Owner.Kind == jobKind && r.Pod.Owner.Name == read.Job
		}
		return g.isOf(r.Object, read)
	case collectors.TypeJob, collectors.TypeJobGone:
		return read.Stream == value.JobStream && (read.Name == "" || read.Name == r.Object.Name)
	case collectors.TypeObject, collectors.TypeObjectGone:
		return read.Stream == value.ObjectStream(r.Object.Kind) && (read.Name == "" || read.Name == r.Object.Name)
	case collectors.TypeEvent:
		return read.Stream == value.EventStream && g.isOf(r.Object, read)
	case collectors.TypeTaskStart, collectors.TypeTaskExit, collectors.TypeTaskOOM:
		return (read.Stream == value.LifeStream || read.Stream == value.RuntimeStream) && g.isOf(r.Object, read) &&
			(read.Container == "" || r.Container == "" || read.Container == r.Container)
	case collectors.TypeLog:
		return read.Stream == value.LogStream && r.Log != nil && g.isOf(r.Object, read) &&
			(read.Container == "" || read.Container == r.Container) && matches(s, read.Pattern, r.Log.Text)
	case collectors.TypeStep:
		return read.Stream == value.StepStream && (r.Step == nil || read.Name == "" || read.Name == r.Step.Name)
	}
	return false
}

// matches says whether a line may matter where only those do that match.
func matches(s *Scope, pattern, text string) bool {
	if pattern == "" {
		return true
	}
	if s.patterns == nil {
		s.patterns = map[string]*regexp.Regexp{}
	}
	re := s.patterns[pattern]
	if re == nil {
		compiled, err := regexp.Compile(pattern)
		if err != nil {
			return true
		}
		re = compiled
		s.patterns[pattern] = re
	}
	return re.MatchString(text)
}

// proves says whether a record shows by itself that what was read is so: it is
// of the one stream that tells of it, so that what was known before it and what
// it says were so at one time. What the runtime and the API tell together of a
// container is no such stream, since one may be behind the other.
func proves(s *Scope, reads []value.Read, r *collectors.Record) bool {
	if len(reads) == 0 {
		return true
	}
	if r == nil || r.Type == collectors.TypeGap || streams(reads) > 1 || reads[0].Stream == value.LifeStream {
		return false
	}
	for _, read := range reads {
		if touches(s, read, r) {
			return true
		}
	}
	return false
}
