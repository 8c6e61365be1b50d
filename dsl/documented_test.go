package dsl

import (
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/kind-lab/lab/dsl/action"
	"github.com/kind-lab/lab/dsl/schema"
)

// around is a file with a text where a block at a path of types belongs.
func around(path []string, text string) string {
	const cluster = "cluster \"other\" { kubernetes = \"1.29\" }\n"
	switch strings.Join(path, ".") {
	case "":
		return cluster + text + "\n"
	case "variable":
		return "variable \"v\" {\ndefault = 1\n" + text + "\n}\n"
	case "cluster":
		return "cluster \"c\" {\nkubernetes = \"1.29\"\n" + text + "\n}\n"
	case "scenario":
		return cluster + "scenario \"s\" {\nclusters = [cluster.other]\n" + text + "\n}\n"
	case "scenario.matrix":
		return around([]string{"scenario"}, "matrix {\na = [1, 2]\n"+text+"\n}")
	case "scenario.finally":
		return around([]string{"scenario"}, "finally {\n"+text+"\n}")
	}
	return ""
}

// written is a block of a type with some arguments.
func written(b *schema.Block, labels []string, arguments map[string]string) string {
	text := b.Type
	for _, label := range labels {
		text += ` "` + label + `"`
	}
	text += " {\n"
	for _, name := range sorted(arguments) {
		text += name + " = " + arguments[name] + "\n"
	}
	return text + "}"
}

// labelsOf are as many labels as a block has.
func labelsOf(b *schema.Block) []string {
	if b.Type == "component" {
		return []string{"kubelet"}
	}
	return slices.Repeat([]string{"it"}, len(b.Labels))
}

// required are values of the arguments without which a block is not complete.
func required(b *schema.Block) map[string]string {
	all := map[string]string{}
	for _, a := range b.Arguments {
		if a.Required {
			all[a.Name] = sample(a)
		}
	}
	switch b.Type {
	case "cluster":
		all["kubernetes"] = `"1.29"`
	case "variable":
		all["default"] = `"x"`
	case "exec":
		all["pod"] = `"p"`
	case "delete":
		all["objects"] = `"pod/p"`
	case "matrix", "exclude":
		all["a"] = map[string]string{"matrix": "[1, 2]", "exclude": "1"}[b.Type]
	case "include":
		all["a"] = "3"
	}
	return all
}

// sample is a value of an argument, by its documented type.
func sample(a schema.Argument) string {
	if len(a.Values) > 0 {
		return `"` + a.Values[0] + `"`
	}
	switch a.Name {
	case "required_version":
		return `">= 0.1"`
	case "kubernetes":
		return `"1.29"`
	case "object":
		return `"pod/p"`
	case schema.ClusterSetsArgument:
		return "[]"
	}
	switch a.Type {
	case "string":
		return `"x"`
	case "list(string)":
		return `["x"]`
	case "list(cluster)":
		return "[cluster.other]"
	case "map or set of strings":
		return `{ a = "1.28" }`
	case "string or list(string)":
		return `["pod/p"]`
	case "any":
		return "{}"
	}
	return map[string]string{"bool": "true", "bool or string": "true", "condition": "true", "number": "2", "duration": `"1s"`, "map(bool)": "{ A = true }",
		"map(string)": `{ a = "b" }`, "type": "string"}[a.Type]
}

// everyBlock calls a function for every block of the language that there is, with
// its place and what it needs.
func everyBlock(t *testing.T, do func(t *testing.T, path []string, b *schema.Block)) {
	action.Default().Language().Walk(func(path []*schema.Block, b *schema.Block) {
		if b.Later {
			return
		}
		var types []string
		for _, p := range path {
			types = append(types, p.Type)
		}
		t.Run(strings.Join(append(slices.Clone(types), b.Type), "."), func(t *testing.T) { do(t, types, b) })
	})
}

// problemsOf are the errors of a file with a block at a place.
func problemsOf(path []string, block string) []string {
	_, list := LoadFS(fstest.MapFS{"x.hcl": {Data: []byte(around(path, block))}}, "x.hcl", Options{})
	return details(mistakes(list))
}

