package gotool

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/kind-lab/lab/clusters/internal/fakehost"
	"github.com/kind-lab/lab/clusters/internal/store"
)

func TestMain(m *testing.M) { fakehost.Main(m) }

const etcd = "go.etcd.io/etcd/server/v3"

// newTool is a Go command of a world with some versions of etcd.
func newTool(t *testing.T, versions map[string]fakehost.Module) (fakehost.World, Tool) {
	t.Helper()
	w := fakehost.New(t)
	for version, m := range versions {
		w.Module(etcd, version, m)
	}
	g, err := New("", filepath.Join(w.Dir, "cache"))
	if err != nil {
		t.Fatal(err)
	}
	return w, g
}

func TestPick(t *testing.T) {
	away := fakehost.Module{Err: "403 Forbidden\n\tserver response: not available"}
	for _, tc := range []struct {
		name     string
		versions map[string]fakehost.Module
		want     string
		says     string
	}{
		{name: "the version wanted", versions: map[string]fakehost.Module{"v3.5.15": {}, "v3.5.24": {}}, want: "v3.5.15"},
		{name: "one that is not listed", versions: map[string]fakehost.Module{"v3.5.15": {Unlisted: true}, "v3.5.24": {}}, want: "v3.5.15"},
		{name: "the newest of the line", versions: map[string]fakehost.Module{"v3.5.9": {}, "v3.5.24": {}, "v3.6.1": {}, "v3.4.40": {}}, want: "v3.5.24"},
		{name: "none that is there by its name alone", versions: map[string]fakehost.Module{"v3.5.9": {}, "v3.5.24": away}, want: "v3.5.9"},
		{name: "no prerelease", versions: map[string]fakehost.Module{"v3.5.9": {}, "v3.5.25-rc.0": {}}, want: "v3.5.9"},
		{name: "none of the line", versions: map[string]fakehost.Module{"v3.6.1": {}}, says: "looking for " + etcd + "@v3.5.15: 403 Forbidden"},
		{name: "nothing at all", says: "403 Forbidden"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w, g := newTool(t, nil)
			for version, m := range tc.versions {
				if m.Err != "" {
					m.Err = etcd + "@" + version + ": " + m.Err
				}
				w.Module(etcd, version, m)
			}
			if tc.says != "" {
				tc.says = strings.Replace(tc.says, ": 403", ": "+etcd+"@v3.5.15: reading it: 403", 1)
			}
			m, err := g.Pick(t.Context(), etcd, "v3.5.15")
			if (err != nil) != (tc.says != "") || err != nil && !strings.Contains(err.Error(), tc.says) {
				t.Fatalf("Pick: %v, want %q", err, tc.says)
			}
			if m.Version != tc.want {
				t.Errorf("Pick = %q, want %q", m.Version, tc.want)
			}
		})
	}
}

func TestDownloadKeepsWhatIsNotAvailable(t *testing.T) {
	_, g := newTool(t, map[string]fakehost.Module{"v3.5.15": {Mod: "module etcd\n"}})
	mods, err := g.Download(t.Context(), etcd+"@v3.5.15", etcd+"@v3.5.16")
	if err != nil || len(mods) != 2 {
		t.Fatalf("Download = %+v, %v", mods, err)
	}
	if text, err := os.ReadFile(mods[0].GoMod); err != nil || string(text) != "module etcd\n" || mods[0].Err != "" {
		t.Errorf("the first is %+v with %q, %v", mods[0], text, err)
	}
	if got := FirstError(mods); !strings.Contains(got, "403 Forbidden server response:") || strings.Contains(got, "\n") {
		t.Errorf("the first error is %q", got)
	}
	if _, err := g.Get(t.Context(), etcd+"@v3.5.16"); err == nil || !strings.Contains(err.Error(), "downloading "+etcd+"@v3.5.16") {
		t.Errorf("Get: %v", err)
	}
}

func TestTheGoCommandFails(t *testing.T) {
	asks := map[string]func(context.Context, Tool) error{
		"Origin":   func(ctx context.Context, g Tool) error { _, err := g.Origin(ctx); return err },
		"Version":  func(ctx context.Context, g Tool) error { _, err := g.Version(ctx); return err },
		"CacheDir": func(ctx context.Context, g Tool) error { _, err := g.CacheDir(ctx); return err },
		"Versions": func(ctx context.Context, g Tool) error { _, err := g.Versions(ctx, etcd); return err },
		"Find":     func(ctx context.Context, g Tool) error { _, err := g.Find(ctx, etcd+"@v3.5.15"); return err },
		"Get":      func(ctx context.Context, g Tool) error { _, err := g.Get(ctx, etcd+"@v3.5.15"); return err },
	}
	for name, ask := range asks {
		t.Run(name, func(t *testing.T) {
			w, g := newTool(t, nil)
			w.Troubled(fakehost.Trouble{Words: "go ", Says: "go: write /cache: no space left on device"})
			if err := ask(t.Context(), g); !errors.Is(err, store.ErrNoSpace) {
				t.Errorf("a full disk: %v", err)
			}
			w.Troubled(fakehost.Trouble{Words: "go ", Hang: true})
			ctx, cancel := context.WithCancel(t.Context())
			ended := make(chan error, 1)
			go func() { ended <- ask(ctx, g) }()
			w.Await(t, "hanging")
			cancel()
			if err := <-ended; !errors.Is(err, context.Canceled) {
				t.Errorf("cancelled: %v", err)
			}
		})
	}
}

