package value

import (
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"
)

// Stream names what tells of a value, in an order of its own: two values of one
// stream were so at the same time, two of different streams need not have been.
type Stream string

// The streams. That of the objects of a kind is ObjectStream of the kind.
const (
	// PodStream is the watch of the pods, JobStream that of the Jobs.
	PodStream = Stream("api/Pod")
	JobStream = Stream("api/Job")
	// EventStream is the watch of the Kubernetes events.
	EventStream = Stream("api/Event")
	// LifeStream is one history of a container, made of what the container
	// runtime and the API tell of it; RuntimeStream is what the runtime alone
	// tells of its starts and ends.
	LifeStream    = Stream("life")
	RuntimeStream = Stream("runtime")
	// LogStream is a container's log.
	LogStream = Stream("log")
	// StepStream is the record of the scenario's own steps.
	StepStream = Stream("step")
)

// ObjectStream is the watch of the objects of a kind that has no stream of its
// own above, and of pods and Jobs where object() asks for them.
func ObjectStream(kind string) Stream { return Stream("object/" + kind) }

// Kind is the kind of objects that a watch tells of; empty for a stream that is
// no watch.
func (s Stream) Kind() string {
	if of, kind, ok := strings.Cut(string(s), "/"); ok && (of == "api" || of == "object") {
		return kind
	}
	return ""
}

// Read marks a value with what it was read from: a change there can change it,
// and so can what a source did not see of it.
type Read struct {
	Stream Stream
	// Name is the object's: the pod's for PodStream, LifeStream and LogStream.
	// It is empty if any object of the stream can change the value.
	Name string
	// Job is set for the pods of a Job: those that it owns, whatever their names.
	Job string
	// Container is the container's name; empty for all of the pod.
	Container string
	// Pattern is set where of a log only the lines that match can change the
	// value.
	Pattern string
}

// incomplete marks a list, or a text, that has what was seen and may lack what
// was not. What is made of it is not known, unless a function knows that what
// was seen is enough.
type incomplete struct{ why string }

// blind marks an unknown value that is unknown because its source saw nothing.
type blind struct{ why string }

// logMark marks the log of a container, whether its lines are at hand or not.
type logMark struct {
	container *Container
	pod       string
	// withheld says that the lines are not at hand.
	withheld bool
}

func (m logMark) read(pattern string) Read {
	return Read{Stream: LogStream, Name: m.pod, Container: m.container.Name, Pattern: pattern}
}

// logOf is the mark of a container's log.
func logOf(log cty.Value) (logMark, bool) {
	for m := range cty.ValueMarksOfType[logMark](log) {
		return m, true
	}
	return logMark{}, false
}

// Finding is the value of an expression with what it rests on.
type Finding struct {
	// Value has no marks. It is unknown if it depends on what was not
	// observed yet, or may not have been seen.
	Value cty.Value
	// Reads are what the value was read from, each once.
	Reads []Read
	// Objects are the objects that were looked up: another one may take the name
	// of one of them, which can change the value, too.
	Objects []Read
	// Unseen says why the value cannot be known: the stretches that a source
	// did not see. It is empty if that is not the reason.
	Unseen []string
	// Imprecise says that a truth is not known since times are not known finely
	// enough. Partly says that it is not known yet, and may be false already, since
	// they are not.
	Imprecise, Partly bool
	// Sensitive says that the value, or something in it, must not be printed.
	Sensitive bool
}

// Marked is the value, with the mark Sensitive where it must not be printed: for
// messages about it.
func (f Finding) Marked() cty.Value {
	if f.Sensitive {
		return f.Value.Mark(Sensitive)
	}
	return f.Value
}

// isIncomplete says whether a value, not what is within it, is incomplete.
func isIncomplete(v cty.Value) bool {
	for range cty.ValueMarksOfType[incomplete](v) {
		return true
	}
	return false
}

// isRead says whether a value was read from what was observed.
func isRead(v cty.Value) bool {
	for range cty.ValueMarksOfType[Read](v) {
		return true
	}
	return false
}

// withoutIncomplete are marks less those of incompleteness: of a value for
// which what was seen is enough.
func withoutIncomplete(marks cty.ValueMarks) cty.ValueMarks {
	rest := cty.ValueMarks{}
	for m := range marks {
		if _, is := m.(incomplete); !is {
			rest[m] = struct{}{}
		}
	}
	return rest
}

// settled is a value that is unknown if what it was made of is incomplete. It
// keeps its marks.
func settled(v cty.Value) cty.Value {
	if !v.ContainsMarked() || !isIncomplete(v) {
		return v
	}
	plain, marks := v.Unmark()
	if !plain.IsKnown() {
		return v
	}
	return cty.UnknownVal(plain.Type()).WithMarks(marks)
}

