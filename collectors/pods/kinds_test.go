package pods

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kind-lab/lab/collectors"
)

func deployment(ready int32) *appsv1.Deployment {
	return &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: "lab", UID: "uid-web", ManagedFields: []metav1.ManagedFieldsEntry{{Manager: "kubectl"}}},
		Status:     appsv1.DeploymentStatus{ReadyReplicas: ready},
	}
}

// last is the newest record of a type.
func (s *sink) last(kind collectors.Type) *collectors.Record {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := len(s.records) - 1; i >= 0; i-- {
		if s.records[i].Type == kind {
			return &s.records[i]
		}
	}
	return nil
}

// TestObjectsOfOtherKinds watches a Deployment, of a group that is served only
// later, a Node and an event.
func TestObjectsOfOtherKinds(t *testing.T) {
	f, s := newFakeAPI(t), newSink()
	r := startWith(t, f, s, Options{Events: true, Kinds: []collectors.Kind{{APIVersion: "apps/v1", Kind: "Deployment"}, {APIVersion: "v1", Kind: "Node"}}}).ready(t)
	f.put(&corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "node-1", UID: "uid-node"}}, "Ready", "")
	s.waitFor(t, "object node-1")
	f.put(deployment(0), "", "0/1")
	s.waitFor(t, "object web")
	f.put(deployment(1), "", "1/1")
	f.put(&corev1.Event{
		ObjectMeta: metav1.ObjectMeta{Name: "web.1", Namespace: "lab", UID: "uid-event"}, Reason: "ScalingReplicaSet", Message: "scaled up", Type: "Normal",
		InvolvedObject: corev1.ObjectReference{Kind: "Deployment", Namespace: "lab", Name: "web", UID: "uid-web"}, Count: 2,
		FirstTimestamp: metav1.NewTime(time.Unix(100, 0)), LastTimestamp: metav1.NewTime(time.Unix(130, 0)),
	}, "", "")
	s.waitFor(t, "event web")
	f.remove("events", "web.1") // events expire
	f.remove("deployments", "web")
	s.waitFor(t, "object-gone web")
	if err := r.end(t); err != nil {
		t.Fatal(err)
	}
	gone := s.last(collectors.TypeObjectGone)
	var fields struct{ Status struct{ ReadyReplicas int } }
	if err := json.Unmarshal(gone.Content.JSON, &fields); err != nil || fields.Status.ReadyReplicas != 1 {
		t.Errorf("the last state is %s, %v", gone.Content.JSON, err)
	}
	if strings.Contains(string(gone.Content.JSON), "managedFields") || gone.Content.APIVersion != "apps/v1" || gone.Object.Kind != "Deployment" {
		t.Errorf("got %+v %s", gone.Object, gone.Content.JSON)
	}
	event := s.last(collectors.TypeEvent)
	if event.Event.Count != 2 || event.Event.LastAt.Unix() != 130 || event.Object.UID != "uid-web" {
		t.Errorf("got %+v of %+v", event.Event, event.Object)
	}
	timeline := collectors.NewTimeline(time.Unix(100, 0))
	for _, r := range s.records {
		timeline.Add(r)
	}
	objects := timeline.Objects()
	if len(objects) != 2 || objects[1].Object.Name != "web" || !objects[1].GoneAt.Known() || objects[1].Fields["status"] == nil {
		t.Errorf("the timeline has %+v", objects)
	}
	if events := timeline.Events(collectors.Object{Kind: "Deployment", Namespace: "lab", Name: "web"}); len(events) != 1 {
		t.Errorf("the timeline has %d events", len(events))
	}
}

func TestAGapOfAnotherKindNamesIt(t *testing.T) {
	f, s := newFakeAPI(t), newSink()
	f.put(deployment(1), "", "1/1")
	r := startWith(t, f, s, Options{Kinds: []collectors.Kind{{APIVersion: "apps/v1", Kind: "Deployment"}}}).ready(t)
	s.waitFor(t, "object web")
	f.compact()
	f.closeWatches()
	s.waitFor(t, "gap watching deployments")
	if err := r.end(t); err != nil {
		t.Fatal(err)
	}
	if g := s.last(collectors.TypeGap); g == nil {
		t.Error("no gap")
	}
	found := false
	for _, r := range s.records {
		found = found || r.Gap != nil && r.Object.Kind == "Deployment"
	}
	if !found {
		t.Errorf("no gap names its kind: %v", s.lines())
	}
}

func TestAnObjectThatIsTooLongIsSaidToBe(t *testing.T) {
	object, err := json.Marshal(&corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Name: "big", Namespace: "lab", UID: types.UID("u")}, Data: map[string]string{"x": strings.Repeat("x", collectors.MaxContent)},
	})
	if err != nil {
		t.Fatal(err)
	}
	d, err := decodeObject(row{object: object}, collectors.Kind{APIVersion: "v1", Kind: "ConfigMap"})
	if err != nil || !d.record.Content.TooLong || len(d.record.Content.JSON) > 0 {
		t.Errorf("%+v, %v", d.record.Content, err)
	}
}
