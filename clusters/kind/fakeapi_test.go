package kind

import (
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
)

// fakeAPI is an API server of a cluster whose readiness a test decides.
type fakeAPI struct {
	*httptest.Server
	mu      sync.Mutex
	ready   bool
	version string
	changed chan struct{}
	kept    http.Handler
	// made are the paths and contents of what was created.
	made []string
}

func newFakeAPI(t *testing.T, version string, ready bool) *fakeAPI {
	t.Helper()
	f := &fakeAPI{version: version, ready: ready, changed: make(chan struct{})}
	f.Server = httptest.NewTLSServer(http.HandlerFunc(f.serve))
	t.Cleanup(func() {
		f.CloseClientConnections()
		f.Close()
	})
	return f
}

// becomeReady makes everything ready, as watches report.
func (f *fakeAPI) becomeReady() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.ready = true
	close(f.changed)
}

func (f *fakeAPI) port() string {
	u, err := url.Parse(f.URL)
	if err != nil {
		return ""
	}
	return u.Port()
}

// adminConf is its kubeconfig as kubeadm writes it.
func (f *fakeAPI) adminConf() string {
	ca := base64.StdEncoding.EncodeToString(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: f.Certificate().Raw}))
	return fmt.Sprintf(`apiVersion: v1
kind: Config
clusters: [{name: kubernetes, cluster: {server: "https://x:6443", certificate-authority-data: %s}}]
contexts: [{name: kubernetes-admin@kubernetes, context: {cluster: kubernetes, user: kubernetes-admin}}]
current-context: kubernetes-admin@kubernetes
users: [{name: kubernetes-admin, user: {token: secret}}]
`, ca)
}

func (f *fakeAPI) serve(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	ready := f.ready
	f.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	switch {
	case r.Method == http.MethodPost:
		f.create(w, r)
	case r.URL.Path == "/readyz":
		fmt.Fprint(w, "ok")
	case r.URL.Path == "/version":
		fmt.Fprintf(w, `{"major":"1","minor":"28","gitVersion":"v%s"}`, f.version)
	case r.URL.Query().Get("sendInitialEvents") != "":
		w.WriteHeader(http.StatusUnprocessableEntity)
		fmt.Fprint(w, `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Invalid","code":422}`)
	case strings.HasSuffix(r.URL.Path, "/pods/kube-proxy-1/log") && r.URL.Query().Get("previous") == "true":
		fmt.Fprintln(w, `E1121 08:21:43.9 1 run.go:74] "command failed" err="failed complete: too many open files"`)
	case r.URL.Query().Get("watch") != "":
		f.watch(w, r)
	case strings.HasSuffix(r.URL.Path, "/deployments/coredns"):
		_, item := resource(strings.TrimSuffix(r.URL.Path, "/coredns"), ready)
		fmt.Fprint(w, item)
	default:
		kind, items := resource(r.URL.Path, ready)
		fmt.Fprintf(w, `{"kind":"%sList","apiVersion":"%s","metadata":{"resourceVersion":"1"},"items":[%s]}`, kind, group(r.URL.Path), items)
	}
}

// create answers with what it was given.
func (f *fakeAPI) create(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	f.mu.Lock()
	f.made = append(f.made, r.URL.Path+" "+strings.TrimSpace(string(body)))
	f.mu.Unlock()
	w.WriteHeader(http.StatusCreated)
	fmt.Fprintf(w, "%s", body)
}

// watch tells of a change once there is one.
func (f *fakeAPI) watch(w http.ResponseWriter, r *http.Request) {
	w.WriteHeader(http.StatusOK)
	w.(http.Flusher).Flush()
	select {
	case <-r.Context().Done():
		return
	case <-f.changed:
	}
	kind, item := resource(r.URL.Path, true)
	var object map[string]any
	if err := json.Unmarshal([]byte(item), &object); err != nil {
		return
	}
	object["kind"], object["apiVersion"] = kind, group(r.URL.Path)
	text, err := json.Marshal(map[string]any{"type": "MODIFIED", "object": object})
	if err != nil {
		return
	}
	fmt.Fprintln(w, string(text))
	w.(http.Flusher).Flush()
	<-r.Context().Done()
}

func group(path string) string {
	if strings.HasPrefix(path, "/apis/apps/v1/") {
		return "apps/v1"
	}
	return "v1"
}

// resource is the one object that a path has.
func resource(path string, ready bool) (kind, object string) {
	status, count := "False", 0
	if ready {
		status, count = "True", 1
	}
	switch {
	case strings.HasSuffix(path, "/nodes"):
		return "Node", fmt.Sprintf(`{"metadata":{"name":"lab-t-control-plane","resourceVersion":"2"},"status":{"nodeInfo":{"containerRuntimeVersion":"containerd://2.3.4"},
			"conditions":[{"type":"Ready","status":%q,"message":"cni plugin not initialized"}]}}`, status)
	case strings.HasSuffix(path, "/serviceaccounts"):
		return "ServiceAccount", `{"metadata":{"name":"default","namespace":"default","resourceVersion":"2"}}`
	case strings.HasSuffix(path, "/deployments"):
		return "Deployment", fmt.Sprintf(`{"metadata":{"name":"coredns","namespace":"kube-system","uid":"d","resourceVersion":"2"},"status":{"replicas":2,"conditions":[{"type":"Available","status":%q}]}}`, status)
	case strings.HasSuffix(path, "/daemonsets"):
		return "DaemonSet", fmt.Sprintf(`{"metadata":{"name":"kube-proxy","namespace":"kube-system","resourceVersion":"2"},"status":{"numberReady":%d}}`, count)
	}
	if strings.HasSuffix(path, "/replicasets") {
		return "ReplicaSet", `{"metadata":{"name":"coredns-1","namespace":"kube-system","ownerReferences":[{"uid":"d","controller":true}]}}`
	}
	return "Pod", `{"metadata":{"name":"coredns-1","namespace":"kube-system"},"status":{"containerStatuses":[{"name":"coredns","state":{"waiting":{"reason":"ErrImagePull","message":"no such host"}}}]}},
		{"metadata":{"name":"kube-proxy-1","namespace":"kube-system"},"status":{"containerStatuses":[{"name":"kube-proxy",
			"state":{"waiting":{"reason":"CrashLoopBackOff"}},"lastState":{"terminated":{"exitCode":1}}}]}}`
}