// nowKnown is a value with what it was read from; unknown if why says that its
// source saw nothing. absent says that v is unknown because nothing was observed.
func nowKnown(v cty.Value, why string, read Read, absent bool) cty.Value {
	if why != "" {
		if !absent {
			plain, _ := v.UnmarkDeep()
			v = cty.UnknownVal(plain.Type())
		}
		v = v.Mark(blind{why})
	}
	return v.Mark(read)
}

// lacking is a list with what it was read from; incomplete if why says so.
func lacking(v cty.Value, why string, read Read) cty.Value {
	if why != "" {
		v = v.Mark(incomplete{why})
	}
	return v.Mark(read)
}

// asBlind are marks of which those of incompleteness say why a value that was
// made of it is unknown.
func asBlind(marks cty.ValueMarks) cty.ValueMarks {
	all := cty.ValueMarks{}
	for m := range marks {
		if lack, is := m.(incomplete); is {
			m = blind{lack.why}
		}
		all[m] = struct{}{}
	}
	return all
}

// finding takes a value and its marks apart.
func (e *evaluation) finding(v cty.Value) Finding {
	plain, marks := v.UnmarkDeep()
	var f Finding
	seen := map[string]bool{}
	unseen := func(why string) {
		if !seen[why] {
			seen[why] = true
			f.Unseen = append(f.Unseen, why)
		}
	}
	lacks := false
	for m := range marks {
		switch m := m.(type) {
		case Read:
			f.Reads = append(f.Reads, m)
		case incomplete:
			lacks = true
			unseen(m.why)
		case blind:
			unseen(m.why)
		case mark:
			f.Imprecise = f.Imprecise || m == imprecise
			f.Partly = f.Partly || m == partly
			f.Sensitive = f.Sensitive || m == Sensitive
		}
	}
	f.Value = plain
	if lacks && plain.Type() == cty.Bool {
		f.Value = cty.UnknownVal(cty.Bool)
	}
	f.Imprecise, f.Partly = f.Imprecise && !f.Value.IsKnown(), f.Partly && !f.Value.IsKnown()
	if !f.Value.IsWhollyKnown() {
		if len(f.Reads) == 0 {
			for _, why := range e.touched.unseen {
				unseen(why)
			}
		}
		f.Reads = e.touched.reads(f.Reads)
	} else {
		f.Unseen = nil
		if len(f.Reads) == 0 {
			f.Reads = e.touched.objects()
		}
	}
	f.Objects = e.touched.objects()
	SortReads(f.Reads)
	f.Reads = slices.Compact(f.Reads)
	slices.Sort(f.Unseen)
	return f
}

// SortReads puts reads into an order.
func SortReads(reads []Read) { slices.SortFunc(reads, compareReads) }

func compareReads(a, b Read) int {
	return strings.Compare(a.key(), b.key())
}

func (r Read) key() string {
	return strings.Join([]string{string(r.Stream), r.Name, r.Job, r.Container, r.Pattern}, "\x00")
}

// touches are the objects that the evaluation looked up. Some of what HCL does
// with an unknown value of an unknown type takes its marks off, so that they
// are kept beside it.
type touches struct {
	// absent are those of which nothing was observed, present the others.
	absent, present []Read
	// unseen says why some are not known now.
	unseen []string
}

// reads are the reads that an unknown value rests on, of which marked are known.
func (t *touches) reads(marked []Read) []Read {
	all := append(marked, t.absent...)
	if len(marked) == 0 {
		all = append(all, t.present...)
	}
	return all
}

// objects are the reads of which objects there are: another one may take the
// place of one that is read by its name.
func (t *touches) objects() []Read {
	return slices.DeleteFunc(slices.Clone(t.present), func(r Read) bool { return r.Stream.Kind() == "" || r.Stream == EventStream || r.Job != "" })
}

// cannotSee notes why an object that was looked up is not known now, if it is
// not.
func (t *touches) cannotSee(why string) {
	if why != "" {
		t.unseen = append(t.unseen, why)
	}
}

// pod notes that a pod was looked up.
func (t *touches) pod(name string, there bool) {
	if !there {
		t.absent = append(t.absent, Read{Stream: PodStream, Name: name})
		return
	}
	for _, s := range []Stream{PodStream, LifeStream, RuntimeStream, LogStream, EventStream} {
		t.present = append(t.present, Read{Stream: s, Name: name})
	}
}

// job notes that a Job was looked up.
func (t *touches) job(name string, there bool) {
	if !there {
		t.absent = append(t.absent, Read{Stream: JobStream, Name: name})
		return
	}
	t.present = append(t.present, Read{Stream: JobStream, Name: name})
	for _, s := range []Stream{PodStream, LifeStream, RuntimeStream, LogStream, EventStream} {
		t.present = append(t.present, Read{Stream: s, Job: name})
	}
}

// other notes that a step, or an object of another kind, was looked up.
func (t *touches) other(stream Stream, name string, there bool) {
	if !there {
		t.absent = append(t.absent, Read{Stream: stream, Name: name})
		return
	}
	t.present = append(t.present, Read{Stream: stream, Name: name})
}
