package dsl

import (
	"io/fs"
	"slices"
	"sync"

	"github.com/hashicorp/hcl/v2/hclwrite"
	"github.com/zclconf/go-cty/cty"
)

// reads records which files are opened.
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

// Stat implements fs.StatFS. It does not count as reading the file.
func (r *reads) Stat(name string) (fs.FileInfo, error) { return fs.Stat(r.FS, name) }

// ReadDir implements fs.ReadDirFS.
func (r *reads) ReadDir(name string) ([]fs.DirEntry, error) { return fs.ReadDir(r.FS, name) }

// Read returns the names of the files in the module's folder that were read
// through its FS so far, sorted: the scenario's own files, and those that its
// expressions read. It omits files with values of variables, because they may
// have sensitive values. Given has the other values.
func (m *Module) Read() []string {
	r, ok := m.FS.(*reads)
	if !ok {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	var names []string
	for name := range r.names {
		if info, err := fs.Stat(r.FS, name); err == nil && info.Mode().IsRegular() && !isAutoVarFile(name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// Given returns the values of variables that differ from their defaults, as a
// file for Options.VarFiles. It omits sensitive values.
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
