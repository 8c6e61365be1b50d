package schema_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/kind-lab/lab/dsl/action"
	"github.com/kind-lab/lab/dsl/schema"
)

// paths are the paths of topics.
func paths(topics []schema.Topic) []string {
	var all []string
	for _, topic := range topics {
		all = append(all, topic.Path)
	}
	return all
}

// TestEveryTopicIsFound looks each topic up by its path, with and without dots at
// its ends, and by every end of its path.
func TestEveryTopicIsFound(t *testing.T) {
	language := action.Default().Language()
	sets := []schema.ClusterSet{{Name: "standard", Doc: "Those."}}
	for _, topic := range schema.Topics(language, sets...) {
		for _, name := range []string{topic.Path, "." + topic.Path, topic.Path + ".", strings.TrimSuffix(topic.Path, "()")} {
			if got := paths(schema.Lookup(language, name, sets...)); !slices.Contains(got, topic.Path) {
				t.Errorf("%q finds %q, not %s", name, got, topic.Path)
			}
		}
		if strings.Count(topic.Path, ".") == 0 || topic.Attribute != nil {
			continue
		}
		_, end, _ := strings.Cut(topic.Path, ".")
		found := paths(schema.Lookup(language, end, sets...))
		if len(found) == 0 {
			t.Errorf("the end %q of %s finds nothing", end, topic.Path)
		}
		for _, path := range found {
			if path != end && path != end+"()" && !strings.HasSuffix(path, "."+end) {
				t.Errorf("%q finds %s, which does not end so", end, path)
			}
		}
	}
}

// TestEveryNameIsFound looks up all that is completed, and all that is suggested
// for a name with a letter too many.
func TestEveryNameIsFound(t *testing.T) {
	language := action.Default().Language()
	names := schema.Names(language)
	for _, name := range names {
		if len(schema.Lookup(language, name)) == 0 {
			t.Errorf("%q is completed, and nothing is found", name)
		}
		if strings.HasPrefix(name, "scenario.") || strings.Contains(name, "()") || strings.HasPrefix(name, "finally.") {
			t.Errorf("%q is completed", name)
		}
	}
	for given, want := range map[string]string{
		"expct": "expect", "expect.withn": "expect.within", "loged": "logged", "pod.phas": "pod.phase", "LAB.NAME": "lab.name",
		"zzzzzz": "", "": "", "cluster.kubernets": "cluster.kubernetes", "conteiner.exit_code": "container.exit_code",
	} {
		hint := schema.Suggest(language, given)
		if want == "" && hint != "" || want != "" && hint != ` Did you mean "`+want+`"?` {
			t.Errorf("%q: got %q, want %q", given, hint, want)
		}
		if want != "" && !slices.Contains(names, want) {
			t.Errorf("%q is no name", want)
		}
	}
}

// TestLookupInFinally finds steps of finally if they are named so, and otherwise
// those of a scenario alone.
func TestLookupInFinally(t *testing.T) {
	for name, want := range map[string][]string{
		"finally":                        {"scenario.finally"},
		"finally.sleep":                  {"scenario.finally.sleep"},
		"finally.sleep.duration":         {"scenario.finally.sleep.duration"},
		"scenario.finally.exec.command":  {"scenario.finally.exec.command"},
		"sleep":                          {"scenario.sleep"},
		"sleep.duration":                 {"scenario.sleep.duration"},
		"finally.expect":                 nil,
		"finally.sleep.within":           nil,
		"scenario.finally.sleep.nothing": nil,
	} {
		if got := paths(schema.Lookup(action.Default().Language(), name)); !slices.Equal(got, want) {
			t.Errorf("%q: got %q, want %q", name, got, want)
		}
	}
}

// TestLookupThroughValues follows attributes from each value as far as they lead.
func TestLookupThroughValues(t *testing.T) {
	language := action.Default().Language()
	followed := 0
	var follow func(path string, v *schema.Value, depth int)
	follow = func(path string, v *schema.Value, depth int) {
		for i := range v.Attributes {
			a := &v.Attributes[i]
			name := path + "." + a.Name
			found := schema.Lookup(language, name)
			if !slices.ContainsFunc(found, func(topic schema.Topic) bool { return topic.Attribute != nil && topic.Attribute.Doc == a.Doc }) {
				t.Errorf("%s: found %q", name, paths(found))
			}
			followed++
			if below := a.Below(); below != nil && depth < 3 {
				follow(name, below, depth+1)
			}
			if got := schema.Lookup(language, name+".nothing"); len(got) > 0 {
				t.Errorf("%s.nothing: found %q", name, paths(got))
			}
		}
	}
	for _, v := range schema.Values() {
		follow(v.Name, v, 0)
	}
	if followed < 150 {
		t.Errorf("only %d paths", followed)
	}
	for _, name := range []string{"pod.", ".", "..", "pod..name", "pod.name.name", "nothing.name", "container.log.lines.text.at", " pod"} {
		if got := paths(schema.Lookup(language, name)); name != "pod." && len(got) > 0 {
			t.Errorf("%q: found %q", name, got)
		}
	}
}

// TestFunctionOf finds each function by its name, and nothing else.
func TestFunctionOf(t *testing.T) {
	all := schema.Functions()
	for i, f := range all {
		got, ok := schema.FunctionOf(f.Name)
		if !ok || got != f {
			t.Errorf("%s: got %+v", f.Name, got)
		}
		if i > 0 && all[i-1].Name >= f.Name {
			t.Errorf("%s comes after %s", f.Name, all[i-1].Name)
		}
		if !strings.HasSuffix(f.Signature, ")") || strings.ContainsAny(f.Signature, "*|") || strings.Contains(f.Doc, " | ") {
			t.Errorf("%s: %q, %q", f.Name, f.Signature, f.Doc)
		}
	}
	for _, name := range []string{"", "logged()", "Logged", "nothing", "*logged"} {
		if f, ok := schema.FunctionOf(name); ok {
			t.Errorf("%q: found %+v", name, f)
		}
	}
	for name, own := range map[string]bool{"logged": true, "seconds": true, "length": false, "semver": true, "try": false} {
		if f, _ := schema.FunctionOf(name); f.Own != own {
			t.Errorf("%s is the language's own: %t", name, f.Own)
		}
	}
}
