package pods

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
)

// fakeAPI is an API server that keeps pods and Jobs, serves lists and watches
// of them as tables, and can lose its history, close its watches and be away.
type fakeAPI struct {
	t      *testing.T
	server *httptest.Server

	mu        sync.Mutex
	version   int
	objects   map[string]*stored // by resource/name
	history   []change
	compacted int  // versions up to it cannot be watched from
	hang      bool // watches bring nothing
	away      bool
	refuse    int // this status for every request
	changed   chan struct{}
	closing   chan struct{}
	lists     map[string]int
	watches   map[string]int
}

type stored struct {
	resource string
	status   string
	ready    string
	object   metav1.Object
}

type change struct {
	version  int
	resource string
	kind     string
	row      map[string]any
}

func newFakeAPI(t *testing.T) *fakeAPI {
	f := &fakeAPI{
		t: t, version: 100, objects: map[string]*stored{}, changed: make(chan struct{}), closing: make(chan struct{}),
		lists: map[string]int{}, watches: map[string]int{},
	}
	f.server = httptest.NewServer(f)
	t.Cleanup(func() {
		f.closeWatches()
		f.server.CloseClientConnections()
		f.server.Close()
	})
	return f
}

func (f *fakeAPI) config() *rest.Config { return &rest.Config{Host: f.server.URL} }

// put stores an object and tells the watches.
func (f *fakeAPI) put(object metav1.Object, status, ready string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	resource := "jobs"
	switch object.(type) {
	case *corev1.Pod:
		resource = "pods"
	case *corev1.Event:
		resource = "events"
	case *corev1.Node:
		resource = "nodes"
	case *appsv1.Deployment:
		resource = "deployments"
	}
	key := resource + "/" + object.GetName()
	kind := "ADDED"
	if f.objects[key] != nil {
		kind = "MODIFIED"
	}
	f.version++
	object.SetResourceVersion(strconv.Itoa(f.version))
	copied := object.(runtime.Object).DeepCopyObject().(metav1.Object)
	f.objects[key] = &stored{resource: resource, status: status, ready: ready, object: copied}
	f.tell(resource, kind, row1(f.objects[key]))
}

func (f *fakeAPI) remove(resource, name string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	s := *f.objects[resource+"/"+name]
	s.object = s.object.(runtime.Object).DeepCopyObject().(metav1.Object) // the one before may be being sent
	delete(f.objects, resource+"/"+name)
	f.version++
	s.object.SetResourceVersion(strconv.Itoa(f.version))
	f.tell(resource, "DELETED", row1(&s))
}

// bookmark sends one to every watch.
func (f *fakeAPI) bookmark() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.version++
	for _, resource := range []string{"pods", "jobs"} {
		f.tell(resource, "BOOKMARK", map[string]any{"cells": []any{}, "object": map[string]any{
			"metadata": map[string]any{"resourceVersion": strconv.Itoa(f.version)},
		}})
	}
}

func (f *fakeAPI) tell(resource, kind string, row map[string]any) {
	f.history = append(f.history, change{version: f.version, resource: resource, kind: kind, row: row})
	close(f.changed)
	f.changed = make(chan struct{})
}

func row1(s *stored) map[string]any {
	name := s.object.GetName()
	return map[string]any{"cells": []any{name, s.ready, s.status, 0}, "object": s.object}
}

func (f *fakeAPI) closeWatches() {
	f.mu.Lock()
	defer f.mu.Unlock()
	close(f.closing)
	f.closing = make(chan struct{})
}

func (f *fakeAPI) compact() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.version++
	f.compacted = f.version
}

func (f *fakeAPI) set(change func(*fakeAPI)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	change(f)
}

// get reads under the lock.
func (f *fakeAPI) get(resource string) (lists, watches int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.lists[resource], f.watches[resource]
}

