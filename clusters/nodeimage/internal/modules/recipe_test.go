package modules

import (
	"bytes"
	"context"
	"encoding/json"
	"go/format"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kind-lab/lab/clusters"
	"github.com/kind-lab/lab/clusters/internal/fakehost"
	"github.com/kind-lab/lab/clusters/internal/gotool"
	"github.com/kind-lab/lab/clusters/internal/oci"
	"github.com/kind-lab/lab/clusters/internal/store"
	"github.com/kind-lab/lab/clusters/podimage"
)

func TestReadKind(t *testing.T) {
	w := fakehost.New(t)
	facts, err := readKind("v0.33.0", filepath.Join(w.Dir, "kind"))
	if err != nil {
		t.Fatal(err)
	}
	if facts.sandboxImage != "registry.k8s.io/pause:3.10" || facts.versions["CONTAINERD_VERSION"] != "v2.3.4" {
		t.Errorf("facts %+v", facts)
	}
	if !slices.Equal(facts.enable, []string{"kubelet.service"}) || !slices.Equal(facts.mask, []string{"systemd-binfmt.service"}) {
		t.Errorf("services: enable %q, mask %q", facts.enable, facts.mask)
	}
	files, err := facts.baseFiles()
	if err != nil {
		t.Fatal(err)
	}
	modes := map[string]os.FileMode{}
	for _, f := range files {
		modes[f.Path] = f.Mode
	}
	for name, mode := range map[string]os.FileMode{
		"usr/local/bin/entrypoint": 0o755, "etc/containerd/config.toml": 0o644,
		"kind/manifests/default-cni.yaml": 0o644, "etc/systemd/system/flanneld.service": 0o644,
	} {
		if modes[name] != mode {
			t.Errorf("%s has mode %o, want %o", name, modes[name], mode)
		}
	}
}

func TestReadKindRefuses(t *testing.T) {
	for _, tc := range []struct{ name, file, text, says string }{
		{"no Dockerfile", "Dockerfile", "", "Dockerfile"},
		{"no version of containerd", "Dockerfile", "ARG CRICTL_VERSION=v1\n", "CONTAINERD_VERSION"},
		{"no sandbox image", "files/etc/containerd/config.toml", "version = 2\n", "sandbox_image"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := fakehost.New(t)
			name := "kind/images/base/" + tc.file
			if tc.text == "" {
				if err := os.Remove(filepath.Join(w.Dir, name)); err != nil {
					t.Fatal(err)
				}
			} else {
				w.Write(t, name, tc.text)
			}
			if _, err := readKind("v0", filepath.Join(w.Dir, "kind")); err == nil || !strings.Contains(err.Error(), tc.says) {
				t.Errorf("readKind: %v, want %q", err, tc.says)
			}
		})
	}
}

func TestSharedVersion(t *testing.T) {
	for _, tc := range []struct{ module, wanted, want string }{
		{EtcdModule, "v3.5.7", "v3.5.24"},
		{EtcdModule, "v3.5.24", "v3.5.24"},
		{EtcdModule, "v3.5.25", "v3.5.25"},
		{EtcdModule, "v3.6.5", "v3.6.8"},
		{EtcdModule, "v3.7.0", "v3.7.0"},
		{EtcdModule, "v3.8.1", "v3.8.1"},
		{CorednsModule, "v1.10.1", "v1.14.6"},
		{CorednsModule, "v1.15.0", "v1.15.0"},
		{ContainerdModule, "v2.3.4", "v2.3.4"},
	} {
		if got := sharedVersion(tc.module, tc.wanted); got != tc.want {
			t.Errorf("sharedVersion(%s, %s) = %s, want %s", tc.module, tc.wanted, got, tc.want)
		}
	}
}

