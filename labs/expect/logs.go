package expect

import (
	"fmt"
	"regexp"
	"time"

	"github.com/kind-lab/lab/collectors"
	"github.com/kind-lab/lab/dsl/value"
)

// droppedLines begins the reason why a log may lack lines that were read.
const droppedLines = "lines were no longer kept"

// logs are the logs of the containers of a timeline, with how far each was
// looked through for which pattern. Without scans it looks anew each time.
type logs struct {
	tl    *collectors.Timeline
	scans map[scanKey]*scan
}

type scanKey struct {
	pod                collectors.Object
	container, pattern string
}

// scan is how far a log was looked through for a pattern.
type scan struct {
	// next counts the lines that were looked at, those that are no longer kept
	// among them.
	next  int
	found *value.Line
	// at is when the line that was found was written.
	at time.Time
	// unseen counts the lines that were let go before they were looked at.
	unseen int
}

// of is a container's log. created is when its pod was.
func (l *logs) of(pod collectors.Object, container string, created time.Time, g gaps) value.Log {
	return &containerLog{logs: l, pod: pod, container: container, created: created, gaps: g}
}

// containerLog is the log of one container.
type containerLog struct {
	*logs
	pod       collectors.Object
	container string
	// created is when the pod was.
	created time.Time
	gaps    gaps
}

var _ value.Log = (*containerLog)(nil)

// Lines are those that are kept.
func (l *containerLog) Lines() []value.Line {
	kept := l.tl.Log(l.pod, l.container).Lines
	lines := make([]value.Line, len(kept))
	for i := range kept {
		lines[i] = l.line(&kept[i])
	}
	return lines
}

func (l *containerLog) line(r *collectors.Record) value.Line {
	return value.Line{
		At:   value.Time{Seconds: l.tl.Seconds(r.Time), Precision: r.Precision, Source: string(r.Source)},
		Text: r.Log.Text,
	}
}

// First is the first line that matches, of those that were kept when they were
// first looked for.
func (l *containerLog) First(pattern *regexp.Regexp) (value.Line, bool) {
	s := l.look(pattern)
	if s.found == nil {
		return value.Line{}, false
	}
	return *s.found, true
}

// look looks through the lines that came since the last time.
func (l *containerLog) look(pattern *regexp.Regexp) *scan {
	key := scanKey{l.pod, l.container, pattern.String()}
	s := l.scans[key]
	if s == nil {
		s = &scan{}
		if l.scans != nil {
			l.scans[key] = s
		}
	}
	if s.found != nil {
		return s
	}
	log := l.tl.Log(l.pod, l.container)
	s.unseen += max(0, log.Dropped-s.next)
	s.next = max(s.next, log.Dropped)
	for ; s.next-log.Dropped < len(log.Lines); s.next++ {
		if r := &log.Lines[s.next-log.Dropped]; pattern.MatchString(r.Log.Text) {
			line := l.line(r)
			s.found, s.at = &line, r.Time
			break
		}
	}
	return s
}

// Lacks says why lines may be missing. With a pattern that was found only those
// before that line matter.
func (l *containerLog) Lacks(pattern *regexp.Regexp) string {
	gone, until := l.tl.Log(l.pod, l.container).Dropped, time.Time{}
	if pattern != nil {
		s := l.look(pattern)
		gone = s.unseen
		if s.found != nil {
			until = s.at.Add(tooNear) // the gap may be of another clock
		}
	}
	if gone > 0 {
		return fmt.Sprintf("%s: the first %d of the log of container %q", droppedLines, gone, l.container)
	}
	return l.gaps.lostBefore(value.Read{Stream: value.LogStream, Name: l.pod.Name, Container: l.container}, l.created, until)
}
