package gates

import (
	"testing"

	"github.com/kind-lab/lab/clusters/versions"
)

// TestEveryVersionHasItsGates says for which rows of the table of versions the
// gates are missing, or are of another release.
func TestEveryVersionHasItsGates(t *testing.T) {
	table := Load()
	for _, v := range versions.All() {
		if got := table.Release(v.Minor); got != v.Gates {
			t.Errorf("the gates of %s are those of the release %q, want %s: go generate ./clusters/gates", v.Line(), got, v.Gates)
		}
	}
	if got, want := len(table.Minors()), len(versions.All()); got != want {
		t.Errorf("there are gates of %d versions, and the table of versions has %d", got, want)
	}
}
