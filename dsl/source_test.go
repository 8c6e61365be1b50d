package dsl

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/kind-lab/lab/dsl/diag"
)

// TestFormsOfFiles loads the same text as editors and systems write it: the
// module must be the same, and so must the place of a mistake.
func TestFormsOfFiles(t *testing.T) {
	const src = "locals {\n  text = \"é\"\n  more = <<-E\n    a\n  E\n}\n" +
		"cluster \"c\" { kubernetes = \"1.29\" }\nscenario \"s\" {\n  clusters = [cluster.c]\n  expect \"e\" { condition = \"${local.text}${local.more}\" == \"x\" }\n}\n"
	plain := good(t, src, Options{})
	for name, change := range map[string]func(string) string{
		"a byte order mark":    func(s string) string { return byteOrderMark + s },
		"carriage returns":     func(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") },
		"both":                 func(s string) string { return byteOrderMark + strings.ReplaceAll(s, "\n", "\r\n") },
		"no newline at end":    func(s string) string { return strings.TrimSuffix(s, "\n") },
		"blank lines at end":   func(s string) string { return s + "\n\n\n" },
		"a comment at the end": func(s string) string { return s + "# the end" },
		"tabs":                 func(s string) string { return strings.ReplaceAll(s, "  clusters", "\tclusters") },
	} {
		t.Run(name, func(t *testing.T) {
			m := good(t, change(src), Options{})
			same(t, "text", localOf(plain, "text"), localOf(m, "text"))
			same(t, "steps", stepNames(plain.Scenarios[0].Steps), stepNames(m.Scenarios[0].Steps))
			if at := m.Scenarios[0].Steps[0].Range.Start; at.Line != 10 {
				t.Errorf("the step is on line %d", at.Line)
			}
			_, list := LoadFS(fstest.MapFS{"x.hcl": {Data: []byte(change(strings.Replace(src, "local.text", "local.txt", 1)))}}, "x.hcl", Options{})
			list = mistakes(list)
			if len(list) != 1 || list[0].Range.Start.Line != 10 || list[0].Snippet == nil {
				t.Fatalf("got %s", list.Error())
			}
			if s := list[0].Snippet; s.Code[s.HighlightStart:s.HighlightEnd] != "local.txt" {
				t.Errorf("marked %q of %q", s.Code[s.HighlightStart:s.HighlightEnd], s.Code)
			}
		})
	}
}

// TestNearlyNothing loads files that have next to nothing in them.
func TestNearlyNothing(t *testing.T) {
	for name, tt := range map[string]struct{ file, src, want string }{
		"an empty file":              {"x.hcl", "", ""},
		"blanks":                     {"x.hcl", " \t\n\r\n", ""},
		"a comment":                  {"x.hcl", "# nothing", ""},
		"a byte order mark":          {"x.hcl", byteOrderMark, ""},
		"two marks":                  {"x.hcl", byteOrderMark + byteOrderMark, "character"},
		"a mark in the middle":       {"x.hcl", "locals {}\n" + byteOrderMark + "locals {}\n", "character"},
		"UTF-16":                     {"x.hcl", "\xff\xfel\x00a\x00b\x00", "character"},
		"Latin-1":                    {"x.hcl", "locals { x = \"\xe9\" }", "UTF-8"},
		"an empty JSON file":         {"x.hcl.json", "", "ends prematurely|object"},
		"an empty JSON object":       {"x.hcl.json", "{}", ""},
		"an empty JSON array":        {"x.hcl.json", "[]", ""},
		"a JSON byte order mark":     {"x.hcl.json", byteOrderMark + `{"locals": {"x": 1}}`, ""},
		"a JSON string":              {"x.hcl.json", `"x"`, "object"},
		"JSON of nothing":            {"x.hcl.json", "null", "object"},
		"a JSON object with a comma": {"x.hcl.json", `{"locals": {},}`, "trailing|comma"},
	} {
		t.Run(name, func(t *testing.T) {
			m, list := LoadFS(fstest.MapFS{tt.file: {Data: []byte(tt.src)}}, tt.file, Options{})
			list = mistakes(list)
			if (tt.want == "") != (len(list) == 0) {
				t.Fatalf("got %q, want %q", list.Error(), tt.want)
			}
			for _, word := range strings.Split(tt.want, "|") {
				if !strings.Contains(strings.ToLower(list.Error()), strings.ToLower(word)) {
					t.Errorf("%q is not in: %s", word, list.Error())
				}
			}
			if m == nil || len(m.Scenarios) > 0 || m.Files[tt.file] == nil || m.Path != tt.file {
				t.Errorf("got %+v", m)
			}
		})
	}
}

// TestFoldersOfScenarios loads folders with what a folder may hold beside
// regular files.
func TestFoldersOfScenarios(t *testing.T) {
	outside := t.TempDir()
	write(t, outside, "out.hcl", "locals { secret = 1 }\n")
	for name, tt := range map[string]struct {
		files, links map[string]string
		folders      []string
		want         string // of the one mistake; empty for none
	}{
		"a link to a file":         {map[string]string{"scenario.hcl": "", "real": "locals { a = 1 }\n"}, map[string]string{"more.hcl": "real"}, nil, ""},
		"the scenario is a link":   {map[string]string{"real": "locals { a = 1 }\n"}, map[string]string{"scenario.hcl": "real"}, nil, ""},
		"a link that leaves":       {map[string]string{"scenario.hcl": ""}, map[string]string{"more.hcl": filepath.Join(outside, "out.hcl")}, nil, `more.hcl" cannot be read: path escapes`},
		"a link to nowhere":        {map[string]string{"scenario.hcl": ""}, map[string]string{"more.hcl": "nowhere"}, nil, `more.hcl" cannot be read: no such file`},
		"a link to a folder":       {map[string]string{"scenario.hcl": ""}, map[string]string{"more.hcl": "sub"}, []string{"sub"}, `more.hcl" cannot be read: it is not a regular file`},
		"a folder named like one":  {map[string]string{"scenario.hcl": ""}, nil, []string{"more.hcl"}, ""},
		"a link to itself":         {nil, map[string]string{"scenario.hcl": "scenario.hcl"}, nil, "levels of symbolic links"},
		"the scenario is a folder": {nil, nil, []string{"scenario.hcl"}, `"scenario.hcl" in the folder|is a folder`},
		"a hidden link":            {map[string]string{"scenario.hcl": ""}, map[string]string{".#scenario.hcl": "user@host.1"}, nil, ""},
		"values by a link":         {map[string]string{"scenario.hcl": ""}, map[string]string{"a.auto.labvars": "nowhere"}, nil, `a.auto.labvars" cannot be read: no such file`},
		"JSON alone":               {map[string]string{"scenario.hcl.json": "{}"}, nil, nil, ""},
		"another file alone":       {map[string]string{"main.hcl": ""}, nil, nil, "holds no scenario.hcl"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			for file, text := range tt.files {
				write(t, dir, file, text)
			}
			for _, folder := range tt.folders {
				if err := os.Mkdir(filepath.Join(dir, folder), 0o755); err != nil {
					t.Fatal(err)
				}
			}
			for link, target := range tt.links {
				if err := os.Symlink(target, filepath.Join(dir, link)); err != nil {
					t.Fatal(err)
				}
			}
			m, list := Load(dir, Options{})
			list = mistakes(list)
			wantOne(t, list, tt.want)
			if m == nil || strings.Contains(list.Error(), "statat") {
				t.Errorf("got %v: %s", m, list.Error())
			}
		})
	}
}

