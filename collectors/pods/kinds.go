package pods

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kind-lab/lab/collectors"
	"github.com/kind-lab/lab/collectors/internal/retry"
)

// lookAgain is how often it is looked whether a kind is served now.
const lookAgain = time.Second

// find asks the API server for the resource of a kind, and waits until it has
// one.
func (c *Collector) find(ctx context.Context, kind collectors.Kind, isOpen func()) (resource, error) {
	failed := 0
	for {
		r, served, err := c.look(ctx, kind)
		switch {
		case served:
			return r, nil
		case ctx.Err() != nil:
			return resource{}, nil
		case err != nil:
			if failed++; failed >= c.options.Retry.Steps {
				return resource{}, fmt.Errorf("gave up after %d attempts: %w", failed, err)
			}
		default:
			isOpen()
		}
		retry.Sleep(ctx, lookAgain)
	}
}

// look returns the resource of a kind, and whether the API server serves it.
func (c *Collector) look(ctx context.Context, kind collectors.Kind) (resource, bool, error) {
	prefix := []string{"/apis", kind.APIVersion}
	if !strings.Contains(kind.APIVersion, "/") {
		prefix = []string{"/api", kind.APIVersion}
	}
	ctx, cancel := context.WithTimeout(ctx, listFor)
	defer cancel()
	document, err := c.client.Get().AbsPath(prefix...).DoRaw(ctx)
	if apierrors.IsNotFound(err) {
		return resource{}, false, nil
	}
	if err != nil {
		return resource{}, false, fmt.Errorf("looking for the kind %s of %s: %w", kind.Kind, kind.APIVersion, err)
	}
	var list metav1.APIResourceList
	if err := json.Unmarshal(document, &list); err != nil {
		return resource{}, false, fmt.Errorf("reading what %s serves: %w", kind.APIVersion, err)
	}
	for _, served := range list.APIResources {
		if served.Kind == kind.Kind && !strings.Contains(served.Name, "/") {
			return resource{
				name: served.Name, kind: kind.Kind, prefix: prefix, cluster: !served.Namespaced,
				decode: func(r row) (decoded, error) { return decodeObject(r, kind) },
			}, true, nil
		}
	}
	return resource{}, false, nil
}

// decodeObject turns a row of any table into a record.
func decodeObject(r row, kind collectors.Kind) (decoded, error) {
	var meta metav1.PartialObjectMetadata
	if err := json.Unmarshal(r.object, &meta); err != nil {
		return decoded{}, fmt.Errorf("reading a %s that the API server sent: %w", kind.Kind, err)
	}
	document, err := withoutManagedFields(r.object, kind.Kind, kind.APIVersion)
	if err != nil {
		return decoded{}, err
	}
	content := &collectors.Content{
		APIVersion: kind.APIVersion, ResourceVersion: meta.ResourceVersion, CreatedAt: meta.CreationTimestamp.Time, JSON: document,
	}
	if len(document) > collectors.MaxContent {
		content.JSON, content.TooLong = nil, true
	}
	return decoded{uid: string(meta.UID), version: meta.ResourceVersion, record: collectors.Record{
		Type: collectors.TypeObject, Object: object(kind.Kind, &meta.ObjectMeta), Content: content,
	}}, nil
}

func eventResource() resource {
	return resource{name: "events", kind: "Event", prefix: []string{"/api", "v1"}, decode: decodeEvent}
}

// decodeEvent turns a row of the events' table into a record about the object
// that the event is about.
func decodeEvent(r row) (decoded, error) {
	var e corev1.Event
	if err := json.Unmarshal(r.object, &e); err != nil {
		return decoded{}, fmt.Errorf("reading an event that the API server sent: %w", err)
	}
	first, last, count := e.FirstTimestamp.Time, e.LastTimestamp.Time, int(e.Count)
	if first.IsZero() {
		first = e.EventTime.Time
	}
	if e.Series != nil {
		last, count = e.Series.LastObservedTime.Time, int(e.Series.Count)
	}
	if last.IsZero() {
		last = first
	}
	return decoded{uid: string(e.UID), version: e.ResourceVersion, record: collectors.Record{
		Type: collectors.TypeEvent,
		Object: collectors.Object{
			Kind: e.InvolvedObject.Kind, Namespace: e.InvolvedObject.Namespace, Name: e.InvolvedObject.Name, UID: string(e.InvolvedObject.UID),
		},
		Event: &collectors.Event{Reason: e.Reason, Message: e.Message, EventType: e.Type, Count: max(count, 1), FirstAt: first, LastAt: last},
	}}, nil
}
