package kind

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kind-lab/lab/clusters"
)

func TestLoadArchive(t *testing.T) {
	fake := newFakeEngine(t, behaviour{})
	fake.add("lab-a-control-plane", "lab-a", "control-plane")
	fake.add("lab-a-worker", "lab-a", "worker")
	handle := clusters.Handle{ID: "lab-a", Nodes: []clusters.Node{{Name: "lab-a-control-plane"}, {Name: "lab-a-worker"}}}
	path := filepath.Join(t.TempDir(), "images.tar")
	if err := os.WriteFile(path, []byte("images"), 0o600); err != nil {
		t.Fatal(err)
	}
	p := New(fake.engine(), clusters.Host{}, Options{})
	if err := p.LoadArchive(t.Context(), handle, path, func(string) {}); err != nil {
		t.Fatal(err)
	}
	for _, node := range handle.Nodes {
		if !slices.ContainsFunc(fake.calls(), func(call string) bool {
			return strings.Contains(call, node.Name) && strings.HasSuffix(call, "images import --digests --snapshotter=overlayfs --all-platforms -")
		}) {
			t.Errorf("nothing was loaded into %s:\n%s", node.Name, strings.Join(fake.calls(), "\n"))
		}
	}
	err := p.LoadArchive(t.Context(), handle, path+".gz", nil)
	if !errors.Is(err, os.ErrNotExist) || !strings.Contains(err.Error(), "loading the archive "+path+".gz into node lab-a-") {
		t.Errorf("error %v", err)
	}
}

func TestExportLogs(t *testing.T) {
	fake := newFakeEngine(t, behaviour{Journal: "kubelet started\n"})
	fake.add("lab-a-control-plane", "lab-a", "control-plane")
	p := New(fake.engine(), clusters.Host{}, Options{})
	dir := t.TempDir()
	if err := p.ExportLogs(t.Context(), "lab-a", dir); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, "lab-a-control-plane", "kubelet.log"))
	if err != nil || string(text) != "kubelet started\n" {
		t.Errorf("kubelet.log: %q, %v", text, err)
	}
	if err := New(clusters.Engine{Name: "other"}, clusters.Host{}, Options{}).ExportLogs(t.Context(), "lab-a", dir); !errors.Is(err, ErrSpec) {
		t.Errorf("error %v", err)
	}
}
