package nodeimage

import (
	"context"
	"errors"
	"io"
	"log"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-containerregistry/pkg/name"
	containerregistry "github.com/google/go-containerregistry/pkg/registry"
	"github.com/google/go-containerregistry/pkg/v1/random"
	"github.com/google/go-containerregistry/pkg/v1/remote"

	"github.com/kind-lab/lab/clusters"
	"github.com/kind-lab/lab/clusters/internal/build"
	"github.com/kind-lab/lab/clusters/internal/fakehost"
	"github.com/kind-lab/lab/clusters/internal/images"
	"github.com/kind-lab/lab/clusters/nodeimage/internal/modules"
)

// publish serves a registry with node images of some versions, and lets the
// provider look there.
func publish(t *testing.T, p *Provider, versions ...string) {
	t.Helper()
	server := httptest.NewServer(containerregistry.New(containerregistry.Logger(log.New(io.Discard, "", 0))))
	t.Cleanup(server.Close)
	p.repository = strings.TrimPrefix(server.URL, "http://") + "/kindest/node"
	image, err := random.Image(16, 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range versions {
		tag, err := name.NewTag(p.repository + ":" + v)
		if err != nil {
			t.Fatal(err)
		}
		if err := remote.Write(tag, image); err != nil {
			t.Fatal(err)
		}
	}
}

func TestResolve(t *testing.T) {
	for _, tc := range []struct {
		name       string
		have       []string // in the engine
		published  []string // in a registry that answers
		releases   []string // as Go modules
		constraint string
		version    string
		source     string
		why        string
	}{
		{name: "the engine's newest", have: []string{"v1.28.9", "v1.28.15", "v1.29.15", "latest"}, published: []string{"v1.28.99"}, constraint: "1.28",
			version: "1.28.15", source: Have, why: "newest that it has that matches \"1.28\""},
		{name: "one of the engine", have: []string{"v1.28.9", "v1.28.15"}, constraint: "v1.28.9", version: "1.28.9", source: Have, why: "the container engine has"},
		{name: "later minors", have: []string{"v1.28.9", "v1.30.1"}, constraint: "~> 1.28", version: "1.30.1", source: Have},
		{name: "the registry's newest", published: []string{"v1.28.9", "v1.28.13", "v1.29.0", "v1.28.14-beta.1", "latest"}, releases: []string{"1.28.15"}, constraint: "1.28",
			version: "1.28.13", source: Pull, why: "the registry has"},
		{name: "one of the registry", published: []string{"v1.28.9"}, constraint: "1.28.9", version: "1.28.9", source: Pull},
		{name: "not in the registry", published: []string{"v1.29.0"}, releases: []string{"1.28.15"}, constraint: "1.28",
			version: "1.28.15", source: Build, why: "the registry has no image of it, so it is built"},
		{name: "no registry", releases: []string{"1.28.15", "1.27.3", "1.27.1"}, constraint: "1.27",
			version: "1.27.3", source: Build, why: "1.27.3 is the newest known to have all its modules"},
		{name: "a release that is not in the table", releases: []string{"1.31.2", "1.31.7"}, constraint: "1.31",
			version: "1.31.7", source: Build, why: "1.31.7 is the newest listed that has all its modules"},
		{name: "the known one is gone", releases: []string{"1.28.4"}, constraint: "1.28", version: "1.28.4", source: Build},
		{name: "exactly one", releases: []string{"1.28.4", "1.28.15"}, constraint: "1.28.4", version: "1.28.4", source: Build},
		{name: "later patches", releases: []string{"1.28.4", "1.28.15"}, constraint: "~> 1.28.3", version: "1.28.15", source: Build},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w, p := newWorld(t)
			if tc.published != nil {
				publish(t, p, tc.published...)
			}
			images := map[string]fakehost.Image{}
			for _, tag := range tc.have {
				images[p.repository+":"+tag] = fakehost.Image{ID: tag}
			}
			w.Put("engine", fakehost.Engine{Images: images})
			for _, v := range tc.releases {
				w.Release(v)
			}
			r, err := p.Resolve(context.Background(), tc.constraint, "")
			if err != nil {
				t.Fatal(err)
			}
			if r.Version.String() != tc.version || r.Source != tc.source || r.Image != p.repository+":v"+tc.version {
				t.Errorf("Resolve(%q) = %+v, want %s to %s", tc.constraint, r, tc.version, tc.source)
			}
			if !strings.Contains(r.Why, tc.why) || (r.Estimate == 0) != (r.Source == Have) {
				t.Errorf("Resolve(%q): %q (%s), want %q", tc.constraint, r.Why, r.Estimate, tc.why)
			}
			if tc.source == Have && len(w.Calls("go ")) > 0 {
				t.Errorf("an image that is there asks for modules: %q", w.Calls("go "))
			}
		})
	}
}

