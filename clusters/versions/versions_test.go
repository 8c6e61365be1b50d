package versions_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/kind-lab/lab/clusters"
	"github.com/kind-lab/lab/clusters/versions"
)

// TestEveryRowIsWhole holds the rows to what others rely on: one for each minor
// version, releases of that version, names of clusters that are there once.
func TestEveryRowIsWhole(t *testing.T) {
	seen := map[string]bool{}
	for i, v := range versions.All() {
		t.Run(v.Line(), func(t *testing.T) {
			if want := versions.Oldest().Minor + i; v.Minor != want {
				t.Errorf("row %d is of minor version %d, want %d", i, v.Minor, want)
			}
			for _, release := range append([]string{v.Gates}, v.Modules...) {
				if parsed, err := clusters.ParseVersion(release); err != nil || parsed.Line() != v.Line() || parsed.String() != release {
					t.Errorf("%q is not a release of %s: %v", release, v.Line(), err)
				}
			}
			if !slices.IsSortedFunc(v.Modules, func(a, b string) int { return parse(t, b).Compare(parse(t, a)) }) {
				t.Errorf("the releases %q are not newest first", v.Modules)
			}
			for _, c := range v.Standard {
				if seen[c.Name] || !strings.HasPrefix(c.Name, "v") {
					t.Errorf("the standard cluster %q is there twice, or its name does not begin with v", c.Name)
				}
				seen[c.Name] = true
			}
			if v.Tests.Labs && len(v.Standard) == 0 {
				t.Error("labs are to run on it, and it has no standard cluster")
			}
			if (v.Tests.EndToEnd || v.Tests.Labs) && len(v.Modules) == 0 {
				t.Error("tests are to run on it, and there is no release to build a node image from")
			}
		})
	}
}

func parse(t *testing.T, release string) clusters.Version {
	t.Helper()
	v, err := clusters.ParseVersion(release)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestModulesAreNewestFirst(t *testing.T) {
	all := versions.Modules()
	if len(all) == 0 || !slices.IsSortedFunc(all, func(a, b string) int { return parse(t, b).Compare(parse(t, a)) }) {
		t.Errorf("got %q", all)
	}
	if newest := versions.Newest(); len(newest.Modules) > 0 && all[0] != newest.Modules[0] {
		t.Errorf("the first is %s, want %s", all[0], newest.Modules[0])
	}
}
