// Package fakehost is a machine for tests: programs that behave like docker, the
// Go command, debootstrap and apt, with what they know in a folder, and a server
// with releases of Kubernetes. Only tests import it.
//
// A test's package calls Main in its TestMain, because the programs are links to
// the test's own binary.
package fakehost

import (
	"encoding/json"
	"os"
	"path"
	"path/filepath"
	"testing"

	"github.com/gofrs/flock"
)

// fakeEnv names the folder of the world that the fake programs live in.
const fakeEnv = "LAB_NODEIMAGE_WORLD"

// Main is also the fake programs: a world links the test's binary under
// their names.
func Main(m *testing.M) {
	dir := os.Getenv(fakeEnv)
	fake, ok := map[string]func(World, []string) int{
		"docker": fakeDocker, "go": fakeGo, "debootstrap": fakeDebootstrap, "chroot": fakeChroot,
		"apt-get": fakeApt, "apt-cache": fakeApt, "apt-config": fakeApt, "dpkg-deb": fakeDpkg, "make": fakeMake,
	}[filepath.Base(os.Args[0])]
	if dir == "" || !ok {
		os.Exit(m.Run())
	}
	w := World{Dir: dir}
	w.log(os.Args)
	if code, done := w.trouble(os.Args); done {
		os.Exit(code)
	}
	os.Exit(fake(w, os.Args[1:]))
}

// World is where the fake programs keep what they know.
type World struct{ Dir string }

// New makes a world with all the programs on the PATH.
func New(t *testing.T) World {
	t.Helper()
	w := World{Dir: t.TempDir()}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	w.Mkdir(t, "bin")
	for _, name := range []string{"docker", "go", "debootstrap", "chroot", "apt-get", "apt-cache", "apt-config", "dpkg-deb", "make"} {
		if err := os.Symlink(self, filepath.Join(w.Dir, "bin", name)); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv(fakeEnv, w.Dir)
	// The race detector lets a process sleep for a second at its end.
	t.Setenv("GORACE", "atexit_sleep_ms=0")
	t.Setenv("PATH", filepath.Join(w.Dir, "bin")+string(os.PathListSeparator)+os.Getenv("PATH"))
	w.Write(t, "os-release", "ID=debian\nVERSION_CODENAME=\"trixie\"\n")
	w.kindModule(t)
	w.Put("modules", map[string]Module{})
	w.Put("engine", Engine{Images: map[string]Image{}, Containers: map[string]Container{}})
	return w
}

// Mkdir makes a folder of the world.
func (w World) Mkdir(t *testing.T, name string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Join(w.Dir, name), 0o755); err != nil {
		t.Fatal(err)
	}
}

// Write writes a file of the world.
func (w World) Write(t *testing.T, name, text string) {
	t.Helper()
	w.Mkdir(t, path.Dir(name))
	if err := os.WriteFile(filepath.Join(w.Dir, name), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// Put keeps a value in the world under a name.
func (w World) Put(name string, value any) {
	data, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	if err := os.WriteFile(filepath.Join(w.Dir, name+".json"), data, 0o644); err != nil {
		panic(err)
	}
}

// Get reads a value that was put; what was not leaves into as it is.
func (w World) Get(name string, into any) {
	data, err := os.ReadFile(filepath.Join(w.Dir, name+".json"))
	if err != nil && !os.IsNotExist(err) {
		panic(err)
	}
	if len(data) > 0 {
		if err := json.Unmarshal(data, into); err != nil {
			panic(err)
		}
	}
}

// Change reads a value, lets act change it, and puts it back; nobody else
// changes it meanwhile.
func (w World) Change(name string, value any, act func()) {
	lock := flock.New(filepath.Join(w.Dir, name+".lock"))
	if err := lock.Lock(); err != nil {
		panic(err)
	}
	w.Get(name, value)
	act()
	w.Put(name, value)
	if err := lock.Unlock(); err != nil {
		panic(err)
	}
}

// kindModule makes a module of kind with a small base image.
func (w World) kindModule(t *testing.T) {
	t.Helper()
	base := "kind/images/base/"
	w.Write(t, base+"Dockerfile", `ARG CONTAINERD_VERSION="v2.3.4"
ARG CRICTL_VERSION="v1.36.0"
ARG CNI_PLUGINS_VERSION="v1.9.1"
RUN systemctl enable kubelet.service \
    && systemctl mask systemd-binfmt.service
`)
	w.Write(t, base+"files/etc/containerd/config.toml", "version = 2\n  sandbox_image = \"registry.k8s.io/pause:3.10\"\n")
	w.Write(t, base+"files/usr/local/bin/entrypoint", "#!/bin/bash\n")
}
