package nodeimage

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/kind-lab/lab/clusters"
	"github.com/kind-lab/lab/clusters/internal/build"
	"github.com/kind-lab/lab/clusters/internal/debian"
	"github.com/kind-lab/lab/clusters/internal/fakehost"
	"github.com/kind-lab/lab/clusters/internal/images"
	"github.com/kind-lab/lab/clusters/internal/store"
	"github.com/kind-lab/lab/clusters/nodeimage/internal/modules"
)

const fakeNode = "127.0.0.1:1/kindest/node:v1.28.15"

// watcher collects events.
type watcher struct {
	mu     sync.Mutex
	events []build.Event
}

func (w *watcher) progress(e build.Event) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.events = append(w.events, e)
}

// stages are the stages that were seen in a state, in order.
func (w *watcher) stages(state string) []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	var found []string
	for _, e := range w.events {
		if e.State == state && !slices.Contains(found, e.Stage) {
			found = append(found, e.Stage)
		}
	}
	return found
}

func resolved(t *testing.T, p *Provider, constraint string) Resolution {
	t.Helper()
	r, err := p.Resolve(context.Background(), constraint, "")
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestEnsureBuilds(t *testing.T) {
	w, p := newWorld(t)
	w.Release("1.28.15")
	w.Companions()
	seen := &watcher{}
	ref, err := p.Ensure(context.Background(), resolved(t, p, "1.28"), seen.progress)
	if err != nil || ref != fakeNode {
		t.Fatalf("Ensure = %q, %v", ref, err)
	}
	var e fakehost.Engine
	w.Get("engine", &e)
	image := e.Images[fakeNode]
	for _, inner := range []string{
		"registry.k8s.io/kube-apiserver:v1.28.15", "registry.k8s.io/kube-proxy:v1.28.15", "registry.k8s.io/etcd:3.5.15-0",
		"registry.k8s.io/coredns/coredns:v1.10.1", "registry.k8s.io/pause:3.9", "registry.k8s.io/pause:3.10",
	} {
		if !slices.Contains(image.Inner, inner) {
			t.Errorf("the node image lacks %s: %q", inner, image.Inner)
		}
	}
	for _, file := range []string{
		"usr/bin/kubelet", "usr/bin/kubeadm", "usr/bin/kubectl", "kind/version", "kind/manifests/default-cni.yaml", "kind/manifests/default-storage.yaml",
		"usr/local/bin/containerd", "usr/local/bin/flanneld", "usr/local/bin/crictl", "opt/cni/bin/host-local", "etc/containerd/cri-base.json",
		"usr/local/bin/entrypoint", "etc/systemd/system/multi-user.target.wants/flanneld.service",
	} {
		if !slices.Contains(image.Files, file) {
			t.Errorf("the node image lacks %s", file)
		}
	}
	for _, file := range []string{"etc/systemd/system/timers.target.wants/apt-daily.timer", "etc/hostname", "dev/console", "usr/share/doc/apt/changelog"} {
		if slices.Contains(image.Files, file) {
			t.Errorf("the node image has %s", file)
		}
	}
	for what, version := range map[string]string{"kubernetes": "v1.28.15", "etcd": "v3.5.24", "coredns": "v1.14.6", "runc": "1.1.5+ds1", "kind": "v0.33.0"} {
		if got := image.Labels[images.VersionLabel+what]; got != version {
			t.Errorf("label of %s = %q, want %q", what, got, version)
		}
	}
	if len(e.Containers) > 0 {
		t.Errorf("containers are left: %v", e.Containers)
	}
	if done := seen.stages(build.Done); len(done) != modules.RecipeSteps {
		t.Errorf("%d stages, want %d: %q", len(done), modules.RecipeSteps, done)
	}
	if last := seen.events[len(seen.events)-1]; last.Step != last.Steps || last.Steps != modules.RecipeSteps {
		t.Errorf("the last event counts %d of %d", last.Step, last.Steps)
	}
}

func TestEnsureReusesWhatIsShared(t *testing.T) {
	w, p := newWorld(t)
	w.Release("1.28.15")
	w.Release("1.29.15")
	w.Companions()
	if _, err := p.Ensure(context.Background(), resolved(t, p, "1.28"), nil); err != nil {
		t.Fatal(err)
	}
	w.Forget()
	seen := &watcher{}
	if _, err := p.Ensure(context.Background(), resolved(t, p, "1.29"), seen.progress); err != nil {
		t.Fatal(err)
	}
	if builds := w.Calls("go build"); len(builds) != 1 || !strings.Contains(builds[0], "k8s.io/kubernetes/cmd/kubelet") {
		t.Errorf("the second version built %q", builds)
	}
	if calls := w.Calls("debootstrap"); len(calls) > 0 {
		t.Errorf("the second version made another userland: %q", calls)
	}
	if cached := seen.stages(build.Cached); len(cached) != 8 {
		t.Errorf("cached: %q", cached)
	}
	w.Forget()
	if ref, err := p.Ensure(context.Background(), resolved(t, p, "1.29"), nil); err != nil || ref != "127.0.0.1:1/kindest/node:v1.29.15" {
		t.Errorf("Ensure = %q, %v", ref, err)
	}
	if calls := w.Calls("go "); len(calls) > 0 {
		t.Errorf("an image that is there asks for %q", calls)
	}
}

func TestEnsureGoesOnAfterAnInterruption(t *testing.T) {
	for _, tc := range []struct{ name, words string }{
		{"while compiling", "go build -mod=mod -trimpath -v -tags providerless"},
		{"while making the userland", "debootstrap --"},
		{"while importing the base image", "docker import"},
		{"while importing images", "images import"},
		{"while committing", "docker commit"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w, p := newWorld(t)
			w.Release("1.28.15")
			w.Companions()
			want := resolved(t, p, "1.28")
			w.Troubled(fakehost.Trouble{Words: tc.words, Hang: true})
			ctx, cancel := context.WithCancel(context.Background())
			ended := make(chan error, 1)
			go func() {
				_, err := p.Ensure(ctx, want, nil)
				ended <- err
			}()
			w.Await(t, "hanging")
			cancel()
			if err := <-ended; !errors.Is(err, context.Canceled) {
				t.Fatalf("the interrupted build returned %v", err)
			}
			var e fakehost.Engine
			w.Get("engine", &e)
			if len(e.Containers) > 0 || e.Images[fakeNode].ID != "" {
				t.Errorf("left behind: containers %v, images %v", e.Containers, e.Images)
			}
			if left, err := os.ReadDir(filepath.Join(p.store.Root, store.NodeImages.PartDir())); err != nil || len(left) > 0 {
				t.Errorf("left behind in the cache: %v, %v", left, err)
			}
			w.Troubled()
			if _, err := provider(t, w).Ensure(context.Background(), want, nil); err != nil {
				t.Fatal(err)
			}
			// What was interrupted is begun again, the rest is not.
			for _, words := range []string{"go build", "debootstrap --"} {
				calls := slices.DeleteFunc(w.Calls(words), func(line string) bool { return strings.HasPrefix(line, "hanging") })
				again := len(w.Calls("hanging " + words))
				if want := map[string]int{"go build": 8, "debootstrap --": 1}[words] + again; len(calls) != want {
					t.Errorf("%q was called %d times, want %d: %q", words, len(calls), want, calls)
				}
			}
		})
	}
}