// wantOne wants one diagnostic with some words, or none if there are no words.
func wantOne(t *testing.T, list diag.List, words string) {
	t.Helper()
	if words == "" && len(list) > 0 || words != "" && len(list) != 1 {
		t.Fatalf("%d problems, want %q:\n%s", len(list), words, list.Error())
	}
	if words != "" {
		says(t, list[0], words)
	}
}

// TestFilesWithoutPermission tells of a file that cannot be read, and of one of
// values.
func TestFilesWithoutPermission(t *testing.T) {
	if os.Geteuid() == 0 {
		return // root may read anything
	}
	for _, name := range []string{"more.hcl", "x.auto.labvars"} {
		dir := t.TempDir()
		write(t, dir, ScenarioFile, "")
		write(t, dir, name, "")
		if err := os.Chmod(filepath.Join(dir, name), 0); err != nil {
			t.Fatal(err)
		}
		_, list := Load(dir, Options{})
		wantOne(t, list, name+"|permission")
	}
}

// TestHugeFiles loads a file of almost the greatest size quickly, and no greater
// one of any kind.
func TestHugeFiles(t *testing.T) {
	dir := t.TempDir()
	comment := "# " + strings.Repeat("x", maxSource-100)
	write(t, dir, ScenarioFile, comment+"\nlocals { x = 1 }\n")
	if m, list := Load(dir, Options{}); list.HasErrors() || localOf(m, "x") != "1" {
		t.Errorf("got %s", list.Error())
	}
	write(t, dir, "big.hcl.json", `{"locals": {"y": "`+strings.Repeat("x", maxSource)+`"}}`)
	_, list := Load(dir, Options{})
	wantOne(t, list, "big.hcl.json|larger than 8 MiB")
	if err := os.Remove(filepath.Join(dir, "big.hcl.json")); err != nil {
		t.Fatal(err)
	}
	write(t, dir, "big.auto.labvars", comment+strings.Repeat("x", 100))
	_, list = Load(dir, Options{})
	wantOne(t, mistakes(list), "big.auto.labvars|larger than 8 MiB")
	_, list = LoadFS(fstest.MapFS{"x.hcl": {}}, "x.hcl", Options{VarFiles: []string{filepath.Join(dir, "big.auto.labvars")}})
	wantOne(t, list, "big.auto.labvars|larger than 8 MiB")
}

