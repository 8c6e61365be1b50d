package nodeimage

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/validate"
)

// sample is an archive with two images, one under two names.
func sample(t *testing.T, compress bool) *archive {
	t.Helper()
	a := &archive{dir: t.TempDir(), compress: compress}
	if err := a.add([]string{"example.org/a:1", "example.org/b:2"}, v1.Config{Entrypoint: []string{"/a"}}, []layerFile{
		temporary(),
		{path: "usr/bin/a", mode: 0o755, data: []byte("program")},
		{path: "usr/bin/b", link: "a"},
	}); err != nil {
		t.Fatal(err)
	}
	if err := a.add([]string{"example.org/c:3"}, v1.Config{}, []layerFile{{path: "c", mode: 0o644, data: []byte("c")}}); err != nil {
		t.Fatal(err)
	}
	return a
}

func TestArchiveLoadsIntoDocker(t *testing.T) {
	a := sample(t, false)
	file := filepath.Join(t.TempDir(), "image.tar")
	if err := writeFile(file, a.writeTo); err != nil {
		t.Fatal(err)
	}
	manifest, err := tarball.LoadManifest(func() (io.ReadCloser, error) { return os.Open(file) })
	if err != nil {
		t.Fatal(err)
	}
	if len(manifest) != 2 || !slices.Equal(manifest[0].RepoTags, []string{"example.org/a:1", "example.org/b:2"}) {
		t.Errorf("manifest.json = %+v", manifest)
	}
	image, err := tarball.Image(func() (io.ReadCloser, error) { return os.Open(file) }, nil)
	if err == nil {
		t.Fatalf("one image of two: %v", image)
	}
}

func TestArchiveIsAnOCILayout(t *testing.T) {
	for _, compress := range []bool{false, true} {
		a := sample(t, compress)
		dir := t.TempDir()
		var out bytes.Buffer
		if err := a.writeTo(&out); err != nil {
			t.Fatal(err)
		}
		untar(t, &out, dir)
		index, err := layout.ImageIndexFromPath(dir)
		if err != nil {
			t.Fatal(err)
		}
		manifest, err := index.IndexManifest()
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, d := range manifest.Manifests {
			names = append(names, d.Annotations[nameAnnotation])
			image, err := index.Image(d.Digest)
			if err != nil {
				t.Fatal(err)
			}
			// The library does not read zstd, which containerd's test does.
			if err := validate.Image(image, validate.Fast); err != nil {
				t.Errorf("%v: %v", names, err)
			}
		}
		if want := []string{"example.org/a:1", "example.org/b:2", "example.org/c:3"}; !slices.Equal(names, want) {
			t.Errorf("names %q, want %q", names, want)
		}
	}
}

func TestArchiveIsReproducible(t *testing.T) {
	var first, second bytes.Buffer
	if err := sample(t, true).writeTo(&first); err != nil {
		t.Fatal(err)
	}
	if err := sample(t, true).writeTo(&second); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(first.Bytes(), second.Bytes()) {
		t.Error("the same files make another archive")
	}
}

// untar unpacks a stream of folders and files.
func untar(t *testing.T, r io.Reader, dir string) {
	t.Helper()
	for in := tar.NewReader(r); ; {
		h, err := in.Next()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(in)
		if err != nil {
			t.Fatal(err)
		}
		mode := os.FileMode(h.Mode).Perm()
		if h.Typeflag == tar.TypeDir {
			mode |= os.ModeDir
		}
		if err := writeTree(dir, []layerFile{{path: h.Name, mode: mode, data: data}}); err != nil {
			t.Fatal(err)
		}
	}
}

func TestWriteLayer(t *testing.T) {
	var b bytes.Buffer
	err := writeTar(&b, []layerFile{
		{path: "a/b/c", mode: 0o600, data: []byte("x")},
		{path: "a/b", mode: os.ModeDir | 0o700},
		{path: "a/d", link: "b/c"},
		temporary(),
	})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for in := tar.NewReader(&b); ; {
		h, err := in.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if h.Uid != 0 || h.ModTime.Unix() != 0 {
			t.Errorf("%s: owner %d, time %s", h.Name, h.Uid, h.ModTime)
		}
		got = append(got, strings.TrimSpace(h.FileInfo().Mode().String()+" "+h.Name+" "+h.Linkname))
	}
	// A folder that a file has already brought is not made again.
	want := []string{"drwxr-xr-x a/", "drwxr-xr-x a/b/", "-rw------- a/b/c", "Lrwxrwxrwx a/d b/c", "dtrwxrwxrwx tmp/"}
	if !slices.Equal(got, want) {
		t.Errorf("entries %q, want %q", got, want)
	}
}

func TestWriteLayerOfAMissingFile(t *testing.T) {
	err := writeTar(io.Discard, []layerFile{executable("a", filepath.Join(t.TempDir(), "nowhere"))})
	if !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a file that is not there: %v", err)
	}
}

func TestStreamEndsWithItsReader(t *testing.T) {
	ended := make(chan error, 1)
	r := stream(func(w io.Writer) error {
		_, err := io.Copy(w, endless{})
		ended <- err
		return err
	})
	if _, err := io.ReadFull(r, make([]byte, 10)); err != nil {
		t.Fatal(err)
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("the writer ended with %v", err)
	}
}

type endless struct{}

func (endless) Read(b []byte) (int, error) { return len(b), nil }

func TestImportBreaksOff(t *testing.T) {
	// What an engine would take for whole, because its input just ends, must
	// not get a name.
	w, p := newWorld(t)
	w.release("1.28.15")
	w.companions()
	r := p.nodes.(*recipe)
	dir := t.TempDir()
	a := assembly{shared: &sharedParts{userland: dir, containerd: dir, cni: dir, crictl: dir, flannel: dir, guest: dir}}
	if err := writeTree(dir, []layerFile{
		{path: "bin/ctr", mode: 0o755, data: []byte("#!/bin/sh\necho '{}'\n")},
		{path: rootfsTar, mode: 0o644, data: bytes.Repeat([]byte("x"), 2048)},
	}); err != nil {
		t.Fatal(err)
	}
	if err := r.importBase(context.Background(), a, "base:1"); err == nil {
		t.Fatal("a broken root file system was imported")
	}
	var e fakeEngine
	w.get("engine", &e)
	if _, ok := e.Images["base:1"]; ok {
		t.Error("half an image has a name")
	}
}
