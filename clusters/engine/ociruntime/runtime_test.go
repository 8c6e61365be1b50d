package ociruntime

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// became records what the runtime became.
type became struct {
	path string
	argv []string
	env  []string
	err  error
}

func (b *became) exec(path string, argv, environ []string) error {
	b.path, b.argv, b.env = path, argv, environ
	return b.err
}

func fakeRuntime(b *became) Runtime {
	return Runtime{
		Limits: func() (Limits, error) { return sandbox(), nil },
		Find:   func() (string, error) { return "/usr/sbin/runc", nil },
		Exec:   b.exec,
		Now:    func() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC) },
	}
}

func bundle(t *testing.T, mode os.FileMode) (dir string) {
	t.Helper()
	dir = t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "config.json"), fixture(t, "config.json"), mode); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestRunCreate(t *testing.T) {
	dir := bundle(t, 0o640)
	var b became
	var stderr bytes.Buffer
	args := []string{"--root", "/r", "create", "--bundle", dir, "id"}
	if code := fakeRuntime(&b).Run(args, []string{"A=1"}, &stderr); code != 0 || stderr.Len() != 0 {
		t.Fatalf("code %d: %s", code, &stderr)
	}
	if diff := cmp.Diff(became{path: "/usr/sbin/runc", argv: append([]string{"/usr/sbin/runc"}, args...), env: []string{"A=1"}}, b, cmp.AllowUnexported(became{})); diff != "" {
		t.Error(diff)
	}
	written, err := os.ReadFile(filepath.Join(dir, "config.json"))
	if err != nil || strings.Contains(string(written), "CAP_SYS_RESOURCE") {
		t.Errorf("%v, the capability is still there: %s", err, written)
	}
	info, err := os.Stat(filepath.Join(dir, "config.json"))
	if err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 {
		t.Errorf("left behind: %v, %v", entries, err)
	}
}

func TestRunExec(t *testing.T) {
	file := filepath.Join(t.TempDir(), "runc-process1")
	if err := os.WriteFile(file, fixture(t, "process.json"), 0o600); err != nil {
		t.Fatal(err)
	}
	var b became
	var stderr bytes.Buffer
	if code := fakeRuntime(&b).Run([]string{"exec", "--process", file, "id"}, nil, &stderr); code != 0 {
		t.Fatal(stderr.String())
	}
	written, err := os.ReadFile(file)
	if err != nil || strings.Contains(string(written), "CAP_SYS_RESOURCE") {
		t.Errorf("%v, the capability is still there: %s", err, written)
	}
}

func TestRunLeavesTheRestToRunc(t *testing.T) {
	for name, args := range map[string][]string{
		"a bundle that is not there": {"create", "--bundle", "/does/not/exist", "id"},
		"a command without a bundle": {"delete", "id"},
		"no command":                 {"--version"},
	} {
		t.Run(name, func(t *testing.T) {
			var b became
			var stderr bytes.Buffer
			if code := fakeRuntime(&b).Run(args, nil, &stderr); code != 0 || b.path == "" {
				t.Errorf("code %d, became %q: %s", code, b.path, &stderr)
			}
		})
	}
}

func TestRunFailures(t *testing.T) {
	noRunc := func(r *Runtime) { r.Find = func() (string, error) { return "", errors.New("no runc") } }
	noLimits := func(r *Runtime) { r.Limits = func() (Limits, error) { return Limits{}, errors.New("no proc") } }
	for name, c := range map[string]struct {
		change func(*Runtime)
		config string
		want   string
	}{
		"no runc":          {noRunc, "{}", "no runc"},
		"no limits":        {noLimits, "{}", "no proc"},
		"a broken bundle":  {func(*Runtime) {}, "{", "config.json: reading the container's specification: unexpected end of JSON input"},
		"runc that is not": {func(r *Runtime) { r.Exec = (&became{err: os.ErrPermission}).exec }, "{}", "starting /usr/sbin/runc: permission denied"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, "config.json"), []byte(c.config), 0o600); err != nil {
				t.Fatal(err)
			}
			runtime := fakeRuntime(&became{})
			c.change(&runtime)
			log := filepath.Join(dir, "log.json")
			var stderr bytes.Buffer
			code := runtime.Run([]string{"--log", log, "--log-format", "json", "create", "--bundle", dir, "id"}, nil, &stderr)
			if code != 1 || !strings.Contains(stderr.String(), c.want) {
				t.Errorf("code %d, said %q; want %q", code, stderr.String(), c.want)
			}
			checkLog(t, log, c.want)
		})
	}
}

// checkLog reads the log as an engine does: a JSON object a line.
func checkLog(t *testing.T, log, want string) {
	t.Helper()
	text, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	var entry struct{ Level, Msg, Time string }
	if err := json.Unmarshal(text, &entry); err != nil {
		t.Fatal(err)
	}
	if entry.Level != "error" || !strings.Contains(entry.Msg, want) || entry.Time != "2026-01-02T03:04:05Z" {
		t.Errorf("logged %+v; want %q", entry, want)
	}
}

func TestTextLog(t *testing.T) {
	log := filepath.Join(t.TempDir(), "log")
	runtime := fakeRuntime(&became{})
	runtime.Find = func() (string, error) { return "", errors.New("no runc") }
	if code := runtime.Run([]string{"--log", log, "state", "id"}, nil, &bytes.Buffer{}); code != 1 {
		t.Fatalf("code %d", code)
	}
	text, err := os.ReadFile(log)
	if err != nil || string(text) != "lab-runc: no runc\n" {
		t.Errorf("%v: %q", err, text)
	}
}
