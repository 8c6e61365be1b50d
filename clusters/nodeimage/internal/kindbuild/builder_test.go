package kindbuild

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/kind-lab/lab/clusters"
	"github.com/kind-lab/lab/clusters/internal/build"
	"github.com/kind-lab/lab/clusters/internal/fakehost"
	"github.com/kind-lab/lab/clusters/internal/images"
	"github.com/kind-lab/lab/clusters/internal/store"
)

var v28 = clusters.Version{Major: 1, Minor: 28, Patch: 15}

// leftovers fails if a build has left containers, images or files.
func leftovers(t *testing.T, w fakehost.World, k *Builder) {
	t.Helper()
	var e fakehost.Engine
	w.Get("engine", &e)
	if len(e.Containers) > 0 || e.Images[k.part()].ID != "" {
		t.Errorf("left in the engine: %v, %v", e.Containers, e.Images)
	}
	for _, pattern := range []string{"cache/part/*", "k8s-tar-extract-*"} {
		if left, err := filepath.Glob(filepath.Join(w.Dir, pattern)); err != nil || len(left) > 0 {
			t.Errorf("left on disk: %q, %v", left, err)
		}
	}
}

func TestBuild(t *testing.T) {
	for _, tc := range []struct {
		name  string
		from  func(t *testing.T, w fakehost.World, k *Builder) Source
		built string
		label string // of the image's source, its end
		steps int
	}{
		{name: "a release", built: "v1.28.15", label: "/v1.28.15/kubernetes-server-linux-" + runtime.GOARCH + ".tar.gz", steps: 4,
			from: func(*testing.T, fakehost.World, *Builder) Source { return Source{Kind: Release} }},
		{name: "a URL without a checksum", built: "v1.30.2", label: "/mine.tgz", steps: 4, from: func(t *testing.T, _ fakehost.World, _ *Builder) Source {
			return Source{Kind: URL, Where: fakehost.Serve(t, map[string][]byte{"/mine.tgz": fakehost.ReleaseArchive("v1.30.2")}) + "/mine.tgz"}
		}},
		{name: "a file", built: "v1.30.2", label: File, steps: 3, from: func(t *testing.T, w fakehost.World, _ *Builder) Source {
			w.Write(t, "mine.tgz", string(fakehost.ReleaseArchive("v1.30.2")))
			return Source{Kind: File, Where: filepath.Join(w.Dir, "mine.tgz")}
		}},
		{name: "a source tree", built: "v1.31.0-alpha.1.15+abc", label: Tree, steps: 3, from: func(t *testing.T, w fakehost.World, _ *Builder) Source {
			return Source{Kind: Tree, Where: w.KubernetesTree(t, "v1.31.0-alpha.1.15+abc")}
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w, k := newBuilder(t, "1.28.15")
			s := newSteps(k)
			ref, err := k.Build(context.Background(), s.Builder, v28, tc.from(t, w, k), func(built string) (string, error) {
				if built != tc.built {
					t.Errorf("built %q, want %q", built, tc.built)
				}
				return "kindest/node:mine", nil
			})
			if err != nil || ref != "kindest/node:mine" {
				t.Fatalf("Build = %q, %v\n%s", ref, err, s.texts())
			}
			var e fakehost.Engine
			w.Get("engine", &e)
			image := e.Images[ref]
			tag := strings.ReplaceAll(tc.built, "+", "_")
			for _, inner := range []string{"registry.k8s.io/kube-apiserver:" + tag, "registry.k8s.io/etcd:3.5.15-0", "registry.k8s.io/pause:3.10"} {
				if !slices.Contains(image.Inner, inner) {
					t.Errorf("the image lacks %s: %q", inner, image.Inner)
				}
			}
			if !slices.Contains(image.Files, "usr/bin/kubelet") || !slices.Contains(image.Files, "kind/manifests/default-cni.yaml") {
				t.Errorf("the image has the files %q", image.Files)
			}
			if l := image.Labels; l[images.BuiltLabel] == "" || !strings.HasSuffix(l[images.SourceLabel], tc.label) || l[images.VersionLabel+"kubernetes"] != tc.built {
				t.Errorf("labels %v", l)
			}
			if last := s.events[len(s.events)-1]; last.State != build.Done || last.Step != tc.steps || last.Steps != tc.steps {
				t.Errorf("the last event is %+v", last)
			}
			if left, err := os.ReadDir(filepath.Join(w.Dir, "cache", store.StagesDir)); err == nil && len(left) > 0 {
				t.Errorf("the download is still there: %v", left)
			}
			leftovers(t, w, k)
		})
	}
}

