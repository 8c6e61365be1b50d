package oci

import (
	"archive/tar"
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/kind-lab/lab/clusters/internal/store"
)

// entries are the names in a tar stream, with their types.
func entries(t *testing.T, r io.Reader) []string {
	t.Helper()
	var names []string
	for in := tar.NewReader(r); ; {
		h, err := in.Next()
		if errors.Is(err, io.EOF) {
			return names
		}
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, string(h.Typeflag)+" "+h.Name)
	}
}

// rootfs is a tar file with some entries.
func rootfs(t *testing.T, headers ...tar.Header) string {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, h := range headers {
		if err := w.WriteHeader(&h); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "rootfs.tar")
	if err := os.WriteFile(name, b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	return name
}

// TestAppendTarMakesNoFolderAgain has folders in all the forms that tar writes:
// another entry would give them another mode.
func TestAppendTarMakesNoFolderAgain(t *testing.T) {
	folder := func(name string) tar.Header { return tar.Header{Typeflag: tar.TypeDir, Name: name, Mode: 0o1777} }
	name := rootfs(t, folder("./"), folder("./tmp/"), folder("usr/"), folder("/etc/"), folder(".config/"), folder("./.cache/"))
	var b bytes.Buffer
	if err := AppendTar(&b, name, []File{Temporary(), {Path: "tmp/a"}, {Path: "usr/bin/b"}, {Path: "etc/c"}, {Path: ".config/d"}, {Path: ".cache/e"}}); err != nil {
		t.Fatal(err)
	}
	got := entries(t, &b)[6:]
	if want := []string{"0 tmp/a", "5 usr/bin/", "0 usr/bin/b", "0 etc/c", "0 .config/d", "0 .cache/e"}; !slices.Equal(got, want) {
		t.Errorf("appended %q, want %q", got, want)
	}
}

func TestAppendTarOfAHalfWrittenFile(t *testing.T) {
	name := rootfs(t, tar.Header{Typeflag: tar.TypeDir, Name: "a/"}, tar.Header{Typeflag: tar.TypeDir, Name: "b/"})
	if err := os.Truncate(name, 700); err != nil {
		t.Fatal(err)
	}
	if err := AppendTar(io.Discard, name, nil); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("AppendTar: %v", err)
	}
	if err := AppendTar(io.Discard, name+"x", nil); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("of nothing: %v", err)
	}
}

func TestATreeIsReadAsItWasWritten(t *testing.T) {
	root := t.TempDir()
	want := []File{
		{Path: "bin", Link: "usr/bin"},
		{Path: "usr", Mode: os.ModeDir | 0o755},
		{Path: "usr/bin", Mode: os.ModeDir | 0o700},
		{Path: "usr/bin/a", Mode: 0o4, Data: []byte("a")},
		{Path: "usr/bin/broken", Link: "/nowhere"},
	}
	if err := WriteTree(root, want); err != nil {
		t.Fatal(err)
	}
	got, err := ReadTree(root)
	if err != nil {
		t.Fatal(err)
	}
	for i, f := range got {
		if i >= len(want) || f.Path != want[i].Path || f.Link != want[i].Link || f.Link == "" && f.Mode != want[i].Mode {
			t.Errorf("%d is %+v", i, f)
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d files, want %d", len(got), len(want))
	}
	if _, err := ReadTree(filepath.Join(root, "nothing")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("of nothing: %v", err)
	}
}

// TestAFileThatCannotBeWrittenWhole writes to a device that is always full.
func TestAFileThatCannotBeWrittenWhole(t *testing.T) {
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Log("this system has no /dev/full")
		return
	}
	err := WriteFile("/dev/full", func(w io.Writer) error { return WriteTar(w, []File{{Path: "a", Data: []byte("x")}}) })
	if !errors.Is(err, store.ErrNoSpace) || !strings.Contains(err.Error(), "/dev/full") {
		t.Errorf("WriteFile: %v", err)
	}
}

func TestAnArchiveOfAMissingFileLeavesNoBlob(t *testing.T) {
	a := &Archive{Dir: t.TempDir()}
	err := a.Add([]string{"example.org/a:1"}, v1.Config{}, []File{Executable("a", filepath.Join(a.Dir, "nowhere"))})
	if !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "example.org/a:1") {
		t.Errorf("Add: %v", err)
	}
	if left, err := os.ReadDir(a.Dir); err != nil || len(left) > 0 {
		t.Errorf("left: %v, %v", left, err)
	}
}

func FuzzSplitName(f *testing.F) {
	for _, ref := range []string{"example.org/etcd:3.5.15-0", "localhost:5000/a", "a", ":", "a:b:c"} {
		f.Add(ref)
	}
	f.Fuzz(func(t *testing.T, ref string) {
		n, err := SplitName(ref)
		if err != nil {
			return
		}
		if n.Repository+":"+n.Tag != ref || strings.ContainsAny(n.Tag, ":/") {
			t.Errorf("%q is %+v", ref, n)
		}
		if v := n.ModuleVersion(); !strings.HasPrefix(v, "v") || strings.Contains(v, "-") {
			t.Errorf("%q has the module version %q", ref, v)
		}
	})
}
