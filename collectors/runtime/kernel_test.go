package runtime

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kind-lab/lab/collectors"
)

// TestAKillThatContainerdMissedIsInTheKernelsLog ends runs by SIGKILL: for want
// of memory with and without a word of containerd, and otherwise. The stream says
// what is in the log, or the node is asked.
func TestAKillThatContainerdMissedIsInTheKernelsLog(t *testing.T) {
	t.Run("the stream says it", func(t *testing.T) { endBySIGKILL(t, annotating(), 0) })
	t.Run("the node is asked", func(t *testing.T) { endBySIGKILL(t, newFakeNode(), 1) })
	t.Run("the node is late", func(t *testing.T) {
		f := newFakeNode()
		f.kernelFails = 3
		endBySIGKILL(t, f, 4)
	})
}

// endBySIGKILL wants the node to be asked so often at least, or never.
func endBySIGKILL(t *testing.T, f *fakeNode, asked int) {
	s := newSink()
	f.kernelLog = []string{
		"task_memcg=/docker/da5a/kubelet.slice/kubelet-kubepods.slice/kubelet-kubepods-pod0116.slice/cri-containerd-elsewhere.scope",
		"task_memcg=/docker/da5a/kubelet.slice/kubelet-kubepods.slice/kubelet-kubepods-pod0116.slice/cri-containerd-missed.scope",
		"task_memcg=/docker/da5a/kubelet.slice/kubelet-kubepods.slice/kubelet-kubepods-pod0116.slice/cri-containerd-reported.scope",
	}
	r := start(t, f, s, "lab").ready(t)
	base := time.Now().Truncate(time.Second)
	end := base.Add(1300 * time.Millisecond)
	for _, id := range []string{"missed", "reported", "stopped", "failed"} {
		f.create(id, "lab", id)
		f.start(id, base)
	}
	f.emitAt(base.Add(1200*time.Millisecond), "k8s.io", "/tasks/oom", `{"container_id":"reported"}`)
	for id, code := range map[string]int{"missed": 137, "reported": 137, "stopped": 137, "failed": 1} {
		f.exit(id, end, code)
	}
	if err := r.collector.Sync(t.Context()); err != nil {
		t.Fatal(err)
	}
	got := kills(s, base)
	if diff := cmp.Diff([]string{"reported runtime +1.2s within 1ns", "missed kernel +1s within 1s"}, got); diff != "" {
		t.Error(diff)
	}
	if f.kernelAsked < asked || asked == 0 && f.kernelAsked > 0 {
		t.Errorf("the node was asked %d times, want %d", f.kernelAsked, asked)
	}
	if gaps := s.gaps(); len(gaps) > 0 {
		t.Errorf("gaps %+v", gaps)
	}
	if err := r.end(t); err != nil {
		t.Error(err)
	}
}

// TestANodeThatCannotBeAskedForTheKernelsLogIsAGap ends a run by SIGKILL, of which
// nobody knows why.
func TestANodeThatCannotBeAskedForTheKernelsLogIsAGap(t *testing.T) {
	f, s := newFakeNode(), newSink()
	f.kernelFails = 1000
	r := start(t, f, s, "lab").ready(t)
	base := time.Now()
	f.create("c1", "lab", "main")
	f.start("c1", base)
	f.exit("c1", base.Add(time.Second), 137)
	if err := r.collector.Sync(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := r.end(t); err != nil {
		t.Error(err)
	}
	gaps := s.gaps()
	if len(gaps) != 1 || gaps[0].Count != 1 || gaps[0].To.IsZero() || !gaps[0].From.Equal(base.Add(time.Second)) {
		t.Errorf("gaps %+v, want one from the exit on", gaps)
	}
}

// TestAKernelLogThatMayNotBeReadIsNoGap holds the records of a node whose log is
// for its host's administrators alone.
func TestAKernelLogThatMayNotBeReadIsNoGap(t *testing.T) {
	f, s := newFakeNode(), newSink()
	f.noKernel = true
	r := start(t, f, s, "lab").ready(t)
	base := time.Now()
	f.create("c1", "lab", "main")
	f.start("c1", base)
	f.exit("c1", base.Add(time.Second), 137)
	if err := r.collector.Sync(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := r.end(t); err != nil {
		t.Error(err)
	}
	if diff := cmp.Diff([]string{"task-start lab/main c1 0 +0s", "task-exit lab/main c1 137 +1s"}, s.lines(base)); diff != "" {
		t.Error(diff)
	}
}

func kills(s *sink, base time.Time) []string {
	var reported []string
	for _, r := range s.all() {
		if r.Type == collectors.TypeTaskOOM {
			reported = append(reported, fmt.Sprintf("%s %s +%v within %v", r.Container, r.Source, r.Time.Sub(base), r.Precision))
		}
	}
	return reported
}
