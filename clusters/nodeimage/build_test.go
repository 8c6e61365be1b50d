package nodeimage

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kind-lab/lab/clusters"
	"github.com/kind-lab/lab/clusters/internal/fakehost"
	"github.com/kind-lab/lab/clusters/internal/images"
)

// newKindWorld is a world in which kind's builder can run and releases can be
// downloaded. There are Go modules of 1.28.15 too.
func newKindWorld(t *testing.T, releases ...string) (fakehost.World, *Provider) {
	t.Helper()
	w, p := newWorld(t)
	w.Release("1.28.15")
	w.Companions()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p.kind.Program = self
	p.kind.Downloads.Base = fakehost.Serve(t, fakehost.Published(releases...))
	p.kind.Disks.Free = p.modules.Disks.Free
	w.KindImages(p.kind.Base)
	return w, p
}

func TestKindsBuilderIsTheFirstWay(t *testing.T) {
	noRoot := func(_ fakehost.World, p *Provider) {
		p.modules.Can = func() error { return fmt.Errorf("%w: no root", ErrCannotBuild) }
	}
	noBase := func(w fakehost.World, p *Provider) {
		w.Put("engine", fakehost.Engine{Images: map[string]fakehost.Image{}, Containers: map[string]fakehost.Container{}})
		p.kind.Base = "127.0.0.1:1/kindest/base:v1"
	}
	noDownloads := func(_ fakehost.World, p *Provider) { p.kind.Downloads.Base = "http://127.0.0.1:1" }
	for _, tc := range []struct {
		name    string
		arrange []func(fakehost.World, *Provider)
		why     string // of the resolution
		says    []string
		kind    bool // kind's builder has made it
		fails   string
	}{
		{name: "where all can be reached", kind: true, why: "no image registry answers, so kind's builder makes it of the release at 127.0.0.1",
			says: []string{"choosing how to build: with kind's builder, of the release at 127.0.0.1"}},
		{name: "also without root", arrange: []func(fakehost.World, *Provider){noRoot}, kind: true, why: "kind's builder makes it"},
		{name: "not without its base image", arrange: []func(fakehost.World, *Provider){noBase},
			why:  "and kind's builder cannot make it (its base image 127.0.0.1:1/kindest/base:v1 is not in the engine and cannot be pulled: ",
			says: []string{"choosing how to build: from Go modules, because kind's builder cannot make it (its base image"}},
		{name: "not without the release", arrange: []func(fakehost.World, *Provider){noDownloads}, why: "127.0.0.1:1 does not answer", says: []string{"from Go modules, because"}},
		{name: "neither way", arrange: []func(fakehost.World, *Provider){noDownloads, noRoot}, fails: "no root"},
		{name: "modules if it fails", why: "kind's builder makes it", arrange: []func(fakehost.World, *Provider){func(w fakehost.World, _ *Provider) {
			w.Troubled(fakehost.Trouble{Words: "content fetch", Says: "ctr: no such host"})
		}}, says: []string{"kind's builder failed: building from Go modules instead: ", "ctr: no such host"}},
		{name: "what both say if both fail", why: "kind's builder makes it", arrange: []func(fakehost.World, *Provider){noRoot, func(w fakehost.World, _ *Provider) {
			w.Troubled(fakehost.Trouble{Words: "content fetch", Says: "ctr: no such host"})
		}}, fails: "nor can it be built from Go modules: this machine cannot build images: no root"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w, p := newKindWorld(t, "1.28.15")
			for _, arrange := range tc.arrange {
				arrange(w, p)
			}
			said, err := ensured(t, p, tc.why)
			if (err != nil) != (tc.fails != "") || err != nil && !strings.Contains(err.Error(), tc.fails) {
				t.Fatalf("%v, want %q", err, tc.fails)
			}
			for _, says := range tc.says {
				if !strings.Contains(said, says) {
					t.Errorf("nobody said %q:\n%s", says, said)
				}
			}
			var e fakehost.Engine
			w.Get("engine", &e)
			image := e.Images[fakeNode]
			if from := image.Labels[images.SourceLabel]; (from != "") != tc.kind || (image.ID == "") != (tc.fails != "") {
				t.Errorf("the image's source is %q", from)
			}
		})
	}
}

// ensured resolves 1.28, which must be built for a reason that contains why,
// makes the engine have it, and returns all that was said meanwhile.
func ensured(t *testing.T, p *Provider, why string) (string, error) {
	t.Helper()
	r, err := p.Resolve(context.Background(), "1.28", "")
	if err != nil {
		return "", err
	}
	if !strings.Contains(r.Why, why) || r.Source != Build || r.Version.String() != "1.28.15" || r.Estimate == 0 {
		t.Errorf("Resolve = %+v, want %q", r, why)
	}
	seen := &watcher{}
	_, err = p.Ensure(context.Background(), r, seen.progress)
	said := ""
	for _, e := range seen.events {
		said += e.Stage + ": " + e.Text + "\n"
	}
	return said, err
}

