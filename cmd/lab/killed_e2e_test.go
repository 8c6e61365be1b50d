//go:build e2e

package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/kind-lab/lab/labs/reaper"
)

// killings are the points of a run at which lab is killed: a while after it
// printed something.
var killings = []struct {
	after string
	wait  time.Duration
	rare  bool // tried where every point is
}{
	{"creating Kubernetes", 0, true},
	{"creating Kubernetes", 300 * time.Millisecond, false},
	{"creating Kubernetes", time.Second, true},
	{"creating Kubernetes", 3 * time.Second, true},
	{"creating Kubernetes", 9 * time.Second, false},
	{"Waiting for readiness", 0, true},
	{"ready: Kubernetes", 0, true},
	{"doing: sleeper", 0, true},
	{"doing: on this machine", time.Second, false},
	{"expecting: it goes on", time.Second, false},
	{"destroying", 0, true},
	{"destroying", 300 * time.Millisecond, false},
}

// TestNothingIsLeftOfARunThatIsKilled kills lab at each point and looks for
// what is left on the machine once its reaper has ended.
func TestNothingIsLeftOfARunThatIsKilled(t *testing.T) {
	t.Parallel()
	for _, k := range killings {
		if k.rare && !everyPoint() {
			continue
		}
		t.Run(fmt.Sprintf("%s +%s", k.after, k.wait), func(t *testing.T) {
			t.Parallel()
			killAt(t, k.after, k.wait)
		})
	}
}

// watchedOutput is what a process prints; seen is closed once it has printed
// what is waited for.
type watchedOutput struct {
	mu     sync.Mutex
	text   bytes.Buffer
	awaits string
	seen   chan struct{}
}

func (w *watchedOutput) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	before := strings.Contains(w.text.String(), w.awaits)
	n, err := w.text.Write(p)
	if !before && strings.Contains(w.text.String(), w.awaits) {
		close(w.seen)
	}
	return n, err
}

func (w *watchedOutput) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.text.String()
}

// runUntil runs a scenario and returns a while after it printed something.
func runUntil(t *testing.T, scenario, printed string, wait time.Duration) (cmd *exec.Cmd, dir string, out *watchedOutput, ended <-chan struct{}) {
	t.Helper()
	from, err := filepath.Abs(scenario)
	if err != nil {
		t.Fatal(err)
	}
	dir = t.TempDir()
	args := []string{"run", "--no-logs", "--allow-host-exec", from}
	if strings.HasPrefix(printed, "creating") || strings.HasPrefix(printed, "Waiting") {
		args = append(args, "--fresh")
	}
	cmd = asProgram(t, dir, args...)
	out = &watchedOutput{awaits: printed, seen: make(chan struct{})}
	cmd.Stdout, cmd.Stderr = out, out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	over := make(chan struct{})
	go func() {
		defer close(over)
		_ = cmd.Wait() // how it ends is no matter here
	}()
	select {
	case <-out.seen:
	case <-over:
		t.Fatalf("it ended and %q was not printed:\n%s", printed, out)
	case <-time.After(5 * time.Minute):
		t.Errorf("%q was not printed in 5 minutes:\n%s", printed, out)
	}
	time.Sleep(wait)
	return cmd, dir, out, over
}

func killAt(t *testing.T, printed string, wait time.Duration) {
	cmd, dir, out, ended := runUntil(t, "testdata/killed", printed, wait)
	if err := cmd.Process.Kill(); err != nil {
		t.Errorf("%v; it printed:\n%s", err, out)
	}
	<-ended
	killed := time.Now()
	runs, err := filepath.Glob(filepath.Join(dir, ".lab", "runs", "*"))
	if err != nil || len(runs) != 1 {
		t.Fatalf("runs %v, %v", runs, err)
	}
	id := filepath.Base(runs[0])
	said := reaped(t, runs[0])
	t.Logf("clean %s after the kill; the reaper:\n%s", time.Since(killed).Round(100*time.Millisecond), said)
	nothingLeft(t, dir, id)
}

// reaped waits for the end of a run's reaper and returns what it said.
func reaped(t *testing.T, run string) string {
	t.Helper()
	for end := time.Now().Add(2 * time.Minute); ; time.Sleep(100 * time.Millisecond) {
		text, err := os.ReadFile(filepath.Join(run, reaper.Log))
		if err == nil && strings.Contains(string(text), "nothing is left") {
			return string(text)
		}
		if time.Now().After(end) {
			t.Fatalf("the reaper did not end: %v\n%s", err, text)
		}
	}
}

// nothingLeft looks for a run's containers, volumes, processes and kubeconfigs,
// and for what gc and the later reader have to say.
func nothingLeft(t *testing.T, dir, id string) {
	t.Helper()
	short := token(id)
	containers, err := exec.Command("docker", "ps", "-aq", "--filter", "name=lab-"+short).CombinedOutput()
	if err != nil || len(containers) > 0 {
		t.Errorf("containers are left: %s, %v", containers, err)
	}
	found, err := exec.Command("pgrep", "-af", "lab-"+short).CombinedOutput()
	if err == nil {
		t.Errorf("processes are left: %s", found)
	}
	environs, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range environs {
		if text, err := os.ReadFile(name); err == nil && bytes.Contains(text, []byte("LAB_RUN="+id)) {
			command, err := os.ReadFile(filepath.Join(filepath.Dir(name), "cmdline"))
			t.Errorf("a process of the run is left: %s: %s (%v)", name, bytes.ReplaceAll(command, []byte{0}, []byte{' '}), err)
		}
	}
	kubeconfigs, err := filepath.Glob(filepath.Join(dir, ".lab", "runs", id, "kubeconfig", "*"))
	if err != nil || len(kubeconfigs) > 0 {
		t.Errorf("kubeconfigs are left: %v, %v", kubeconfigs, err)
	}
	gc := asProgram(t, dir, "gc", "--yes", id)
	said, err := gc.CombinedOutput()
	if err != nil || !strings.HasPrefix(string(said), "Nothing to remove") {
		t.Errorf("gc: %s, %v", said, err)
	}
	clusters, err := asProgram(t, dir, "ls").CombinedOutput()
	if err != nil || bytes.Contains(clusters, []byte("lab-"+short)) {
		t.Errorf("a cluster is left: %s, %v", clusters, err)
	}
	show := asProgram(t, dir, "replay", id)
	if said, err = show.CombinedOutput(); bytes.Contains(said, []byte("panic")) {
		t.Errorf("replay: %s, %v", said, err)
	}
}
