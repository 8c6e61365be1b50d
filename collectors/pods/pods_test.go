package pods

import (
	"context"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/kind-lab/lab/collectors"
)

// sink keeps records and lets a test wait for some.
type sink struct {
	mu      sync.Mutex
	records []collectors.Record
	added   chan struct{}
}

func newSink() *sink { return &sink{added: make(chan struct{}, 10000)} }

func (s *sink) Add(r collectors.Record) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.records = append(s.records, r)
	s.added <- struct{}{}
}

// lines are the records of the API without gaps' times and reasons.
func (s *sink) lines() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []string
	for _, r := range s.records {
		line := string(r.Type)
		switch {
		case r.Pod != nil:
			line += " " + r.Object.Name + " " + r.Pod.Ready + " " + r.Pod.Status
		case r.Gap != nil:
			resource, _, _ := strings.Cut(r.Gap.Reason, ":")
			line += " " + resource
			if r.Gap.Count == 0 {
				line += " late"
			}
		default:
			line += " " + r.Object.Name
		}
		out = append(out, line)
	}
	return out
}

// gaps are those that came out, as a timeline folds them: one that was declared
// and then closed is one.
func (s *sink) gaps() []collectors.Gap {
	s.mu.Lock()
	defer s.mu.Unlock()
	timeline := collectors.NewTimeline(time.Time{})
	for _, r := range s.records {
		if r.Gap != nil {
			timeline.Add(r)
		}
	}
	var out []collectors.Gap
	for _, r := range timeline.Gaps() {
		out = append(out, *r.Gap)
	}
	return out
}

// goingOn counts the gaps that were declared while they went on.
func (s *sink) goingOn() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for _, r := range s.records {
		if r.Gap != nil && r.Gap.To.IsZero() {
			n++
		}
	}
	return n
}

// inGap says that lines were recorded while a gap of their kind went on.
func (s *sink) inGap(t *testing.T, kind string, lines ...string) {
	t.Helper()
	all := s.lines()
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, line := range lines {
		opened, in := false, false
		for i, r := range s.records[:len(all)] {
			if r.Gap != nil && r.Object.Kind == kind {
				opened = r.Gap.To.IsZero()
			}
			in = in || all[i] == line && opened
		}
		if !in {
			t.Errorf("%q was not recorded while a gap of %ss went on: %q", line, kind, all)
		}
	}
}

// waitFor waits until the sink has a line.
func (s *sink) waitFor(t *testing.T, line string) {
	t.Helper()
	deadline := time.NewTimer(10 * time.Second)
	defer deadline.Stop()
	for {
		for _, l := range s.lines() {
			if l == line {
				return
			}
		}
		select {
		case <-s.added:
		case <-deadline.C:
			t.Fatalf("%q was not recorded in 10 s; there is:\n%s", line, strings.Join(s.lines(), "\n"))
		}
	}
}

func testPod(name, uid string) *corev1.Pod {
	always := corev1.ContainerRestartPolicyAlways
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Name: name, Namespace: "lab", UID: types.UID(uid),
			CreationTimestamp: metav1.NewTime(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)),
			ManagedFields:     []metav1.ManagedFieldsEntry{{Manager: "kubectl"}},
			OwnerReferences: []metav1.OwnerReference{{
				Kind: "Job", Name: "myapp", UID: "job-uid", APIVersion: "batch/v1", Controller: new(true),
			}},
		},
		Spec: corev1.PodSpec{
			InitContainers: []corev1.Container{
				{Name: "setup", Image: "busybox:1.35"},
				{Name: "proxy", Image: "busybox:1.35", RestartPolicy: &always},
			},
			Containers: []corev1.Container{{Name: "main", Image: "busybox:1.35"}},
		},
		Status: corev1.PodStatus{Phase: corev1.PodPending},
	}
}

func testJob(name string) *batchv1.Job {
	return &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "lab", UID: types.UID("uid-" + name)}}
}

// running is a collector that runs until the test ends.
type running struct {
	collector *Collector
	stop      context.CancelFunc
	done      chan error
}

func start(t *testing.T, f *fakeAPI, s *sink, dir string) *running {
	t.Helper()
	return startWith(t, f, s, Options{Dir: dir})
}

func startWith(t *testing.T, f *fakeAPI, s *sink, options Options) *running {
	t.Helper()
	options.Namespace = "lab"
	options.Retry = wait.Backoff{Duration: time.Millisecond, Factor: 1.5, Jitter: 0.1, Steps: 5, Cap: 20 * time.Millisecond}
	c, err := New(f.config(), s, options)
	if err != nil {
		t.Fatal(err)
	}
	r := &running{collector: c, done: make(chan error, 1)}
	r.run(t)
	return r
}

func (r *running) run(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	r.stop = cancel
	go func() { r.done <- r.collector.Run(ctx) }()
}

func (r *running) ready(t *testing.T) *running {
	t.Helper()
	select {
	case <-r.collector.Ready():
	case err := <-r.done:
		t.Fatalf("Run returned before it was ready: %v", err)
	case <-time.After(10 * time.Second):
		t.Fatal("not ready in 10 s")
	}
	return r
}

func (r *running) end(t *testing.T) error {
	t.Helper()
	r.stop()
	select {
	case err := <-r.done:
		return err
	case <-time.After(10 * time.Second):
		t.Fatal("Run did not return in 10 s of its context's end")
		return nil
	}
}

