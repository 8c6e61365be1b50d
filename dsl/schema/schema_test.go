package schema_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/kind-lab/lab/dsl/action"
	"github.com/kind-lab/lab/dsl/schema"
)

var update = flag.Bool("update", false, "write the reference again")

// TestReference checks that dsl/README.md matches the schema.
func TestReference(t *testing.T) {
	const name = "../README.md"
	got := schema.Reference(action.Default().Language())
	if *update {
		if err := os.WriteFile(name, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s does not match the schema: update it with `go test ./dsl/schema -update`", name)
	}
}

func TestEveryTopicHasDocumentation(t *testing.T) {
	seen := map[string]bool{}
	for _, topic := range schema.Topics(action.Default().Language()) {
		key := fmt.Sprint(topic.Path, topic.Block != nil)
		if seen[key] {
			t.Errorf("%s is there twice", topic.Path)
		}
		seen[key] = true
		doc := ""
		switch {
		case topic.Block != nil:
			doc = topic.Block.Summary
		case topic.Argument != nil:
			doc = topic.Argument.Doc
			if topic.Argument.Type == "" || topic.Argument.Stage == "" {
				t.Errorf("%s has no type or no stage", topic.Path)
			}
		case topic.Value != nil:
			doc = topic.Value.Doc
		case topic.Attribute != nil:
			doc = topic.Attribute.Doc
		case topic.Function != nil:
			doc = topic.Function.Doc
			if !strings.HasPrefix(topic.Function.Signature, topic.Function.Name+"(") {
				t.Errorf("%s: signature %q", topic.Path, topic.Function.Signature)
			}
		}
		if !strings.HasSuffix(doc, ".") {
			t.Errorf("%s: the documentation is not a sentence: %q", topic.Path, doc)
		}
	}
	if len(seen) < 250 {
		t.Errorf("got only %d topics", len(seen))
	}
}

func TestLookup(t *testing.T) {
	for name, want := range map[string]string{
		"expect":                     "scenario.expect",
		"scenario.expect.within":     "scenario.expect.within",
		"expect.within":              "scenario.expect.within",
		"cluster":                    "cluster cluster",
		"component":                  "cluster.component",
		"node":                       "node scenario.node",
		"logged":                     "logged()",
		"logged()":                   "logged()",
		"pod.container.exit_code":    "pod.container.exit_code",
		"job.pod.container.runs":     "job.pod.container.runs",
		"job.pod.nothing.exit_code":  "",
		"condition":                  "variable.validation.condition scenario.expect.condition scenario.invariant.condition scenario.wait.condition",
		"":                           "",
		"scenario.finally.sleep":     "scenario.finally.sleep",
		"pod.container.log.lines.at": "pod.container.log.lines.at",
	} {
		var got []string
		for _, topic := range schema.Lookup(action.Default().Language(), name) {
			got = append(got, topic.Path)
		}
		if !sameWords(strings.Join(got, " "), want) {
			t.Errorf("%q: got %q, want %q", name, got, want)
		}
	}
}

// TestLookupOfClusterSets finds cluster sets by their names.
func TestLookupOfClusterSets(t *testing.T) {
	language := action.Default().Language()
	sets := []schema.ClusterSet{{Name: "standard", Doc: "Those."}, {Name: "mesh", Doc: "These."}}
	for name, want := range map[string]string{
		"standard":              "cluster_sets.standard",
		"cluster_sets.mesh":     "cluster_sets.mesh",
		"cluster_sets":          "lab.cluster_sets",
		"cluster_sets.standrad": "",
	} {
		var got []string
		for _, topic := range schema.Lookup(language, name, sets...) {
			got = append(got, topic.Path)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q: got %q, want %q", name, got, want)
		}
	}
	if got, want := schema.Suggest(language, "cluster_sets.standrad", sets...), ` Did you mean "cluster_sets.standard"?`; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if len(schema.Lookup(language, "standard")) > 0 {
		t.Error("found a cluster set that was not passed")
	}
}

// TestEqualSets compares cluster sets by name and clusters.
func TestEqualSets(t *testing.T) {
	set := func(name, kubernetes string, on bool) schema.ClusterSet {
		return schema.ClusterSet{Name: "s", Doc: name, Clusters: []schema.SetCluster{{Name: name, Kubernetes: kubernetes, FeatureGates: map[string]bool{"B": true, "A": on}}}}
	}
	one := set("v128", "1.28", true)
	for name, other := range map[string]schema.ClusterSet{"name": set("v129", "1.28", true), "version": set("v128", "1.29", true), "gate": set("v128", "1.28", false), "none": {Name: "s"}} {
		if one.Equal(other) {
			t.Errorf("a set with another %s is equal", name)
		}
	}
	if !one.Equal(set("v128", "1.28", true)) {
		t.Error("the same set is not equal")
	}
}

func sameWords(a, b string) bool {
	count := map[string]int{}
	for _, w := range strings.Fields(a) {
		count[w]++
	}
	for _, w := range strings.Fields(b) {
		count[w]--
	}
	for _, n := range count {
		if n != 0 {
			return false
		}
	}
	return true
}