func TestEnsureClearsUpAfterAKill(t *testing.T) {
	w, p := newWorld(t)
	w.Release("1.28.15")
	w.Companions()
	w.Put("engine", fakehost.Engine{Images: map[string]fakehost.Image{}, Containers: map[string]fakehost.Container{
		p.store.WorkName() + "abc": {}, "lab-build-other": {}, "kind-control-plane": {},
	}})
	w.Write(t, "cache/part/userland-0/rootfs/file", "x")
	if _, err := p.Ensure(context.Background(), resolved(t, p, "1.28"), nil); err != nil {
		t.Fatal(err)
	}
	if left, err := os.ReadDir(filepath.Join(p.store.Root, store.NodeImages.PartDir())); err != nil || len(left) > 0 {
		t.Errorf("what a killed build has left is still there: %v, %v", left, err)
	}
	var e fakehost.Engine
	w.Get("engine", &e)
	if _, ok := e.Containers["kind-control-plane"]; !ok || len(e.Containers) != 2 {
		t.Errorf("containers after the build: %v", e.Containers)
	}
}

func TestEnsureBuildsOnceForTwo(t *testing.T) {
	w, p := newWorld(t)
	w.Release("1.28.15")
	w.Companions()
	want := resolved(t, p, "1.28")
	w.Troubled(fakehost.Trouble{Words: "docker commit", Hang: true})
	first, cancel := context.WithCancel(context.Background())
	defer cancel()
	var group sync.WaitGroup
	group.Go(func() {
		if _, err := p.Ensure(first, want, nil); !errors.Is(err, context.Canceled) {
			t.Errorf("the first: %v", err)
		}
	})
	w.Await(t, "hanging")
	seen := &watcher{}
	group.Go(func() {
		if _, err := provider(t, w).Ensure(context.Background(), want, seen.progress); err != nil {
			t.Errorf("the second: %v", err)
		}
	})
	deadline := time.After(20 * time.Second)
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for len(seen.stages(build.Waiting)) == 0 {
		select {
		case <-deadline:
			t.Fatal("the second never said that it waits")
		case <-tick.C:
		}
	}
	w.Troubled()
	cancel()
	group.Wait()
	said := seen.events[slices.IndexFunc(seen.events, func(e build.Event) bool { return e.State == build.Waiting })].Text
	if want := fmt.Sprintf("process %d, building %s", os.Getpid(), fakeNode); said != want {
		t.Errorf("the second waited for %q, want %q", said, want)
	}
	if builds := w.Calls("go build"); len(builds) != 8 {
		t.Errorf("%d compilations for two: %q", len(builds), builds)
	}
}

