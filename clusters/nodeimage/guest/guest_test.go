package guest

import (
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
)

// TestSourcesAreWhole finds a source file that was added to a guest program
// and not to what is compiled for images.
func TestSourcesAreWhole(t *testing.T) {
	sources, err := filepath.Glob("*/*.go")
	if err != nil || len(sources) == 0 {
		t.Fatalf("sources %q, %v", sources, err)
	}
	for _, name := range sources {
		name = filepath.ToSlash(name)
		if _, err := fs.Stat(Sources(), name); (err != nil) != strings.HasSuffix(name, "_test.go") {
			t.Errorf("%s: embedded is a program's source, and no test: %v", name, err)
		}
	}
}
