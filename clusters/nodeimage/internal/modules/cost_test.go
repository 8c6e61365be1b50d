package modules

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/kind-lab/lab/clusters"
	"github.com/kind-lab/lab/clusters/internal/build"
	"github.com/kind-lab/lab/clusters/internal/fakehost"
	"github.com/kind-lab/lab/clusters/internal/store"
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
		{name: "enough everywhere", free: map[string]int64{"cache": 100 * store.GiB, "gocache": 100 * store.GiB, "/": 100 * store.GiB}},
		{name: "the cache's disk is full", free: map[string]int64{"gocache": 100 * store.GiB, "/": 100 * store.GiB}, says: []string{"1.8 GB for lab's cache in", "0.0 GB are free"}, not: []string{"Go build cache", "share a disk"}},
		{name: "the engine's disk is full", free: map[string]int64{"cache": 100 * store.GiB, "gocache": 100 * store.GiB}, says: []string{"1.5 GB for the container engine's images in /"}},
		{name: "one disk for all", shared: true, free: map[string]int64{"cache": 5 * store.GiB}, says: []string{"7.7 GB for lab's cache in", "and the container engine's images in /, which share a disk", "5.0 GB are free"}},
		{name: "one disk for all, and enough", shared: true, free: map[string]int64{"cache": 8 * store.GiB}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := fakehost.New(t)
			r := newRecipe(t, w)
			w.Mkdir(t, "gocache")
			devices := map[string]uint64{"cache": 1, "gocache": 2, "/": 3}
			r.Disks.Device = func(path string) (uint64, error) {
				if tc.shared {
					return 1, nil
				}
				return devices[filepath.Base(path)], nil
			}
			r.Disks.Free = func(path string) (int64, error) { return tc.free[filepath.Base(path)], nil }
			err := r.checkSpace(context.Background(), version)
			if (err != nil) != (len(tc.says) > 0) || err != nil && !errors.Is(err, store.ErrNoSpace) {
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
	r := newRecipe(t, fakehost.New(t))
	r.Disks.Device = func(string) (uint64, error) { return 0, os.ErrPermission }
	if err := r.checkSpace(context.Background(), clusters.Version{Major: 1, Minor: 28}); err != nil {
		t.Error(err)
	}
}

func TestAheadCountsWhatIsThere(t *testing.T) {
	w := fakehost.New(t)
	r := newRecipe(t, w)
	v28, v29 := clusters.Version{Major: 1, Minor: 28, Patch: 15}, clusters.Version{Major: 1, Minor: 29, Patch: 15}
	all := r.Estimate(v28)
	w.Release("1.28.15")
	w.Companions()
	if err := r.Build(context.Background(), &build.Builder{Store: r.store, Beat: time.Second, Image: "node"}, v28); err != nil {
		t.Fatal(err)
	}
	again, second := r.ahead(v28), r.ahead(v29)
	if again != costs()["assembling"] {
		t.Errorf("with all parts there: %+v", again)
	}
	if want := costs()["assembling"].seconds + costs()["kubernetes"].seconds; second.seconds != want {
		t.Errorf("of a second version: %+v, want %v seconds", second, want)
	}
	if all < time.Second || r.Estimate(v28) >= all {
		t.Errorf("estimates: %s, then %s", all, r.Estimate(v28))
	}
}
