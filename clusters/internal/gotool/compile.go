package gotool

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/kind-lab/lab/clusters/internal/build"
	"github.com/kind-lab/lab/clusters/internal/store"
)

// Stage compiles a program into the folder bin of its stage.
func (g Tool) Stage(goVersion, kind, name string, p Program) build.Stage {
	return build.Stage{
		Kind: kind, Name: name, Inputs: append([]string{goVersion}, p.Inputs()...),
		Make: func(ctx context.Context, dir string, say func(string)) error {
			work, out := filepath.Join(dir, "work"), filepath.Join(dir, "bin")
			for _, d := range []string{work, out} {
				if err := os.MkdirAll(d, 0o755); err != nil {
					return fmt.Errorf("preparing a build: %w", err)
				}
			}
			if err := g.Build(ctx, p, work, out, say); err != nil {
				return err
			}
			return store.RemoveTree(work)
		},
	}
}

// Build compiles a program into the folder out, and says meanwhile what the
// compiler is at. It works in the folder work, which must be empty.
func (g Tool) Build(ctx context.Context, p Program, work, out string, say func(string)) error {
	files := map[string][]byte{"go.mod": p.GoMod()}
	for name, data := range p.Files {
		files[name] = data
	}
	for name, data := range files {
		if err := os.MkdirAll(filepath.Join(work, filepath.Dir(name)), 0o755); err != nil {
			return fmt.Errorf("preparing a build: %w", store.SpaceError(err))
		}
		if err := os.WriteFile(filepath.Join(work, name), data, 0o644); err != nil {
			return fmt.Errorf("preparing a build: %w", store.SpaceError(err))
		}
	}
	watch := &compileWatch{say: say}
	c := build.Child{Dir: work, Env: append(g.env(), collectSeldom(os.LookupEnv)...), Line: watch.line}
	say("reading the modules")
	count, err := c.Output(ctx, g.Path, append([]string{"list", buildFlags[0], "-deps", "-tags", strings.Join(p.Tags, ",")}, p.Packages...)...)
	if err != nil {
		return fmt.Errorf("reading the modules to build: %w", err)
	}
	watch.total = len(build.OutputLines(count))
	flags := []string{"-v", "-tags", strings.Join(p.Tags, ","), "-ldflags", p.LinkerFlags(), "-o", out + string(filepath.Separator)}
	args := append(append([]string{"build"}, buildFlags[:]...), flags...)
	if err := c.Stream(ctx, g.Path, append(args, p.Packages...)...); err != nil {
		return fmt.Errorf("compiling: %w", err)
	}
	return nil
}

// collectSeldom lets compilers and linkers collect garbage less often, unless
// the user has settings of their own: compiling takes a fifth less CPU time so.
// Up to 2 GiB each may be garbage for that.
func collectSeldom(lookup func(string) (string, bool)) []string {
	for _, name := range []string{"GOGC", "GOMEMLIMIT"} {
		if _, set := lookup(name); set {
			return nil
		}
	}
	return []string{"GOGC=400", "GOMEMLIMIT=2GiB"}
}

// compileWatch reads what the Go command says while it builds.
type compileWatch struct {
	say         func(string)
	total, done int
}

// line takes a line, and says whether it is about a failure.
func (w *compileWatch) line(text string) bool {
	if what, ok := strings.CutPrefix(text, "go: downloading "); ok {
		w.say("downloading " + what)
		return false
	}
	if strings.ContainsAny(text, " #\t:") {
		return true
	}
	w.done++
	w.say(fmt.Sprintf("compiled %d of at most %d packages, at %s", w.done, w.total, text))
	return false
}
