package logs

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
)

// fakeAPI is an API server and the kubelet behind it: pods with containers
// that run, write, end and restart; logs that can be followed, break, end too
// early, are rotated, or are no longer there.
type fakeAPI struct {
	server *httptest.Server

	mu      sync.Mutex
	version int
	pods    map[string]*corev1.Pod
	logs    map[string]*fakeLog // by pod/container/run
	history []event
	away    bool
	hidden  bool // watches tell nothing new
	changed chan struct{}
	cut     chan struct{} // closed to break streams with an error
	eof     chan struct{} // closed to end followed logs cleanly
	follows int
}

type event struct {
	Type   string      `json:"type"`
	Object *corev1.Pod `json:"object"`
}

type fakeLog struct {
	lines []string // with their times
	ended bool
	from  int // lines before it are rotated away
	gone  bool
	says  string // a message of the kubelet instead of the log
}

func newFakeAPI(t *testing.T) *fakeAPI {
	f := &fakeAPI{
		version: 10, pods: map[string]*corev1.Pod{}, logs: map[string]*fakeLog{},
		changed: make(chan struct{}), cut: make(chan struct{}), eof: make(chan struct{}),
	}
	f.server = httptest.NewServer(f)
	t.Cleanup(func() {
		f.breakStreams()
		f.server.CloseClientConnections()
		f.server.Close()
	})
	return f
}

func (f *fakeAPI) config() *rest.Config { return &rest.Config{Host: f.server.URL} }

func (f *fakeAPI) change(change func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	change()
	close(f.changed)
	f.changed = make(chan struct{})
}

func (f *fakeAPI) breakStreams() {
	f.change(func() {
		close(f.cut)
		f.cut = make(chan struct{})
	})
}

func (f *fakeAPI) endStreams() {
	f.change(func() {
		close(f.eof)
		f.eof = make(chan struct{})
	})
}

// tell stores a pod's state and tells the watches. The caller holds f.mu.
func (f *fakeAPI) tell(kind string, p *corev1.Pod) {
	f.version++
	p.ResourceVersion = strconv.Itoa(f.version)
	f.history = append(f.history, event{kind, p.DeepCopy()})
}

// run starts a run of a container of a pod, which is made where it is new.
func (f *fakeAPI) run(name, container string, number int) {
	f.change(func() {
		p, kind := f.pods[name], "MODIFIED"
		if p == nil {
			kind = "ADDED"
			p = &corev1.Pod{
				TypeMeta:   metav1.TypeMeta{Kind: "Pod", APIVersion: "v1"},
				ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "lab", UID: types.UID("uid-" + name)},
			}
			f.pods[name] = p
		}
		s := status(p, container)
		if number > 0 {
			s.LastTerminationState = corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ContainerID: s.ContainerID}}
		}
		s.RestartCount = int32(number)
		s.ContainerID = "containerd://" + name + container + strconv.Itoa(number)
		s.State = corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: startOf(number)}}
		f.log(name, container, number)
		f.tell(kind, p)
	})
}

func status(p *corev1.Pod, container string) *corev1.ContainerStatus {
	for i := range p.Status.ContainerStatuses {
		if p.Status.ContainerStatuses[i].Name == container {
			return &p.Status.ContainerStatuses[i]
		}
	}
	p.Status.ContainerStatuses = append(p.Status.ContainerStatuses, corev1.ContainerStatus{Name: container})
	return &p.Status.ContainerStatuses[len(p.Status.ContainerStatuses)-1]
}

// log returns the log of a run. The caller holds f.mu.
func (f *fakeAPI) log(name, container string, number int) *fakeLog {
	key := name + "/" + container + "/" + strconv.Itoa(number)
	if f.logs[key] == nil {
		f.logs[key] = &fakeLog{}
	}
	return f.logs[key]
}

func (f *fakeAPI) alter(name, container string, number int, change func(*fakeLog)) {
	f.change(func() { change(f.log(name, container, number)) })
}

var day = time.Date(2026, 5, 28, 13, 5, 0, 0, time.UTC)

// startOf is when a run begins: 10 s after the one before.
func startOf(number int) metav1.Time {
	return metav1.NewTime(day.Add(time.Duration(number) * 10 * time.Second))
}

// write lets a run write a line at so many milliseconds after day.
func (f *fakeAPI) write(name, container string, number, millis int, text string) {
	f.alter(name, container, number, func(l *fakeLog) {
		l.lines = append(l.lines, day.Add(time.Duration(millis)*time.Millisecond).Format("2006-01-02T15:04:05.000000000Z07:00")+" "+text)
	})
}

