package main

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// folders are those at the top level that hold sources.
var folders = [...]string{"cmd", "dsl", "labs", "clusters", "collectors"}

// source is a file of the project.
type source struct {
	// name is its path below the root, with slashes.
	name string
	text []byte
}

// top is the folder at the top level that it is in; its name if it is in none.
func (s source) top() string { return strings.SplitN(s.name, "/", 2)[0] }

func (s source) isGo() bool { return strings.HasSuffix(s.name, ".go") }

func (s source) isTest() bool { return strings.HasSuffix(s.name, "_test.go") }

// isGenerated says whether a program wrote it.
func (s source) isGenerated() bool {
	return strings.HasPrefix(string(s.text), "// Code generated ")
}

// isTestdata says whether it is what a test reads or writes.
func (s source) isTestdata() bool { return strings.Contains("/"+s.name, "/testdata/") }

// sources calls do with the files of the project that have one of the endings:
// those at its top level and those in its folders.
func sources(root string, do func(source) error, endings ...string) error {
	read := func(name string) error {
		for _, ending := range endings {
			if !strings.HasSuffix(name, ending) {
				continue
			}
			text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
			if err != nil {
				return err
			}
			return do(source{name, text})
		}
		return nil
	}
	entries, err := os.ReadDir(root)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if !e.IsDir() {
			if err := read(e.Name()); err != nil {
				return err
			}
		}
	}
	files := os.DirFS(root)
	for _, folder := range folders {
		err := fs.WalkDir(files, folder, func(name string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() {
				return err
			}
			return read(path.Clean(name))
		})
		if err != nil {
			return err
		}
	}
	return nil
}