func TestKindsBuilderHasReleasesThatModulesDoNot(t *testing.T) {
	_, p := newKindWorld(t, "1.28.15", "1.28.99")
	r := resolved(t, p, "1.28")
	if r.Version.String() != "1.28.99" || !strings.Contains(r.Why, `1.28.99 is the newest released that matches "1.28"`) {
		t.Errorf("Resolve = %+v", r)
	}
	if ref, err := p.Ensure(context.Background(), r, nil); err != nil || ref != p.image(clusters.Version{Major: 1, Minor: 28, Patch: 99}) {
		t.Errorf("Ensure = %q, %v", ref, err)
	}
}

func TestBuildFrom(t *testing.T) {
	for _, tc := range []struct {
		name, constraint string
		source           func(t *testing.T, w fakehost.World) string
		version          string
		is               error
		says             string
	}{
		{name: "the newest release", constraint: "1.28", source: text("release"), version: "1.28.15"},
		{name: "modules", constraint: "1.28", source: text("modules"), version: "1.28.15"},
		{name: "a file of that minor version", constraint: "1.30", source: file("v1.30.2"), version: "1.30.2"},
		{name: "a file of that very version", constraint: "1.30.2", source: file("v1.30.2"), version: "1.30.2"},
		{name: "a file of another version", constraint: "1.30.1", source: file("v1.30.2"), is: ErrOtherVersion, says: `Kubernetes v1.30.2, which does not match "1.30.1"; write the version that it is`},
		{name: "a source tree before its release", constraint: "1.31", version: "1.31.0", source: func(t *testing.T, w fakehost.World) string {
			return w.KubernetesTree(t, "v1.31.0-alpha.1.15+abc-dirty")
		}},
		{name: "no source", constraint: "1.30", source: text("rel"), is: ErrBadSource, says: `"rel" is no file or folder`},
		{name: "no version", constraint: "new", source: text("release"), is: clusters.ErrBadVersion},
		{name: "no such release", constraint: "1.99", source: text("release"), says: "or build with --from modules"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w, p := newKindWorld(t, "1.28.15")
			source := tc.source(t, w)
			for range 2 { // also if there is one
				w.Forget()
				ref, err := p.BuildFrom(context.Background(), tc.constraint, source, nil)
				if tc.version == "" {
					if err == nil || tc.is != nil && !errors.Is(err, tc.is) || !strings.Contains(err.Error(), tc.says) {
						t.Errorf("BuildFrom: %v, want %q", err, tc.says)
					}
					continue
				}
				if err != nil || ref != p.repository+":v"+tc.version {
					t.Fatalf("BuildFrom = %q, %v", ref, err)
				}
				if len(w.Calls("docker commit")) == 0 {
					t.Error("nothing was built")
				}
			}
		})
	}
}

// text is a source that is named by a word.
func text(word string) func(*testing.T, fakehost.World) string {
	return func(*testing.T, fakehost.World) string { return word }
}

// file is an archive of a release.
func file(version string) func(*testing.T, fakehost.World) string {
	return func(t *testing.T, w fakehost.World) string {
		w.Write(t, "server.tar.gz", string(fakehost.ReleaseArchive(version)))
		return filepath.Join(w.Dir, "server.tar.gz")
	}
}

func TestBuildFromNeedsDocker(t *testing.T) {
	_, p := newKindWorld(t)
	p.kind.Program = ""
	if _, err := p.BuildFrom(context.Background(), "1.28", "release", nil); !errors.Is(err, ErrCannotBuild) || !strings.Contains(err.Error(), "of the release: kind's builder is needed for that") {
		t.Errorf("BuildFrom: %v", err)
	}
}

// TestListAndPruneKnowWhatKindBuilt looks at an image of kind's builder, and at
// one that lost its name to a newer one.
func TestListAndPruneKnowWhatKindBuilt(t *testing.T) {
	_, p := newKindWorld(t, "1.28.15")
	for range 2 {
		if _, err := p.BuildFrom(context.Background(), "1.28", "release", nil); err != nil {
			t.Fatal(err)
		}
	}
	inv, err := p.List(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	nodes := slices.DeleteFunc(inv.Images, func(i Image) bool { return i.Role != RoleNode })
	if len(nodes) != 2 || !nodes[0].Built || nodes[0].Version != "1.28.15" || nodes[1].Version != "1.28.15" || nodes[0].Contains["kubernetes"] != "v1.28.15" {
		t.Errorf("node images: %+v", nodes)
	}
	result, err := p.Prune(context.Background(), PruneOptions{}, nil)
	if err != nil || len(result.Removed) != 1 || !strings.HasPrefix(result.Removed[0].Name, "sha256:") {
		t.Errorf("Prune = %+v, %v", result, err)
	}
}
