package kindbuild

import (
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/kind-lab/lab/clusters"
	"github.com/kind-lab/lab/clusters/internal/build"
	"github.com/kind-lab/lab/clusters/internal/fakehost"
	"github.com/kind-lab/lab/clusters/internal/images"
	"github.com/kind-lab/lab/clusters/internal/store"
)

// TestMain is also the process in which kind's builder runs: the real one, with
// the fake engine.
func TestMain(m *testing.M) {
	if code, ok := Main(os.Environ(), os.Stdout); ok {
		os.Exit(code)
	}
	fakehost.Main(m)
}

// newBuilder is a machine with docker, kind's base image, a registry, and a
// server with some releases.
func newBuilder(t *testing.T, releases ...string) (fakehost.World, *Builder) {
	t.Helper()
	w := fakehost.New(t)
	cache, err := store.Open(filepath.Join(w.Dir, "cache"))
	if err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	engine := images.Engine{CLI: clusters.Engine{Name: "docker"}}
	puller := images.NewPuller(engine)
	puller.Beat = 20 * time.Millisecond
	k := New(engine, cache, puller, self)
	k.Downloads.Base = fakehost.Serve(t, fakehost.Published(releases...))
	k.Disks.Free = func(string) (int64, error) { return 100 * store.GiB, nil }
	w.KindImages(k.Base)
	return w, k
}

// steps builds in the cache of k, and collects what is said.
type steps struct {
	*build.Builder
	mu     sync.Mutex
	events []build.Event
}

func newSteps(k *Builder) *steps {
	s := &steps{}
	s.Builder = &build.Builder{Store: k.store, Area: store.NodeImages, Beat: 20 * time.Millisecond, Image: "node", Progress: func(e build.Event) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.events = append(s.events, e)
	}}
	return s
}

// texts are all texts that were said.
func (s *steps) texts() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := ""
	for _, e := range s.events {
		all += e.Stage + ": " + e.Text + "\n"
	}
	return all
}

// nameAs names an image by the version in it.
func nameAs(built string) (string, error) { return "kindest/node:" + built, nil }
