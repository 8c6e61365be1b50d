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
)

// furnished is a world with two node images that were built, one that was
// pulled, busybox, and a part that nothing is made of. A container uses the
// node image of 1.28.
func furnished(t *testing.T) (world, *Provider) {
	t.Helper()
	w, p := newWorld(t)
	for _, v := range []string{"1.28.15", "1.29.15"} {
		w.release(v)
	}
	w.companions()
	for _, c := range []string{"1.28", "1.29"} {
		if _, err := p.Ensure(context.Background(), resolved(t, p, c), nil); err != nil {
			t.Fatal(err)
		}
	}
	if err := p.EnsureImage(context.Background(), "busybox:1.35", nil); err != nil {
		t.Fatal(err)
	}
	part, err := p.store.begin("etcd", "old")
	if err != nil {
		t.Fatal(err)
	}
	if err := writeTree(part, []layerFile{{path: "bin/server", mode: 0o755, data: []byte("12345")}}); err != nil {
		t.Fatal(err)
	}
	if _, err := p.store.finish(part, stageMeta{Name: "etcd v3.5.1", Kind: "etcd", Key: "old", Built: time.Date(2025, 1, 2, 0, 0, 0, 0, time.UTC), Seconds: 1.5}); err != nil {
		t.Fatal(err)
	}
	var e fakeEngine
	w.change("engine", &e, func() {
		e.Images["127.0.0.1:1/kindest/node:v1.27.3"] = fakeImage{ID: "pulled", Created: "2023-01-02T03:04:05Z"}
		e.Containers["lab-control-plane"] = fakeContainer{Image: e.Images[fakeNode]}
	})
	return w, p
}

func TestList(t *testing.T) {
	_, p := furnished(t)
	inv, err := p.List(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, i := range inv.Images {
		ref := i.Ref
		if i.Role == RoleBase {
			ref = baseRepository
		}
		origin := "pulled"
		if i.Built {
			origin = "built"
		}
		created := i.Created.Format("2006")
		if i.Role == RolePod && time.Since(i.Created) < time.Hour {
			created = "now"
		}
		got = append(got, strings.TrimSpace(i.Role+" "+ref+" "+i.Version+" "+origin+" "+created+" "+strings.Join(i.UsedBy, ",")))
	}
	want := []string{
		"pod busybox:1.35  built now",
		"node 127.0.0.1:1/kindest/node:v1.27.3 1.27.3 pulled 2023",
		"node 127.0.0.1:1/kindest/node:v1.28.15 1.28.15 built 2026 lab-control-plane",
		"node 127.0.0.1:1/kindest/node:v1.29.15 1.29.15 built 2026",
		"base lab-node-base  built 2026 127.0.0.1:1/kindest/node:v1.28.15,127.0.0.1:1/kindest/node:v1.29.15",
	}
	if !slices.Equal(got, want) {
		t.Errorf("images:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	uses := map[string]int{}
	for _, e := range inv.Entries {
		uses[e.Name] = len(e.UsedBy)
		if e.Size <= 0 || e.Built.IsZero() {
			t.Errorf("entry %+v", e)
		}
	}
	for name, n := range map[string]int{"Kubernetes 1.28.15": 1, "containerd v2.3.4": 2, "userland of trixie": 2, "etcd v3.5.1": 0} {
		if uses[name] != n {
			t.Errorf("%s is used by %d images, want %d", name, uses[name], n)
		}
	}
	data, err := json.Marshal(inv)
	if err != nil || !strings.Contains(string(data), `"used_by":["lab-control-plane"]`) || !strings.Contains(string(data), `"contains":{`) {
		t.Errorf("as JSON: %s, %v", data, err)
	}
}

func TestPrune(t *testing.T) {
	const (
		old, node28, node29 = "etcd v3.5.1", "127.0.0.1:1/kindest/node:v1.28.15", "127.0.0.1:1/kindest/node:v1.29.15"
	)
	for _, tc := range []struct {
		name     string
		options  PruneOptions
		stubborn []string
		removed  []string
		kept     []string
		fails    string
	}{
		{name: "what nothing uses", removed: []string{old}, kept: []string{node28, node29, "Kubernetes 1.29.15", "busybox:1.35"}},
		{name: "all but what is used", options: PruneOptions{All: true},
			removed: []string{old, node29, "Kubernetes 1.29.15", "Kubernetes 1.28.15", "busybox:1.35"}, kept: []string{node28, "127.0.0.1:1/kindest/node:v1.27.3"}},
		{name: "only what is old", options: PruneOptions{All: true, OlderThan: 300 * 24 * time.Hour}, removed: []string{old}, kept: []string{node29, "Kubernetes 1.29.15"}},
		{name: "nothing so old", options: PruneOptions{OlderThan: 100000 * time.Hour}, kept: []string{old}},
		{name: "to look at", options: PruneOptions{All: true, DryRun: true}, removed: []string{old, node29}},
		{name: "what the engine holds on to", options: PruneOptions{All: true}, stubborn: []string{node29},
			removed: []string{old}, kept: []string{node29}, fails: "removing image " + node29},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w, p := furnished(t)
			p.now = func() time.Time { return time.Date(2026, 2, 1, 0, 0, 0, 0, time.UTC) }
			metas, err := p.store.list()
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range metas { // what was built just now, by the test's clock
				if m.Name != old {
					m.Built = p.now().Add(-time.Hour)
					data, _ := json.Marshal(m)
					w.write(t, filepath.Join("cache", stagesDir, m.Kind+"-"+m.Key, metaFile), string(data))
				}
			}
			var e fakeEngine
			w.change("engine", &e, func() { e.Stubborn = tc.stubborn })
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
	w.release("1.28.15")
	w.companions()
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
	if old.Role != RoleNode || old.Version != "1.28.15" {
		t.Errorf("the image that lost its name: %+v", old)
	}
	result, err := p.Prune(context.Background(), PruneOptions{}, nil)
	if err != nil || len(result.Removed) != 1 || result.Removed[0].Name != old.ID {
		t.Errorf("Prune = %+v, %v", result, err)
	}
}

func TestPruneRemovesWhatABrokenBuildLeft(t *testing.T) {
	w, p := newWorld(t)
	w.write(t, "cache/part/userland-1/rootfs/x", "x")
	w.put("engine", fakeEngine{Images: map[string]fakeImage{}, Containers: map[string]fakeContainer{p.store.workName() + "x": {}, "mine": {}}})
	if _, err := p.Prune(context.Background(), PruneOptions{}, nil); err != nil {
		t.Fatal(err)
	}
	var e fakeEngine
	w.get("engine", &e)
	if _, err := os.Stat(filepath.Join(w.dir, "cache", partDir)); !errors.Is(err, os.ErrNotExist) || len(e.Containers) != 1 {
		t.Errorf("still there: %v, %v", err, e.Containers)
	}
}

func TestStoreIgnoresStrangers(t *testing.T) {
	w, p := newWorld(t)
	w.write(t, "cache/stages/etcd-1/stage.json", `{"kind":"etcd","key":"2"}`)
	w.write(t, "cache/stages/etcd-2/stage.json", `{`)
	w.write(t, "cache/stages/README", "x")
	if metas, err := p.store.list(); err != nil || len(metas) > 0 {
		t.Errorf("list = %v, %v", metas, err)
	}
}
