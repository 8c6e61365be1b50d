package nodeimage

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// buildFlags make the binaries small and the same wherever they are built.
// They are part of every key: see newGoStage.
var buildFlags = [...]string{"-mod=mod", "-trimpath"}

// goTool runs the Go command outside of any module, with the user's own
// settings of where modules come from.
type goTool struct {
	path string
	// dir is an empty folder.
	dir string
}

// goModule is one answer of the Go command about a module.
type goModule struct {
	Path, Version string
	Versions      []string
	Time          *time.Time
	Dir, GoMod    string
	GoVersion     string
	Origin        *struct{ Hash string }
	// Err is why it cannot be had; empty where it can.
	Err string
}

// UnmarshalJSON reads both forms of the Error field: "go list" writes an
// object, "go mod download" a string.
func (m *goModule) UnmarshalJSON(data []byte) error {
	type plain goModule
	aux := struct {
		*plain
		Error json.RawMessage
	}{plain: (*plain)(m)}
	if err := json.Unmarshal(data, &aux); err != nil {
		return err
	}
	if len(aux.Error) == 0 {
		return nil
	}
	var object struct{ Err string }
	if json.Unmarshal(aux.Error, &object) == nil {
		m.Err = object.Err
		return nil
	}
	return json.Unmarshal(aux.Error, &m.Err)
}

// env is what the Go command runs with beside the user's own environment.
func (g goTool) env() []string {
	return []string{"GOWORK=off", "GO111MODULE=on", "CGO_ENABLED=0"}
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

// version is the toolchain's version, such as "go1.26.8".
func (g goTool) version(ctx context.Context) (string, error) {
	out, err := child{dir: g.dir, env: g.env()}.output(ctx, g.path, "env", "GOVERSION")
	if err != nil {
		return "", fmt.Errorf("asking for the Go version: %w", err)
	}
	return strings.TrimSpace(string(out)), nil
}

// cacheDir is where the toolchain keeps what it compiled.
func (g goTool) cacheDir(ctx context.Context) (string, error) {
	out, err := child{dir: g.dir, env: g.env()}.output(ctx, g.path, "env", "GOCACHE")
	if err != nil {
		return "", fmt.Errorf("asking for the Go build cache: %w", err)
	}
	return strings.TrimSpace(string(out)), nil
}

// versions are the released versions of a module that are listed, oldest
// first. The list may lack versions that can be had.
func (g goTool) versions(ctx context.Context, module string) ([]string, error) {
	mods, err := g.modules(ctx, "list", "-m", "-e", "-versions", "-json", module)
	if err != nil {
		return nil, fmt.Errorf("listing the versions of %s: %w", module, err)
	}
	if len(mods) != 1 || mods[0].Err != "" {
		return nil, fmt.Errorf("listing the versions of %s: %s", module, firstError(mods))
	}
	return mods[0].Versions, nil
}

// find asks whether one module version ("path@version") is there, without
// getting it.
func (g goTool) find(ctx context.Context, module string) (goModule, error) {
	mods, err := g.modules(ctx, "list", "-m", "-e", "-json", module)
	if err != nil {
		return goModule{}, fmt.Errorf("looking for %s: %w", module, err)
	}
	if len(mods) != 1 || mods[0].Err != "" {
		return goModule{}, fmt.Errorf("looking for %s: %s", module, firstError(mods))
	}
	return mods[0], nil
}

// download gets modules ("path@version") and verifies them. Those that cannot
// be had are in the answer with their Err.
func (g goTool) download(ctx context.Context, modules ...string) ([]goModule, error) {
	mods, err := g.modules(ctx, append([]string{"mod", "download", "-json"}, modules...)...)
	if err != nil {
		return nil, fmt.Errorf("downloading modules: %w", err)
	}
	return mods, nil
}

// modules runs the Go command and reads the modules that it writes. Modules
// that are in error are no failure of the command.
func (g goTool) modules(ctx context.Context, args ...string) ([]goModule, error) {
	out, err := child{dir: g.dir, env: g.env()}.output(ctx, g.path, args...)
	if err != nil && (ctx.Err() != nil || len(bytes.TrimSpace(out)) == 0 || errors.Is(err, ErrNoSpace)) {
		return nil, err
	}
	var mods []goModule
	for decoder := json.NewDecoder(bytes.NewReader(out)); ; {
		var m goModule
		switch err := decoder.Decode(&m); {
		case errors.Is(err, io.EOF):
			return mods, nil
		case err != nil:
			return nil, fmt.Errorf("reading what go %s wrote: %w", args[0], err)
		}
		mods = append(mods, m)
	}
}

// firstError is the first error of mods, in one line.
func firstError(mods []goModule) string {
	for _, m := range mods {
		if m.Err != "" {
			return oneLine(m.Err)
		}
	}
	return "the Go command said nothing about it"
}

// oneLine joins the lines of a text.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// program is what to build out of modules.
type program struct {
	// goVersion is the language version of the module that is built in, such
	// as "1.24".
	goVersion string
	// requires and replaces are lines of its go.mod.
	requires, replaces []string
	// files are its sources, by name; none where packages name all.
	files map[string][]byte
	// packages are what to build, "." for files.
	packages []string
	// variables are set by the linker, as "path.name=value".
	variables []string
	tags      []string
}

// inputs are what a program's key is made of.
func (p program) inputs() []string {
	in := []string{"go " + p.goVersion, "os " + runtime.GOOS, "arch " + runtime.GOARCH}
	add := func(what string, values []string) {
		for _, v := range values {
			in = append(in, what+" "+v)
		}
	}
	add("flag", buildFlags[:])
	add("require", p.requires)
	add("replace", p.replaces)
	add("package", p.packages)
	add("variable", p.variables)
	add("tag", p.tags)
	for _, name := range sortedKeys(p.files) {
		in = append(in, "file "+name+" "+string(p.files[name]))
	}
	return in
}

// goMod is the program's go.mod.
func (p program) goMod() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "module build\n\ngo %s\n\n", p.goVersion)
	for _, r := range p.requires {
		fmt.Fprintf(&b, "require %s\n", r)
	}
	for _, r := range p.replaces {
		fmt.Fprintf(&b, "replace %s\n", r)
	}
	return b.Bytes()
}

