package nodeimage

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kind-lab/lab/clusters/internal/fakehost"
	"github.com/kind-lab/lab/clusters/internal/images"
	"github.com/kind-lab/lab/clusters/internal/oci"
	"github.com/kind-lab/lab/clusters/internal/store"
	"github.com/kind-lab/lab/clusters/nodeimage/internal/modules"
)

// furnished is a world with two node images that were built, one that was
// pulled, busybox, and a part that nothing is made of. A container uses the
// node image of 1.28.
func furnished(t *testing.T) (fakehost.World, *Provider) {
	t.Helper()
	w, p := newWorld(t)
	for _, v := range []string{"1.28.15", "1.29.15"} {
		w.Release(v)
	}
	w.Companions()
	for _, c := range []string{"1.28", "1.29"} {
		if _, err := p.Ensure(context.Background(), resolved(t, p, c), nil); err != nil {
			t.Fatal(err)
		}
	}
	havePod(t, w, "busybox:1.35")
	part, err := p.store.Begin(store.NodeImages, "etcd", "old")
	if err != nil {
		t.Fatal(err)
	}
	if err := oci.WriteTree(part, []oci.File{{Path: "bin/server", Mode: 0o755, Data: []byte("12345")}}); err != nil {
		t.Fatal(err)
	}
	if _, err := p.store.Finish(part, store.Part{Name: "etcd v3.5.1", Kind: "etcd", Key: "old", Built: time.Date(2025, 1, 2, 0, 0, 0, 0, time.UTC), Seconds: 1.5}); err != nil {
		t.Fatal(err)
	}
	var e fakehost.Engine
	w.Change("engine", &e, func() {
		e.Images["127.0.0.1:1/kindest/node:v1.27.3"] = fakehost.Image{ID: "pulled", Created: "2023-01-02T03:04:05Z"}
		e.Containers["lab-control-plane"] = fakehost.Container{Image: e.Images[fakeNode]}
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
		if i.Role == images.RoleBase {
			ref = modules.BaseRepository
		}
		origin := "pulled"
		if i.Built {
			origin = "built"
		}
		created := i.Created.Format("2006")
		if i.Role == images.RolePod && time.Since(i.Created) < time.Hour {
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
