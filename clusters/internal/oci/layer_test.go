package oci

import (
	"archive/tar"
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestWriteLayer(t *testing.T) {
	var b bytes.Buffer
	err := WriteTar(&b, []File{
		{Path: "a/b/c", Mode: 0o600, Data: []byte("x")},
		{Path: "a/b", Mode: os.ModeDir | 0o700},
		{Path: "a/d", Link: "b/c"},
		Temporary(),
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
	err := WriteTar(io.Discard, []File{Executable("a", filepath.Join(t.TempDir(), "nowhere"))})
	if !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a file that is not there: %v", err)
	}
}

func TestStreamEndsWithItsReader(t *testing.T) {
	ended := make(chan error, 1)
	r := Stream(func(w io.Writer) error {
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
