package modules

import (
	"path/filepath"
	"testing"

	"github.com/kind-lab/lab/clusters"
	"github.com/kind-lab/lab/clusters/internal/debian"
	"github.com/kind-lab/lab/clusters/internal/fakehost"
	"github.com/kind-lab/lab/clusters/internal/gotool"
	"github.com/kind-lab/lab/clusters/internal/images"
	"github.com/kind-lab/lab/clusters/internal/store"
)

func TestMain(m *testing.M) { fakehost.Main(m) }

// newRecipe builds node images in a world.
func newRecipe(t *testing.T, w fakehost.World) *Recipe {
	t.Helper()
	cache, err := store.Open(filepath.Join(w.Dir, "cache"))
	if err != nil {
		t.Fatal(err)
	}
	tool, err := gotool.New("", cache.Root)
	if err != nil {
		t.Fatal(err)
	}
	r := New(images.Engine{CLI: clusters.Engine{Name: "docker"}}, cache, tool, "v0.33.0")
	r.Can = func() error { return nil }
	r.Disks.Free = func(string) (int64, error) { return 100 * store.GiB, nil }
	r.Debian = debian.System{OSRelease: filepath.Join(w.Dir, "os-release")}
	return r
}
