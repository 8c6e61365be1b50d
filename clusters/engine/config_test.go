package engine

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestWithRuntime(t *testing.T) {
	const ours = `"runtimes":{"lab":{"path":"/r"}}`
	for name, c := range map[string]struct {
		before, after string
		fails         string
	}{
		"nothing":                     {before: `{}`, after: `{"default-runtime":"lab",` + ours + `}`},
		"other keys":                  {before: `{"log-level":"warn","x":1.50}`, after: `{"default-runtime":"lab","log-level":"warn",` + ours + `,"x":1.50}`},
		"other runtimes":              {before: `{"default-runtime":"nvidia","runtimes":{"nvidia":{"path":"n","runtimeArgs":["a"]}}}`, after: `{"default-runtime":"lab","runtimes":{"lab":{"path":"/r"},"nvidia":{"path":"n","runtimeArgs":["a"]}}}`},
		"another path":                {before: `{"default-runtime":"lab","runtimes":{"lab":{"path":"/old"}}}`, after: `{"default-runtime":"lab",` + ours + `}`},
		"arguments that are not ours": {before: `{"default-runtime":"lab","runtimes":{"lab":{"path":"/r","runtimeArgs":["--debug"]}}}`, after: `{"default-runtime":"lab",` + ours + `}`},
		"registered, not the default": {before: `{` + ours + `}`, after: `{"default-runtime":"lab",` + ours + `}`},
		"null":                        {before: `{"runtimes":null}`, after: `{"default-runtime":"lab",` + ours + `}`},
		"all there":                   {before: `{"default-runtime":"lab",` + ours + `}`},
		"a default of numbers":        {before: `{"default-runtime":1}`, fails: "reading default-runtime"},
		"runtimes of text":            {before: `{"runtimes":"x"}`, fails: "reading runtimes"},
		"a runtime of text":           {before: `{"runtimes":{"lab":"x"}}`, fails: `reading the runtime "lab"`},
	} {
		t.Run(name, func(t *testing.T) {
			var s daemonSettings
			if err := json.Unmarshal([]byte(c.before), &s); err != nil {
				t.Fatal(err)
			}
			out, changed, err := s.withRuntime("/r")
			if c.fails != "" {
				if err == nil || !strings.Contains(err.Error(), c.fails) {
					t.Fatalf("got %v; want %q", err, c.fails)
				}
				return
			}
			want := c.after
			if want == "" {
				want = c.before
			}
			got, marshalErr := json.Marshal(out)
			if err != nil || marshalErr != nil || changed != (c.after != "") || string(got) != want {
				t.Errorf("got %s, changed %v, %v\nwant %s", got, changed, err, want)
			}
			if again, changed, err := out.withRuntime("/r"); err != nil || changed || len(again) != len(out) {
				t.Errorf("a second time it changes %v (%v)", again, err)
			}
		})
	}
}

func TestReadSettings(t *testing.T) {
	dir := t.TempDir()
	for name, c := range map[string]struct {
		text  string
		keys  int
		fails string
	}{
		"empty":    {text: " \n"},
		"some":     {text: `{"a":1,"b":2}`, keys: 2},
		"not JSON": {text: "a: 1", fails: "correct it by hand, it is left as it is"},
		"a list":   {text: "[]", fails: "cannot unmarshal array"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(dir, name)
			write(t, path, c.text)
			s, err := readSettings(path)
			if c.fails != "" {
				if err == nil || !strings.Contains(err.Error(), c.fails) {
					t.Fatalf("got %v; want %q", err, c.fails)
				}
				return
			}
			if err != nil || len(s) != c.keys {
				t.Errorf("got %v, %v", s, err)
			}
		})
	}
	if s, err := readSettings(filepath.Join(dir, "none")); err != nil || len(s) != 0 {
		t.Errorf("got %v, %v", s, err)
	}
}

func TestWriteSettings(t *testing.T) {
	path := filepath.Join(t.TempDir(), "etc", "docker", "daemon.json")
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	backup, err := writeSettings(path, daemonSettings{"a": json.RawMessage("1")}, now)
	if err != nil || backup != "" {
		t.Fatalf("%q, %v", backup, err)
	}
	if err := os.Chmod(path, 0o640); err != nil {
		t.Fatal(err)
	}
	backup, err = writeSettings(path, daemonSettings{"a": json.RawMessage("2")}, now)
	if err != nil || backup != path+".20260102T030405Z.bak" {
		t.Fatalf("%q, %v", backup, err)
	}
	if got := read(t, path); got != "{\n  \"a\": 2\n}\n" {
		t.Errorf("wrote %q", got)
	}
	if got := read(t, backup); got != "{\n  \"a\": 1\n}\n" {
		t.Errorf("kept %q", got)
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil || len(entries) != 2 {
		t.Errorf("left behind: %v, %v", entries, err)
	}
}

func TestTail(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	write(t, path, "old\n1\n2\x1b[2J\n3\n")
	for name, c := range map[string]struct {
		offset int64
		n      int
		want   string
	}{
		"since":  {4, 10, "1\n2[2J\n3"},
		"some":   {0, 2, "2[2J\n3"},
		"beyond": {1000, 2, ""},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := tail(path, c.offset, c.n)
			if err != nil || got != c.want {
				t.Errorf("got %q, %v; want %q", got, err, c.want)
			}
		})
	}
}

func FuzzWithRuntime(f *testing.F) {
	f.Add([]byte(`{"runtimes":{"lab":{"path":"/r"}},"default-runtime":"lab"}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		var s daemonSettings
		if json.Unmarshal(text, &s) != nil {
			return
		}
		before := len(s)
		out, changed, err := s.withRuntime("/r")
		if err != nil {
			return
		}
		if len(s) != before {
			t.Error("changed the settings that it was given")
		}
		if _, again, err := out.withRuntime("/r"); again || err != nil {
			t.Errorf("changed %v, and then again %v: %v", changed, again, err)
		}
		for key := range s {
			if _, ok := out[key]; !ok && !slices.Contains([]string{"runtimes", "default-runtime"}, key) {
				t.Errorf("lost %q: %s", key, cmp.Diff(s, out))
			}
		}
	})
}