// TestThreeLabs tells of each lab block but the first.
func TestThreeLabs(t *testing.T) {
	_, list := LoadFS(fstest.MapFS{
		"f/scenario.hcl": {Data: []byte("lab {}\n")}, "f/a.hcl": {Data: []byte("lab {}\nlab {}\n")}, "f/b.hcl": {Data: []byte("\nlab {}\n")},
	}, "f", Options{})
	var places []string
	for _, d := range list {
		says(t, d, "lab|f/a.hcl:1")
		places = append(places, d.Range.Filename)
	}
	same(t, "places", []string{"f/a.hcl", "f/b.hcl", "f/scenario.hcl"}, places)
}

// TestPathsOfLoadFS names a scenario in several ways, within a file system.
func TestPathsOfLoadFS(t *testing.T) {
	fsys := fstest.MapFS{"a/b/scenario.hcl": {Data: []byte("locals { x = 1 }\n")}}
	for name, want := range map[string]string{
		"a/b": "", "a/b/": "", "./a/b": "", "a/./b/../b/scenario.hcl": "", "a/c": "no file or folder", "a": "holds no scenario.hcl",
		"../a/b": "no file or folder", "/a/b": "no file or folder", "": "holds no scenario.hcl",
	} {
		m, list := LoadFS(fsys, name, Options{})
		list = mistakes(list)
		if m == nil || (want == "") != (len(list) == 0) || !strings.Contains(list.Error(), want) {
			t.Errorf("%q: got %q, want %q", name, list.Error(), want)
		}
		if want == "" && (m.Dir != "a/b" || localOf(m, "x") != "1") {
			t.Errorf("%q: in the folder %q", name, m.Dir)
		}
	}
}
