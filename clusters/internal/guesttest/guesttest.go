// Package guesttest checks how the sources of guest programs are embedded. Only
// tests import it.
package guesttest

import (
	"io/fs"
	"path"
	"strings"
	"testing"
)

// SourcesAreWhole fails the test if a source file in the folder of a guest
// program is not among what is compiled for images, or a test is. The folder of
// the test's package, onDisk, holds one folder for each program.
func SourcesAreWhole(t testing.TB, onDisk, embedded fs.FS) {
	t.Helper()
	sources, err := fs.Glob(onDisk, "*/*.go")
	if err != nil || len(sources) == 0 {
		t.Fatalf("sources %q, %v", sources, err)
	}
	for _, name := range sources {
		_, err := fs.Stat(embedded, name)
		if isTest := strings.HasSuffix(path.Base(name), "_test.go"); (err != nil) != isTest {
			t.Errorf("%s: embedded is a program's source, and no test: %v", name, err)
		}
	}
}
