package render

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"strings"

	"sigs.k8s.io/kustomize/kyaml/filesys"
)

// tree shows files to Kustomize as a file system that cannot be changed. Its root
// is that of files.
type tree struct {
	files fs.FS
	// extra are files in place of those in files, by their paths.
	extra map[string][]byte
}

var errReadOnly = errors.New("the file system cannot be changed")

// Create implements filesys.FileSystem.
func (t *tree) Create(string) (filesys.File, error) { return nil, errReadOnly }

// Mkdir implements filesys.FileSystem.
func (t *tree) Mkdir(string) error { return errReadOnly }

// MkdirAll implements filesys.FileSystem.
func (t *tree) MkdirAll(string) error { return errReadOnly }

// RemoveAll implements filesys.FileSystem.
func (t *tree) RemoveAll(string) error { return errReadOnly }

// WriteFile implements filesys.FileSystem.
func (t *tree) WriteFile(string, []byte) error { return errReadOnly }

// Open implements filesys.FileSystem. Kustomize reads with ReadFile alone.
func (t *tree) Open(name string) (filesys.File, error) {
	return nil, fmt.Errorf("%s: %w", name, errors.ErrUnsupported)
}

// name is a path as files has it.
func name(p string) string {
	if p = strings.TrimPrefix(path.Clean("/"+filepath.ToSlash(p)), "/"); p == "" {
		return "."
	}
	return p
}

// IsDir implements filesys.FileSystem.
func (t *tree) IsDir(p string) bool {
	if t.ofExtra(name(p)) {
		return true
	}
	info, err := fs.Stat(t.files, name(p))
	return err == nil && info.IsDir()
}

// ofExtra says whether a folder is there for files of extra alone.
func (t *tree) ofExtra(dir string) bool {
	for have := range t.extra {
		if path.Dir(have) == dir {
			return true
		}
	}
	return false
}

// ReadDir implements filesys.FileSystem.
func (t *tree) ReadDir(p string) ([]string, error) {
	entries, err := fs.ReadDir(t.files, name(p))
	if err != nil {
		return nil, err
	}
	var names []string
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	return names, nil
}

// CleanedAbs implements filesys.FileSystem.
func (t *tree) CleanedAbs(p string) (filesys.ConfirmedDir, string, error) {
	at := name(p)
	switch {
	case t.IsDir(at):
		return filesys.ConfirmedDir(path.Join("/", at)), "", nil
	case t.Exists(at):
		return filesys.ConfirmedDir(path.Join("/", path.Dir(at))), path.Base(at), nil
	}
	return "", "", fmt.Errorf("%q: %w", at, fs.ErrNotExist)
}

// Exists implements filesys.FileSystem.
func (t *tree) Exists(p string) bool {
	at := name(p)
	if _, ok := t.extra[at]; ok || t.ofExtra(at) {
		return true
	}
	_, err := fs.Stat(t.files, at)
	return err == nil
}

// Glob implements filesys.FileSystem.
func (t *tree) Glob(pattern string) ([]string, error) {
	found, err := fs.Glob(t.files, name(pattern))
	for i := range found {
		found[i] = path.Join("/", found[i])
	}
	return found, err
}

// ReadFile implements filesys.FileSystem.
func (t *tree) ReadFile(p string) ([]byte, error) {
	at := name(p)
	if text, ok := t.extra[at]; ok {
		return text, nil
	}
	info, err := fs.Stat(t.files, at)
	if err == nil && info.Size() > maxFileSize {
		return nil, fmt.Errorf("%q is larger than %d MiB", at, maxFileSize>>20)
	}
	data, err := fs.ReadFile(t.files, at)
	if err != nil {
		return nil, fmt.Errorf("%q: %w", at, cause(err))
	}
	return data, nil
}

// Walk implements filesys.FileSystem.
func (t *tree) Walk(p string, walk filepath.WalkFunc) error {
	return fs.WalkDir(t.files, name(p), func(at string, entry fs.DirEntry, err error) error {
		if err != nil {
			return walk(path.Join("/", at), nil, err)
		}
		info, err := entry.Info()
		return walk(path.Join("/", at), info, err)
	})
}