func TestPrograms(t *testing.T) {
	m := gotool.Module{Path: "example.org/m", Version: "v1.2.3", GoVersion: "1.21"}
	coredns := corednsProgram(m)
	if formatted, err := format.Source(coredns.Files["main.go"]); err != nil || !strings.Contains(string(formatted), `_ "example.org/m/plugin/kubernetes"`) {
		t.Errorf("CoreDNS's main: %v\n%s", err, formatted)
	}
	v := clusters.Version{Major: 1, Minor: 28, Patch: 15}
	k := kubernetesProgram(v, gotool.Module{GoVersion: "1.20"}, []string{"k8s.io/api"})
	want := "module build\n\ngo 1.20\n\nrequire k8s.io/kubernetes v1.28.15\nreplace k8s.io/api => k8s.io/api v0.28.15\n"
	if got := string(k.GoMod()); got != want {
		t.Errorf("go.mod:\n%s\nwant:\n%s", got, want)
	}
	if flags := k.LinkerFlags(); !strings.Contains(flags, "-X k8s.io/component-base/version.gitVersion=v1.28.15") || !strings.Contains(flags, "version.gitMinor=28") {
		t.Errorf("linker flags %q", flags)
	}
	other := kubernetesProgram(v, gotool.Module{GoVersion: "1.20"}, []string{"k8s.io/api", "k8s.io/client-go"})
	if store.Key("kubernetes", k.Inputs()) == store.Key("kubernetes", other.Inputs()) {
		t.Error("two programs have the same key")
	}
	flannel, err := flannelProgram(gotool.Module{Path: FlannelModule, Version: FlannelVersion, GoVersion: "1.25.0"})
	if err != nil {
		t.Fatal(err)
	}
	if want := "module build\n\ngo 1.25.0\n\nrequire " + FlannelModule + " " + FlannelVersion + "\n"; string(flannel.GoMod()) != want {
		t.Errorf("go.mod:\n%s\nwant:\n%s", flannel.GoMod(), want)
	}
}

// What is compiled in images is what its program was vetted with.
func TestVersionsAreThoseOfTheModule(t *testing.T) {
	for _, want := range []string{FlannelModule + " " + FlannelVersion, podimage.YamlRequirement} {
		module, _, _ := strings.Cut(want, " ")
		out, err := exec.Command("go", "list", "-m", module).Output()
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.TrimSpace(string(out)); got != want {
			t.Errorf("go.mod names %s, images are made with %s", got, want)
		}
	}
}

func TestStaging(t *testing.T) {
	for _, tc := range []struct {
		name, mod string
		want      []string
		fails     bool
	}{
		{name: "replaced by folders", mod: "module m\nreplace (\n k8s.io/b => ./staging/src/k8s.io/b\n k8s.io/a => ./staging/src/k8s.io/a\n k8s.io/sample-controller => ./staging/src/k8s.io/sample-controller\n example.org/x => example.org/y v1.0.0\n)\n",
			want: []string{"k8s.io/a", "k8s.io/b"}},
		{name: "none", mod: "module m\n"},
		{name: "no go.mod", mod: "replace replace", fails: true},
	} {
		got, err := staging([]byte(tc.mod))
		if (err != nil) != tc.fails || !slices.Equal(got, tc.want) {
			t.Errorf("%s: %q, %v", tc.name, got, err)
		}
	}
}

func TestOCISpec(t *testing.T) {
	for _, tc := range []struct{ name, in, want string }{
		{"a usual one", `{"process":{"args":["sh"],"rlimits":[{"type":"RLIMIT_NOFILE"}]},"root":{"path":"rootfs"}}`,
			`{"hooks":{"createContainer":[{"path":"/kind/bin/mount-product-files.sh"}]},"process":{"args":["sh"]},"root":{"path":"rootfs"}}`},
		{"one with hooks", `{"hooks":{"createContainer":[{"path":"/a"}],"prestart":[]}}`,
			`{"hooks":{"createContainer":[{"path":"/a"},{"path":"/kind/bin/mount-product-files.sh"}],"prestart":[]}}`},
	} {
		var spec map[string]any
		if err := json.Unmarshal([]byte(tc.in), &spec); err != nil {
			t.Fatal(err)
		}
		got, err := json.Marshal(ociSpec(spec))
		if err != nil || string(got) != tc.want {
			t.Errorf("%s: %s, %v", tc.name, got, err)
		}
	}
}

func TestImportBreaksOff(t *testing.T) {
	// What an engine would take for whole, because its input just ends, must
	// not get a name.
	w := fakehost.New(t)
	r := newRecipe(t, w)
	dir := t.TempDir()
	a := assembly{shared: &sharedParts{userland: dir, containerd: dir, cni: dir, crictl: dir, flannel: dir, guest: dir}}
	if err := oci.WriteTree(dir, []oci.File{
		{Path: "bin/ctr", Mode: 0o755, Data: []byte("#!/bin/sh\necho '{}'\n")},
		{Path: rootfsTar, Mode: 0o644, Data: bytes.Repeat([]byte("x"), 2048)},
	}); err != nil {
		t.Fatal(err)
	}
	if err := r.importBase(context.Background(), a, "base:1"); err == nil {
		t.Fatal("a broken root file system was imported")
	}
	var e fakehost.Engine
	w.Get("engine", &e)
	if _, ok := e.Images["base:1"]; ok {
		t.Error("half an image has a name")
	}
}
