package run_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/kind-lab/lab/collectors"
	"github.com/kind-lab/lab/labs/expect"
	"github.com/kind-lab/lab/labs/journal"
	"github.com/kind-lab/lab/labs/plan"
	"github.com/kind-lab/lab/labs/report"
	"github.com/kind-lab/lab/labs/run"
	"github.com/kind-lab/lab/labs/run/runtest"
)

// head is a cluster and a pod whose container main ends with 7 on SIGTERM.
const head = `
cluster "c" { kubernetes = "1.29" }
locals {
  pod = <<-EOT
    apiVersion: v1
    kind: Pod
    metadata: {name: web}
    spec:
      containers:
        - name: main
          image: busybox:1.35
          env: [{name: ON_TERM, value: "7"}]
        - name: side
          image: busybox:1.35
  EOT
}
`

// do runs the steps of one scenario over head, and returns its run.
func do(t *testing.T, ctx context.Context, w *runtest.World, steps string, change func(*run.Engine)) (report.ScenarioRun, string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "scenario.hcl")
	text := head + "scenario \"s\" {\n  clusters = [cluster.c]\n" + steps + "\n}\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if change == nil {
		change = func(*run.Engine) {}
	}
	r, dir := carryOutFile(t, ctx, w, file, plan.Options{}, change)
	if len(r.Runs) != 1 {
		t.Fatalf("%d runs: %v", len(r.Runs), r.Errors)
	}
	return r.Runs[0], dir
}

// lines are the steps as "status name: detail".
func lines(r report.ScenarioRun) []string {
	var out []string
	for _, s := range r.Steps {
		out = append(out, fmt.Sprintf("%s %s: %s", s.Status, s.Name, s.Detail))
	}
	return out
}

const up = `
  apply "web" { manifests = local.pod }
  wait "runs" {
    condition = pod.web.phase == "Running" && pod.web.ready == "2/2"
    within    = "5s"
  }
`

// everyVerb has steps of all verbs that act.
const everyVerb = `
  exec "echo" {
    pod     = pod.web.name
    command = ["echo", "hello", pod.web.container["main"].state]
  }
  expect "its output" {
    condition = step.echo.stdout == "hello running\n" && step.echo.exit_code == 0 && step.echo.stderr == ""
  }
  expect "nothing of a command in others" { condition = step.web.stdout == null && step.runs.exit_code == null }
  exec "on the node" {
    node    = target.nodes[0]
    command = ["cat"]
    stdin   = step.echo.stdout
  }
  sleep "a little" { duration = "50ms" }
  expect "it took its time" { condition = step["a little"].finished_at - step["a little"].started_at >= 0.05 }
  patch "label" {
    object = "pod/web"
    patch  = { metadata = { labels = { a = "b" } } }
    type   = "merge"
  }
  node "kubelet" {
    action  = "restart"
    service = "kubelet"
  }
  signal "stop main" {
    pod       = "web"
    container = "main"
  }
  expect "it ends as it likes" {
    condition = pod.web.container["main"].exit_code == 7
    within    = "5s"
  }
  delete "web is gone" {
    objects      = ["pod/web"]
    grace_period = "0s"
  }
  expect "the other was killed" {
    condition = pod.web.container["side"].exit_code == 137 && pod.web.gone_at > -2
    within    = "5s"
  }
`

func TestEveryVerb(t *testing.T) {
	defer goleak.VerifyNone(t)
	w := &runtest.World{}
	r, _ := do(t, t.Context(), w, up+everyVerb, nil)
	want := []string{
		"pass web: pod/web created", "pass runs:", "pass echo: exit code 0: hello running", "pass its output:", "pass nothing of a command in others:",
		"pass on the node: exit code 0: hello running", "pass a little: slept 50ms", "pass it took its time:", "pass label: pod/web patched",
		"pass kubelet: node/lab-abcdef-c-control-plane kubelet restarted", "pass stop main: pod/web got SIGTERM in container main", "pass it ends as it likes:",
		"pass web is gone: pod/web deleted", "pass the other was killed:",
	}
	got := lines(r)
	for i := range want {
		if i >= len(got) || !strings.HasPrefix(got[i], want[i]) {
			t.Errorf("step %d: got %q, want %q", i, slices.Concat(got, make([]string, len(want)))[i], want[i])
		}
	}
	did := []string{
		"c: exec web/main echo hello running", "c: exec lab-abcdef-c-control-plane cat", `c: patch pod/web {"metadata":{"labels":{"a":"b"}}}`,
		"c: node restart kubelet of lab-abcdef-c-control-plane", "c: signal TERM web/main",
	}
	if diff := cmp.Diff(did, w.Did()); diff != "" {
		t.Errorf("what was done differs (-want +got):\n%s", diff)
	}
}

func TestAnArgumentThatIsKnownSoonIsWaitedFor(t *testing.T) {
	r, _ := do(t, t.Context(), &runtest.World{}, `
  apply "web" { manifests = local.pod }
  exec "x" {
    pod     = pod.web.name
    command = ["echo", pod.web.container["main"].started_at > 0 ? "started" : "not"]
  }`, nil)
	if got := lines(r)[1]; got != "pass x: exit code 0: started" {
		t.Errorf("got %q", got)
	}
}

