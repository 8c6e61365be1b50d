package expect

import (
	"strings"
	"testing"

	"github.com/kind-lab/lab/collectors"
	"github.com/kind-lab/lab/dsl"
)

// TestOrdersThatCannotBeTold wants neither Pass nor Fail of times that the API
// tells in whole seconds, whatever was expected of them.
func TestOrdersThatCannotBeTold(t *testing.T) {
	side := mainDone(0, "Completed")
	side.Name, side.ID, side.Current = "side", "s0", &collectors.ContainerRun{ID: "s0", StartedAt: at(2), FinishedAt: at(8)}
	both := podRecord(9, "myapp-x", "p", "Succeeded", "Completed", mainDone(0, "Completed"), side)
	const a, b = `job.myapp.pod.container["main"].finished_at`, `job.myapp.pod.container["side"].finished_at`
	for _, test := range []struct {
		condition, outcome string
		within             float64
		want               Status
	}{
		{a + " < " + b, "", 0, Error},
		{a + " < " + b, "false", 0, Error},
		{a + " < " + b, "false", 20, Error},
		{"ordered([" + a + ", " + b + "])", "", 20, Error},
		{a + " < " + b + " || job.other.failed", "", 20, Error},
		{a + " < " + b + " && job.other.failed", "", 20, Fail}, // that Job was never seen
		{a + " < " + b + " || " + a + " > 5", "", 0, Pass},
		{a + " < " + b + " && " + a + " > 50", "", 0, Fail},
	} {
		t.Run(test.condition+test.outcome, func(t *testing.T) {
			fixture := newRealFixture()
			e := fixture.expect(t, test.condition, test.within, 0)
			e.Outcome = fixture.src.expr(t, test.outcome)
			v := fixture.run(t, e, 10, jobRecord(1, collectors.Job{Active: 1}), both)
			if v.Status != test.want || v.Status == Error && !strings.Contains(v.Reason, "the two are 0 s apart") {
				t.Errorf("%v, want %v: %s", v.Status, test.want, v.Reason)
			}
		})
	}
	fixture := newRealFixture()
	i := &dsl.Invariant{Condition: fixture.src.expr(t, a+" < "+b)}
	if v := fixture.watch(t, i, 10, 30, jobRecord(1, collectors.Job{Active: 1}), both); v.Status != Error || !strings.Contains(v.Reason, "the two are 0 s apart") {
		t.Errorf("an invariant: %v: %s", v.Status, v.Reason)
	}
}

// TestOrdersOfWhatNeverHappened wants an order with a time that cannot come any
// more to be not met, with what did not happen, and no mistake of who asks.
func TestOrdersOfWhatNeverHappened(t *testing.T) {
	fails := mainDone(1, "Error")
	fails.Name, fails.Kind, fails.ID = "setup", collectors.KindInit, "i0"
	waits := collectors.Container{Name: "main", Image: "busybox:1.35", State: "waiting", Reason: "PodInitializing"}
	over := podRecord(9, "myapp-x", "p", "Failed", "Init:Error", fails, waits)
	const setup, main = `job.myapp.pod.container["setup"]`, `job.myapp.pod.container["main"]`
	for _, test := range []struct {
		condition, outcome string
		within             float64
		want               Status
		reason             string
	}{
		{setup + ".finished_at < " + main + ".started_at", "", 20, Fail, `container "main" of job myapp never started`},
		{setup + ".finished_at < " + main + ".started_at", "", 0, Fail, `container "main" of job myapp never started`},
		{setup + ".finished_at < " + main + ".started_at", "false", 20, Pass, "was never true"},
		{"!(" + setup + ".finished_at < " + main + ".started_at)", "", 20, Fail, "never started"},
		{"ordered([" + setup + ".finished_at, " + main + ".started_at])", "", 20, Fail, "never started"},
		{main + ".finished_at - " + setup + ".finished_at > 1", "", 20, Fail, `container "main" of job myapp never terminated`},
		{main + ".exit_code > 0", "", 20, Fail, `container "main" of job myapp never terminated`},
		{setup + ".signal > 0", "", 20, Fail, `container "setup" of job myapp was not terminated by a signal`},
		{main + ".started_at == null && " + setup + ".finished_at > 1", "", 20, Pass, "was true"},
		{main + ".started_at == null || " + setup + ".finished_at < " + main + ".started_at", "", 20, Pass, "was true"},
	} {
		t.Run(test.condition+test.outcome, func(t *testing.T) {
			fixture := newRealFixture()
			e := fixture.expect(t, test.condition, test.within, 0)
			e.Outcome = fixture.src.expr(t, test.outcome)
			v := fixture.run(t, e, 10, jobRecord(1, collectors.Job{Active: 1}), over)
			if v.Status != test.want || !strings.Contains(v.Reason, test.reason) {
				t.Errorf("%v, want %v with %q: %s", v.Status, test.want, test.reason, v.Reason)
			}
		})
	}
}

// TestObstacles says why a container does not get on, in one line.
func TestObstacles(t *testing.T) {
	waits := func(reason, message string) collectors.Container {
		return collectors.Container{Name: "main", Image: "busybox:nope", State: "waiting", Reason: reason, Message: message}
	}
	crashes := waits("CrashLoopBackOff", "back-off 10s restarting failed container")
	crashes.Restarts = 2
	for _, test := range []struct {
		name, want string
		containers []collectors.Container
	}{
		{"created", `never started (STATUS of pod myapp-x is "S")`, []collectors.Container{waits("ContainerCreating", "")}},
		{"no image", "never started: it cannot start: ErrImagePull of busybox:nope: not found: for two reasons",
			[]collectors.Container{waits("ErrImagePull", "not found:\n  for two reasons"), waits("ImagePullBackOff", "Back-off pulling")}},
		{"back-off alone", "it cannot start: ImagePullBackOff of busybox:nope: Back-off pulling", []collectors.Container{waits("ImagePullBackOff", "Back-off pulling")}},
		{"no config", `it cannot start: CreateContainerConfigError: configmap "x" not found`, []collectors.Container{waits("CreateContainerConfigError", `configmap "x" not found`)}},
		{"crashes", "it ended 3 times and waits to be started again: CrashLoopBackOff: back-off", []collectors.Container{crashes}},
	} {
		t.Run(test.name, func(t *testing.T) {
			b := newRealFixture()
			for i, c := range test.containers {
				b.tl.Add(podRecord(float64(i+1), "myapp-x", "p", "Pending", "S", c))
			}
			v := b.run(t, b.expect(t, `job.myapp.pod.container["main"].started_at > 0`, 5, 0), 10, jobRecord(10.5, collectors.Job{}))
			if !strings.Contains(v.Reason, test.want) {
				t.Errorf("got %s, want %s", v.Reason, test.want)
			}
		})
	}
}
