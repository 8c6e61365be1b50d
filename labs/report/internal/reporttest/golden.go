// Package reporttest has reports, documents and records for the tests of the
// report's forms.
package reporttest

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Update is the flag with which Golden writes the files anew.
var Update = flag.Bool("update", false, "write the golden files anew")

// Golden compares with testdata/NAME.golden.
func Golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name+".golden")
	if *Update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v; run with -update to write it", err)
	}
	if !bytes.Equal(want, got) {
		t.Errorf("%s differs (-want +got); run with -update to write it anew:\n%s", path, cmp.Diff(string(want), string(got)))
	}
}
