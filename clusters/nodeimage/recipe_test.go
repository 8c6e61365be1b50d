package nodeimage

import (
	"encoding/json"
	"go/format"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kind-lab/lab/clusters"
)

func TestReadKind(t *testing.T) {
	w, _ := newWorld(t)
	facts, err := readKind("v0.33.0", filepath.Join(w.dir, "kind"))
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
		modes[f.path] = f.mode
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
			w, _ := newWorld(t)
			name := "kind/images/base/" + tc.file
			if tc.text == "" {
				if err := os.Remove(filepath.Join(w.dir, name)); err != nil {
					t.Fatal(err)
				}
			} else {
				w.write(t, name, tc.text)
			}
			if _, err := readKind("v0", filepath.Join(w.dir, "kind")); err == nil || !strings.Contains(err.Error(), tc.says) {
				t.Errorf("readKind: %v, want %q", err, tc.says)
			}
		})
	}
}

func TestSharedVersion(t *testing.T) {
	for _, tc := range []struct{ module, wanted, want string }{
		{etcdModule, "v3.5.7", "v3.5.24"},
		{etcdModule, "v3.5.24", "v3.5.24"},
		{etcdModule, "v3.5.25", "v3.5.25"},
		{etcdModule, "v3.6.5", "v3.6.8"},
		{etcdModule, "v3.7.0", "v3.7.0"},
		{etcdModule, "v3.8.1", "v3.8.1"},
		{corednsModule, "v1.10.1", "v1.14.6"},
		{corednsModule, "v1.15.0", "v1.15.0"},
		{containerdModule, "v2.3.4", "v2.3.4"},
	} {
		if got := sharedVersion(tc.module, tc.wanted); got != tc.want {
			t.Errorf("sharedVersion(%s, %s) = %s, want %s", tc.module, tc.wanted, got, tc.want)
		}
	}
}

func TestImageNames(t *testing.T) {
	for _, tc := range []struct{ ref, repository, base, module string }{
		{"registry.k8s.io/etcd:3.5.15-0", "registry.k8s.io/etcd", "etcd", "v3.5.15"},
		{"registry.k8s.io/coredns/coredns:v1.10.1", "registry.k8s.io/coredns/coredns", "coredns", "v1.10.1"},
		{"localhost:5000/kindest/node:v1.28.15", "localhost:5000/kindest/node", "node", "v1.28.15"},
		{"localhost:5000/kindest/node", "", "", ""},
		{"busybox", "", "", ""},
	} {
		n, err := splitImage(tc.ref)
		if (err != nil) != (tc.repository == "") {
			t.Errorf("splitImage(%q): %v", tc.ref, err)
		}
		if err == nil && (n.repository != tc.repository || n.base() != tc.base || n.moduleVersion() != tc.module) {
			t.Errorf("splitImage(%q) = %+v, %s, %s", tc.ref, n, n.base(), n.moduleVersion())
		}
	}
}

func TestPrograms(t *testing.T) {
	m := goModule{Path: "example.org/m", Version: "v1.2.3", GoVersion: "1.21"}
	coredns := corednsProgram(m)
	if formatted, err := format.Source(coredns.files["main.go"]); err != nil || !strings.Contains(string(formatted), `_ "example.org/m/plugin/kubernetes"`) {
		t.Errorf("CoreDNS's main: %v\n%s", err, formatted)
	}
	v := clusters.Version{Major: 1, Minor: 28, Patch: 15}
	k := kubernetesProgram(v, goModule{GoVersion: "1.20"}, []string{"k8s.io/api"})
	want := "module build\n\ngo 1.20\n\nrequire k8s.io/kubernetes v1.28.15\nreplace k8s.io/api => k8s.io/api v0.28.15\n"
	if got := string(k.goMod()); got != want {
		t.Errorf("go.mod:\n%s\nwant:\n%s", got, want)
	}
	if flags := k.linkerFlags(); !strings.Contains(flags, "-X k8s.io/component-base/version.gitVersion=v1.28.15") || !strings.Contains(flags, "version.gitMinor=28") {
		t.Errorf("linker flags %q", flags)
	}
	other := kubernetesProgram(v, goModule{GoVersion: "1.20"}, []string{"k8s.io/api", "k8s.io/client-go"})
	if stageKey("kubernetes", k.inputs()) == stageKey("kubernetes", other.inputs()) {
		t.Error("two programs have the same key")
	}
	flannel, err := flannelProgram(goModule{Path: flannelModule, Version: flannelVersion, GoVersion: "1.25.0"})
	if err != nil {
		t.Fatal(err)
	}
	if want := "module build\n\ngo 1.25.0\n\nrequire " + flannelModule + " " + flannelVersion + "\n"; string(flannel.goMod()) != want {
		t.Errorf("go.mod:\n%s\nwant:\n%s", flannel.goMod(), want)
	}
}

// TestGuestProgramsAreWhole finds a source file that was added to a guest
// program and not to what is compiled for images.
func TestGuestProgramsAreWhole(t *testing.T) {
	sources, err := filepath.Glob("guest/*/*.go")
	if err != nil || len(sources) == 0 {
		t.Fatalf("sources %q, %v", sources, err)
	}
	for _, name := range sources {
		dir, file := filepath.Split(strings.TrimPrefix(filepath.ToSlash(name), "guest/"))
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		p, err := guestProgram(strings.Trim(dir, "/"), guestGoVersion)
		if err != nil || p.files[dir+file] == nil {
			t.Errorf("%s is not embedded (%v)", name, err)
		}
	}
}

// What is compiled in images is what its program was vetted with.
func TestVersionsAreThoseOfTheModule(t *testing.T) {
	for _, want := range []string{flannelModule + " " + flannelVersion, yamlRequirement} {
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

func TestStageKey(t *testing.T) {
	keys := map[string]bool{}
	for _, inputs := range [][]string{nil, {""}, {"a", "b"}, {"ab"}, {"a", "", "b"}} {
		keys[stageKey("x", inputs)] = true
	}
	keys[stageKey("y", nil)] = true
	if len(keys) != 6 {
		t.Errorf("%d keys of 6 stages", len(keys))
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
