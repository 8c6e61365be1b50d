package reaper

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kind-lab/lab/labs/journal"
)

// world destroys, after it failed some times.
type world struct {
	fails     int
	destroyed []string
}

func (w *world) by(provider string) (Destroyer, error) {
	if provider != "kind" {
		return nil, errors.New("another provider")
	}
	return w, nil
}

func (w *world) Destroy(_ context.Context, id string) error {
	if w.fails > 0 {
		w.fails--
		return errors.New("the engine is restarting")
	}
	w.destroyed = append(w.destroyed, id)
	return nil
}

var begin = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// gone is the folder of a run that was killed: lab-a is ready, lab-b was being
// made, lab-c was destroyed by the run itself; its journal ends in the middle
// of a line.
func gone(t *testing.T) (dir, kubeconfig string) {
	t.Helper()
	j, err := journal.Create(t.TempDir(), "r1")
	if err != nil {
		t.Fatal(err)
	}
	kubeconfig = filepath.Join(j.Dir(), "a.yaml")
	for _, i := range []journal.Intent{
		{Action: journal.ActionCreate, Provider: "kind", ID: "lab-a", Kubeconfig: kubeconfig},
		{Action: journal.ActionCreate, Provider: "kind", ID: "lab-a", Done: true},
		{Action: journal.ActionCreate, Provider: "kind", ID: "lab-c"},
		{Action: journal.ActionDestroy, Provider: "kind", ID: "lab-c", Done: true},
		{Action: journal.ActionCreate, Provider: "kind", ID: "lab-b"},
	} {
		if err := j.Intent(begin, i); err != nil {
			t.Fatal(err)
		}
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	file, err := os.OpenFile(filepath.Join(j.Dir(), journal.File), os.O_APPEND|os.O_WRONLY, 0)
	if err == nil {
		_, err = file.WriteString(`{"at":"2026-01-02T03:04:05Z","run":"exi`)
	}
	room := os.WriteFile(filepath.Join(j.Dir(), "reserve"), []byte("room"), 0o600)
	if err = errors.Join(err, room, file.Close(), os.WriteFile(kubeconfig, []byte("x"), 0o600)); err != nil {
		t.Fatal(err)
	}
	return j.Dir(), kubeconfig
}

func quiet() *slog.Logger { return slog.New(slog.NewTextHandler(io.Discard, nil)) }

func TestWhatTheRunMadeIsDestroyed(t *testing.T) {
	dir, kubeconfig := gone(t)
	w := &world{fails: 2}
	if err := Reap(t.Context(), Invocation{Dir: dir, ID: "r1"}, w.by, quiet()); err != nil {
		t.Fatal(err)
	}
	if strings.Join(w.destroyed, " ") != "lab-a lab-b" && strings.Join(w.destroyed, " ") != "lab-b lab-a" {
		t.Errorf("destroyed %v", w.destroyed)
	}
	if _, err := os.Stat(kubeconfig); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the kubeconfig is left: %v", err)
	}
	if _, err := os.Stat(filepath.Join(dir, "reserve")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the room for the report is left: %v", err)
	}
	left, err := journal.Unfinished(journal.Entries(dir))
	if err != nil || len(left) > 0 {
		t.Errorf("by the journal %v is left, %v", left, err)
	}
	again := &world{}
	if err := Reap(t.Context(), Invocation{Dir: dir, ID: "r1"}, again.by, quiet()); err != nil || len(again.destroyed) > 0 {
		t.Errorf("the second time: %v, %v", again.destroyed, err)
	}
}

func TestClustersThatAreToBeKept(t *testing.T) {
	dir, _ := gone(t)
	w := &world{}
	if err := Reap(t.Context(), Invocation{Dir: dir, ID: "r1", Keep: true}, w.by, quiet()); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"lab-b"}, w.destroyed); diff != "" {
		t.Errorf("destroyed (-want +got):\n%s", diff)
	}
}

func TestWhatCannotBeDestroyedIsSaid(t *testing.T) {
	dir, _ := gone(t)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	err := Reap(ctx, Invocation{Dir: dir, ID: "r1"}, (&world{fails: 1 << 20}).by, quiet())
	if err == nil || !strings.Contains(err.Error(), "the engine is restarting") || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v", err)
	}
	if err := Reap(t.Context(), Invocation{Dir: t.TempDir(), ID: "r2"}, (&world{}).by, quiet()); err != nil {
		t.Errorf("a run that has made nothing: %v", err)
	}
}

func TestTheRunsProcessesEnd(t *testing.T) {
	dir, _ := gone(t)
	start := func(id string, args ...string) *exec.Cmd {
		cmd := exec.Command("sleep", args...)
		cmd.Env = append(os.Environ(), Variable+"="+id)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		return cmd
	}
	ours, others := start("r1", "60"), start("r10", "60")
	defer func() {
		if err := others.Process.Kill(); err != nil {
			t.Errorf("another run's process was ended: %v", err)
		}
		_ = others.Wait() // killed just now
	}()
	if err := Reap(t.Context(), Invocation{Dir: dir, ID: "r1"}, (&world{}).by, quiet()); err != nil {
		t.Fatal(err)
	}
	if err := ours.Wait(); err == nil || !strings.Contains(err.Error(), "killed") {
		t.Errorf("the run's process: %v, want killed", err)
	}
	if others.ProcessState != nil {
		t.Error("another run's process has ended")
	}
}

func TestTheWordOfTheRun(t *testing.T) {
	for said, want := range map[string]bool{Word: true, "": false, "don": false, Word + "more": true} {
		if got := Released(strings.NewReader(said)); got != want {
			t.Errorf("%q: released %t, want %t", said, got, want)
		}
	}
}
