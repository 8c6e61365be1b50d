// Package hide holds verdicts to their promise: it takes a journal, hides spans
// of what its sources reported, as they declare it, delays what arrived, and judges
// again. Hiding may turn a verdict into Error and never into its opposite;
// delays may change when it is known and never what it is.
//
// It is made for tests: of random journals and of recordings.
package hide

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/kind-lab/lab/collectors"
)

// Answer is how long sources take to answer when they are asked. What arrives is
// late by less than that.
const Answer = time.Second

// Span is a stretch of time that a source does not see, both ends included.
type Span struct {
	Source collectors.Source
	// Kind is that of the objects whose watch is away; empty for all of the
	// API, and for other sources.
	Kind     string
	From, To time.Time
	// Open says that the source does not come back.
	Open bool
	// Late says that nothing is lost: everything is reported at the end of the span.
	Late bool
}

// String is such as "api from 3.000s to 8.000s, late", in seconds of the day.
func (s Span) String() string {
	text := fmt.Sprintf("%s %s from %s to %s", s.Source, s.Kind, s.From.Format("05.000"), s.To.Format("05.000"))
	if s.Open {
		text += " and on"
	}
	if s.Late {
		text += ", late"
	}
	return text
}

// hides says whether a record is of the span.
func (s Span) hides(r *collectors.Record) bool {
	if r.Source != s.Source || r.Type == collectors.TypeGap || r.Received.Before(s.From) || !s.Open && r.Received.After(s.To) {
		return false
	}
	return s.Kind == "" || s.Kind == kindOf(r)
}

// kindOf is the kind whose watch reported a record.
func kindOf(r *collectors.Record) string {
	if r.Type == collectors.TypeEvent {
		return "Event"
	}
	return r.Object.Kind
}

// Hide is the journal that sources report if they do not see a span: what was lost
// is missing, what they find out afterwards is reported at the end of the span, and
// gaps say so.
// records must be ordered by Received, and have no gap of that time.
func Hide(records []collectors.Record, s Span, rnd *rand.Rand) []collectors.Record {
	var reported, hidden []collectors.Record
	for i := range records {
		if s.hides(&records[i]) {
			hidden = append(hidden, records[i])
		} else {
			reported = append(reported, records[i])
		}
	}
	noticed := s.From.Add(time.Duration(rnd.Int64N(int64(Answer * 9 / 10))))
	object := collectors.Object{Kind: s.Kind}
	if s.Open || noticed.Before(s.To) {
		reported = append(reported, gap(s, object, noticed, time.Time{}, -1))
	}
	if s.Open {
		return ordered(reported)
	}
	if !s.Late {
		reported = append(reported, afterwards(reported, hidden, s, rnd)...)
		count := -1
		if s.Source == collectors.SourceLog && len(hidden) > 0 && rnd.IntN(2) == 0 {
			count = len(hidden) // these lines were dropped, and were counted
		}
		return ordered(append(reported, gap(s, object, s.To, s.To, count)))
	}
	for _, r := range hidden {
		reported = append(reported, at(r, s.To))
	}
	reported = append(reported, gap(s, object, s.To, s.To, 0)) // a source says so when it has reported everything
	return ordered(reported)
}

func gap(s Span, o collectors.Object, received, to time.Time, count int) collectors.Record {
	return collectors.Record{Time: received, Received: received, Source: s.Source, Type: collectors.TypeGap, Object: o,
		Gap: &collectors.Gap{From: s.From, To: to, Reason: "hidden", Count: count}}
}

// at is a record that is received at a time. The API says of no change when it
// was, so that its time is that of the receipt.
func at(r collectors.Record, received time.Time) collectors.Record {
	r.Received = received
	if r.Source == collectors.SourceAPI {
		r.Time = received
	}
	return r
}

// afterwards is what a source tells of what it did not see.
func afterwards(reported, hidden []collectors.Record, s Span, rnd *rand.Rand) []collectors.Record {
	switch s.Source {
	case collectors.SourceAPI:
		return relisted(reported, hidden, s, rnd)
	case collectors.SourceRuntime:
		return caughtUp(hidden, s, rnd)
	}
	return nil
}

// stateOf names what has a state: an object, as one kind of records has it.
type stateOf struct {
	object collectors.Object
	as     collectors.Type
}

func stateKey(r *collectors.Record) stateOf {
	return stateOf{r.Object, collectors.Type(strings.TrimSuffix(string(r.Type), "-gone"))}
}

