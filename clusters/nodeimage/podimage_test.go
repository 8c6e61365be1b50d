package nodeimage

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kind-lab/lab/clusters"
)

func TestEnsureImage(t *testing.T) {
	for _, tc := range []struct {
		name, ref string
		remote    []string
		troubles  []trouble
		is        error
		says      []string
	}{
		{name: "the engine has it", ref: "there:1"},
		{name: "the registry has it", ref: "nginx:1.25", remote: []string{"nginx:1.25"}},
		{name: "a digest", ref: "x@sha256:" + strings.Repeat("0", 64), remote: []string{"x@sha256:" + strings.Repeat("0", 64)}},
		{name: "busybox without a registry", ref: "busybox:1.35"},
		{name: "busybox by its long name", ref: "library/busybox:1.35.0"},
		{name: "any busybox", ref: "busybox"},
		{name: "busybox in another version", ref: "busybox:1.36", is: ErrNoImage, says: []string{"image busybox:1.36", "no such host", "busybox-static 1:1.35.0-4+b1"}},
		{name: "busybox without apt", ref: "busybox:1.35", troubles: []trouble{{Words: "apt-cache", Says: "E: no packages found"}}, is: ErrNoImage, says: []string{"E: no packages found"}},
		{name: "a package that does not come", ref: "busybox:1.35", troubles: []trouble{{Words: "apt-get download", Says: "E: Failed to fetch"}}, says: []string{"E: Failed to fetch"}},
		{name: "the load balancer without a registry", ref: clusters.LoadBalancerImage},
		{name: "the load balancer where the registry has it", ref: clusters.LoadBalancerImage, remote: []string{clusters.LoadBalancerImage}},
		{name: "Envoy in another version", ref: "envoyproxy/envoy:v1.30.0", is: ErrNoImage, says: []string{"not known here"}},
		{name: "the load balancer without Go", ref: clusters.LoadBalancerImage, troubles: []trouble{{Words: "go build", Says: "x.go:1:1: syntax error"}}, says: []string{"syntax error"}},
		{name: "an unknown image", ref: "nginx:1.25", is: ErrNoImage, says: []string{"image nginx:1.25", "no such host", "not known here"}},
		{name: "an image that the registry lacks", ref: "nginx:1.99", remote: []string{"nginx:1.25"}, is: ErrNoImage, says: []string{"manifest for nginx:1.99 not found"}},
		{name: "somebody else's busybox", ref: "example.org/busybox:1.35", is: ErrNoImage},
		{name: "a full disk", ref: "nginx:1.25", troubles: []trouble{{Words: "docker pull", Says: "failed to register layer: no space left on device"}}, is: ErrNoSpace},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w, p := newWorld(t)
			w.put("engine", fakeEngine{Images: map[string]fakeImage{"there:1": {ID: "1"}}, Remote: tc.remote})
			w.troubled(tc.troubles...)
			err := p.EnsureImage(context.Background(), tc.ref, nil)
			if len(tc.says) == 0 && tc.is == nil {
				if err != nil {
					t.Fatalf("EnsureImage(%q): %v", tc.ref, err)
				}
				var e fakeEngine
				w.get("engine", &e)
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

func TestEnsureANamedNodeImage(t *testing.T) {
	w, p := newWorld(t)
	w.put("engine", fakeEngine{Images: map[string]fakeImage{}, Remote: []string{"example.org/node:mine"}})
	if ref, err := p.Ensure(context.Background(), Resolution{Image: "example.org/node:mine"}, nil); err != nil || ref != "example.org/node:mine" {
		t.Errorf("Ensure = %q, %v", ref, err)
	}
	var missing *NoImageError
	if _, err := p.Ensure(context.Background(), Resolution{Image: "example.org/node:theirs"}, nil); !errors.As(err, &missing) || !strings.Contains(missing.Registry, "not found") {
		t.Errorf("a named image that is nowhere: %v", err)
	}
}

func TestPullAsksASilentRegistryOnce(t *testing.T) {
	w, p := newWorld(t)
	for range 2 {
		if err := p.EnsureImage(context.Background(), "example.org/a:1", nil); !errors.Is(err, ErrNoImage) {
			t.Fatal(err)
		}
	}
	if err := p.EnsureImage(context.Background(), "example.org/b:1", nil); !errors.Is(err, ErrNoImage) || !strings.Contains(err.Error(), "no such host") {
		t.Errorf("another image of the silent registry: %v", err)
	}
	if pulls := w.calls("docker pull"); len(pulls) != 1 {
		t.Errorf("asked %q", pulls)
	}
	// A registry that lacks one image is asked for the next.
	w.put("engine", fakeEngine{Images: map[string]fakeImage{}, Remote: []string{"example.com/a:1"}})
	if err := p.EnsureImage(context.Background(), "example.com/b:1", nil); !errors.Is(err, ErrNoImage) {
		t.Error(err)
	}
	if err := p.EnsureImage(context.Background(), "example.com/a:1", nil); err != nil {
		t.Error(err)
	}
}

func TestPullLosesPatience(t *testing.T) {
	w, p := newWorld(t)
	p.patience = 100 * time.Millisecond
	w.troubled(trouble{Words: "docker pull", Hang: true})
	err := p.EnsureImage(context.Background(), "example.org/a:1", nil)
	if !errors.Is(err, ErrNoImage) || !strings.Contains(err.Error(), "said nothing for 100ms") {
		t.Errorf("a registry that says nothing: %v", err)
	}
}

func TestPullStops(t *testing.T) {
	w, p := newWorld(t)
	w.troubled(trouble{Words: "docker pull", Hang: true})
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() {
		err := p.EnsureImage(ctx, "example.org/a:1", nil)
		ended <- err
	}()
	w.await(t, "hanging docker pull")
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) || errors.Is(err, ErrNoImage) {
		t.Errorf("an interrupted pull: %v", err)
	}
	if why := p.registry.silence("example.org"); why != "" {
		t.Errorf("the registry counts as silent: %s", why)
	}
}

func TestMatchesTag(t *testing.T) {
	for _, tc := range []struct {
		version, tag string
		want         bool
	}{
		{"1:1.35.0-4+deb12u1+b1", "1.35", true},
		{"1:1.35.0-4+deb12u1+b1", "1.35.0", true},
		{"1.35.0", "1", true},
		{"1:1.35.0-4", "1.3", false},
		{"1:1.35.0-4", "1.35.0-4", false},
		{"1:1.35.0-4", "1.35-musl", false},
		{"1:1.35.0-4", "latest", true},
		{"1:1.35.0-4", "stable", true},
	} {
		if got := matchesTag(tc.version, tc.tag); got != tc.want {
			t.Errorf("matchesTag(%q, %q) = %v", tc.version, tc.tag, got)
		}
	}
}

func TestBusyboxImage(t *testing.T) {
	w, p := newWorld(t)
	if err := p.EnsureImage(context.Background(), "busybox:1.35", nil); err != nil {
		t.Fatal(err)
	}
	tree := t.TempDir()
	fakeDpkg(w, []string{"--extract", "x", tree})
	files, err := busyboxFiles(context.Background(), tree)
	if err != nil {
		t.Fatal(err)
	}
	got := described(files)
	for _, want := range []string{"bin/busybox", "bin/sh -> busybox", "bin/sleep -> busybox", "usr/bin/env -> /bin/busybox", "tmp", "etc/passwd"} {
		if !slices.Contains(got, want) {
			t.Errorf("no %q in %q", want, got)
		}
	}
}