func TestAnArgumentThatIsNeverKnownIsNamed(t *testing.T) {
	clock := &fastClock{from: time.Now(), factor: 50}
	r, _ := do(t, t.Context(), &runtest.World{}, up+`
  exec "x" {
    pod     = pod.other.name
    command = ["echo", job.myapp.pod.ip]
  }`, func(e *run.Engine) { e.Clock = clock })
	if got := lines(r)[2]; !strings.Contains(got, `error x: the argument "pod" of exec "x" is not known: pod.other.name was not observed within 10s`) {
		t.Errorf("got %q", got)
	}
}

// fastClock is a clock that is so many times as fast.
type fastClock struct {
	from   time.Time
	factor time.Duration
}

func (c *fastClock) Now() time.Time { return c.from.Add(time.Since(c.from) * c.factor) }

func (c *fastClock) At(t time.Time) (<-chan time.Time, func()) {
	timer := time.NewTimer(t.Sub(c.Now()) / c.factor)
	return timer.C, func() { timer.Stop() }
}

func TestAWaitThatDoesNotComeTrueEndsTheScenario(t *testing.T) {
	r, _ := do(t, t.Context(), &runtest.World{}, `
  apply "web" { manifests = local.pod }
  wait "for ever" {
    condition = pod.web.phase == "Succeeded"
    within    = "200ms"
  }
  exec "x" {
    pod     = "web"
    command = ["true"]
  }
  expect "y" { condition = true }`, nil)
	got := lines(r)
	if !strings.HasPrefix(got[1], `fail for ever: pod.web.phase == "Succeeded" was still false after 0.2s`) {
		t.Errorf("got %q", got[1])
	}
	if want := []string{`skip x: what step "for ever" waits for did not come`, `skip y: what step "for ever" waits for did not come`}; !slices.Equal(got[2:], want) {
		t.Errorf("after it: %q", got[2:])
	}
	if r.Status != expect.Fail || r.Steps[1].Verdict != nil {
		t.Errorf("status = %s, verdict %v; want a failed step", r.Status, r.Steps[1].Verdict)
	}
}

func TestAStuckDeletionIsAFailure(t *testing.T) {
	r, _ := do(t, t.Context(), &runtest.World{}, `
  apply "held" { manifests = yamlencode({ apiVersion = "v1", kind = "Pod", metadata = { name = "held", finalizers = ["a/b"] }, spec = { containers = [{ name = "m", image = "i:1" }] } }) }
  wait "runs" { condition = pod.held.phase == "Running" }
  delete "it" {
    objects      = "pod/held"
    grace_period = "0s"
    timeout      = "200ms"
    expect_error = "finalizer"
  }`, nil)
	if got := lines(r)[2]; got != `pass it: refused as expected: Pod "held" is still there after 0s: it waits for its finalizer a/b, which nobody has removed` {
		t.Errorf("got %q", got)
	}
}

func TestCommandsOnThisMachineWhereTheyAreAllowed(t *testing.T) {
	r, _ := do(t, t.Context(), &runtest.World{}, `
  exec "here" {
    host    = true
    command = ["sh", "-c", "ls; head -n 1 $KUBECONFIG"]
  }
  expect "its output" { condition = step.here.stdout == "scenario.hcl\napiVersion: v1\n" }`, func(e *run.Engine) { e.AllowHostExec = true })
	if r.Status != expect.Pass {
		t.Errorf("steps = %q", lines(r))
	}
}

func TestSensitiveValuesAreNotKept(t *testing.T) {
	file := filepath.Join(t.TempDir(), "scenario.hcl")
	text := `
variable "password" {
  type      = string
  default   = "hunter2hunter2"
  sensitive = true
}
` + head + `
scenario "s" {
  clusters = [cluster.c]` + up + `
  exec "x" {
    pod     = "web"
    command = ["echo", var.password]
  }
  expect "it came through" { condition = step.x.stdout == "${var.password}\n" }
}
`
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	r, dir := carryOutFile(t, t.Context(), &runtest.World{}, file, plan.Options{}, func(*run.Engine) {})
	if got := lines(r.Runs[0]); r.Status != expect.Pass || got[2] != "pass x: exit code 0: (sensitive)" {
		t.Errorf("steps = %q", got)
	}
	kept, err := os.ReadFile(filepath.Join(dir, journal.File))
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(kept), "hunter2") {
		t.Error("the journal has the password")
	}
}

func TestStepsAreRecorded(t *testing.T) {
	_, dir := do(t, t.Context(), &runtest.World{}, up+`
  exec "x" {
    pod              = "web"
    command          = ["false", "oops"]
    ignore_exit_code = true
  }
  sleep "y" { duration = "1ms" }
  expect "z" { condition = true }`, nil)
	steps := map[string]*collectors.Step{}
	for e, err := range journal.Entries(dir) {
		if err != nil {
			t.Fatal(err)
		}
		if e.Record != nil && e.Record.Step != nil {
			steps[e.Record.Step.Name] = e.Record.Step
		}
	}
	if len(steps) != 5 {
		t.Errorf("%d steps are recorded, want 5: %v", len(steps), steps)
	}
	if x := steps["x"]; x == nil || x.Stderr != "oops" || x.ExitCode == nil || *x.ExitCode != 1 || x.Error != "" {
		t.Errorf("x = %+v", x)
	}
}

var errBroken = errors.New("the engine is away")
