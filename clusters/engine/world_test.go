package engine

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the golden files")

// withoutResource is a bounding set without CAP_SYS_RESOURCE.
const withoutResource = "CapBnd:\t000001fffeffffff\n"

// newWorld makes a machine with these programs on the PATH, and no engine
// that runs.
func newWorld(t *testing.T, s fakeSettings, programs ...string) fakeWorld {
	t.Helper()
	w := fakeWorld{dir: t.TempDir()}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	write(t, w.path("settings.json"), encode(t, s))
	for _, dir := range []string{"bin", "root", "containers", "images"} {
		if err := os.MkdirAll(w.path(dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range programs {
		if err := os.Symlink(self, w.path("bin", name)); err != nil {
			t.Fatal(err)
		}
	}
	for _, client := range []string{"docker", "nerdctl", "finch"} {
		write(t, w.path(client+"-info.json"), strings.ReplaceAll(read(t, "testdata/docker-info.json"), "x86_64", runtime.GOARCH))
	}
	write(t, w.path("podman-info.json"), read(t, "testdata/podman-info.json"))
	write(t, w.path("root/etc/os-release"), "PRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\nID=debian\n")
	w.writeProc(t)
	t.Setenv(envWorld, w.dir)
	t.Setenv("PATH", w.path("bin"))
	t.Cleanup(func() { w.killDockerd(t) })
	return w
}

// writeProc makes the files of /proc, and a program that is static.
func (w fakeWorld) writeProc(t *testing.T) {
	t.Helper()
	for file, text := range map[string]string{
		"self/status":                       withoutResource,
		"meminfo":                           "MemTotal:       24684084 kB\nMemAvailable:   22737920 kB\n",
		"sys/kernel/cap_last_cap":           "40\n",
		"sys/fs/inotify/max_user_instances": "128\n",
		"sys/fs/inotify/max_user_watches":   "192536\n",
	} {
		write(t, w.path("proc", file), text)
	}
	write(t, w.path("lab"), staticELF)
}

// staticELF is an executable for 64 bits without any part, so that none asks
// for a dynamic linker.
const staticELF = "\x7fELF\x02\x01\x01" + "\x00\x00\x00\x00\x00\x00\x00\x00\x00" +
	"\x02\x00\x3e\x00\x01\x00\x00\x00" + "\x00\x00\x00\x00\x00\x00\x00\x00" +
	"\x00\x00\x00\x00\x00\x00\x00\x00" + "\x00\x00\x00\x00\x00\x00\x00\x00" +
	"\x00\x00\x00\x00\x40\x00\x38\x00" + "\x00\x00\x40\x00\x00\x00\x00\x00"

// up makes an engine answer that has this default runtime.
func (w fakeWorld) up(t *testing.T, ociRuntime string) {
	t.Helper()
	write(t, w.path("up"), ociRuntime)
}

// ground is the world as the package sees it.
func (w fakeWorld) ground() ground {
	clock := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	return ground{
		root: w.path("root"), proc: w.path("proc"), getenv: func(string) string { return "" },
		euid:       func() int { return 0 },
		hostname:   func() (string, error) { return "host-1", nil },
		kernel:     func() (string, error) { return "6.1.0-40-amd64", nil },
		free:       func(string) (int64, error) { return 62 << 30, nil },
		comm:       processName,
		executable: func() (string, error) { return w.path("lab"), nil },
		patience:   20 * time.Second, registryPatience: 5 * time.Minute,
		now: func() time.Time { clock = clock.Add(400 * time.Millisecond); return clock },
	}
}

// killDockerd ends the world's dockerd and waits until it is gone.
func (w fakeWorld) killDockerd(t *testing.T) {
	pid := w.ground().dockerdPID()
	if pid == 0 {
		return
	}
	if err := syscall.Kill(pid, syscall.SIGTERM); err != nil {
		t.Errorf("ending the fake dockerd: %v", err)
	}
	deadline := time.NewTimer(10 * time.Second)
	ticker := time.NewTicker(10 * time.Millisecond)
	defer ticker.Stop()
	for w.ground().dockerdPID() != 0 {
		select {
		case <-ticker.C:
		case <-deadline.C:
			t.Fatal("the fake dockerd does not end")
		}
	}
}

// leftBehind names the containers and images that are there.
func (w fakeWorld) leftBehind(t *testing.T) []string {
	t.Helper()
	var left []string
	for _, kind := range []string{"containers", "images"} {
		entries, err := os.ReadDir(w.path(kind))
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			left = append(left, kind+"/"+e.Name())
		}
	}
	return left
}

func encode(t *testing.T, v any) string {
	t.Helper()
	text, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	return string(text) + "\n"
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
}

// golden compares with the file, in which the world's folder is WORLD.
func (w fakeWorld) golden(t *testing.T, name, got string) {
	t.Helper()
	got = strings.ReplaceAll(got, w.dir, "WORLD")
	path := filepath.Join("testdata", name)
	if *update {
		write(t, path, got)
		return
	}
	if diff := cmp.Diff(read(t, path), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", path, diff)
	}
}

// pidText is a pid file's text.
func pidText(pid int) string { return strconv.Itoa(pid) + "\n" }
