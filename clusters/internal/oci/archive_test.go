package oci

import (
	"archive/tar"
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/validate"
)

// sample is an archive with two images, one under two names.
func sample(t *testing.T, compress bool) *Archive {
	t.Helper()
	a := &Archive{Dir: t.TempDir(), Compress: compress}
	if err := a.Add([]string{"example.org/a:1", "example.org/b:2"}, v1.Config{Entrypoint: []string{"/a"}}, []File{
		Temporary(),
		{Path: "usr/bin/a", Mode: 0o755, Data: []byte("program")},
		{Path: "usr/bin/b", Link: "a"},
	}); err != nil {
		t.Fatal(err)
	}
	if err := a.Add([]string{"example.org/c:3"}, v1.Config{}, []File{{Path: "c", Mode: 0o644, Data: []byte("c")}}); err != nil {
		t.Fatal(err)
	}
	return a
}

func TestArchiveLoadsIntoDocker(t *testing.T) {
	a := sample(t, false)
	file := filepath.Join(t.TempDir(), "image.tar")
	if err := WriteFile(file, a.Save); err != nil {
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
		if err := a.Save(&out); err != nil {
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
	if err := sample(t, true).Save(&first); err != nil {
		t.Fatal(err)
	}
	if err := sample(t, true).Save(&second); err != nil {
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
		if err := WriteTree(dir, []File{{Path: h.Name, Mode: mode, Data: data}}); err != nil {
			t.Fatal(err)
		}
	}
}