func TestEveryStatusIsRecordedWithItsCells(t *testing.T) {
	f, s := newFakeAPI(t), newSink()
	f.put(testJob("old"), "", "")
	r := start(t, f, s, "").ready(t)
	p := testPod("myapp", "u1")
	f.put(p, "Pending", "0/2")
	f.put(p, "ContainerCreating", "0/2")
	f.put(p, "Running", "2/2")
	f.bookmark()
	f.put(p, "NotReady", "1/2")
	f.remove("pods", "myapp")
	s.waitFor(t, "pod-gone myapp 1/2 NotReady")
	if err := r.end(t); err != nil {
		t.Error(err)
	}
	want := []string{
		"job old", "pod myapp 0/2 Pending", "pod myapp 0/2 ContainerCreating", "pod myapp 2/2 Running",
		"pod myapp 1/2 NotReady", "pod-gone myapp 1/2 NotReady",
	}
	if diff := cmp.Diff(want, s.lines()); diff != "" {
		t.Error(diff)
	}
}

func TestAWatchThatEndsIsResumedWithoutALoss(t *testing.T) {
	f, s := newFakeAPI(t), newSink()
	r := start(t, f, s, "").ready(t)
	p := testPod("myapp", "u1")
	f.put(p, "Pending", "0/2")
	s.waitFor(t, "pod myapp 0/2 Pending")
	f.bookmark()
	f.closeWatches()
	for watches := 0; watches < 2; _, watches = f.get("pods") {
		<-time.After(time.Millisecond)
	}
	f.put(p, "Running", "2/2")
	s.waitFor(t, "pod myapp 2/2 Running")
	if err := r.end(t); err != nil {
		t.Error(err)
	}
	if lists, watches := f.get("pods"); lists != 1 || watches < 2 {
		t.Errorf("%d lists and %d watches, want 1 and at least 2", lists, watches)
	}
	if gaps := s.gaps(); len(gaps) != 0 {
		t.Errorf("a clean end is no gap, there are %+v", gaps)
	}
}

func TestAFirstConnectionThatFailsIsAnError(t *testing.T) {
	for name, change := range map[string]func(*fakeAPI){
		"away":    func(f *fakeAPI) { f.away = true },
		"refuses": func(f *fakeAPI) { f.refuse = http.StatusForbidden },
	} {
		t.Run(name, func(t *testing.T) {
			f, s := newFakeAPI(t), newSink()
			f.set(change)
			r := start(t, f, s, "")
			select {
			case err := <-r.done:
				if err == nil || !strings.Contains(err.Error(), "gave up after 5 attempts: listing ") {
					t.Errorf("error %v", err)
				}
			case <-time.After(10 * time.Second):
				t.Fatal("Run did not give up in 10 s")
			}
		})
	}
}

func TestAPodThatIsReplacedUnderItsNameIsTwoPods(t *testing.T) {
	f, s := newFakeAPI(t), newSink()
	f.put(testPod("web-0", "u1"), "Running", "1/1")
	r := start(t, f, s, "").ready(t)
	f.set(func(f *fakeAPI) { f.away = true })
	f.closeWatches()
	f.remove("pods", "web-0")
	f.put(testPod("web-0", "u2"), "Pending", "0/1")
	f.compact()
	f.set(func(f *fakeAPI) { f.away = false })
	s.waitFor(t, "pod-gone web-0 1/1 Running")
	s.waitFor(t, "pod web-0 0/1 Pending")
	if err := r.end(t); err != nil {
		t.Error(err)
	}
}

func TestEachDistinctStatusIsKeptAsAFile(t *testing.T) {
	f, s, dir := newFakeAPI(t), newSink(), t.TempDir()
	r := start(t, f, s, dir).ready(t)
	p := testPod("myapp", "u1")
	f.put(p, "Pending", "0/2")
	p.Labels = map[string]string{"nothing": "of the status"}
	f.put(p, "Pending", "0/2")
	f.put(p, "Init:0/2", "0/2")
	p.Status.Phase = corev1.PodRunning
	f.put(p, "Running", "2/2")
	f.put(p, "NotReady", "1/2")
	s.waitFor(t, "pod myapp 1/2 NotReady")
	if err := r.end(t); err != nil {
		t.Error(err)
	}
	found, err := filepath.Glob(filepath.Join(dir, "*", "*"))
	if err != nil {
		t.Fatal(err)
	}
	for i := range found {
		found[i], _ = filepath.Rel(dir, found[i])
	}
	want := []string{
		"myapp/001-Pending.yaml", "myapp/002-Pending-Init-0-2.yaml", "myapp/003-Running.yaml", "myapp/004-Running-NotReady.yaml",
	}
	if diff := cmp.Diff(want, found); diff != "" {
		t.Error(diff)
	}
	text, err := os.ReadFile(filepath.Join(dir, want[0]))
	if err != nil || !strings.Contains(string(text), "kind: Pod") || strings.Contains(string(text), "managedFields") {
		t.Errorf("file %s, error %v", text, err)
	}
}

func TestAFileThatCannotBeWrittenIsReturnedAndTheRecordsAreWhole(t *testing.T) {
	f, s := newFakeAPI(t), newSink()
	dir := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(dir, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	r := start(t, f, s, dir).ready(t)
	f.put(testPod("myapp", "u1"), "Pending", "0/2")
	f.put(testPod("myapp", "u1"), "Running", "2/2")
	s.waitFor(t, "pod myapp 2/2 Running")
	if err := r.end(t); err == nil || !strings.Contains(err.Error(), "keeping the status of pod myapp") {
		t.Errorf("error %v", err)
	}
}
