package guesttest

import (
	"testing"
	"testing/fstest"
)

// recorder notes that a test failed.
type recorder struct {
	testing.TB
	failed bool
}

func (r *recorder) Helper()               {}
func (r *recorder) Errorf(string, ...any) { r.failed = true }

func TestSourcesAreWhole(t *testing.T) {
	file := &fstest.MapFile{}
	for _, tc := range []struct {
		name             string
		onDisk, embedded fstest.MapFS
		fails            bool
	}{
		{name: "all sources", onDisk: fstest.MapFS{"a/main.go": file, "a/main_test.go": file}, embedded: fstest.MapFS{"a/main.go": file}},
		{name: "a source that was forgotten", onDisk: fstest.MapFS{"a/main.go": file, "a/more.go": file}, embedded: fstest.MapFS{"a/main.go": file}, fails: true},
		{name: "a test that is compiled", onDisk: fstest.MapFS{"a/main_test.go": file}, embedded: fstest.MapFS{"a/main_test.go": file}, fails: true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r := &recorder{TB: t}
			SourcesAreWhole(r, tc.onDisk, tc.embedded)
			if r.failed != tc.fails {
				t.Errorf("failed: %t, want %t", r.failed, tc.fails)
			}
		})
	}
}
