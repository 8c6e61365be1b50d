package schema

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the reference anew")

// TestReference keeps dsl/README.md what the schema says.
func TestReference(t *testing.T) {
	const name = "../README.md"
	got := Reference()
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
		t.Errorf("%s is not what the schema says; write it anew with `go test ./dsl/schema -update`", name)
	}
}

func TestEverythingIsDescribed(t *testing.T) {
	seen := map[string]bool{}
	for _, topic := range Topics() {
		key := fmt.Sprint(topic.Path, topic.Block != nil)
		if seen[key] {
			t.Errorf("%s stands twice", topic.Path)
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
			t.Errorf("%s: the doc is no sentence: %q", topic.Path, doc)
		}
	}
	if len(seen) < 250 {
		t.Errorf("only %d topics", len(seen))
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
		for _, topic := range Lookup(name) {
			got = append(got, topic.Path)
		}
		if !sameWords(strings.Join(got, " "), want) {
			t.Errorf("%q: got %q, want %q", name, got, want)
		}
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
