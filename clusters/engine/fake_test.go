package engine

import (
	"archive/tar"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"go.uber.org/goleak"
)

// The test program is also the programs that it needs: called by the name of
// an engine's client, of dockerd or of apt, it behaves as that one does, in
// the world that EnvWorld names.
const envWorld = "LAB_TEST_WORLD"

func TestMain(m *testing.M) {
	world := fakeWorld{dir: os.Getenv(envWorld)}
	programs := map[string]func(fakeWorld, []string) int{
		"docker": fakeWorld.client, "podman": fakeWorld.client, "nerdctl": fakeWorld.client, "finch": fakeWorld.client,
		"dockerd": fakeWorld.dockerd, "apt-get": fakeWorld.aptGet, "apt-cache": fakeWorld.aptCache,
		"systemctl": fakeWorld.systemctl, "journalctl": fakeWorld.journalctl,
	}
	if program, ok := programs[filepath.Base(os.Args[0])]; ok {
		os.Exit(program(world, os.Args[1:]))
	}
	goleak.VerifyTestMain(m)
}

// fakeWorld is a machine with its engine: files below dir. What a test wants
// of it is in dir/settings.json, what is there in the files beside.
type fakeWorld struct{ dir string }

// fakeSettings say how the world behaves.
type fakeSettings struct {
	// Fail maps the first words of a client's command line to what it says
	// when it fails.
	Fail map[string]string
	// Registry says that images can be pulled.
	Registry bool
	// Needs is the runtime without which privileged containers do not start.
	Needs string
	// Dockerd is how dockerd behaves: "", "dies", "mute" (never answers) or
	// "stubborn" (does not heed SIGHUP).
	Dockerd string
	// Lists are the packages that apt knows, once its lists are fetched where
	// Stale is set.
	Lists []string
	Stale bool
	// AptFails is what apt-get install says when it fails.
	AptFails string
	// Facts is what a container sees.
	Facts facts
}

func (w fakeWorld) path(parts ...string) string {
	return filepath.Join(append([]string{w.dir}, parts...)...)
}

func (w fakeWorld) settings() fakeSettings {
	var s fakeSettings
	text, err := os.ReadFile(w.path("settings.json"))
	if err == nil {
		err = json.Unmarshal(text, &s)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "fake world:", err)
		os.Exit(99)
	}
	return s
}

func (w fakeWorld) exists(parts ...string) bool {
	_, err := os.Stat(w.path(parts...))
	return err == nil
}

// put writes a file whole or not at all, as other programs read meanwhile.
func (w fakeWorld) put(content string, parts ...string) {
	path := w.path(parts...)
	tmp := path + "." + strconv.Itoa(os.Getpid())
	err := os.MkdirAll(filepath.Dir(path), 0o755)
	if err == nil {
		err = os.WriteFile(tmp, []byte(content), 0o755)
	}
	if err = errors.Join(err, os.Rename(tmp, path)); err != nil {
		fmt.Fprintln(os.Stderr, "fake world:", err)
		os.Exit(99)
	}
}

// drop removes a file, which may be gone already.
func (w fakeWorld) drop(parts ...string) {
	if err := os.Remove(w.path(parts...)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		fmt.Fprintln(os.Stderr, "fake world:", err)
	}
}

func say(code int, text string) int {
	fmt.Fprintln(os.Stderr, text)
	return code
}

// runtime is the default runtime of the engine that answers, "" where none
// does.
func (w fakeWorld) runtime() string {
	text, err := os.ReadFile(w.path("up"))
	if err != nil {
		return ""
	}
	return string(text)
}

const silence = "Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker daemon running?"

func (w fakeWorld) client(args []string) int {
	s := w.settings()
	words := filepath.Base(os.Args[0]) + " " + strings.Join(args, " ")
	for prefix, text := range s.Fail {
		if strings.HasPrefix(words, prefix) {
			if args[0] == "run" {
				w.create(args)
			}
			return say(125, text)
		}
	}
	if w.runtime() == "" {
		return say(1, silence)
	}
	image := safe(args[len(args)-1])
	switch args[0] {
	case "info":
		return w.info()
	case "load":
		return w.load()
	case "pull":
		if !s.Registry {
			return say(1, `Error response from daemon: Get "https://registry-1.docker.io/v2/": dial tcp: lookup registry-1.docker.io: no such host`)
		}
		w.put("", "images", image)
		return 0
	case "run":
		w.create(args)
		if s.Needs != "" && w.runtime() != s.Needs {
			return say(126, "docker: Error response from daemon: failed to create task for container: OCI runtime create failed: unable to apply caps: operation not permitted: unknown.")
		}
		if !w.exists("images", image) {
			return say(125, "Unable to find image '"+image+"' locally")
		}
		return 0
	case "exec":
		if !w.exists("containers", args[2]) {
			return say(1, "Error: No such container: "+args[2])
		}
		if err := json.NewEncoder(os.Stdout).Encode(s.Facts); err != nil {
			return 99
		}
		return 0
	case "image":
		if !w.exists("images", image) {
			return say(1, "Error: No such image: "+image)
		}
		return 0
	case "rm", "rmi":
		kind := map[string]string{"rm": "containers", "rmi": "images"}[args[0]]
		if err := os.Remove(w.path(kind, image)); err != nil {
			return say(1, "Error: No such thing: "+image)
		}
		return 0
	}
	return say(2, "unknown command: "+words)
}