func TestBuildFails(t *testing.T) {
	for _, tc := range []struct {
		name    string
		arrange func(t *testing.T, w fakehost.World, k *Builder)
		named   func(string) (string, error)
		is      error
		says    []string
	}{
		{name: "no base image", arrange: func(_ *testing.T, w fakehost.World, _ *Builder) {
			w.Put("engine", fakehost.Engine{Images: map[string]fakehost.Image{}, Containers: map[string]fakehost.Container{}})
		}, says: []string{"kind's builder needs docker.io/kindest/base:", "no such host", "build from Go modules"}},
		{name: "another image cannot be pulled", arrange: func(_ *testing.T, w fakehost.World, _ *Builder) {
			var e fakehost.Engine
			w.Change("engine", &e, func() { e.Remote = []string{"docker.io/kindest/*"} })
		}, says: []string{"kind's builder", "failed to resolve reference registry.k8s.io/"}},
		{name: "a download that is not what was published", arrange: func(t *testing.T, _ fakehost.World, k *Builder) {
			files := fakehost.Published("1.28.15")
			for name := range files {
				if strings.HasSuffix(name, ".sha512") {
					files[name] = []byte("0123 kubernetes.tar.gz")
				}
			}
			k.Downloads.Base = fakehost.Serve(t, files)
		}, says: []string{"its SHA-512 is", "0123 is published"}},
		{name: "an archive that is none", arrange: func(t *testing.T, _ fakehost.World, k *Builder) {
			k.Downloads.Base = fakehost.Serve(t, map[string][]byte{"/v1.28.15/kubernetes-server-linux-" + runtime.GOARCH + ".tar.gz": []byte("x")})
		}, says: []string{"kind's builder", "error extracting tar file"}},
		{name: "a release that is not there", arrange: func(t *testing.T, _ fakehost.World, k *Builder) {
			k.Downloads.Base = fakehost.Serve(t, nil)
		}, says: []string{"it is not there (404 Not Found)"}},
		{name: "the engine's disk fills up", arrange: func(_ *testing.T, w fakehost.World, _ *Builder) {
			w.Troubled(fakehost.Trouble{Words: "docker commit", Says: "Error response from daemon: no space left on device"})
		}, is: store.ErrNoSpace},
		{name: "a full disk", arrange: func(_ *testing.T, _ fakehost.World, k *Builder) {
			k.Disks.Free = func(string) (int64, error) { return store.GiB, nil }
		}, is: store.ErrNoSpace, says: []string{"1.0 GB are free"}},
		{name: "another version", named: func(built string) (string, error) { return "", errors.New("not " + built) }, says: []string{"not v1.28.15"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w, k := newBuilder(t, "1.28.15")
			if tc.arrange != nil {
				tc.arrange(t, w, k)
			}
			if tc.named == nil {
				tc.named = nameAs
			}
			_, err := k.Build(context.Background(), newSteps(k).Builder, v28, Source{Kind: Release}, tc.named)
			if err == nil || tc.is != nil && !errors.Is(err, tc.is) {
				t.Fatalf("Build: %v, want %v", err, tc.is)
			}
			for _, says := range tc.says {
				if !strings.Contains(err.Error(), says) {
					t.Errorf("%q does not say %q", err, says)
				}
			}
			leftovers(t, w, k)
		})
	}
}

