package nodeimage

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/kind-lab/lab/clusters"
	"github.com/kind-lab/lab/clusters/internal/debian"
	"github.com/kind-lab/lab/clusters/internal/fakehost"
	"github.com/kind-lab/lab/clusters/internal/store"
	"github.com/kind-lab/lab/clusters/podimage"
)

func TestMain(m *testing.M) {
	if code, ok := RunKindBuilder(os.Environ(), os.Stdout); ok {
		os.Exit(code)
	}
	fakehost.Main(m)
}

// newWorld makes a world with all the programs on the PATH, and a provider in
// it that has seen nothing yet.
func newWorld(t *testing.T) (fakehost.World, *Provider) {
	t.Helper()
	w := fakehost.New(t)
	return w, provider(t, w)
}

// provider is another process's view of the same world.
func provider(t *testing.T, w fakehost.World) *Provider {
	t.Helper()
	p, err := New(Options{
		Engine: clusters.Engine{Name: "docker"}, Cache: filepath.Join(w.Dir, "cache"),
		// A port that nothing listens on: no registry answers.
		Repository: "127.0.0.1:1/kindest/node", Kind: "v0.33.0",
	})
	if err != nil {
		t.Fatal(err)
	}
	p.beat, p.puller.Beat, p.puller.Patience = 20*time.Millisecond, 20*time.Millisecond, 5*time.Second
	p.modules.Can = func() error { return nil }
	p.modules.Disks.Free = func(string) (int64, error) { return 100 * store.GiB, nil }
	p.modules.Debian = debian.System{OSRelease: filepath.Join(w.Dir, "os-release")}
	return p
}

// havePod makes an image of pods in the same world, with the same cache.
func havePod(t *testing.T, w fakehost.World, ref string) {
	t.Helper()
	p, err := podimage.New(podimage.Options{Engine: clusters.Engine{Name: "docker"}, Cache: filepath.Join(w.Dir, "cache")})
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Ensure(context.Background(), ref, nil); err != nil {
		t.Fatal(err)
	}
}