func safe(ref string) string { return strings.ReplaceAll(ref, "/", "_") }

func (w fakeWorld) create(args []string) {
	if i := slices.Index(args, "--name"); i >= 0 {
		w.put("", "containers", args[i+1])
	}
}

// info prints the fixture of this client, with the runtime that is in use.
func (w fakeWorld) info() int {
	text, err := os.ReadFile(w.path(filepath.Base(os.Args[0]) + "-info.json"))
	if err != nil {
		return say(1, err.Error())
	}
	fmt.Print(strings.ReplaceAll(string(text), `"DefaultRuntime": "lab"`, `"DefaultRuntime": "`+w.runtime()+`"`))
	return 0
}

func (w fakeWorld) load() int {
	archive := tar.NewReader(os.Stdin)
	for {
		header, err := archive.Next()
		if err == io.EOF {
			return 0
		}
		if err != nil {
			return say(1, err.Error())
		}
		if header.Name != "manifest.json" {
			continue
		}
		var manifest []struct{ RepoTags []string }
		if err := json.NewDecoder(archive).Decode(&manifest); err != nil {
			return say(1, err.Error())
		}
		w.put("", "images", safe(manifest[0].RepoTags[0]))
	}
}

// dockerd answers as soon as it has read its configuration, and reads it
// again when it is asked to.
func (w fakeWorld) dockerd([]string) int {
	signals := make(chan os.Signal, 4)
	signal.Notify(signals, syscall.SIGHUP, syscall.SIGTERM)
	fmt.Println(`level=info msg="Starting up"`)
	s := w.settings()
	if s.Dockerd == "dies" {
		fmt.Println(`failed to start daemon: Error initializing network controller: iptables failed: iptables -t nat -N DOCKER: (exit status 3)`)
		return 1
	}
	w.put(strconv.Itoa(os.Getpid()), "root", daemonPID)
	defer w.drop("root", daemonPID)
	if s.Dockerd != "mute" {
		w.configure()
		defer w.drop("up")
	}
	for got := range signals {
		if got == syscall.SIGTERM {
			break
		}
		if s.Dockerd != "stubborn" {
			w.configure()
		}
	}
	return 0
}

func (w fakeWorld) configure() {
	settings, err := readSettings(w.path("root", daemonConfig))
	if err != nil {
		os.Exit(say(1, err.Error()))
	}
	name, err := settings.defaultRuntime()
	if err != nil {
		os.Exit(say(1, err.Error()))
	}
	if name == "" {
		name = "runc"
	}
	w.put(name, "up")
}

func (w fakeWorld) aptGet(args []string) int {
	s := w.settings()
	switch {
	case args[0] == "update":
		w.put("", "lists")
		return 0
	case s.AptFails != "":
		return say(100, s.AptFails)
	case slices.Contains(args, "docker.io") && w.knows("docker.io"):
		self, err := os.Executable()
		if err == nil {
			err = os.Symlink(self, w.path("bin", "dockerd"))
		}
		if err == nil && !w.exists("bin", "docker") {
			err = os.Symlink(self, w.path("bin", "docker"))
		}
		if err != nil {
			return say(1, err.Error())
		}
		return 0
	}
	return say(100, "E: Unable to locate package docker.io")
}

func (w fakeWorld) knows(name string) bool {
	s := w.settings()
	return slices.Contains(s.Lists, name) && (!s.Stale || w.exists("lists"))
}

func (w fakeWorld) aptCache(args []string) int {
	candidate := "(none)"
	if w.knows(args[1]) {
		candidate = "20.10.24+dfsg1-1"
	}
	fmt.Printf("%s:\n  Installed: (none)\n  Candidate: %s\n", args[1], candidate)
	return 0
}

// systemctl starts what a unit would: a dockerd of its own.
func (w fakeWorld) systemctl([]string) int {
	if w.settings().Dockerd == "dies" {
		return say(1, "Job for docker.service failed because the control process exited with error code.")
	}
	process, err := os.StartProcess(w.path("bin", "dockerd"), []string{"dockerd"}, &os.ProcAttr{
		Env: os.Environ(), Sys: &syscall.SysProcAttr{Setsid: true},
	})
	if err != nil {
		return say(1, err.Error())
	}
	if err := process.Release(); err != nil {
		return say(1, err.Error())
	}
	return 0
}

func (w fakeWorld) journalctl([]string) int {
	fmt.Println("failed to start daemon: overlay2 not supported: overlay is not supported over overlayfs")
	return 0
}
