package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// texts are the states of gates in the form of the table.
func texts(found map[string]spec) map[string]string {
	all := map[string]string{}
	for name, s := range found {
		all[name] = s.text()
	}
	return all
}

func TestGatesIn(t *testing.T) {
	const names = `package features
const (
	One featuregate.Feature = "FirstGate"
	Two featuregate.Feature = "Two"
)
`
	const versioned = `var all = map[featuregate.Feature]featuregate.VersionedSpecs{
	Two: {
		{Version: version.MustParse("1.28"), Default: false, PreRelease: featuregate.Alpha},
		{Version: version.MustParse("1.33"), Default: true, LockToDefault: true, PreRelease: featuregate.GA},
		{Version: version.MustParse("1.30"), Default: true, PreRelease: featuregate.Beta},
	},
}`
	for _, tc := range []struct {
		name, source, version string
		want                  map[string]string
	}{
		{name: "by the constant's text", version: "1.28.0", source: `var all = map[F]S{One: {Default: true, PreRelease: featuregate.Beta}}`, want: map[string]string{"FirstGate": "beta=true"}},
		{name: "locked, with a comment behind", version: "1.28.0", source: `var all = map[F]S{Two: {Default: true, PreRelease: featuregate.GA, LockToDefault: true}, // remove in 1.30
}`, want: map[string]string{"Two": "ga=true!"}},
		{name: "of another package", version: "1.28.0", source: `var all = map[F]S{genericfeatures.Three: {Default: false, PreRelease: featuregate.Deprecated}}`, want: map[string]string{"Three": "deprecated=false"}},
		{name: "an alias without a package", version: "1.28.0", source: `var all = map[F]S{Two: {Default: false, PreRelease: Alpha}}`, want: map[string]string{"Two": "alpha=false"}},
		{name: "a key that is no gate", version: "1.28.0", source: `var all = map[string]S{"x": {Default: true, PreRelease: featuregate.GA}, unknown: {PreRelease: featuregate.GA}}`, want: map[string]string{}},
		{name: "another map", version: "1.28.0", source: `var all = map[F]T{Two: {Default: true, Owner: "me"}, One: {true}}`, want: map[string]string{}},
		{name: "before its first version", version: "1.27.3", source: versioned, want: map[string]string{}},
		{name: "in its first version", version: "1.28.15", source: versioned, want: map[string]string{"Two": "alpha=false"}},
		{name: "between", version: "1.32.0", source: versioned, want: map[string]string{"Two": "beta=true"}},
		{name: "in order of versions, not of lines", version: "1.36.1", source: versioned, want: map[string]string{"Two": "ga=true!"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			// The constants may be in another file, and in any order.
			found, err := gatesIn([][]byte{[]byte("package features\n" + tc.source), []byte(names)}, tc.version)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, texts(found)); diff != "" {
				t.Error(diff)
			}
		})
	}
	if _, err := gatesIn([][]byte{[]byte("package features\nvar x = {")}, "1.28.0"); err == nil {
		t.Error("a source that is no Go was read")
	}
}

func TestTable(t *testing.T) {
	alpha, beta, ga := spec{stage: "alpha"}, spec{stage: "beta", on: true}, spec{stage: "ga", on: true, locked: true}
	var made table
	made.add("1.27.3", map[string]spec{"Always": beta, "Gone": ga})
	made.add("1.28.15", map[string]spec{"Always": beta, "Back": alpha, "Changes": alpha})
	made.add("1.29.15", map[string]spec{"Always": beta, "Changes": beta})
	made.add("1.30.14", map[string]spec{"Always": beta, "Back": alpha, "Changes": beta})
	want := "# Made by `go generate ./clusters/gates`; do not edit.\n" +
		"versions 1.27.3 1.28.15 1.29.15 1.30.14\n" +
		"Always 27-30:beta=true\n" +
		"Back 28:alpha=false 30:alpha=false\n" +
		"Changes 28:alpha=false 29-30:beta=true\n" +
		"Gone 27:ga=true!\n"
	if diff := cmp.Diff(want, string(made.text())); diff != "" {
		t.Error(diff)
	}
}

func TestSourcesIn(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a.go", "a_test.go", "README.md"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(name), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	files, err := sourcesIn(dir)
	if err != nil || len(files) != 1 || string(files[0]) != "a.go" {
		t.Errorf("sourcesIn = %q, %v", files, err)
	}
	if files, err := sourcesIn(filepath.Join(dir, "nothing")); err != nil || len(files) != 0 {
		t.Errorf("of no folder: %q, %v", files, err)
	}
}

func FuzzGatesIn(f *testing.F) {
	f.Add(`const A = "B"; var x = map[F]S{A: {Default: true, PreRelease: Alpha}}`)
	f.Add(`var x = map[F]S{p.A: {{Version: v("1.x"), PreRelease: ""}, {}}}`)
	f.Fuzz(func(t *testing.T, source string) {
		found, err := gatesIn([][]byte{[]byte("package features\n" + source)}, "1.29.0")
		if err != nil {
			return
		}
		for name, s := range found {
			if name == "" || strings.Contains(s.text(), "\n") {
				t.Errorf("gate %q is %q", name, s.text())
			}
		}
	})
}
