package nodeimage

import (
	"encoding/json"
	"fmt"
	"os"
	"os/signal"
	"path"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gofrs/flock"
	"github.com/kind-lab/lab/clusters"
)

// fakeEnv names the folder of the world that the fake programs live in.
const fakeEnv = "LAB_NODEIMAGE_WORLD"

// TestMain is also the fake programs: the world links this test's binary
// under their names.
func TestMain(m *testing.M) {
	dir := os.Getenv(fakeEnv)
	fake, ok := map[string]func(world, []string) int{
		"docker": fakeDocker, "go": fakeGo, "debootstrap": fakeDebootstrap, "chroot": fakeChroot,
		"apt-get": fakeApt, "apt-cache": fakeApt, "apt-config": fakeApt, "dpkg-deb": fakeDpkg,
	}[filepath.Base(os.Args[0])]
	if dir == "" || !ok {
		os.Exit(m.Run())
	}
	w := world{dir: dir}
	w.log(os.Args)
	if code, done := w.trouble(os.Args); done {
		os.Exit(code)
	}
	os.Exit(fake(w, os.Args[1:]))
}

// world is where the fake programs keep what they know.
type world struct{ dir string }

// trouble is what befalls a command whose line contains some words.
type trouble struct {
	Words string
	// Hang lets it run until it is killed; else it says Says and fails.
	Hang bool
	Says string
}

// newWorld makes a world with all the programs on the PATH, and a provider in
// it that has seen nothing yet.
func newWorld(t *testing.T) (world, *Provider) {
	t.Helper()
	w := world{dir: t.TempDir()}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	w.mkdir(t, "bin")
	for _, name := range []string{"docker", "go", "debootstrap", "chroot", "apt-get", "apt-cache", "apt-config", "dpkg-deb"} {
		if err := os.Symlink(self, filepath.Join(w.dir, "bin", name)); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv(fakeEnv, w.dir)
	// The race detector lets a process sleep for a second at its end.
	t.Setenv("GORACE", "atexit_sleep_ms=0")
	t.Setenv("PATH", filepath.Join(w.dir, "bin")+string(os.PathListSeparator)+os.Getenv("PATH"))
	w.write(t, "os-release", "ID=debian\nVERSION_CODENAME=\"trixie\"\n")
	w.kindModule(t)
	w.put("modules", map[string]fakeModule{})
	w.put("engine", fakeEngine{Images: map[string]fakeImage{}, Containers: map[string]fakeContainer{}})
	return w, w.provider(t)
}

// provider is another process's view of the same world.
func (w world) provider(t *testing.T) *Provider {
	t.Helper()
	p, err := New(Options{
		Engine: clusters.Engine{Name: "docker"}, Cache: filepath.Join(w.dir, "cache"),
		// A port that nothing listens on: no registry answers.
		Repository: "127.0.0.1:1/kindest/node", Kind: "v0.33.0",
	})
	if err != nil {
		t.Fatal(err)
	}
	p.beat, p.patience = 20*time.Millisecond, 5*time.Second
	p.can = func() error { return nil }
	p.free = func(string) (int64, error) { return 100 * gib, nil }
	p.setDebian(debian{osRelease: filepath.Join(w.dir, "os-release")})
	return p
}

// setDebian replaces the package sources.
func (p *Provider) setDebian(d debian) {
	p.debian = d
	p.nodes.(*recipe).debian = d
}

// release makes all modules of a release available.
func (w world) release(v string, more ...string) {
	parsed, err := clusters.ParseVersion(v)
	if err != nil {
		panic(err)
	}
	goMod := "module k8s.io/kubernetes\n\ngo 1.21\n\nreplace (\n"
	for _, m := range []string{"k8s.io/api", "k8s.io/client-go", "k8s.io/sample-controller"} {
		goMod += fmt.Sprintf("\t%s => ./staging/src/%s\n", m, m)
	}
	w.module("k8s.io/kubernetes", "v"+v, fakeModule{Mod: goMod + ")\n"})
	for _, m := range append([]string{"k8s.io/api", "k8s.io/client-go"}, more...) {
		w.module(m, stagingVersion(parsed), fakeModule{})
	}
}

// companions makes the modules available that are built beside Kubernetes.
func (w world) companions() {
	w.module(containerdModule, "v2.3.4", fakeModule{})
	w.module(cniModule, "v1.9.1", fakeModule{})
	w.module(crictlModule, "v1.36.0", fakeModule{})
	w.module(flannelModule, flannelVersion, fakeModule{})
	w.module(etcdModule, "v3.5.24", fakeModule{})
	w.module(corednsModule, "v1.14.6", fakeModule{})
}

// module makes one module version available, or not, where it has an Err.
func (w world) module(path, version string, m fakeModule) {
	mods := map[string]fakeModule{}
	w.change("modules", &mods, func() { mods[path+"@"+version] = m })
}

// kindModule makes a module of kind with a small base image.
func (w world) kindModule(t *testing.T) {
	t.Helper()
	base := "kind/images/base/"
	w.write(t, base+"Dockerfile", `ARG CONTAINERD_VERSION="v2.3.4"
ARG CRICTL_VERSION="v1.36.0"
ARG CNI_PLUGINS_VERSION="v1.9.1"
RUN systemctl enable kubelet.service \
    && systemctl mask systemd-binfmt.service
`)
	w.write(t, base+"files/etc/containerd/config.toml", "version = 2\n  sandbox_image = \"registry.k8s.io/pause:3.10\"\n")
	w.write(t, base+"files/usr/local/bin/entrypoint", "#!/bin/bash\n")
}

func (w world) mkdir(t *testing.T, name string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Join(w.dir, name), 0o755); err != nil {
		t.Fatal(err)
	}
}