// end ends the last run of a container.
func (f *fakeAPI) end(name, container string) {
	f.change(func() {
		p := f.pods[name]
		s := status(p, container)
		f.log(name, container, int(s.RestartCount)).ended = true
		s.State = corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ContainerID: s.ContainerID, StartedAt: startOf(int(s.RestartCount))}}
		f.tell("MODIFIED", p)
	})
}

// remove removes a pod with its logs.
func (f *fakeAPI) remove(name string) {
	f.change(func() {
		for key, l := range f.logs {
			if strings.HasPrefix(key, name+"/") {
				l.ended, l.gone = true, true
			}
		}
		f.tell("DELETED", f.pods[name])
		delete(f.pods, name)
	})
}

func (f *fakeAPI) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	away := f.away
	f.mu.Unlock()
	parts := strings.Split(strings.TrimPrefix(r.URL.Path, "/api/v1/namespaces/lab/pods"), "/")
	switch {
	case away:
		panic(http.ErrAbortHandler)
	case len(parts) == 3 && parts[2] == "log":
		f.serveLog(w, r, parts[1])
	case len(parts) == 2:
		f.get(w, parts[1])
	case r.URL.Query().Get("watch") != "":
		f.watch(w, r)
	default:
		f.list(w)
	}
}

func refuse(w http.ResponseWriter, code int, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	reason := metav1.StatusReasonBadRequest
	if code == http.StatusNotFound {
		reason = metav1.StatusReasonNotFound
	}
	_ = json.NewEncoder(w).Encode(metav1.Status{
		TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}, Status: "Failure", Code: int32(code), Message: message, Reason: reason,
	})
}

func (f *fakeAPI) get(w http.ResponseWriter, name string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	p := f.pods[name]
	if p == nil {
		refuse(w, http.StatusNotFound, "pods "+name+" not found")
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(p)
}

func (f *fakeAPI) list(w http.ResponseWriter) {
	f.mu.Lock()
	defer f.mu.Unlock()
	list := corev1.PodList{TypeMeta: metav1.TypeMeta{Kind: "PodList", APIVersion: "v1"}}
	for _, p := range f.pods {
		list.Items = append(list.Items, *p)
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(list)
}

// watch tells the present state and then what changes, as a server does where
// no resource version is asked for.
func (f *fakeAPI) watch(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusOK)
	encoder := json.NewEncoder(w)
	f.mu.Lock()
	next, cut := len(f.history), f.cut
	for _, p := range f.pods {
		_ = encoder.Encode(event{"ADDED", p})
	}
	f.mu.Unlock()
	for {
		f.mu.Lock()
		changed := f.changed
		var send []event
		if !f.hidden {
			send = f.history[next:]
			next = len(f.history)
		}
		f.mu.Unlock()
		for _, e := range send {
			_ = encoder.Encode(e)
		}
		w.(http.Flusher).Flush()
		select {
		case <-changed:
		case <-cut:
			panic(http.ErrAbortHandler)
		case <-r.Context().Done():
			return
		}
	}
}

func (f *fakeAPI) serveLog(w http.ResponseWriter, r *http.Request, name string) {
	query := r.URL.Query()
	f.mu.Lock()
	p := f.pods[name]
	if p == nil {
		f.mu.Unlock()
		refuse(w, http.StatusNotFound, "pods "+name+" not found")
		return
	}
	number := int(status(p, query.Get("container")).RestartCount)
	if query.Get("previous") == "true" {
		number--
	}
	l := f.log(name, query.Get("container"), number)
	gone, says, cut, eof := l.gone, l.says, f.cut, f.eof
	follow := query.Get("follow") == "true"
	if follow {
		f.follows++
	}
	f.mu.Unlock()
	if number < 0 || gone {
		refuse(w, http.StatusBadRequest, "previous terminated container not found")
		return
	}
	w.Header().Set("Content-Type", "text/plain")
	if says != "" {
		_, _ = w.Write([]byte(says))
		return
	}
	f.stream(w, r, l, follow, cut, eof)
}

func (f *fakeAPI) stream(w http.ResponseWriter, r *http.Request, l *fakeLog, follow bool, cut, eof <-chan struct{}) {
	since := r.URL.Query().Get("sinceTime")
	f.mu.Lock()
	next := l.from
	f.mu.Unlock()
	for {
		f.mu.Lock()
		changed, ended := f.changed, l.ended
		lines := l.lines[min(next, len(l.lines)):]
		next = len(l.lines)
		f.mu.Unlock()
		for _, text := range lines {
			// Without nanoseconds, as the kubelet compares.
			if since == "" || text[:19]+"Z" >= since {
				_, _ = w.Write([]byte(text + "\n"))
			}
		}
		w.(http.Flusher).Flush()
		if ended || !follow {
			return
		}
		select {
		case <-changed:
		case <-cut:
			panic(http.ErrAbortHandler)
		case <-eof:
			return
		case <-r.Context().Done():
			return
		}
	}
}