func TestBuildAgain(t *testing.T) {
	w, p := newWorld(t)
	w.Release("1.28.15")
	w.Companions()
	v := clusters.Version{Major: 1, Minor: 28, Patch: 15}
	var ids []string
	for range 2 {
		ref, err := p.Build(context.Background(), v, nil)
		if err != nil || ref != fakeNode {
			t.Fatalf("Build = %q, %v", ref, err)
		}
		var e fakehost.Engine
		w.Get("engine", &e)
		ids = append(ids, e.Images[ref].ID)
	}
	if ids[0] == ids[1] {
		t.Error("an image that is there was not built again")
	}
	if builds := w.Calls("go build"); len(builds) != 8 {
		t.Errorf("%d compilations for two images of the same parts", len(builds))
	}
}

func TestEnsureFails(t *testing.T) {
	for _, tc := range []struct {
		name    string
		trouble fakehost.Trouble
		arrange func(w fakehost.World, p *Provider)
		is      error
		says    []string
	}{
		{name: "the disk is too full to begin", arrange: func(_ fakehost.World, p *Provider) {
			p.modules.Disks.Free = func(string) (int64, error) { return store.GiB, nil }
		}, is: store.ErrNoSpace, says: []string{"about 7.7 GB", "1.0 GB are free", "LAB_CACHE", "lab image prune"}},
		{name: "the disk fills up while compiling", trouble: fakehost.Trouble{Words: "go build", Says: "# k8s.io/api\nwrite /tmp/x: no space left on device"},
			is: store.ErrNoSpace, says: []string{"building containerd v2.3.4", "no space left on device"}},
		{name: "the engine's disk fills up", trouble: fakehost.Trouble{Words: "docker commit", Says: "Error response from daemon: write /var/lib/docker/x: no space left on device"},
			is: store.ErrNoSpace, says: []string{"committing the image"}},
		{name: "code that does not compile", trouble: fakehost.Trouble{Words: "go build", Says: "# k8s.io/api/core/v1\ntypes.go:1:1: undefined: x"},
			says: []string{"types.go:1:1: undefined: x"}},
		{name: "no shared library", trouble: fakehost.Trouble{Words: "debootstrap", Says: "E: Couldn't download packages: libc6"}, says: []string{"userland of trixie", "Couldn't download packages: libc6"}},
		{name: "no Go", arrange: func(_ fakehost.World, p *Provider) {
			p.modules.Tool.Path = "go-that-is-not-there"
			p.modules.Tool.Path = "go-that-is-not-there"
		}, is: build.ErrCannotBuild, says: []string{"go-that-is-not-there", "not on the PATH"}},
		{name: "a machine that cannot build", arrange: func(_ fakehost.World, p *Provider) {
			p.modules.Can = func() error { return fmt.Errorf("%w: no root", build.ErrCannotBuild) }
		}, is: build.ErrCannotBuild, says: []string{"no root"}},
		{name: "no Debian", arrange: func(w fakehost.World, p *Provider) {
			p.modules.Debian = debian.System{OSRelease: filepath.Join(w.Dir, "nowhere")}
		}, is: build.ErrCannotBuild},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w, p := newWorld(t)
			w.Release("1.28.15")
			w.Companions()
			want := Resolution{Version: clusters.Version{Major: 1, Minor: 28, Patch: 15}, Source: Build}
			if tc.trouble.Words != "" {
				w.Troubled(tc.trouble)
			}
			if tc.arrange != nil {
				tc.arrange(w, p)
			}
			_, err := p.Ensure(context.Background(), want, nil)
			if err == nil || tc.is != nil && !errors.Is(err, tc.is) {
				t.Fatalf("Ensure: %v, want %v", err, tc.is)
			}
			for _, says := range tc.says {
				if !strings.Contains(err.Error(), says) {
					t.Errorf("%q does not say %q", err, says)
				}
			}
			var e fakehost.Engine
			w.Get("engine", &e)
			if left, _ := os.ReadDir(filepath.Join(p.store.Root, store.NodeImages.PartDir())); len(left) > 0 || len(e.Containers) > 0 || e.Images[fakeNode].ID != "" {
				t.Errorf("left behind: %v, %v, %v", left, e.Containers, e.Images)
			}
		})
	}
}

func TestEnsureANamedNodeImage(t *testing.T) {
	w, p := newWorld(t)
	w.Put("engine", fakehost.Engine{Images: map[string]fakehost.Image{}, Remote: []string{"example.org/node:mine"}})
	if ref, err := p.Ensure(context.Background(), Resolution{Image: "example.org/node:mine"}, nil); err != nil || ref != "example.org/node:mine" {
		t.Errorf("Ensure = %q, %v", ref, err)
	}
	var missing *images.NoImageError
	if _, err := p.Ensure(context.Background(), Resolution{Image: "example.org/node:theirs"}, nil); !errors.As(err, &missing) || !strings.Contains(missing.Registry, "not found") {
		t.Errorf("a named image that is nowhere: %v", err)
	}
}