func TestResolveFails(t *testing.T) {
	for _, tc := range []struct {
		name, constraint string
		arrange          func(w fakehost.World, p *Provider)
		is               error
		says             []string
	}{
		{name: "no version", constraint: "abc", is: clusters.ErrBadVersion, says: []string{`write a version like "1.28"`}},
		{name: "too old", constraint: "1.26", is: clusters.ErrTooOld, says: []string{"the oldest is 1.27"}},
		{name: "not there yet", constraint: "1.99", is: ErrNoVersion, says: []string{`"1.99"`, "the newest version known is 1.37.0"}},
		{name: "newer than the table knows", constraint: "1.99", arrange: func(w fakehost.World, _ *Provider) { w.Release("1.41.2") },
			is: ErrNoVersion, says: []string{"the newest version known is 1.41.2"}},
		{name: "a staging module is missing", constraint: "1.28.4", arrange: func(w fakehost.World, _ *Provider) {
			w.Release("1.28.4")
			w.Module("k8s.io/client-go", "v0.28.4", fakehost.Module{Err: "k8s.io/client-go@v0.28.4: 410 Gone"})
		}, is: ErrNoVersion, says: []string{"1.28.4: modules are not available (1 of 2), such as k8s.io/client-go", "410 Gone"}},
		{name: "a machine that cannot build", constraint: "1.28", arrange: func(_ fakehost.World, p *Provider) {
			p.modules.Can = func() error { return build.ErrCannotBuild }
		}, is: build.ErrCannotBuild, says: []string{"no image registry answers"}},
		{name: "no Go", constraint: "1.28", arrange: func(_ fakehost.World, p *Provider) { p.modules.Tool.Path = "go-that-is-not-there" },
			is: build.ErrCannotBuild, says: []string{"go-that-is-not-there"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w, p := newWorld(t)
			if tc.arrange != nil {
				tc.arrange(w, p)
			}
			_, err := p.Resolve(context.Background(), tc.constraint, "")
			if !errors.Is(err, tc.is) {
				t.Fatalf("Resolve(%q): %v, want %v", tc.constraint, err, tc.is)
			}
			for _, says := range tc.says {
				if !strings.Contains(err.Error(), says) {
					t.Errorf("%q does not say %q", err, says)
				}
			}
		})
	}
}

func TestResolveRemembers(t *testing.T) {
	w, p := newWorld(t)
	w.Release("1.28.15")
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	p.modules.Now = func() time.Time { return now }
	resolved(t, p, "1.28")
	if _, err := p.Resolve(context.Background(), "1.28.4", ""); !errors.Is(err, ErrNoVersion) {
		t.Fatal(err)
	}
	// Another process, without a network.
	p = provider(t, w)
	p.modules.Now = func() time.Time { return now }
	w.Troubled(fakehost.Trouble{Words: "go mod download", Says: "dial tcp: no route to host"}, fakehost.Trouble{Words: "go list", Says: "dial tcp: no route to host"})
	if r := resolved(t, p, "1.28"); r.Version.String() != "1.28.15" {
		t.Errorf("Resolve = %v", r)
	}
	_, err := p.Resolve(context.Background(), "1.28.4", "")
	if !errors.Is(err, ErrNoVersion) || !strings.Contains(err.Error(), "403 Forbidden") {
		t.Errorf("a release that was not to be had: %v", err)
	}
	// A refusal does not hold for ever, and a broken network is none.
	now = now.Add(modules.RefusalTime + time.Minute)
	_, err = p.Resolve(context.Background(), "1.28.4", "")
	if !errors.Is(err, ErrNoVersion) || !strings.Contains(err.Error(), "no route to host") {
		t.Errorf("a day later: %v", err)
	}
	w.Troubled()
	w.Release("1.28.4")
	if r := resolved(t, p, "1.28.4"); r.Source != Build {
		t.Errorf("Resolve = %v", r)
	}
}

