package nodeimage

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/kind-lab/lab/clusters"
	"github.com/kind-lab/lab/clusters/internal/fakehost"
	"github.com/kind-lab/lab/clusters/internal/images"
	"github.com/kind-lab/lab/clusters/internal/store"
	"github.com/kind-lab/lab/clusters/nodeimage/internal/modules"
)

var update = flag.Bool("update", false, "write the golden files anew")

// pinnedRelease is what the module proxy and kubeadm say of a release.
type pinnedRelease struct {
	Go, Time, Commit string
	// Images are those beside Kubernetes' own, in kubeadm's order.
	Images []string
	// Staging are the modules that it publishes beside itself; empty means those
	// that most releases have.
	Staging []string
}

// pinnedReleases reads testdata/releases.json: the releases, and the modules
// that each publishes beside itself.
func pinnedReleases(t *testing.T) (staging []string, releases map[string]pinnedRelease) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "releases.json"))
	if err != nil {
		t.Fatal(err)
	}
	var pinned struct {
		Staging  []string
		Releases map[string]pinnedRelease
	}
	if err := json.Unmarshal(data, &pinned); err != nil {
		t.Fatal(err)
	}
	return pinned.Staging, pinned.Releases
}

// pinnedWorld is a world that answers as the module proxy, apt and kubeadm did
// when the node images that are in use were built, with the files of the kind
// module that go.mod names.
func pinnedWorld(t *testing.T) (fakehost.World, *Provider) {
	t.Helper()
	kind, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", modules.KindModule).Output()
	if err != nil {
		t.Fatal(err)
	}
	w, p := newWorld(t)
	if err := os.RemoveAll(filepath.Join(w.Dir, "kind")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(strings.TrimSpace(string(kind)), filepath.Join(w.Dir, "kind")); err != nil {
		t.Fatal(err)
	}
	w.Write(t, "os-release", "ID=debian\nVERSION_CODENAME=bookworm\n")
	w.Put("suite", "bookworm")
	for _, m := range []struct{ path, version, goVersion string }{
		{modules.ContainerdModule, "v2.3.4", "1.26.3"}, {modules.CniModule, "v1.9.1", "1.24.2"}, {modules.CrictlModule, "v1.36.0", "1.26.2"},
		{modules.FlannelModule, modules.FlannelVersion, "1.25.0"}, {modules.CorednsModule, "v1.14.6", "1.25.0"},
		{modules.EtcdModule, "v3.5.24", "1.24"}, {modules.EtcdModule, "v3.6.8", "1.24.0"}, {modules.EtcdModule, "v3.7.0", "1.26"},
	} {
		w.Module(m.path, m.version, fakehost.Module{Go: m.goVersion})
	}
	staging, releases := pinnedReleases(t)
	for version, r := range releases {
		v, err := clusters.ParseVersion(version)
		if err != nil {
			t.Fatal(err)
		}
		goMod := "module k8s.io/kubernetes\n\ngo " + r.Go + "\n\nreplace (\n"
		if len(r.Staging) == 0 {
			r.Staging = staging
		}
		for _, m := range r.Staging {
			goMod += fmt.Sprintf("\t%s => ./staging/src/%s\n", m, m)
			w.Module(m, modules.StagingVersion(v), fakehost.Module{})
		}
		w.Module(modules.KubernetesModule, "v"+version, fakehost.Module{Mod: goMod + ")\n", Go: r.Go, Time: r.Time, Commit: r.Commit})
	}
	return w, p
}

// TestFingerprintsStayTheSame compares the keys of all parts of node images
// and of pods' images with those that the images in use were built with: a key
// that changes makes lab build what is there already. A recipe that is changed
// on purpose needs -update.
func TestFingerprintsStayTheSame(t *testing.T) {
	w, p := pinnedWorld(t)
	_, releases := pinnedReleases(t)
	got := map[string]map[string]string{}
	for _, version := range slices.Sorted(maps.Keys(releases)) {
		v, err := clusters.ParseVersion(version)
		if err != nil {
			t.Fatal(err)
		}
		w.Put("kubeadm", releases[version].Images)
		ref, err := p.Build(context.Background(), v, nil)
		if err != nil {
			t.Fatal(err)
		}
		var e fakehost.Engine
		w.Get("engine", &e)
		labels := e.Images[ref].Labels
		got[version] = map[string]string{"node image": labels[images.BuiltLabel], "base": labels[images.BaseLabel]}
		for _, name := range strings.Split(labels[images.StagesLabel], ",") {
			got[version][name[:strings.LastIndex(name, "-")]] = partKey(t, w, name)
		}
	}
	for _, ref := range []string{"busybox:1.35", clusters.LoadBalancerImage} {
		havePod(t, w, ref)
		var e fakehost.Engine
		w.Get("engine", &e)
		got[ref] = map[string]string{"image": partKey(t, w, e.Images[ref].Labels[images.StagesLabel])}
	}
	golden(t, got)
}

// partKey is the key of a part in the cache, as it would be on amd64: the
// processor is one of its inputs.
func partKey(t *testing.T, w fakehost.World, folder string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(w.Dir, "cache", store.StagesDir, folder, store.MetaFile))
	if err != nil {
		t.Fatal(err)
	}
	var m store.Part
	if err := json.Unmarshal(data, &m); err != nil {
		t.Fatal(err)
	}
	for i, input := range m.Inputs {
		switch input {
		case "arch " + runtime.GOARCH:
			m.Inputs[i] = "arch amd64"
		case runtime.GOARCH:
			m.Inputs[i] = "amd64"
		}
	}
	return store.Key(m.Kind, m.Inputs)
}

// golden compares with testdata/fingerprints.json. What is made of parts, and
// so of their keys, is compared on amd64 alone.
func golden(t *testing.T, got map[string]map[string]string) {
	t.Helper()
	name := filepath.Join("testdata", "fingerprints.json")
	if *update {
		data, err := json.MarshalIndent(got, "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, append(data, '\n'), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	var want map[string]map[string]string
	if err := json.Unmarshal(data, &want); err != nil {
		t.Fatal(err)
	}
	if runtime.GOARCH != "amd64" {
		for _, parts := range []map[string]map[string]string{got, want} {
			for of := range parts {
				delete(parts[of], "node image")
				delete(parts[of], "base")
			}
		}
	}
	if !reflect.DeepEqual(got, want) {
		for of := range want {
			if !reflect.DeepEqual(got[of], want[of]) {
				t.Errorf("%s is made of\n%v\nand was made of\n%v", of, got[of], want[of])
			}
		}
		for of := range got {
			if want[of] == nil {
				t.Errorf("%s is not in %s; write it with -update", of, name)
			}
		}
	}
}