// TestDocumentedBlocksAreAccepted writes each block with what it requires, and
// then with each of its arguments.
func TestDocumentedBlocksAreAccepted(t *testing.T) {
	everyBlock(t, func(t *testing.T, path []string, b *schema.Block) {
		if said := problemsOf(path, written(b, labelsOf(b), required(b))); len(said) > 0 {
			t.Fatalf("with what is required: %q", said)
		}
		for _, a := range b.Arguments {
			arguments := required(b)
			arguments[a.Name] = sample(a)
			if a.Provider != "" {
				arguments["provider"] = `"` + a.Provider + `"`
			}
			switch b.Type + "." + a.Name {
			case "exec.node", "exec.host":
				delete(arguments, "pod")
			case "delete.manifests":
				delete(arguments, "objects")
			case "node.service":
				arguments["action"] = `"stop"`
			}
			if said := problemsOf(path, written(b, labelsOf(b), arguments)); len(said) > 0 {
				t.Errorf("%s = %s: %q", a.Name, sample(a), said)
			}
		}
	})
}

// TestWhatIsNotDocumentedIsRefused writes, in each block, an argument, a block and a
// label that it does not have.
func TestWhatIsNotDocumentedIsRefused(t *testing.T) {
	everyBlock(t, func(t *testing.T, path []string, b *schema.Block) {
		arguments := required(b)
		arguments["undocumented"] = "1"
		said := problemsOf(path, written(b, labelsOf(b), arguments))
		if axis := b.Type == "exclude" || b.Type == "include"; b.Free && !axis {
			return // any name is a local, or an axis
		}
		if len(said) != 1 || !strings.Contains(said[0], `"undocumented"`) {
			t.Errorf("an argument: %q", said)
		}
	})
	everyBlock(t, func(t *testing.T, path []string, b *schema.Block) {
		text := strings.TrimSuffix(written(b, labelsOf(b), required(b)), "}")
		if said := problemsOf(path, text+"undocumented {}\n}"); len(said) != 1 || !strings.Contains(said[0], `"undocumented"`) {
			t.Errorf("a block: %q", said)
		}
		said := problemsOf(path, written(b, append(labelsOf(b), "more"), required(b)))
		if len(said) != 1 || !strings.Contains(said[0], b.Type) {
			t.Errorf("a label more: %q", said)
		}
		if len(b.Labels) > 0 {
			if said := problemsOf(path, written(b, nil, required(b))); len(said) != 1 || !strings.Contains(said[0], "name") {
				t.Errorf("no label: %q", said)
			}
		}
	})
}

// TestUniqueBlocksOccurOnce writes each block twice: only one that is documented to
// be unique, or that has a name, is refused.
func TestUniqueBlocksOccurOnce(t *testing.T) {
	everyBlock(t, func(t *testing.T, path []string, b *schema.Block) {
		text := written(b, labelsOf(b), required(b))
		again := text
		if b.Type == "exclude" || b.Type == "include" {
			again = strings.NewReplacer("a = 1", "a = 2", "a = 3", "a = 4").Replace(text) + "\ninclude { a = 9 }"
		}
		if b.Type == "matrix" {
			again = "matrix { b = [1] }"
		}
		said := problemsOf(path, text+"\n"+again)
		if once := b.Unique || len(b.Labels) > 0; once != (len(said) == 1) || !once && len(said) > 0 {
			t.Errorf("unique %t: %q", b.Unique, said)
		}
	})
}

// TestBlocksBelongToTheirPlace writes each block in every other place: it is
// refused, with its type.
func TestBlocksBelongToTheirPlace(t *testing.T) {
	language := action.Default().Language()
	places := [][]string{nil, {"variable"}, {"cluster"}, {"scenario"}, {"scenario", "matrix"}, {"scenario", "finally"}}
	everyBlock(t, func(t *testing.T, path []string, b *schema.Block) {
		for _, place := range places {
			said := problemsOf(place, written(b, labelsOf(b), required(b)))
			refused := len(said) == 1 && strings.Contains(said[0], `Blocks of type "`+b.Type+`" are not expected here`)
			if there := language.Find(place...).Block(b.Type) != nil; there == refused || !there && !refused {
				t.Errorf("in %q: %q", place, said)
			}
		}
	})
	if said := problemsOf(nil, `exercise "e" {}`); len(said) != 1 || !strings.Contains(said[0], "does not support them yet") {
		t.Errorf("what comes later: %q", said)
	}
}
