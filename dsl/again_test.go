package dsl

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/kind-lab/lab/dsl/diag"
	"github.com/kind-lab/lab/dsl/schema"
)

// packed is a folder with the files that a module has read, and the file of values
// that Given writes.
func packed(t *testing.T, m *Module) (dir, values string) {
	t.Helper()
	dir, values = t.TempDir(), filepath.Join(t.TempDir(), "given.hcl")
	for _, name := range m.Read() {
		data, err := readSource(m.FS, name)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o755); err != nil {
			t.Fatal(err)
		}
		write(t, dir, name, string(data))
	}
	if err := os.WriteFile(values, m.Given(), 0o644); err != nil {
		t.Fatal(err)
	}
	return dir, values
}

// TestAPackedLabIsTheSame loads labs, keeps what they read and what they were
// given, and loads that: it must mean the same, and read the same.
func TestAPackedLabIsTheSame(t *testing.T) {
	const file = `
lab { cluster_sets = ["standard"] }
variable "image" { default = "a" }
variable "sizes" {
  type    = map(object({ n = number, s = optional(string, "d") }))
  default = {}
}
variable "needed" {}
locals {
  text = templatefile("sub/t.tpl", { x = file("x.txt") })
  both = [var.image, var.needed, fileexists("none.txt")]
}
cluster "mine" { kubernetes = "1.30" }
scenario "s" {
  clusters = [cluster.v129, cluster.mine]
  matrix { n = [for k, v in var.sizes : v.n] }
  apply "a" { manifests = [local.text, jsonencode(local.both)] }
  wait "w" { condition = pod.x.phase == "Running" && matrix.n > 0 }
}
`
	files := map[string]fstest.MapFS{
		"one file": {"lab/scenario.hcl": {Data: []byte(file)}},
		"two files": {"lab/scenario.hcl": {Data: []byte(file)}, "lab/more.hcl.json": {Data: []byte(`{"scenario": {"t": {"clusters": "${[cluster.v128]}", "sleep": {"x": {"duration": "1s"}}}}}`)},
			"lab/unread.md": {Data: []byte("no")}},
		"values in the folder": {"lab/scenario.hcl": {Data: []byte(file)}, "lab/a.auto.labvars": {Data: []byte("image = \"from the folder\"\n")},
			"lab/b.auto.labvars.json": {Data: []byte(`{"sizes": {"z": {"n": 9}}}`)}},
	}
	for name, fsys := range files {
		t.Run(name, func(t *testing.T) {
			fsys["lab/x.txt"], fsys["lab/sub/t.tpl"] = &fstest.MapFile{Data: []byte("a \"quote\"\n")}, &fstest.MapFile{Data: []byte("<${x}>")}
			opts := Options{ClusterSets: testSets(), Vars: map[string]string{"needed": "ü ${x} \"y\"\n", "sizes": `{ a = { n = 1 }, b = { n = 2, s = "e" } }`}}
			m, list := LoadFS(fsys, "lab", opts)
			if list.HasErrors() {
				t.Fatal(list.Error())
			}
			dir, values := packed(t, m)
			again, list := Load(dir, Options{ClusterSets: m.ClusterSets, VarFiles: []string{values}})
			if list.HasErrors() {
				t.Fatal(list.Error())
			}
			same(t, "meaning", summary(t, m), summary(t, again))
			same(t, "read", m.Read(), again.Read())
			same(t, "given", string(m.Given()), string(again.Given()))
			if !schema.FindSet(m.ClusterSets, "standard").Equal(again.ClusterSets[0]) {
				t.Errorf("sets %+v", again.ClusterSets)
			}
		})
	}
}

// TestLoadingTwiceIsTheSame loads each file of testdata twice: modules and
// diagnostics must be the same, to the letter.
func TestLoadingTwiceIsTheSame(t *testing.T) {
	for _, pattern := range []string{"testdata/valid/*.hcl", "testdata/valid/*.json", "testdata/invalid/*.hcl"} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %v", pattern, err)
		}
		for _, file := range files {
			var texts [2]string
			for i := range texts {
				m, list := Load(file, Options{ClusterSets: testSets(), Providers: testProviders()})
				var b strings.Builder
				if err := diag.WriteText(&b, list, diag.Style{Color: true, Width: 80}); err != nil {
					t.Fatal(err)
				}
				texts[i] = b.String()
				if !list.HasErrors() {
					texts[i] += dump(m)
				}
			}
			same(t, file, texts[0], texts[1])
		}
	}
}

// TestLoadAndLoadFSAgree loads each lab of testdata from the disk and from a file
// system.
func TestLoadAndLoadFSAgree(t *testing.T) {
	for _, name := range []string{"valid/everything.hcl", "valid/instances.hcl", "valid/verbs.hcl", "invalid/arguments.hcl", "invalid/syntax.hcl"} {
		opts := Options{ClusterSets: testSets(), Providers: testProviders()}
		onDisk, list := Load(filepath.Join("testdata", name), opts)
		within, other := LoadFS(os.DirFS("testdata"), name, opts)
		shown := func(list diag.List) string { return strings.ReplaceAll(list.Error(), "testdata/", "") }
		same(t, name, shown(list), shown(other))
		if !list.HasErrors() {
			same(t, name, strings.ReplaceAll(dump(onDisk), "testdata/", ""), dump(within))
		}
	}
}
