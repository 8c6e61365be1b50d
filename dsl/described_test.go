package dsl_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/zclconf/go-cty/cty"

	"github.com/kind-lab/lab/dsl"
	"github.com/kind-lab/lab/dsl/action"
	"github.com/kind-lab/lab/dsl/schema"
	"github.com/kind-lab/lab/dsl/value"
)

// same compares the names in the code with the documented names, and reports what
// is missing on either side.
func same(t *testing.T, what string, there, described []string) {
	t.Helper()
	for _, name := range there {
		if !slices.Contains(described, name) {
			t.Errorf("%s %s is there, but dsl/schema does not describe it", what, name)
		}
	}
	for _, name := range described {
		if !slices.Contains(there, name) {
			t.Errorf("%s %s is described in dsl/schema, but is not there", what, name)
		}
	}
}

func TestEveryFunctionIsDocumented(t *testing.T) {
	var described []string
	for _, f := range schema.Functions() {
		described = append(described, f.Name)
	}
	same(t, "function", value.FunctionNames(), described)
}

func TestEveryRootIsDocumented(t *testing.T) {
	var described []string
	for _, v := range schema.Values() {
		if v.Root {
			described = append(described, v.Name)
		}
	}
	// These are known where a file is read, or in parts of it.
	same(t, "root", append(value.Roots(), "cluster", "each", "matrix"), described)
}

func TestEveryAttributeIsDocumented(t *testing.T) {
	types := value.Types()
	for _, v := range schema.Values() {
		ty, ok := types[v.Name]
		if _, ofKind := value.KindOf(v.Name); ofKind {
			ty, ok = types["object"], true
		}
		if !ok {
			if !slices.Contains([]string{"var", "local", "matrix", "each", "path", "cluster"}, v.Name) {
				t.Errorf("value %s is described in dsl/schema, but has no type", v.Name)
			}
			continue
		}
		var there, described []string
		for name := range ty.AttributeTypes() {
			there = append(there, v.Name+"."+name)
		}
		for _, a := range v.Attributes {
			name := v.Name + "." + a.Name
			described = append(described, name)
			if got, want := written(a.Type, types), ty; ty.HasAttribute(a.Name) && !got.Equals(want.AttributeType(a.Name)) {
				t.Errorf("attribute %s is described as %s, and is %s", name, a.Type, want.AttributeType(a.Name).FriendlyName())
			}
		}
		same(t, "attribute", there, described)
	}
	for name := range types {
		if name != "object" && schema.ValueOf(name) == nil {
			t.Errorf("value %s is there, but dsl/schema does not describe it", name)
		}
	}
}

// written is the type with that name in dsl/schema.
func written(text string, types map[string]cty.Type) cty.Type {
	if inner, ok := strings.CutPrefix(text, "list("); ok {
		return cty.List(written(strings.TrimSuffix(inner, ")"), types))
	}
	if inner, ok := strings.CutPrefix(text, "map("); ok {
		return cty.Map(written(strings.TrimSuffix(inner, ")"), types))
	}
	switch text {
	case "string":
		return cty.String
	case "bool":
		return cty.Bool
	case "number", "time":
		return cty.Number
	}
	return types[text]
}

// TestEveryExampleLoads puts each example into the block that it belongs to, and
// loads it.
func TestEveryExampleLoads(t *testing.T) {
	examples := 0
	action.Default().Language().Walk(func(path []*schema.Block, b *schema.Block) {
		if b.Example == "" || b.Later {
			return
		}
		examples++
		var names []string
		for _, p := range append(slices.Clone(path), b) {
			names = append(names, p.Type)
		}
		name := strings.Join(names, ".")
		text, ok := wrapped(names, b.Example)
		if !ok {
			t.Errorf("%s: there is no place for its example here", name)
			return
		}
		files := fstest.MapFS{"scenario.hcl": {Data: []byte(text)}}
		for _, file := range []string{"job.yaml", "native.yaml"} {
			files[file] = &fstest.MapFile{Data: []byte("apiVersion: v1\nkind: Pod\nmetadata: {name: web}\n")}
		}
		_, problems := dsl.LoadFS(files, "scenario.hcl", dsl.Options{})
		for _, d := range problems {
			if !strings.Contains(d.Summary, "nused") { // an example does not use what surrounds it
				t.Errorf("%s: %s\n%s", name, d, text)
			}
		}
		out, problems := dsl.Format([]byte(b.Example+"\n"), name)
		if problems.HasErrors() || string(out) != b.Example+"\n" {
			t.Errorf("%s: the example is not laid out as `lab fmt` does", name)
		}
	})
	if examples < 15 {
		t.Errorf("only %d examples", examples)
	}
}

// TestExamplesOfTheChapter loads the expectations of the chapter "What a verdict
// means", and checks that they are formatted.
func TestExamplesOfTheChapter(t *testing.T) {
	_, chapter, _ := strings.Cut(schema.Reference(action.Default().Language()), "## What a verdict means")
	chapter, _, _ = strings.Cut(chapter, "## Blocks")
	examples := regexp.MustCompile("(?s)```hcl\n(.*?)```").FindAllStringSubmatch(chapter, -1)
	if len(examples) == 0 {
		t.Fatal("the chapter has no example")
	}
	for _, example := range examples {
		text, _ := wrapped([]string{"scenario", "expect"}, example[1])
		_, problems := dsl.LoadFS(fstest.MapFS{"scenario.hcl": {Data: []byte(text)}}, "scenario.hcl", dsl.Options{})
		for _, d := range problems {
			if !strings.Contains(d.Summary, "nused") {
				t.Errorf("%s\n%s", d, text)
			}
		}
		if out, problems := dsl.Format([]byte(example[1]), "README.md"); problems.HasErrors() || string(out) != example[1] {
			t.Errorf("not laid out as `lab fmt` does:\n%s", example[1])
		}
	}
}

// wrapped is a file with an example at a path of blocks.
func wrapped(path []string, example string) (string, bool) {
	const (
		clusters = "cluster \"v128\" { kubernetes = \"1.28\" }\ncluster \"v129\" { kubernetes = \"1.29\" }\n"
		image    = "variable \"image\" { default = \"busybox:1.35\" }\n"
		step     = "sleep \"a little\" { duration = \"1s\" }\n"
	)
	in := func(inner string) string {
		return clusters + image + "scenario \"s\" {\nclusters = [cluster.v128, cluster.v129]\n" + inner + "\n}\n"
	}
	switch strings.Join(path[:len(path)-1], ".") {
	case "":
		if path[0] == "variable" {
			return clusters + example + "\nscenario \"s\" {\nclusters = [cluster.v128, cluster.v129]\n" + step + "}\n", true
		}
		if path[0] == "scenario" {
			return clusters + example, true
		}
		return in(step) + example, true
	case "variable":
		return clusters + "variable \"image\" {\ndefault = \"busybox:1.35\"\n" + example + "\n}\nscenario \"s\" {\nclusters = [cluster.v128, cluster.v129]\n" + step + "}\n", true
	case "cluster":
		return clusters + "cluster \"more\" {\nkubernetes = \"1.28\"\n" + example + "\n}\nscenario \"s\" {\nclusters = [cluster.v128, cluster.v129, cluster.more]\n" + step + "}\n", true
	case "scenario":
		return in(step + example), true
	case "scenario.finally":
		return in(step + "finally {\n" + example + "\n}"), true
	}
	return "", false
}
