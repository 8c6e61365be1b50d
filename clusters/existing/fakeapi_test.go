package existing

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	authorizationv1 "k8s.io/api/authorization/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/scheme"
)

// fakeAPI is an API server that keeps objects, refuses stale writes and says
// what an account may do.
type fakeAPI struct {
	server *httptest.Server

	mu      sync.Mutex
	version int
	objects map[string]*unstructured.Unstructured // by path
	// denied are the rights that the account lacks, as "verb resource" with the
	// namespace behind an @ where there is one.
	denied map[string]bool
	// git is the version that it says, slow how long it takes for that.
	git  string
	slow time.Duration
	away bool
	// stuck are the paths of objects that a finalizer keeps.
	stuck map[string]bool
	// onRead is called with the path of each GET; it may be nil.
	onRead func(path string)
	did    []string
}

func newFakeAPI(t *testing.T) *fakeAPI {
	f := &fakeAPI{objects: map[string]*unstructured.Unstructured{}, denied: map[string]bool{}, stuck: map[string]bool{}, git: "v1.29.15"}
	f.server = httptest.NewServer(f)
	t.Cleanup(func() {
		f.server.CloseClientConnections()
		f.server.Close()
	})
	f.put("/api/v1/nodes/n1", "Node", map[string]any{"status": map[string]any{"nodeInfo": map[string]any{"containerRuntimeVersion": "containerd://1.7.1"}}})
	f.put("/api/v1/nodes/n0", "Node", map[string]any{"status": map[string]any{"nodeInfo": map[string]any{"containerRuntimeVersion": "containerd://1.7.1"}}})
	f.objects["/api/v1/nodes/n1"].SetLabels(map[string]string{"node-role.kubernetes.io/control-plane": ""})
	return f
}

// kubeconfig writes a kubeconfig with two contexts, of which stage is the
// current one.
func (f *fakeAPI) kubeconfig(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "config")
	text := fmt.Sprintf(`apiVersion: v1
kind: Config
current-context: stage
clusters:
- {name: one, cluster: {server: %q}}
- {name: other, cluster: {server: "https://other.invalid"}}
users:
- {name: me, user: {token: secret}}
- {name: somebody, user: {token: theirs}}
contexts:
- {name: stage, context: {cluster: one, user: me}}
- {name: other, context: {cluster: other, user: somebody}}
`, f.server.URL)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// put stores an object as if somebody else had made it.
func (f *fakeAPI) put(path, kind string, fields map[string]any) *unstructured.Unstructured {
	f.mu.Lock()
	defer f.mu.Unlock()
	o := &unstructured.Unstructured{Object: fields}
	parts := strings.Split(path, "/")
	o.SetKind(kind)
	o.SetName(parts[len(parts)-1])
	if i := slices.Index(parts, "namespaces"); i > 0 && i < len(parts)-2 {
		o.SetNamespace(parts[i+1])
	}
	f.create(path, o, "kubectl")
	return o
}

func (f *fakeAPI) create(path string, o *unstructured.Unstructured, manager string) {
	f.version++
	now := metav1.NewTime(time.Now().Truncate(time.Second))
	o.SetUID(types.UID("uid-" + strconv.Itoa(f.version)))
	o.SetResourceVersion(strconv.Itoa(f.version))
	o.SetCreationTimestamp(now)
	o.SetManagedFields([]metav1.ManagedFieldsEntry{{Manager: manager, Operation: "Update", Time: &now}})
	f.objects[path] = o
}

// paths are those of the objects that are there, below a prefix, sorted.
func (f *fakeAPI) paths(prefix string) []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	var found []string
	for path := range f.objects {
		if strings.HasPrefix(path, prefix) {
			found = append(found, path)
		}
	}
	slices.Sort(found)
	return found
}

