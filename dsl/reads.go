package dsl

import (
	"io/fs"
	"slices"
	"strings"
	"sync"

	"github.com/hashicorp/hcl/v2/hclwrite"
	"github.com/zclconf/go-cty/cty"
)

// reads notes which files are opened.
type reads struct {
	fs.FS

	mu    sync.Mutex
	names map[string]bool
}

// Open implements fs.FS.
func (r *reads) Open(name string) (fs.File, error) {
	file, err := r.FS.Open(name)
	if err == nil {
		r.mu.Lock()
		r.names[name] = true
		r.mu.Unlock()
	}
	return file, err
}

// Stat implements fs.StatFS: to look at a file is not to read it.
func (r *reads) Stat(name string) (fs.FileInfo, error) { return fs.Stat(r.FS, name) }

// ReadDir implements fs.ReadDirFS.
func (r *reads) ReadDir(name string) ([]fs.DirEntry, error) { return fs.ReadDir(r.FS, name) }

// Read returns the names of the files below the module's folder that were read
// through its FS up to now, sorted: the scenario's own, and those that its
// expressions read. Files of values of variables are left out: they may hold
// what is sensitive, and Given has the rest.
func (m *Module) Read() []string {
	r, ok := m.FS.(*reads)
	if !ok {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	var names []string
	for name := range r.names {
		if info, err := fs.Stat(r.FS, name); err == nil && info.Mode().IsRegular() && !strings.HasSuffix(name, AutoVarFiles) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// Given returns the values that the variables have where those are not their
// defaults, as a file for Options.VarFiles. Sensitive ones are left out.
func (m *Module) Given() []byte {
	file := hclwrite.NewEmptyFile()
	for _, v := range m.Variables {
		if !m.Vars.Type().IsObjectType() || !m.Vars.Type().HasAttribute(v.Name) {
			continue
		}
		given := m.Vars.GetAttr(v.Name)
		if given.ContainsMarked() || !given.IsWhollyKnown() || v.Default != cty.NilVal && given.RawEquals(v.Default) {
			continue
		}
		file.Body().SetAttributeValue(v.Name, given)
	}
	return file.Bytes()
}