func (f *fakeAPI) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	parts := strings.Split(r.URL.Path, "/")
	resource := parts[len(parts)-1]
	f.mu.Lock()
	away, refuse := f.away, f.refuse
	f.mu.Unlock()
	switch {
	case away:
		panic(http.ErrAbortHandler)
	case refuse != 0:
		writeStatus(w, refuse, "refused")
	case r.URL.Path == "/apis/apps/v1" || r.URL.Path == "/api/v1":
		f.discover(w, r.URL.Path)
	case !strings.HasPrefix(r.Header.Get("Accept"), "application/json;as=Table"):
		writeStatus(w, http.StatusNotAcceptable, "ask for a table")
	case r.URL.Query().Get("watch") != "":
		f.watch(w, r, resource)
	default:
		f.list(w, resource)
	}
}

// discover serves what a group serves; apps/v1 only once there is one of it.
func (f *fakeAPI) discover(w http.ResponseWriter, path string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	list := metav1.APIResourceList{APIResources: []metav1.APIResource{
		{Name: "nodes", Kind: "Node"}, {Name: "nodes/status", Kind: "Node"}, {Name: "pods", Kind: "Pod", Namespaced: true},
	}}
	if path == "/apis/apps/v1" {
		if f.version == 100 {
			writeStatus(w, http.StatusNotFound, "the server could not find the requested resource")
			return
		}
		list.APIResources = []metav1.APIResource{{Name: "deployments", Kind: "Deployment", Namespaced: true}}
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(list)
}

func writeStatus(w http.ResponseWriter, code int, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_ = json.NewEncoder(w).Encode(status(code, message))
}

func status(code int, message string) metav1.Status {
	reason := metav1.StatusReasonInternalError
	if code == http.StatusNotFound {
		reason = metav1.StatusReasonNotFound
	}
	if code == http.StatusGone {
		reason = metav1.StatusReasonExpired
	}
	return metav1.Status{
		TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"},
		Status:   "Failure", Code: int32(code), Message: message, Reason: reason,
	}
}

func (f *fakeAPI) table(version string, definitions bool, rows ...map[string]any) map[string]any {
	t := map[string]any{
		"kind": "Table", "apiVersion": "meta.k8s.io/v1",
		"metadata": map[string]any{"resourceVersion": version}, "rows": rows,
	}
	if definitions {
		t["columnDefinitions"] = []map[string]any{{"name": "Name"}, {"name": "Ready"}, {"name": "Status"}, {"name": "Restarts"}}
	}
	return t
}

func (f *fakeAPI) list(w http.ResponseWriter, resource string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.lists[resource]++
	rows := []map[string]any{}
	for _, s := range f.objects {
		if s.resource == resource {
			rows = append(rows, row1(s))
		}
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(f.table(strconv.Itoa(f.version), true, rows...))
}

func (f *fakeAPI) watch(w http.ResponseWriter, r *http.Request, resource string) {
	from, err := strconv.Atoi(r.URL.Query().Get("resourceVersion"))
	if err != nil {
		writeStatus(w, http.StatusBadRequest, fmt.Sprintf("resourceVersion: %v", err))
		return
	}
	f.mu.Lock()
	f.watches[resource]++
	closing, gone := f.closing, from < f.compacted
	f.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusOK)
	encoder := json.NewEncoder(w)
	flush := w.(http.Flusher).Flush
	flush()
	if gone {
		_ = encoder.Encode(map[string]any{"type": "ERROR", "object": status(http.StatusGone, "too old resource version")})
		return
	}
	sent := 0
	for {
		f.mu.Lock()
		changed := f.changed
		var send []change
		for _, c := range f.history {
			if c.resource == resource && c.version > from && !f.hang {
				send = append(send, c)
			}
		}
		f.mu.Unlock()
		select {
		case <-closing: // what changed after that is not reported by this watch
			return
		default:
		}
		for _, c := range send {
			from = c.version
			// As a real server: the columns are named once in a stream.
			_ = encoder.Encode(map[string]any{"type": c.kind, "object": f.table("", sent == 0, c.row)})
			sent++
		}
		flush()
		select {
		case <-changed:
		case <-closing:
			return
		case <-r.Context().Done():
			return
		}
	}
}