func (f *fakeAPI) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	away, slow := f.away, f.slow
	f.mu.Unlock()
	switch path := r.URL.Path; {
	case away:
		panic(http.ErrAbortHandler)
	case path == "/version":
		select {
		case <-time.After(slow):
		case <-r.Context().Done():
		}
		answer(w, 200, map[string]any{"gitVersion": f.git})
	case strings.HasSuffix(path, "/selfsubjectaccessreviews"):
		f.review(w, r)
	case strings.HasSuffix(path, "/selfsubjectreviews"):
		answer(w, 201, map[string]any{"kind": "SelfSubjectReview", "apiVersion": "authentication.k8s.io/v1",
			"status": map[string]any{"userInfo": map[string]any{"username": "system:serviceaccount:people:runner"}}})
	case discovered()[path] != nil:
		answer(w, 200, discovered()[path])
	default:
		f.mu.Lock()
		defer f.mu.Unlock()
		f.serve(w, r)
	}
}

func answer(w http.ResponseWriter, code int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_ = json.NewEncoder(w).Encode(body) // the client went away
}

// decode reads what a client sent, JSON or not.
func decode(r *http.Request) (*unstructured.Unstructured, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	object, _, err := scheme.Codecs.UniversalDeserializer().Decode(body, nil, nil)
	if err != nil {
		return nil, err
	}
	fields, err := runtime.DefaultUnstructuredConverter.ToUnstructured(object)
	return &unstructured.Unstructured{Object: fields}, err
}

func refuse(w http.ResponseWriter, code int, reason metav1.StatusReason) {
	answer(w, code, metav1.Status{TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}, Status: "Failure", Code: int32(code), Reason: reason, Message: string(reason)})
}

// discovered is what the server serves.
func discovered() map[string]any {
	kind := func(name, kind string) map[string]any {
		return map[string]any{"name": name, "kind": kind, "namespaced": true, "verbs": []string{"list", "delete", "create", "get"}}
	}
	list := func(version string, kinds ...any) any {
		return map[string]any{"kind": "APIResourceList", "apiVersion": "v1", "groupVersion": version, "resources": kinds}
	}
	group := func(name string) any {
		version := map[string]any{"groupVersion": name + "/v1", "version": "v1"}
		return map[string]any{"name": name, "versions": []any{version}, "preferredVersion": version}
	}
	node := kind("nodes", "Node")
	node["namespaced"] = false
	return map[string]any{
		"/api":                         map[string]any{"kind": "APIVersions", "versions": []string{"v1"}},
		"/apis":                        map[string]any{"kind": "APIGroupList", "groups": []any{group("batch"), group("coordination.k8s.io")}},
		"/api/v1":                      list("v1", kind("pods", "Pod"), kind("configmaps", "ConfigMap"), node),
		"/apis/batch/v1":               list("batch/v1", kind("jobs", "Job")),
		"/apis/coordination.k8s.io/v1": list("coordination.k8s.io/v1", kind("leases", "Lease")),
	}
}

// review says whether the account may do something.
func (f *fakeAPI) review(w http.ResponseWriter, r *http.Request) {
	var asked authorizationv1.SelfSubjectAccessReview
	o, err := decode(r)
	if err == nil {
		err = runtime.DefaultUnstructuredConverter.FromUnstructured(o.Object, &asked)
	}
	if err != nil {
		refuse(w, 400, metav1.StatusReasonBadRequest)
		return
	}
	a := asked.Spec.ResourceAttributes
	key := a.Verb + " " + a.Resource
	if a.Subresource != "" {
		key += "/" + a.Subresource
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	allowed := !f.denied[key] && !f.denied[key+"@"+a.Namespace]
	answer(w, 201, map[string]any{"kind": "SelfSubjectAccessReview", "apiVersion": "authorization.k8s.io/v1", "status": map[string]any{"allowed": allowed}})
}

// serve reads and writes objects. The caller holds f.mu.
func (f *fakeAPI) serve(w http.ResponseWriter, r *http.Request) {
	path := r.URL.Path
	there := f.objects[path]
	if r.Method != http.MethodGet {
		f.did = append(f.did, r.Method+" "+path)
	} else if f.onRead != nil {
		f.onRead(path)
	}
	switch {
	case r.Method == http.MethodPost:
		f.post(w, r)
	case r.Method == http.MethodDelete && f.isList(path):
		for other := range f.objects {
			if strings.HasPrefix(other, path+"/") {
				delete(f.objects, other)
			}
		}
		answer(w, 200, metav1.Status{TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}, Status: "Success"})
	case r.Method == http.MethodGet && f.isList(path):
		items := []any{}
		for other, o := range f.objects {
			if strings.HasPrefix(other, path+"/") {
				items = append(items, o.Object)
			}
		}
		kind := "List"
		switch {
		case strings.HasSuffix(path, "/nodes"):
			kind = "NodeList"
		case strings.HasSuffix(path, "/pods"):
			kind = "PodList"
		}
		answer(w, 200, map[string]any{"kind": kind, "apiVersion": "v1", "metadata": map[string]any{"resourceVersion": strconv.Itoa(f.version)}, "items": items})
	case there == nil:
		refuse(w, 404, metav1.StatusReasonNotFound)
	case r.Method == http.MethodGet:
		answer(w, 200, there.Object)
	case r.Method == http.MethodPut:
		f.update(w, r, path, there)
	default:
		f.remove(w, r, path, there)
	}
}

