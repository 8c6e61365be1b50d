package gotool

import (
	"bytes"
	"fmt"
	"io/fs"
	"maps"
	"runtime"
	"slices"
	"strings"
)

// buildFlags make the binaries small and the same wherever they are built.
// They are part of every key: see Tool.Stage.
var buildFlags = [...]string{"-mod=mod", "-trimpath"}

// GuestVersion is the language version of the guest programs that are not
// written for another module.
const GuestVersion = "1.25"

// Program is what to build out of modules.
type Program struct {
	// GoVersion is the language version of the module that is built in, such
	// as "1.24".
	GoVersion string
	// Requires and Replaces are lines of its go.mod.
	Requires, Replaces []string
	// Files are its sources, by name; none where packages name all.
	Files map[string][]byte
	// Packages are what to build, "." for files.
	Packages []string
	// Variables are set by the linker, as "path.name=value".
	Variables []string
	// Tags are build tags.
	Tags []string
}

// FromSources is the program whose sources are in a folder of sources; the
// folder names its binary.
func FromSources(sources fs.FS, name, goVersion string) (Program, error) {
	p := Program{GoVersion: goVersion, Files: map[string][]byte{}, Packages: []string{"./" + name}}
	entries, err := fs.ReadDir(sources, name)
	if err != nil {
		return Program{}, fmt.Errorf("reading the sources of %s: %w", name, err)
	}
	for _, e := range entries {
		data, err := fs.ReadFile(sources, name+"/"+e.Name())
		if err != nil {
			return Program{}, fmt.Errorf("reading the sources of %s: %w", name, err)
		}
		p.Files[name+"/"+e.Name()] = data
	}
	return p, nil
}

// Inputs are what a program's key is made of.
func (p Program) Inputs() []string {
	in := []string{"go " + p.GoVersion, "os " + runtime.GOOS, "arch " + runtime.GOARCH}
	add := func(what string, values []string) {
		for _, v := range values {
			in = append(in, what+" "+v)
		}
	}
	add("flag", buildFlags[:])
	add("require", p.Requires)
	add("replace", p.Replaces)
	add("package", p.Packages)
	add("variable", p.Variables)
	add("tag", p.Tags)
	for _, name := range slices.Sorted(maps.Keys(p.Files)) {
		in = append(in, "file "+name+" "+string(p.Files[name]))
	}
	return in
}

// GoMod is the program's go.mod.
func (p Program) GoMod() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "module build\n\ngo %s\n\n", p.GoVersion)
	for _, r := range p.Requires {
		fmt.Fprintf(&b, "require %s\n", r)
	}
	for _, r := range p.Replaces {
		fmt.Fprintf(&b, "replace %s\n", r)
	}
	return b.Bytes()
}

// LinkerFlags strip the binaries and set the program's variables.
func (p Program) LinkerFlags() string {
	flags := []string{"-s", "-w"}
	for _, v := range p.Variables {
		flags = append(flags, "-X", v)
	}
	return strings.Join(flags, " ")
}
