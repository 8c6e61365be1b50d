package oci

import (
	"archive/tar"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"strings"
)

// WriteTar writes files as a whole tar archive: see writeLayer.
func WriteTar(w io.Writer, files []File) error {
	t := tar.NewWriter(w)
	if err := writeLayer(t, files); err != nil {
		return err
	}
	return t.Close()
}

// writeLayer writes files as entries of a tar archive: all owned by root and without
// times, so that the same files are the same layer. Folders above a file come
// before it.
func writeLayer(w *tar.Writer, files []File) error {
	return writeLayerOver(w, files, map[string]bool{".": true})
}

// writeLayerOver is writeLayer where the folders in made are there already.
func writeLayerOver(w *tar.Writer, files []File, made map[string]bool) error {
	for _, f := range files {
		if err := writeParents(w, f.Path, made); err != nil {
			return err
		}
		if f.Mode.IsDir() && made[path.Clean(f.Path)] {
			continue
		}
		made[path.Clean(f.Path)] = f.Mode.IsDir()
		if err := writeEntry(w, f); err != nil {
			return fmt.Errorf("writing %s to an image: %w", f.Path, err)
		}
	}
	return nil
}

func writeParents(w *tar.Writer, name string, made map[string]bool) error {
	dir := path.Dir(path.Clean(name))
	if made[dir] {
		return nil
	}
	if err := writeParents(w, dir, made); err != nil {
		return err
	}
	made[dir] = true
	return w.WriteHeader(&tar.Header{Typeflag: tar.TypeDir, Name: dir + "/", Mode: 0o755, Format: tar.FormatPAX})
}

func writeEntry(w *tar.Writer, f File) error {
	h := &tar.Header{Name: f.Path, Mode: int64(f.Mode.Perm()), Format: tar.FormatPAX}
	if f.Mode&os.ModeSticky != 0 {
		h.Mode |= 0o1000
	}
	switch {
	case f.Mode.IsDir():
		h.Typeflag, h.Name = tar.TypeDir, strings.TrimSuffix(f.Path, "/")+"/"
		return w.WriteHeader(h)
	case f.Link != "":
		h.Typeflag, h.Linkname, h.Mode = tar.TypeSymlink, f.Link, 0o777
		return w.WriteHeader(h)
	case f.Source == "":
		h.Typeflag, h.Size = tar.TypeReg, int64(len(f.Data))
		if err := w.WriteHeader(h); err != nil {
			return err
		}
		_, err := w.Write(f.Data)
		return err
	}
	src, err := os.Open(f.Source)
	if err != nil {
		return err
	}
	defer src.Close()
	info, err := src.Stat()
	if err != nil {
		return err
	}
	h.Typeflag, h.Size = tar.TypeReg, info.Size()
	if err := w.WriteHeader(h); err != nil {
		return err
	}
	_, err = io.Copy(w, src)
	return err
}

// AppendTar writes a tar file's entries, then more files.
func AppendTar(w io.Writer, name string, files []File) error {
	f, err := os.Open(name)
	if err != nil {
		return fmt.Errorf("reading the root file system: %w", err)
	}
	defer f.Close()
	in, out := tar.NewReader(f), tar.NewWriter(w)
	made := map[string]bool{".": true}
	for {
		h, err := in.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return fmt.Errorf("reading the root file system: %w", err)
		}
		if h.Typeflag == tar.TypeDir {
			made[path.Clean(strings.TrimPrefix(h.Name, "/"))] = true
		}
		if err := out.WriteHeader(h); err != nil {
			return fmt.Errorf("writing the root file system: %w", err)
		}
		if _, err := io.Copy(out, in); err != nil {
			return fmt.Errorf("writing the root file system: %w", err)
		}
	}
	if err := writeLayerOver(out, files, made); err != nil {
		return err
	}
	return out.Close()
}

// Stream lets write write what the returned reader reads. Closing the reader
// ends write.
func Stream(write func(io.Writer) error) io.ReadCloser {
	r, w := io.Pipe()
	go func() { w.CloseWithError(write(w)) }()
	return r
}
