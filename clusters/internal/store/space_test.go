package store

import (
	"math"
	"path/filepath"
	"testing"
)

func TestFreeBytes(t *testing.T) {
	n, err := freeBytes(t.TempDir())
	if err != nil || n <= 0 || n == math.MaxInt64 {
		t.Errorf("freeBytes = %d, %v", n, err)
	}
	if _, err := freeBytes(filepath.Join(t.TempDir(), "nothing")); err == nil {
		t.Error("free space of nothing")
	}
	if a, err := deviceOf(t.TempDir()); err != nil || a == 0 {
		t.Errorf("deviceOf = %d, %v", a, err)
	}
}

func TestExisting(t *testing.T) {
	dir := t.TempDir()
	for path, want := range map[string]string{"": "", dir: dir, filepath.Join(dir, "a", "b"): dir, "/": "/"} {
		if got := existing(path); got != want {
			t.Errorf("existing(%q) = %q, want %q", path, got, want)
		}
	}
}
