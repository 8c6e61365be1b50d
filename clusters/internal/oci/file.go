package oci

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/kind-lab/lab/clusters/internal/store"
)

// File is one entry of a layer.
type File struct {
	// Path is below the root, without a leading slash.
	Path string
	// Mode holds the permissions, os.ModeDir for a folder and os.ModeSticky.
	Mode os.FileMode
	// Data or the file source are its content; link makes it a symbolic link.
	Data   []byte
	Source string
	Link   string
}

// Executable is a file that is taken from source.
func Executable(path, source string) File {
	return File{Path: path, Mode: 0o755, Source: source}
}

// Temporary is the folder for temporary files.
func Temporary() File { return File{Path: "tmp", Mode: os.ModeDir | os.ModeSticky | 0o777} }

// ReadTree are the files, links and folders below root, in order.
func ReadTree(root string) ([]File, error) {
	var files []File
	err := filepath.Walk(root, func(name string, info os.FileInfo, err error) error {
		if err != nil || name == root {
			return err
		}
		rel, err := filepath.Rel(root, name)
		if err != nil {
			return err
		}
		f := File{Path: filepath.ToSlash(rel), Mode: info.Mode().Perm()}
		switch {
		case info.IsDir():
			f.Mode |= os.ModeDir
		case info.Mode()&os.ModeSymlink != 0:
			if f.Link, err = os.Readlink(name); err != nil {
				return err
			}
		default:
			f.Source = name
		}
		files = append(files, f)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", root, err)
	}
	return files, nil
}

// WriteTree puts files below root.
func WriteTree(root string, files []File) error {
	for _, f := range files {
		if err := writeTreeFile(filepath.Join(root, filepath.FromSlash(f.Path)), f); err != nil {
			return fmt.Errorf("writing %s: %w", f.Path, store.SpaceError(err))
		}
	}
	return nil
}

func writeTreeFile(name string, f File) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	switch {
	case f.Mode.IsDir():
		return os.MkdirAll(name, f.Mode.Perm())
	case f.Link != "":
		return os.Symlink(f.Link, name)
	}
	data := f.Data
	if f.Source != "" {
		var err error
		if data, err = os.ReadFile(f.Source); err != nil {
			return err
		}
	}
	// Chmod, because the umask holds for WriteFile.
	if err := os.WriteFile(name, data, f.Mode.Perm()); err != nil {
		return err
	}
	return os.Chmod(name, f.Mode.Perm())
}

// WriteFile lets write write a file.
func WriteFile(name string, write func(io.Writer) error) error {
	f, err := os.Create(name)
	if err != nil {
		return fmt.Errorf("writing %s: %w", name, store.SpaceError(err))
	}
	if err := errors.Join(write(f), f.Close()); err != nil {
		return fmt.Errorf("writing %s: %w", name, store.SpaceError(err))
	}
	return nil
}
