package podimage

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/kind-lab/lab/clusters"
	"github.com/kind-lab/lab/clusters/internal/debian"
	"github.com/kind-lab/lab/clusters/internal/fakehost"
	"github.com/kind-lab/lab/clusters/internal/images"
	"github.com/kind-lab/lab/clusters/internal/store"
)

func TestMain(m *testing.M) { fakehost.Main(m) }

// PodsOf provides images of pods in the same world.
func PodsOf(t *testing.T, w fakehost.World) *Provider {
	t.Helper()
	p, err := New(Options{Engine: clusters.Engine{Name: "docker"}, Cache: filepath.Join(w.Dir, "cache")})
	if err != nil {
		t.Fatal(err)
	}
	p.beat, p.puller.Beat, p.puller.Patience = 20*time.Millisecond, 20*time.Millisecond, 5*time.Second
	p.debian = debian.System{OSRelease: filepath.Join(w.Dir, "os-release")}
	return p
}

func TestEnsureImage(t *testing.T) {
	for _, tc := range []struct {
		name, ref string
		remote    []string
		troubles  []fakehost.Trouble
		is        error
		says      []string
	}{
		{name: "the engine has it", ref: "there:1"},
		{name: "the registry has it", ref: "nginx:1.25", remote: []string{"nginx:1.25"}},
		{name: "a digest", ref: "x@sha256:" + strings.Repeat("0", 64), remote: []string{"x@sha256:" + strings.Repeat("0", 64)}},
		{name: "busybox without a registry", ref: "busybox:1.35"},
		{name: "busybox by its long name", ref: "library/busybox:1.35.0"},
		{name: "any busybox", ref: "busybox"},
		{name: "busybox in another version", ref: "busybox:1.36", is: images.ErrNoImage, says: []string{"image busybox:1.36", "no such host", "busybox-static 1:1.35.0-4+b1"}},
		{name: "busybox without apt", ref: "busybox:1.35", troubles: []fakehost.Trouble{{Words: "apt-cache", Says: "E: no packages found"}}, is: images.ErrNoImage, says: []string{"E: no packages found"}},
		{name: "a package that does not come", ref: "busybox:1.35", troubles: []fakehost.Trouble{{Words: "apt-get download", Says: "E: Failed to fetch"}}, says: []string{"E: Failed to fetch"}},
		{name: "the load balancer without a registry", ref: clusters.LoadBalancerImage},
		{name: "the load balancer where the registry has it", ref: clusters.LoadBalancerImage, remote: []string{clusters.LoadBalancerImage}},
		{name: "Envoy in another version", ref: "envoyproxy/envoy:v1.30.0", is: images.ErrNoImage, says: []string{"not known here"}},
		{name: "the load balancer without Go", ref: clusters.LoadBalancerImage, troubles: []fakehost.Trouble{{Words: "go build", Says: "x.go:1:1: syntax error"}}, says: []string{"syntax error"}},
		{name: "an unknown image", ref: "nginx:1.25", is: images.ErrNoImage, says: []string{"image nginx:1.25", "no such host", "not known here"}},
		{name: "an image that the registry lacks", ref: "nginx:1.99", remote: []string{"nginx:1.25"}, is: images.ErrNoImage, says: []string{"manifest for nginx:1.99 not found"}},
		{name: "somebody else's busybox", ref: "example.org/busybox:1.35", is: images.ErrNoImage},
		{name: "a full disk", ref: "nginx:1.25", troubles: []fakehost.Trouble{{Words: "docker pull", Says: "failed to register layer: no space left on device"}}, is: store.ErrNoSpace},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := fakehost.New(t)
			p := PodsOf(t, w)
			w.Put("engine", fakehost.Engine{Images: map[string]fakehost.Image{"there:1": {ID: "1"}}, Remote: tc.remote})
			w.Troubled(tc.troubles...)
			err := p.Ensure(context.Background(), tc.ref, nil)
			if len(tc.says) == 0 && tc.is == nil {
				if err != nil {
					t.Fatalf("EnsureImage(%q): %v", tc.ref, err)
				}
				var e fakehost.Engine
				w.Get("engine", &e)
				if e.Images[tc.ref].ID == "" {
					t.Errorf("the engine has %v", e.Images)
				}
				return
			}
			if err == nil || tc.is != nil && !errors.Is(err, tc.is) {
				t.Fatalf("EnsureImage(%q): %v, want %v", tc.ref, err, tc.is)
			}
			for _, says := range tc.says {
				if !strings.Contains(err.Error(), says) {
					t.Errorf("%q does not say %q", err, says)
				}
			}
		})
	}
}

func TestPullAsksASilentRegistryOnce(t *testing.T) {
	w := fakehost.New(t)
	p := PodsOf(t, w)
	for range 2 {
		if err := p.Ensure(context.Background(), "example.org/a:1", nil); !errors.Is(err, images.ErrNoImage) {
			t.Fatal(err)
		}
	}
	if err := p.Ensure(context.Background(), "example.org/b:1", nil); !errors.Is(err, images.ErrNoImage) || !strings.Contains(err.Error(), "no such host") {
		t.Errorf("another image of the silent registry: %v", err)
	}
	if pulls := w.Calls("docker pull"); len(pulls) != 1 {
		t.Errorf("asked %q", pulls)
	}
	// A registry that lacks one image is asked for the next.
	w.Put("engine", fakehost.Engine{Images: map[string]fakehost.Image{}, Remote: []string{"example.com/a:1"}})
	if err := p.Ensure(context.Background(), "example.com/b:1", nil); !errors.Is(err, images.ErrNoImage) {
		t.Error(err)
	}
	if err := p.Ensure(context.Background(), "example.com/a:1", nil); err != nil {
		t.Error(err)
	}
}

func TestPullLosesPatience(t *testing.T) {
	w := fakehost.New(t)
	p := PodsOf(t, w)
	p.puller.Patience = 100 * time.Millisecond
	w.Troubled(fakehost.Trouble{Words: "docker pull", Hang: true})
	err := p.Ensure(context.Background(), "example.org/a:1", nil)
	if !errors.Is(err, images.ErrNoImage) || !strings.Contains(err.Error(), "said nothing for 100ms") {
		t.Errorf("a registry that says nothing: %v", err)
	}
}

func TestPullStops(t *testing.T) {
	w := fakehost.New(t)
	p := PodsOf(t, w)
	w.Troubled(fakehost.Trouble{Words: "docker pull", Hang: true})
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() {
		err := p.Ensure(ctx, "example.org/a:1", nil)
		ended <- err
	}()
	w.Await(t, "hanging docker pull")
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) || errors.Is(err, images.ErrNoImage) {
		t.Errorf("an interrupted pull: %v", err)
	}
	if why := p.puller.Registry.Silence("example.org"); why != "" {
		t.Errorf("the registry counts as silent: %s", why)
	}
}