// relisted are the states that a list finds: the newest of each object, and
// which are gone. What came and went in between is lost.
func relisted(reported, hidden []collectors.Record, s Span, rnd *rand.Rand) []collectors.Record {
	known, newest := map[stateOf]bool{}, map[stateOf]collectors.Record{}
	for i := range reported {
		if reported[i].Received.Before(s.From) {
			known[stateKey(&reported[i])] = true
		}
	}
	var found []stateOf
	var events []collectors.Record
	for _, r := range hidden {
		if r.Type == collectors.TypeEvent {
			if rnd.IntN(2) == 0 { // else it has expired
				events = append(events, at(r, s.To))
			}
			continue
		}
		k := stateKey(&r)
		if _, again := newest[k]; !again {
			found = append(found, k)
		}
		newest[k] = r
	}
	var listed []collectors.Record
	for _, k := range found {
		if r := newest[k]; known[k] || !isGone(r.Type) {
			listed = append(listed, at(r, s.To))
		}
	}
	return append(listed, events...)
}

func isGone(t collectors.Type) bool {
	return t == collectors.TypePodGone || t == collectors.TypeJobGone || t == collectors.TypeObjectGone
}

// caughtUp is what the runtime keeps of containers: the start and the end of the
// newest run of each. Of a pod whose containers it has removed it knows nothing,
// which is a gap that goes on.
func caughtUp(hidden []collectors.Record, s Span, rnd *rand.Rand) []collectors.Record {
	type key struct {
		of        collectors.Object
		container string
	}
	newest := map[key]string{}
	removed := map[collectors.Object]bool{}
	for _, r := range hidden {
		newest[key{r.Object, r.Container}] = r.Task.ID
		if _, seen := removed[r.Object]; !seen {
			removed[r.Object] = rnd.IntN(6) == 0
		}
	}
	var reported []collectors.Record
	lost := map[collectors.Object]bool{}
	for _, r := range hidden {
		switch {
		case removed[r.Object]:
			if !lost[r.Object] {
				lost[r.Object] = true
				reported = append(reported, gap(s, r.Object, s.To, time.Time{}, -1))
			}
		case newest[key{r.Object, r.Container}] == r.Task.ID:
			reported = append(reported, at(r, s.To))
		}
	}
	return reported
}

// ordered are records by when they were received.
func ordered(records []collectors.Record) []collectors.Record {
	slices.SortStableFunc(records, func(a, b collectors.Record) int { return a.Received.Compare(b.Received) })
	return records
}

// Delay is the journal with records that arrive late by less than Answer, each
// stream in its own order.
func Delay(records []collectors.Record, rnd *rand.Rand) []collectors.Record {
	type stream struct {
		source    collectors.Source
		kind, pod string
	}
	last, often := map[stream]time.Time{}, 1+rnd.IntN(4)
	newest := map[collectors.Source]time.Time{}
	floor := map[collectors.Source]time.Time{}
	delayed := make([]collectors.Record, 0, len(records))
	for _, r := range records {
		if r.Source == collectors.SourceLab {
			delayed = append(delayed, r)
			continue
		}
		of := stream{source: r.Source, kind: kindOf(&r)}
		if r.Source != collectors.SourceAPI {
			of.kind = ""
		}
		if r.Source == collectors.SourceLog {
			of.pod = r.Object.UID + r.Container
		}
		received := r.Received
		if rnd.IntN(often) == 0 {
			received = received.Add(time.Duration(rnd.Int64N(int64(Answer * 9 / 10))))
		}
		if r.Type == collectors.TypeGap { // it comes after what was reported before it, and before the rest
			received = later(received, newest[r.Source])
			floor[r.Source] = received
		}
		received = later(received, later(last[of], floor[r.Source]))
		last[of], newest[r.Source] = received, later(received, newest[r.Source])
		delayed = append(delayed, ending(at(r, received)))
	}
	return ordered(delayed)
}

// ending is a record of which a gap that it ends is over when it tells so.
func ending(r collectors.Record) collectors.Record {
	if r.Gap != nil && !r.Gap.To.IsZero() {
		over := *r.Gap
		over.To, r.Gap = r.Received, &over
	}
	return r
}

func later(a, b time.Time) time.Time {
	if a.Before(b) {
		return b
	}
	return a
}

// RandomSpan is one between two moments, of one of the sources of the records.
func RandomSpan(rnd *rand.Rand, from, to time.Time, length time.Duration) Span {
	s := Span{Source: []collectors.Source{collectors.SourceAPI, collectors.SourceRuntime, collectors.SourceLog}[rnd.IntN(3)]}
	if s.Source == collectors.SourceAPI {
		s.Kind = []string{"", "", "Pod", "Job", "Event"}[rnd.IntN(5)]
	}
	s.From = from.Add(time.Duration(rnd.Int64N(int64(cmp.Or(max(0, to.Sub(from)), 1)))))
	s.To = s.From.Add(length)
	s.Open, s.Late = rnd.IntN(8) == 0, rnd.IntN(4) == 0
	return s
}