// build compiles a program into the folder out, and says meanwhile what the
// compiler is at. It works in the folder work, which must be empty.
func (g goTool) build(ctx context.Context, p program, work, out string, say func(string)) error {
	files := map[string][]byte{"go.mod": p.goMod()}
	for name, data := range p.files {
		files[name] = data
	}
	for name, data := range files {
		if err := os.MkdirAll(filepath.Join(work, filepath.Dir(name)), 0o755); err != nil {
			return fmt.Errorf("preparing a build: %w", spaceError(err))
		}
		if err := os.WriteFile(filepath.Join(work, name), data, 0o644); err != nil {
			return fmt.Errorf("preparing a build: %w", spaceError(err))
		}
	}
	watch := &compileWatch{say: say}
	c := child{dir: work, env: append(g.env(), collectSeldom(os.LookupEnv)...), line: watch.line}
	say("reading the modules")
	count, err := c.output(ctx, g.path, append([]string{"list", buildFlags[0], "-deps", "-tags", strings.Join(p.tags, ",")}, p.packages...)...)
	if err != nil {
		return fmt.Errorf("reading the modules to build: %w", err)
	}
	watch.total = len(outputLines(count))
	flags := []string{"-v", "-tags", strings.Join(p.tags, ","), "-ldflags", p.linkerFlags(), "-o", out + string(filepath.Separator)}
	args := append(append([]string{"build"}, buildFlags[:]...), flags...)
	if err := c.stream(ctx, g.path, append(args, p.packages...)...); err != nil {
		return fmt.Errorf("compiling: %w", err)
	}
	return nil
}

// linkerFlags strip the binaries and set the program's variables.
func (p program) linkerFlags() string {
	flags := []string{"-s", "-w"}
	for _, v := range p.variables {
		flags = append(flags, "-X", v)
	}
	return strings.Join(flags, " ")
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
