package nodeimage

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kind-lab/lab/clusters/internal/fakehost"
	"github.com/kind-lab/lab/clusters/internal/images"
	"github.com/kind-lab/lab/clusters/internal/store"
)

// Images that are there before TestPrune.
const (
	oldNode, node28, node29 = "etcd v3.5.1", "127.0.0.1:1/kindest/node:v1.28.15", "127.0.0.1:1/kindest/node:v1.29.15"
)

// pruneCases are what is asked for, with what goes and what stays.
var pruneCases = []struct {
	name    string
	options PruneOptions
	inUse   []string
	removed []string
	kept    []string
	fails   string
}{
	{name: "what nothing uses", removed: []string{oldNode}, kept: []string{node28, node29, "Kubernetes 1.29.15", "busybox:1.35"}},
	{name: "all but what is used", options: PruneOptions{All: true},
		removed: []string{oldNode, node29, "Kubernetes 1.29.15", "Kubernetes 1.28.15", "busybox:1.35"}, kept: []string{node28, "127.0.0.1:1/kindest/node:v1.27.3"}},
	{name: "only what is old", options: PruneOptions{All: true, OlderThan: 300 * 24 * time.Hour}, removed: []string{oldNode}, kept: []string{node29, "Kubernetes 1.29.15"}},
	{name: "nothing so old", options: PruneOptions{OlderThan: 100000 * time.Hour}, kept: []string{oldNode}},
	{name: "to look at", options: PruneOptions{All: true, DryRun: true}, removed: []string{oldNode, node29}},
	{name: "what the engine holds on to", options: PruneOptions{All: true}, inUse: []string{node29},
		removed: []string{oldNode}, kept: []string{node29}, fails: "removing image " + node29},
}

func TestPrune(t *testing.T) {
	for _, tc := range pruneCases {
		t.Run(tc.name, func(t *testing.T) {
			w, p := furnished(t)
			p.now = func() time.Time { return time.Date(2026, 2, 1, 0, 0, 0, 0, time.UTC) }
			metas, err := p.store.List()
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range metas { // what was built just now, by the test's clock
				if m.Name != oldNode {
					m.Built = p.now().Add(-time.Hour)
					data, _ := json.Marshal(m)
					w.Write(t, filepath.Join("cache", store.StagesDir, m.Kind+"-"+m.Key, store.MetaFile), string(data))
				}
			}
			var e fakehost.Engine
			w.Change("engine", &e, func() { e.InUse = tc.inUse })
			result, err := p.Prune(context.Background(), tc.options, nil)
			if (err != nil) != (tc.fails != "") || err != nil && !strings.Contains(err.Error(), tc.fails) {
				t.Fatalf("Prune: %v, want %q", err, tc.fails)
			}
			var removed []string
			for _, r := range result.Removed {
				removed = append(removed, r.Name)
			}
			after, err := p.List(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			there := map[string]bool{}
			for _, i := range after.Images {
				there[i.Ref] = true
			}
			for _, e := range after.Entries {
				there[e.Name] = true
			}
			for _, name := range tc.removed {
				if !slices.Contains(removed, name) || there[name] != tc.options.DryRun {
					t.Errorf("%s: removed %q, still there %v", name, removed, there[name])
				}
			}
			for _, name := range tc.kept {
				if slices.Contains(removed, name) || !there[name] {
					t.Errorf("%s: removed %q, still there %v", name, removed, there[name])
				}
			}
			if len(tc.removed) > 0 && result.Freed == 0 {
				t.Error("nothing freed")
			}
		})
	}
}

func TestPruneRemovesWhatWasBuiltAgain(t *testing.T) {
	w, p := newWorld(t)
	w.Release("1.28.15")
	w.Companions()
	for range 2 {
		if _, err := p.Build(context.Background(), resolved(t, p, "1.28").Version, nil); err != nil {
			t.Fatal(err)
		}
	}
	inv, err := p.List(context.Background())
	if err != nil || len(inv.Images) != 3 {
		t.Fatalf("List = %+v, %v", inv.Images, err)
	}
	var old Image
	for _, i := range inv.Images {
		if i.Ref == i.ID {
			old = i
		}
	}
	if old.Role != images.RoleNode || old.Version != "1.28.15" {
		t.Errorf("the image that lost its name: %+v", old)
	}
	result, err := p.Prune(context.Background(), PruneOptions{}, nil)
	if err != nil || len(result.Removed) != 1 || result.Removed[0].Name != old.ID {
		t.Errorf("Prune = %+v, %v", result, err)
	}
}

func TestPruneRemovesWhatABrokenBuildLeft(t *testing.T) {
	w, p := newWorld(t)
	w.Write(t, "cache/part/userland-1/rootfs/x", "x")
	w.Put("engine", fakehost.Engine{Images: map[string]fakehost.Image{}, Containers: map[string]fakehost.Container{p.store.WorkName() + "x": {}, "mine": {}}})
	if _, err := p.Prune(context.Background(), PruneOptions{}, nil); err != nil {
		t.Fatal(err)
	}
	var e fakehost.Engine
	w.Get("engine", &e)
	if _, err := os.Stat(filepath.Join(w.Dir, "cache", store.NodeImages.PartDir())); !errors.Is(err, os.ErrNotExist) || len(e.Containers) != 1 {
		t.Errorf("still there: %v, %v", err, e.Containers)
	}
}
