//go:build e2e

package modules

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/kind-lab/lab/clusters"
	"github.com/kind-lab/lab/clusters/internal/build"
	"github.com/kind-lab/lab/clusters/internal/gotool"
	"github.com/kind-lab/lab/clusters/internal/images"
	"github.com/kind-lab/lab/clusters/internal/store"
)

// realRecipe works with the Docker engine of this machine, and with the version
// of kind that go.mod pins.
func realRecipe(t *testing.T, dir string) *Recipe {
	t.Helper()
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Version}}", KindModule).Output()
	if err != nil {
		t.Fatal(err)
	}
	cache, err := store.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	tool, err := gotool.New("", cache.Root)
	if err != nil {
		t.Fatal(err)
	}
	return New(images.Engine{CLI: clusters.Engine{Name: "docker"}}, cache, tool, strings.TrimSpace(string(out)))
}

// userlandOf makes the userland alone, in a real cache.
func userlandOf(ctx context.Context, r *Recipe, progress build.Progress) error {
	b := &build.Builder{Store: r.store, Progress: progress, Beat: 50 * time.Millisecond, Image: "test"}
	facts, err := r.kindFacts(ctx)
	if err != nil {
		return err
	}
	s := &sharedParts{facts: facts, versions: map[string]string{}}
	if s.files, err = facts.baseFiles(); err != nil {
		return err
	}
	_, err = r.userlandStage(ctx, b, s)
	return err
}

// spotless fails where a stage that failed has left something.
func spotless(t *testing.T, r *Recipe) {
	t.Helper()
	if left, err := os.ReadDir(filepath.Join(r.store.Root, store.NodeImages.PartDir())); err != nil || len(left) > 0 {
		t.Errorf("left in the cache: %v, %v", left, err)
	}
	// This refuses where something is mounted.
	if err := r.store.Clear(store.NodeImages); err != nil {
		t.Error(err)
	}
}

func TestRealTinyDisk(t *testing.T) {
	disk := t.TempDir()
	if err := syscall.Mount("tmpfs", disk, "tmpfs", 0, "size=60m"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(disk, 0); err != nil {
			t.Error(err)
		}
	})
	r := realRecipe(t, filepath.Join(disk, "cache"))
	version := clusters.Version{Major: 1, Minor: 28, Patch: 15}
	if err := r.checkSpace(t.Context(), version); !errors.Is(err, store.ErrNoSpace) || !strings.Contains(err.Error(), "0.1 GB are free") {
		t.Errorf("before the build: %v", err)
	}
	err := userlandOf(t.Context(), r, nil)
	if !errors.Is(err, store.ErrNoSpace) || !strings.Contains(err.Error(), "userland") {
		t.Errorf("during the build: %v", err)
	}
	spotless(t, r)
	if free, err := store.HostDisks().Free(disk); err != nil || free < 55*store.MiB {
		t.Errorf("%d MiB of 60 are free after the failure, %v", free/store.MiB, err)
	}
}

func TestRealInterruption(t *testing.T) {
	r := realRecipe(t, t.TempDir())
	ctx, cancel := context.WithCancel(t.Context())
	err := userlandOf(ctx, r, func(e build.Event) {
		// By now /proc is mounted in the new root.
		if strings.HasPrefix(e.Text, "Unpacking") || strings.HasPrefix(e.Text, "Configuring") {
			cancel()
		}
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("the interrupted build returned %v", err)
	}
	spotless(t, r)
	if out, err := exec.Command("pgrep", "--full", r.store.Root).Output(); err == nil {
		t.Errorf("still running: %s", out)
	}
}
