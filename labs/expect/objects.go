package expect

import (
	"time"

	"github.com/kind-lab/lab/collectors"
	"github.com/kind-lab/lab/dsl/value"
)

func keyOf(s *collectors.ObjectState) value.ObjectKey {
	return value.ObjectKey{Kind: value.Kind{APIVersion: s.APIVersion, Kind: s.Object.Kind}, Name: s.Object.Name}
}

// newestObjects are the objects of a namespace and those of none, the newest
// of each name.
func newestObjects(tl *collectors.Timeline, namespace string) map[value.ObjectKey]*collectors.ObjectState {
	newest := map[value.ObjectKey]*collectors.ObjectState{}
	for _, s := range tl.Objects() {
		if of := s.Object.Namespace; namespace != "" && of != "" && of != namespace {
			continue
		}
		old := newest[keyOf(s)]
		if old == nil || !s.First.Content.CreatedAt.Before(old.First.Content.CreatedAt) {
			newest[keyOf(s)] = s
		}
	}
	return newest
}

// object is what is known of an object; null once it is gone.
func (f folder) object(s *collectors.ObjectState) *value.Object {
	return &value.Object{
		Absent: s.GoneAt.Known(), Name: s.Object.Name, UID: s.Object.UID, Fields: s.Fields,
		CreatedAt:  f.time(collectors.APIMoment(s.First.Content.CreatedAt)),
		GoneAt:     f.heard(s.GoneAt, false),
		Events:     f.events(s.Object),
		Blind:      f.gaps.open(value.Read{Stream: value.ObjectStream(s.Object.Kind), Name: s.Object.Name}),
		EventsLack: f.gaps.lost(value.Read{Stream: value.EventStream, Name: s.Object.Name}, s.First.Content.CreatedAt),
	}
}

func (f folder) events(of collectors.Object) []value.Event {
	var events []value.Event
	for _, r := range f.tl.Events(of) {
		events = append(events, value.Event{
			Reason: r.Event.Reason, Message: r.Event.Message, Type: r.Event.EventType, Count: r.Event.Count,
			At: value.Time{Seconds: f.tl.Seconds(r.Event.LastAt), Precision: time.Second, Source: string(collectors.SourceAPI)},
		})
	}
	return events
}
