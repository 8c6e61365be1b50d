package nodeimage

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/kind-lab/lab/clusters"
)

func TestCheckSpace(t *testing.T) {
	version := clusters.Version{Major: 1, Minor: 28, Patch: 15}
	for _, tc := range []struct {
		name   string
		free   map[string]int64 // by the last part of the path; the rest is 0
		shared bool             // all on one disk
		says   []string
		not    []string
	}{
		{name: "enough everywhere", free: map[string]int64{"cache": 100 * gib, "gocache": 100 * gib, "/": 100 * gib}},
		{name: "the cache's disk is full", free: map[string]int64{"gocache": 100 * gib, "/": 100 * gib}, says: []string{"1.8 GB for lab's cache in", "0.0 GB are free"}, not: []string{"Go build cache", "share a disk"}},
		{name: "the engine's disk is full", free: map[string]int64{"cache": 100 * gib, "gocache": 100 * gib}, says: []string{"1.5 GB for the container engine's images in /"}},
		{name: "one disk for all", shared: true, free: map[string]int64{"cache": 5 * gib}, says: []string{"7.7 GB for lab's cache in", "and the container engine's images in /, which share a disk", "5.0 GB are free"}},
		{name: "one disk for all, and enough", shared: true, free: map[string]int64{"cache": 8 * gib}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w, p := newWorld(t)
			w.mkdir(t, "gocache")
			devices := map[string]uint64{"cache": 1, "gocache": 2, "/": 3}
			p.device = func(path string) (uint64, error) {
				if tc.shared {
					return 1, nil
				}
				return devices[filepath.Base(path)], nil
			}
			p.free = func(path string) (int64, error) { return tc.free[filepath.Base(path)], nil }
			err := p.checkSpace(context.Background(), version)
			if (err != nil) != (len(tc.says) > 0) || err != nil && !errors.Is(err, ErrNoSpace) {
				t.Fatalf("checkSpace: %v", err)
			}
			for _, says := range tc.says {
				if !strings.Contains(err.Error(), says) {
					t.Errorf("%q does not say %q", err, says)
				}
			}
			for _, not := range tc.not {
				if strings.Contains(err.Error(), not) {
					t.Errorf("%q says %q", err, not)
				}
			}
		})
	}
}

func TestCheckSpaceOfWhatCannotBeMeasured(t *testing.T) {
	_, p := newWorld(t)
	p.device = func(string) (uint64, error) { return 0, os.ErrPermission }
	if err := p.checkSpace(context.Background(), clusters.Version{Major: 1, Minor: 28}); err != nil {
		t.Error(err)
	}
}

func TestAheadCountsWhatIsThere(t *testing.T) {
	w, p := newWorld(t)
	v28, v29 := clusters.Version{Major: 1, Minor: 28, Patch: 15}, clusters.Version{Major: 1, Minor: 29, Patch: 15}
	all := p.estimate(v28)
	w.release("1.28.15")
	w.companions()
	if _, err := p.Ensure(context.Background(), Resolution{Version: v28}, nil); err != nil {
		t.Fatal(err)
	}
	again, second := p.ahead(v28), p.ahead(v29)
	if again != costs()["assembling"] {
		t.Errorf("with all parts there: %+v", again)
	}
	if want := costs()["assembling"].seconds + costs()["kubernetes"].seconds; second.seconds != want {
		t.Errorf("of a second version: %+v, want %v seconds", second, want)
	}
	if all < time.Second || p.estimate(v28) >= all {
		t.Errorf("estimates: %s, then %s", all, p.estimate(v28))
	}
}

func TestFreeBytes(t *testing.T) {
	n, err := freeBytes(t.TempDir())
	if err != nil || n <= 0 || n == math.MaxInt64 {
		t.Errorf("freeBytes = %d, %v", n, err)
	}
	if _, err := freeBytes(filepath.Join(t.TempDir(), "nothing")); err == nil {
		t.Error("free space of nothing")
	}
	if a, err := deviceOf(t.TempDir()); err != nil || a == 0 {
		t.Errorf("deviceOf = %d, %v", a, err)
	}
}

func TestExisting(t *testing.T) {
	dir := t.TempDir()
	for path, want := range map[string]string{"": "", dir: dir, filepath.Join(dir, "a", "b"): dir, "/": "/"} {
		if got := existing(path); got != want {
			t.Errorf("existing(%q) = %q, want %q", path, got, want)
		}
	}
}
