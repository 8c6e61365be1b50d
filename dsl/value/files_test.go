package value

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
)

// folder is a scenario's folder with what files can be.
func folder() fstest.MapFS {
	return fstest.MapFS{
		"a.txt":        {Data: []byte("text")},
		"sub/b.yaml":   {Data: []byte("a: 1\n")},
		"empty":        {},
		"binary":       {Data: []byte{0xff, 0xfe}},
		"socket":       {Mode: fs.ModeSocket},
		"large":        {Data: make([]byte, maxFileSize+1)},
		"most":         {Data: []byte(strings.Repeat("x", maxFileSize))},
		"ok.tpl":       {Data: []byte("a ${upper(x)} b")},
		"broken.tpl":   {Data: []byte("line\n${x")},
		"null.tpl":     {Data: []byte("${1 + x}")},
		"reads.tpl":    {Data: []byte(`${file("a.txt")}`)},
		"whole.tpl":    {Data: []byte("${x}")},
		"quoted.tpl":   {Data: []byte(`%{ if x == 1 }one%{ else }other%{ endif }`)},
		"observes.tpl": {Data: []byte(`${object("v1", "ConfigMap", x).data.a}`)},
	}
}

func TestFilesAreReadBelowTheFolder(t *testing.T) {
	scope := &Scope{Dir: folder(), PathScenario: "labs/x"}
	for _, tt := range []struct{ expr, want string }{
		{`file("a.txt")`, `"text"`},
		{`file("./a.txt")`, `"text"`},
		{`file("sub/../a.txt")`, `"text"`},
		{`file("${path.scenario}/a.txt")`, `"text"`},
		{`file("labs/x/sub/b.yaml")`, `"a: 1\n"`},
		{`yamldecode(file("sub/b.yaml")).a`, `1`},
		{`file("empty")`, `""`},
		{`length(file("most"))`, `8388608`},
		{`file(pod.x.name)`, NotObserved},
		{`fileexists("a.txt")`, `true`},
		{`fileexists("${path.scenario}/sub/b.yaml")`, `true`},
		{`fileexists("nope")`, `false`},
		{`fileexists("sub")`, `false`},
		{`fileexists("socket")`, `false`},
		{`fileexists(pod.x.name)`, NotObserved},
		{`templatefile("ok.tpl", { x = "y" })`, `"a Y b"`},
		{`templatefile("whole.tpl", { x = [1, 2] })`, `[1, 2]`},
		{`templatefile("quoted.tpl", { x = 1 })`, `"one"`},
		{`templatefile("quoted.tpl", { x = 2 })`, `"other"`},
		{`templatefile("quoted.tpl", tomap({ x = 1 }))`, `"one"`},
		{`templatefile("quoted.tpl", { x = pod.x.created_at })`, NotObserved},
		{`templatefile("observes.tpl", { x = "y" })`, NotObserved},
		{`templatefile(pod.x.name, {})`, NotObserved},
	} {
		t.Run(tt.expr, func(t *testing.T) {
			v, diags := scope.Eval(parse(t, tt.expr))
			if diags.HasErrors() || Format(v) != tt.want {
				t.Errorf("is %s (%v), want %s", Format(v), diags, tt.want)
			}
		})
	}
}

func TestFilesThatCannotBeRead(t *testing.T) {
	scope := &Scope{Dir: folder(), PathScenario: "labs/x"}
	for _, tt := range []struct{ expr, want string }{
		{`file("../a.txt")`, "../a.txt"},
		{`file("sub/../../a.txt")`, "below"},
		{`file("/etc/passwd")`, "below"},
		{`file("labs/x/../a.txt")`, "below"},
		{`file("")`, "folder"},
		{`file("sub")`, "folder"},
		{`file("socket")`, "regular"},
		{`file("large")`, "8 MiB"},
		{`file("binary")`, "UTF-8"},
		{`file("a.tx")`, `"a.txt"`},
		{`file("sub/b.yml")`, `"sub/b.yaml"`},
		{`file("nowhere/b.yml")`, `"nowhere/b.yml"`},
		{`fileexists("../a.txt")`, "below"},
		{`templatefile("broken.tpl", { x = 1 })`, "broken.tpl:"},
		{`templatefile("null.tpl", { x = "no" })`, "null.tpl:1"},
		{`templatefile("reads.tpl", {})`, "reads.tpl:1"},
		{`templatefile("../ok.tpl", { x = 1 })`, "below"},
		{`templatefile("ok.tpl", [1])`, "variables"},
		{`templatefile("ok.tpl", "x")`, "variables"},
		{`templatefile("ok.tpl", { X = 1 })`, `"x"`},
	} {
		t.Run(tt.expr, func(t *testing.T) { wantError(t, scope, tt.expr, tt.want) })
	}
}

// wantError fails the test unless the expression is an error that has the text
// and says where in the expression it is.
func wantError(t *testing.T, scope *Scope, src, want string) {
	t.Helper()
	v, diags := scope.Eval(parse(t, src))
	switch {
	case !diags.HasErrors():
		t.Errorf("%s is %s, want an error", src, Format(v))
	case !strings.Contains(diags[0].Detail, want):
		t.Errorf("%s: said %q, want %q in it", src, diags[0].Detail, want)
	case diags[0].Subject == nil || diags[0].Subject.Filename != "test.hcl":
		t.Errorf("%s: it is said of %v, want the expression", src, diags[0].Subject)
	}
}

func TestWithoutAFolderNothingIsRead(t *testing.T) {
	scope := &Scope{}
	wantError(t, scope, `file("a.txt")`, `"a.txt"`)
	wantError(t, scope, `templatefile("a.txt", {})`, `"a.txt"`)
	if v, diags := scope.Eval(parse(t, `fileexists("a.txt")`)); diags.HasErrors() || v.True() {
		t.Errorf("a file exists without a folder: %s, %v", Format(v), diags)
	}
}

// TestLinksDoNotLeaveTheFolder reads a real folder, in which a link leads out.
func TestLinksDoNotLeaveTheFolder(t *testing.T) {
	outside, inside := t.TempDir(), t.TempDir()
	for name, text := range map[string]string{filepath.Join(outside, "key"): "hunter2", filepath.Join(inside, "a.txt"): "text"} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, to := range map[string]string{"out": filepath.Join(outside, "key"), "in": "a.txt", "dangling": "none"} {
		if err := os.Symlink(to, filepath.Join(inside, name)); err != nil {
			t.Fatal(err)
		}
	}
	root, err := os.OpenRoot(inside)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := root.Close(); err != nil {
			t.Error(err)
		}
	}()
	scope := &Scope{Dir: root.FS()}
	if v, diags := scope.Eval(parse(t, `file("in")`)); diags.HasErrors() || v.AsString() != "text" {
		t.Errorf("a link within the folder is %s, %v", Format(v), diags)
	}
	wantError(t, scope, `file("out")`, "link")
	wantError(t, scope, `file("dangling")`, `"dangling"`)
	if v, diags := scope.Eval(parse(t, `fileexists("out")`)); diags.HasErrors() || v.True() {
		t.Errorf("a link that leads out exists: %s, %v", Format(v), diags)
	}
}
