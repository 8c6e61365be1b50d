package debian

import (
	"debug/elf"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"sort"
	"strings"

	"github.com/kind-lab/lab/clusters/internal/oci"
)

// closure gathers programs of a root file system together with all that they
// need to run: the links that lead to them, their loader and their shared
// libraries.
type closure struct {
	// root is the root file system's folder.
	root  string
	files map[string]oci.File
	// libraries are the folders to look for shared libraries in, below root.
	libraries []string
}

// longestPath is the kernel's bound of a path, in bytes.
const longestPath = 4096

// NewClosure begins with nothing.
func NewClosure(root string) (*closure, error) {
	c := &closure{root: root, files: map[string]oci.File{}}
	multiarch, err := filepath.Glob(filepath.Join(root, "usr/lib/*-linux-gnu*"))
	if err != nil {
		return nil, fmt.Errorf("looking for libraries in %s: %w", root, err)
	}
	for _, dir := range append(multiarch, filepath.Join(root, "usr/lib"), filepath.Join(root, "usr/lib64")) {
		rel, err := filepath.Rel(root, dir)
		if err != nil {
			return nil, fmt.Errorf("looking for libraries in %s: %w", root, err)
		}
		c.libraries = append(c.libraries, filepath.ToSlash(rel))
	}
	return c, nil
}

// List is what was gathered, in order of the paths.
func (c *closure) List() []oci.File {
	files := make([]oci.File, 0, len(c.files))
	for _, f := range c.files {
		files = append(files, f)
	}
	sort.Slice(files, func(i, j int) bool { return files[i].Path < files[j].Path })
	return files
}

// Add gathers the file or link at a path below the root.
func (c *closure) Add(name string) error {
	return c.addDepth(path.Clean(strings.TrimPrefix(name, "/")), 0)
}

func (c *closure) addDepth(name string, depth int) error {
	if depth > 40 {
		return fmt.Errorf("too many links lead to %s", name)
	}
	if _, ok := c.files[name]; ok {
		return nil
	}
	real, err := c.throughLinkedFolders(name, depth)
	if err != nil {
		return err
	}
	if real != name {
		return c.addDepth(real, depth+1)
	}
	full := filepath.Join(c.root, filepath.FromSlash(name))
	info, err := os.Lstat(full)
	if err != nil {
		return fmt.Errorf("gathering %s: %w", name, err)
	}
	switch {
	case info.Mode()&os.ModeSymlink != 0:
		target, err := c.addLink(name)
		if err != nil {
			return err
		}
		return c.addDepth(target, depth+1)
	case info.IsDir():
		c.files[name] = oci.File{Path: name, Mode: os.ModeDir | info.Mode().Perm()}
		return nil
	}
	c.files[name] = oci.File{Path: name, Mode: info.Mode().Perm(), Source: full}
	return c.addNeeded(full, depth)
}

// throughLinkedFolders rewrites a path whose folders contain a link, such as
// lib -> usr/lib, and gathers the first such link.
func (c *closure) throughLinkedFolders(name string, depth int) (string, error) {
	parts := strings.Split(name, "/")
	for i := 1; i < len(parts); i++ {
		prefix := strings.Join(parts[:i], "/")
		info, err := os.Lstat(filepath.Join(c.root, filepath.FromSlash(prefix)))
		if err != nil {
			return "", fmt.Errorf("gathering %s: %w", name, err)
		}
		if info.Mode()&os.ModeSymlink == 0 {
			continue
		}
		target, err := c.addLink(prefix)
		if err != nil {
			return "", err
		}
		return path.Join(append([]string{target}, parts[i:]...)...), nil
	}
	return name, nil
}

// addLink gathers one link and returns where it leads, below the root.
func (c *closure) addLink(name string) (string, error) {
	target, err := os.Readlink(filepath.Join(c.root, filepath.FromSlash(name)))
	if err != nil {
		return "", fmt.Errorf("gathering %s: %w", name, err)
	}
	c.files[name] = oci.File{Path: name, Mode: 0o777, Link: target}
	if path.IsAbs(target) {
		return path.Clean(strings.TrimPrefix(target, "/")), nil
	}
	// Rooted before it is cleaned, so that no link leads out.
	return strings.TrimPrefix(path.Join("/", path.Dir(name), target), "/"), nil
}

// addNeeded gathers the loader and the shared libraries of a program or
// library; a file that is neither needs nothing.
func (c *closure) addNeeded(full string, depth int) error {
	f, err := elf.Open(full)
	var format *elf.FormatError
	if errors.As(err, &format) {
		return nil
	}
	if err != nil {
		// A file too short to have an ELF header is none.
		if info, statErr := os.Stat(full); statErr == nil && info.Size() < 64 {
			return nil
		}
		return fmt.Errorf("reading %s: %w", full, err)
	}
	defer f.Close()
	for _, p := range f.Progs {
		if p.Type != elf.PT_INTERP {
			continue
		}
		if p.Filesz > longestPath {
			return fmt.Errorf("reading the loader of %s: its name has %d bytes", full, p.Filesz)
		}
		loader := make([]byte, p.Filesz)
		if _, err := p.ReadAt(loader, 0); err != nil {
			return fmt.Errorf("reading the loader of %s: %w", full, err)
		}
		if err := c.addDepth(path.Clean(strings.Trim(string(loader), "/\x00")), depth+1); err != nil {
			return err
		}
	}
	needed, err := f.ImportedLibraries()
	if err != nil {
		return fmt.Errorf("reading what %s needs: %w", full, err)
	}
	for _, lib := range needed {
		if err := c.addLibrary(lib, depth); err != nil {
			return fmt.Errorf("%s: %w", full, err)
		}
	}
	return nil
}

func (c *closure) addLibrary(lib string, depth int) error {
	for _, dir := range c.libraries {
		name := path.Join(dir, lib)
		_, err := os.Lstat(filepath.Join(c.root, filepath.FromSlash(name)))
		if err == nil {
			return c.addDepth(name, depth+1)
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("looking for %s: %w", lib, err)
		}
	}
	return fmt.Errorf("the shared library %s is not there", lib)
}