func (w world) write(t *testing.T, name, text string) {
	t.Helper()
	w.mkdir(t, path.Dir(name))
	if err := os.WriteFile(filepath.Join(w.dir, name), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// put and get keep a value in the world; change does both in one.
func (w world) put(name string, value any) {
	data, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	if err := os.WriteFile(filepath.Join(w.dir, name+".json"), data, 0o644); err != nil {
		panic(err)
	}
}

func (w world) get(name string, into any) {
	data, err := os.ReadFile(filepath.Join(w.dir, name+".json"))
	if err != nil && !os.IsNotExist(err) {
		panic(err)
	}
	if len(data) > 0 {
		if err := json.Unmarshal(data, into); err != nil {
			panic(err)
		}
	}
}

func (w world) change(name string, value any, act func()) {
	lock := flock.New(filepath.Join(w.dir, name+".lock"))
	if err := lock.Lock(); err != nil {
		panic(err)
	}
	w.get(name, value)
	act()
	w.put(name, value)
	if err := lock.Unlock(); err != nil {
		panic(err)
	}
}

// troubled sets what befalls commands from now on.
func (w world) troubled(troubles ...trouble) { w.put("troubles", troubles) }

// trouble lets a command meet its trouble.
func (w world) trouble(args []string) (int, bool) {
	var troubles []trouble
	w.get("troubles", &troubles)
	line := filepath.Base(args[0]) + " " + strings.Join(args[1:], " ")
	for _, t := range troubles {
		if !strings.Contains(line, t.Words) {
			continue
		}
		if t.Hang {
			w.log([]string{"hanging", line})
			forever := make(chan os.Signal, 1)
			signal.Notify(forever, os.Interrupt)
			<-forever
		}
		fmt.Fprintln(os.Stderr, t.Says)
		return 1, true
	}
	return 0, false
}

// log notes a command line.
func (w world) log(args []string) {
	f, err := os.OpenFile(filepath.Join(w.dir, "calls"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		panic(err)
	}
	defer f.Close()
	fmt.Fprintln(f, filepath.Base(args[0])+" "+strings.Join(args[1:], " "))
}

// calls are the command lines that contain some words.
func (w world) calls(words string) []string {
	data, err := os.ReadFile(filepath.Join(w.dir, "calls"))
	if err != nil && !os.IsNotExist(err) {
		panic(err)
	}
	var found []string
	for line := range strings.Lines(string(data)) {
		if strings.Contains(line, words) {
			found = append(found, strings.TrimSpace(line))
		}
	}
	return found
}

// forget empties the log.
func (w world) forget() {
	if err := os.Remove(filepath.Join(w.dir, "calls")); err != nil && !os.IsNotExist(err) {
		panic(err)
	}
}

// await waits until a command line with some words is logged.
func (w world) await(t *testing.T, words string) {
	t.Helper()
	deadline := time.After(20 * time.Second)
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for len(w.calls(words)) == 0 {
		select {
		case <-deadline:
			t.Fatalf("nobody called %q; calls: %q", words, w.calls(""))
		case <-tick.C:
		}
	}
}