func TestResolveSurvivesABrokenCache(t *testing.T) {
	for _, text := range []string{"", "{", "null", "[]", `{"x":null}`} {
		w, p := newWorld(t)
		w.Release("1.28.15")
		w.Write(t, "cache/"+modules.AnswersFile, text)
		if r := resolved(t, p, "1.28"); r.Version.String() != "1.28.15" {
			t.Errorf("with %q: %v", text, r)
		}
		data, err := os.ReadFile(filepath.Join(p.store.Root, modules.AnswersFile))
		if err != nil || !strings.Contains(string(data), "1.28.15") {
			t.Errorf("with %q: %s, %v", text, data, err)
		}
	}
}

func TestResolveWithoutAnEngine(t *testing.T) {
	w, p := newWorld(t)
	w.Release("1.28.15")
	w.Troubled(fakehost.Trouble{Words: "docker", Says: "Cannot connect to the Docker daemon"})
	r := resolved(t, p, "1.28")
	if r.Source != Build || !strings.Contains(r.Why, "the container engine could not be asked") {
		t.Errorf("Resolve = %+v", r)
	}
}

func TestResolveAsksASilentRegistryOnce(t *testing.T) {
	w, p := newWorld(t)
	w.Release("1.28.15")
	resolved(t, p, "1.28")
	if why := p.puller.Registry.Silence("tags of 127.0.0.1:1"); !strings.Contains(why, "refused") {
		t.Errorf("the registry's silence is remembered as %q", why)
	}
	p.puller.Registry.Note("tags of 127.0.0.1:1", "as before")
	_, _, err := p.puller.Registry.Published(context.Background(), p.repository, clusters.Constraint{})
	if err == nil || err.Error() != "as before" {
		t.Errorf("asked again: %v", err)
	}
}

func TestResolveStops(t *testing.T) {
	_, p := newWorld(t)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := p.Resolve(ctx, "1.28", ""); !errors.Is(err, context.Canceled) {
		t.Errorf("Resolve with an ended context: %v", err)
	}
}

func TestResolveANamedImage(t *testing.T) {
	const digest = "@sha256:0000000000000000000000000000000000000000000000000000000000000000"
	for _, tc := range []struct {
		name, constraint, image string
		version, source         string
		says                    string // of an error
	}{
		{name: "its tag says the version", image: "example.org/node:v1.28.9", version: "1.28.9", source: Pull},
		{name: "a tag and a digest", constraint: "1.28", image: "example.org/node:v1.28.9" + digest, version: "1.28.9", source: Pull},
		{name: "the engine has it", constraint: "1.28", image: "there:v1.28.9", version: "1.28.9", source: Have},
		{name: "it says its version itself", image: "mine:latest", version: "1.29.1", source: Have},
		{name: "the constraint says the version", constraint: "1.28.15", image: "example.org/node" + digest, version: "1.28.15", source: Pull},
		{name: "what would be built anyway", constraint: "1.28", image: fakeNode, version: "1.28.15", source: Build},
		{name: "nobody says the version", constraint: "1.28", image: "example.org/node" + digest, says: "does not say which version of Kubernetes it is"},
		{name: "nor a constraint", image: "example.org/node:latest", says: `write the whole version beside it, like "1.28.15"`},
		{name: "another version", constraint: "1.28", image: "example.org/node:v1.29.0", says: `is Kubernetes 1.29.0, which does not match "1.28"`},
		{name: "another version inside", constraint: "1.28", image: "mine:latest", says: "is Kubernetes 1.29.1"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w, p := newWorld(t)
			w.Release("1.28.15")
			w.Put("engine", fakehost.Engine{Images: map[string]fakehost.Image{
				"there:v1.28.9": {ID: "1"}, "mine:latest": {ID: "2", Labels: map[string]string{images.VersionLabel + "kubernetes": "v1.29.1"}},
			}})
			r, err := p.Resolve(context.Background(), tc.constraint, tc.image)
			if tc.says != "" {
				if !errors.Is(err, ErrOtherVersion) || !strings.Contains(err.Error(), tc.says) {
					t.Errorf("Resolve: %v, want %q", err, tc.says)
				}
				return
			}
			if err != nil || r.Version.String() != tc.version || r.Source != tc.source || r.Image != tc.image || r.Why == "" {
				t.Errorf("Resolve = %+v, %v", r, err)
			}
		})
	}
	_, p := newWorld(t)
	if _, err := p.Resolve(context.Background(), "", ""); !errors.Is(err, clusters.ErrBadVersion) {
		t.Errorf("neither a version nor an image: %v", err)
	}
}