func TestStage(t *testing.T) {
	_, g := newTool(t, nil)
	p, err := FromSources(fstest.MapFS{"pause/main.go": {Data: []byte("package main\n")}, "other/main.go": {Data: []byte("x")}}, "pause", GuestVersion)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	var said []string
	stage := g.Stage("go1.26.8", "pause", "pause", p)
	if err := stage.Make(t.Context(), dir, func(text string) { said = append(said, text) }); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(filepath.Join(dir, "bin", "pause")); err != nil || info.Mode().Perm()&0o100 == 0 {
		t.Errorf("the program: %v, %v", info, err)
	}
	if left, err := filepath.Glob(filepath.Join(dir, "*")); err != nil || len(left) != 1 {
		t.Errorf("in the stage: %q, %v", left, err)
	}
	if want := []string{"reading the modules", "compiled 1 of at most 3 packages, at ./pause"}; !slices.Equal(said, want) {
		t.Errorf("said %q, want %q", said, want)
	}
}

func TestStageOfWhatDoesNotCompile(t *testing.T) {
	for words, says := range map[string]string{"go list": "reading the modules to build", "go build": "compiling"} {
		w, g := newTool(t, nil)
		w.Troubled(fakehost.Trouble{Words: words, Says: "main.go:1:2: undefined: x"})
		err := g.Stage("go1.26.8", "x", "x", Program{Packages: []string{"."}}).Make(t.Context(), t.TempDir(), func(string) {})
		if err == nil || !strings.Contains(err.Error(), says) || !strings.Contains(err.Error(), "undefined: x") {
			t.Errorf("%s: %v", words, err)
		}
	}
}

// TestEveryFieldIsInTheKey changes one field of a program at a time: a part that
// was built of another program must not be found.
func TestEveryFieldIsInTheKey(t *testing.T) {
	base := func() Program {
		return Program{GoVersion: "1.25", Requires: []string{"a v1"}, Replaces: []string{"a => b v1"}, Files: map[string][]byte{"x.go": []byte("x")},
			Packages: []string{"."}, Variables: []string{"v=1"}, Tags: []string{"t"}}
	}
	want := base().Inputs()
	for name, change := range map[string]func(*Program){
		"language":         func(p *Program) { p.GoVersion = "1.24" },
		"requirement":      func(p *Program) { p.Requires[0] = "a v2" },
		"replacement":      func(p *Program) { p.Replaces[0] = "a => b v2" },
		"file's content":   func(p *Program) { p.Files["x.go"] = []byte("y") },
		"file's name":      func(p *Program) { p.Files = map[string][]byte{"y.go": []byte("x")} },
		"package":          func(p *Program) { p.Packages[0] = "./x" },
		"variable":         func(p *Program) { p.Variables[0] = "v=2" },
		"tag":              func(p *Program) { p.Tags = nil },
		"tag as a package": func(p *Program) { p.Tags, p.Packages = nil, append(p.Packages, "t") },
	} {
		p := base()
		change(&p)
		if slices.Equal(p.Inputs(), want) {
			t.Errorf("another %s has the same key", name)
		}
	}
	if !slices.Equal(base().Inputs(), want) {
		t.Error("the same program has another key")
	}
}

func TestGoMod(t *testing.T) {
	p := Program{GoVersion: "1.25", Requires: []string{"a v1"}, Replaces: []string{"a => b v1"}, Variables: []string{"v=1", "w=2"}}
	if got, want := string(p.GoMod()), "module build\n\ngo 1.25\n\nrequire a v1\nreplace a => b v1\n"; got != want {
		t.Errorf("go.mod is %q, want %q", got, want)
	}
	if got, want := p.LinkerFlags(), "-s -w -X v=1 -X w=2"; got != want {
		t.Errorf("flags are %q, want %q", got, want)
	}
}

func FuzzModule(f *testing.F) {
	for _, text := range []string{`{"Path":"a","Version":"v1","Error":{"Err":"no"}}`, `{"Error":"no"}`, `{"Error":null}`, `{"Error":3}`, `{`, `{"Versions":["v1"],"Origin":{"Hash":"x"}}`} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var m Module
		if json.Unmarshal([]byte(text), &m) != nil {
			return
		}
		// Both forms of the error are read alike.
		for _, form := range []any{m.Err, map[string]string{"Err": m.Err}} {
			data, err := json.Marshal(map[string]any{"Path": m.Path, "Error": form})
			if err != nil {
				t.Fatal(err)
			}
			var again Module
			if err := json.Unmarshal(data, &again); err != nil || again.Err != m.Err || again.Path != m.Path {
				t.Errorf("%s reads as %+v, %v", data, again, err)
			}
		}
	})
}