// TestBuildStops ends a build in the middle of kind's builder, and leaves a
// container of somebody else's alone.
func TestBuildStops(t *testing.T) {
	for _, words := range []string{"images import", "docker commit --change ENTRYPOINT", "content fetch"} {
		t.Run(words, func(t *testing.T) {
			w, k := newBuilder(t, "1.28.15")
			var e fakehost.Engine
			w.Change("engine", &e, func() { e.Containers["kind-build-1-2"] = fakehost.Container{Env: []string{"NO_PROXY=a"}} })
			w.Troubled(fakehost.Trouble{Words: words, Hang: true})
			ctx, cancel := context.WithCancel(context.Background())
			ended := make(chan error, 1)
			go func() {
				_, err := k.Build(ctx, newSteps(k).Builder, v28, Source{Kind: Release}, nameAs)
				ended <- err
			}()
			w.Await(t, "hanging")
			cancel()
			if err := <-ended; !errors.Is(err, context.Canceled) {
				t.Errorf("the build ended with %v", err)
			}
			w.Change("engine", &e, func() {
				if e.Containers["kind-build-1-2"].Env == nil {
					t.Error("a container that is not this build's was removed")
				}
				delete(e.Containers, "kind-build-1-2")
			})
			leftovers(t, w, k)
			// The download is not needed a second time.
			w.Troubled()
			again := newSteps(k)
			if _, err := k.Build(context.Background(), again.Builder, v28, Source{Kind: Release}, nameAs); err != nil {
				t.Fatal(err)
			}
			if again.events[0].State != build.Cached {
				t.Errorf("the second build began with %+v", again.events[0])
			}
		})
	}
}

func TestAble(t *testing.T) {
	for _, tc := range []struct {
		name   string
		change func(k *Builder)
		says   string
	}{
		{name: "docker", change: func(*Builder) {}},
		{name: "docker at a path", change: func(k *Builder) { k.engine.CLI.Path = "/opt/bin/docker" }},
		{name: "podman", change: func(k *Builder) { k.engine.CLI.Name = "podman" }, says: "it works with docker alone, and the container engine is podman"},
		{name: "no program", change: func(k *Builder) { k.Program = "" }, says: "this program cannot run it"},
	} {
		_, k := newBuilder(t)
		tc.change(k)
		if err := k.Able(); (err != nil) != (tc.says != "") || err != nil && err.Error() != tc.says {
			t.Errorf("%s: %v, want %q", tc.name, err, tc.says)
		}
	}
}

func TestReadyAsksForTheBaseImage(t *testing.T) {
	w, k := newBuilder(t)
	if err := k.Ready(context.Background()); err != nil {
		t.Errorf("with the image in the engine: %v", err)
	}
	w.Put("engine", fakehost.Engine{})
	k.Base = "127.0.0.1:1/kindest/base:v1" // a port that nothing listens on
	for range 2 {
		err := k.Ready(context.Background())
		if err == nil || !strings.Contains(err.Error(), "127.0.0.1:1/kindest/base:v1 is not in the engine and cannot be pulled") || !strings.Contains(err.Error(), "refused") {
			t.Errorf("without: %v", err)
		}
	}
}

func TestEnvironment(t *testing.T) {
	_, k := newBuilder(t)
	k.engine.CLI.Path = "/opt/bin/docker"
	for _, tc := range []struct {
		name string
		set  map[string]string
		want string
	}{
		{"no proxy settings", map[string]string{}, ""},
		{"settings of our own", map[string]string{"NO_PROXY": "a,b"}, "a,b,"},
		{"in small letters", map[string]string{"no_proxy": "a"}, "a,"},
	} {
		got := k.environment(func(name string) (string, bool) { v, ok := tc.set[name]; return v, ok })
		if want := "NO_PROXY=" + tc.want + k.mark(); got[0] != want || !strings.HasPrefix(got[1], "PATH=/opt/bin"+string(os.PathListSeparator)) {
			t.Errorf("%s: %q, want %q", tc.name, got, want)
		}
	}
}
