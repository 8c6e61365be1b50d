package collectors

import (
	"bytes"
	"encoding/json"
	"slices"
)

// ObjectState is what is known of an object of any kind but Pod and Job: one
// UID. It must not be changed.
type ObjectState struct {
	Object Object
	// APIVersion is that of the kind.
	APIVersion string
	// First and Last are the first and the newest record that have its state.
	First, Last Record
	// Fields is the newest state's JSON, decoded with json.Number; nil if it
	// was too long.
	Fields map[string]any
	// GoneAt is when the removal from the API was received.
	GoneAt Moment
}

// objectKey tells objects apart: two kinds of different groups may have the
// same name, and an object may be made anew.
type objectKey struct {
	apiVersion string
	object     Object
}

// addObject folds a record of an object.
func (t *Timeline) addObject(r Record) {
	if r.Content == nil {
		return
	}
	key := objectKey{r.Content.APIVersion, r.Object}
	o := ObjectState{Object: r.Object, APIVersion: r.Content.APIVersion, First: r}
	before := t.objectOf[key]
	if before != nil {
		o = *before
	}
	o.Last, o.Fields = r, fields(r.Content.JSON)
	if r.Type == TypeObjectGone && !o.GoneAt.Known() {
		o.GoneAt = recordMoment(r)
	}
	t.objectOf[key] = &o
	if before == nil {
		t.objects = append(t.objects, &o)
		return
	}
	t.objects = slices.Clone(t.objects) // a snapshot that was given out stays as it is
	t.objects[slices.Index(t.objects, before)] = &o
}

func fields(document json.RawMessage) map[string]any {
	decoder := json.NewDecoder(bytes.NewReader(document))
	decoder.UseNumber()
	var all map[string]any
	if len(document) == 0 || decoder.Decode(&all) != nil {
		return nil
	}
	return all
}

// Objects are all objects but pods and Jobs that were watched, those that are
// gone among them, in the order in which they were first seen.
func (t *Timeline) Objects() []*ObjectState { return t.objects[:len(t.objects):len(t.objects)] }

// maxEvents bounds the Kubernetes events that a Timeline keeps; older ones are
// let go first.
const maxEvents = 10000

// addEvent keeps a Kubernetes event; a later state of the same replaces it.
func (t *Timeline) addEvent(r Record) {
	if r.Event == nil {
		return
	}
	t.touchAbout(r.Object)
	for i, e := range slices.Backward(t.events) {
		if e.Object == r.Object && e.Event.Reason == r.Event.Reason && e.Event.Message == r.Event.Message && e.Event.FirstAt.Equal(r.Event.FirstAt) {
			t.events = slices.Clone(t.events)
			t.events[i] = r
			return
		}
	}
	t.events = append(t.events, r)
	if len(t.events) > maxEvents {
		t.touchAbout(t.events[0].Object)
		t.events = slices.Clone(t.events[1:])
	}
}

// touchAbout marks the pods as changed that an event is about.
func (t *Timeline) touchAbout(o Object) {
	for _, p := range t.pods {
		if o.about(p.first.Object) {
			p.snapshot = nil
		}
	}
}

// about says whether an event with that object is about another one. An object
// without UID stands for any of its name.
func (o Object) about(of Object) bool {
	return o.Kind == of.Kind && o.Namespace == of.Namespace && o.Name == of.Name && (of.UID == "" || o.UID == "" || o.UID == of.UID)
}

// Events are the Kubernetes events about an object, in the order in which they
// were first seen.
func (t *Timeline) Events(of Object) []Record {
	var found []Record
	for _, e := range t.events {
		if e.Object.about(of) {
			found = append(found, e)
		}
	}
	return found
}
