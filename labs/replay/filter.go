package replay

import (
	"slices"
	"strings"
	"time"

	"github.com/kind-lab/lab/collectors"
	"github.com/kind-lab/lab/labs/selection"
)

// Content says what the records are about that a Filter includes.
type Content int

// What records are about.
const (
	// Everything is all records.
	Everything Content = iota
	// AllButLogLines is all records but the lines of logs.
	AllButLogLines
	// LogLines is the lines of logs, and the gaps in which some were lost.
	LogLines
	// Events is the Kubernetes events.
	Events
)

// Filter chooses records of a recording. Each of its fields narrows the choice,
// and the zero value includes every record.
type Filter struct {
	Scenarios, Clusters selection.Names
	Content             Content
	// Sources are the sources of the records; none stand for all.
	Sources []collectors.Source
	// PodPrefix is how the name of the record's pod begins. Records of other
	// objects are left out if it is set.
	PodPrefix string
	// Container is the name of the record's container.
	Container string
	// Kind and Name are those of the record's object. The kind is compared
	// regardless of case.
	Kind, Name string
	// From leaves out what was received before.
	From time.Time
}

// Include reports whether a record of a scenario on a cluster is chosen.
func (f Filter) Include(scenario, cluster string, r collectors.Record) bool {
	o := r.Object
	switch {
	case !f.Scenarios.Include(scenario) || !f.Clusters.Include(cluster):
	case !f.Content.include(r):
	case len(f.Sources) > 0 && !slices.Contains(f.Sources, r.Source):
	case f.PodPrefix != "" && (o.Kind != "Pod" || !strings.HasPrefix(o.Name, f.PodPrefix)):
	case f.Container != "" && r.Container != f.Container:
	case f.Kind != "" && !strings.EqualFold(o.Kind, f.Kind):
	case f.Name != "" && o.Name != f.Name:
	case r.Received.Before(f.From):
	default:
		return true
	}
	return false
}

func (c Content) include(r collectors.Record) bool {
	switch c {
	case AllButLogLines:
		return r.Type != collectors.TypeLog
	case LogLines:
		return r.Type == collectors.TypeLog && r.Log != nil || r.Type == collectors.TypeGap && r.Source == collectors.SourceLog && r.Gap != nil
	case Events:
		return r.Type == collectors.TypeEvent && r.Event != nil
	}
	return true
}

// Ended returns when the last record of these scenarios on these clusters was
// received, and the zero time if there are none.
func (rec *Recording) Ended(scenarios, clusters selection.Names) time.Time {
	var end time.Time
	for _, run := range rec.Find(scenarios, clusters) {
		if run.End.After(end) {
			end = run.End
		}
	}
	return end
}

// Tail chooses the last lines of each container.
type Tail struct {
	lines int
	seen  map[stream]int
}

// stream is where the lines of a log are from.
type stream struct{ scenario, cluster, uid, pod, container string }

// NewTail chooses so many lines of each container.
func NewTail(lines int) *Tail { return &Tail{lines: lines, seen: map[stream]int{}} }

// Include reports whether a record of a scenario on a cluster is among the last
// lines of its container, or is no line. The records are to be given from the
// last to the first.
func (t *Tail) Include(scenario, cluster string, r collectors.Record) bool {
	if r.Log == nil {
		return true
	}
	s := stream{scenario, cluster, r.Object.UID, r.Object.Name, r.Container}
	t.seen[s]++
	return t.seen[s] <= t.lines
}