// isList says whether a path is of all objects of a kind.
func (f *fakeAPI) isList(path string) bool {
	last := path[strings.LastIndex(path, "/")+1:]
	return slices.Contains([]string{"pods", "nodes", "namespaces", "configmaps", "jobs", "leases", "daemonsets"}, last)
}

func (f *fakeAPI) post(w http.ResponseWriter, r *http.Request) {
	o, err := decode(r)
	if err != nil {
		refuse(w, 400, metav1.StatusReasonBadRequest)
		return
	}
	path := r.URL.Path + "/" + o.GetName()
	if f.objects[path] != nil {
		refuse(w, 409, metav1.StatusReasonAlreadyExists)
		return
	}
	f.create(path, o, r.URL.Query().Get("fieldManager"))
	answer(w, 201, o.Object)
}

func (f *fakeAPI) update(w http.ResponseWriter, r *http.Request, path string, there *unstructured.Unstructured) {
	o, err := decode(r)
	if err != nil {
		refuse(w, 400, metav1.StatusReasonBadRequest)
		return
	}
	if o.GetResourceVersion() != there.GetResourceVersion() {
		refuse(w, 409, metav1.StatusReasonConflict)
		return
	}
	f.version++
	o.SetResourceVersion(strconv.Itoa(f.version))
	now := metav1.NewTime(time.Now().Truncate(time.Second))
	o.SetManagedFields([]metav1.ManagedFieldsEntry{{Manager: r.URL.Query().Get("fieldManager"), Operation: "Update", Time: &now}})
	f.objects[path] = o
	answer(w, 200, o.Object)
}

func (f *fakeAPI) remove(w http.ResponseWriter, r *http.Request, path string, there *unstructured.Unstructured) {
	var options metav1.DeleteOptions
	if o, err := decode(r); err == nil {
		_ = runtime.DefaultUnstructuredConverter.FromUnstructured(o.Object, &options) // it was decoded from that
	}
	if p := options.Preconditions; p != nil && (p.UID != nil && *p.UID != there.GetUID() || p.ResourceVersion != nil && *p.ResourceVersion != there.GetResourceVersion()) {
		refuse(w, 409, metav1.StatusReasonConflict)
		return
	}
	if !f.stuck[path] {
		for other := range f.objects {
			if other == path || strings.HasPrefix(other, path+"/") {
				delete(f.objects, other)
			}
		}
	} else if there.GetKind() == "Namespace" {
		there.Object["status"] = map[string]any{"conditions": []any{map[string]any{
			"type": "NamespaceFinalizersRemaining", "status": "True", "message": "Some content in the namespace has finalizers remaining: example.com/held in 1 resource instances"}}}
	} else {
		there.SetFinalizers([]string{"example.com/held"})
	}
	answer(w, 200, metav1.Status{TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}, Status: "Success"})
}

// endsWaiting keeps an object whose deletion is asked for, and calls end when it is
// looked for the second time, by reading path: the first answer has been read then.
func (f *fakeAPI) endsWaiting(object, path string, end func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.stuck[object] = true
	reads := 0
	f.onRead = func(read string) {
		if read == path && slices.Contains(f.did, http.MethodDelete+" "+object) {
			if reads++; reads == 2 {
				end()
			}
		}
	}
}
