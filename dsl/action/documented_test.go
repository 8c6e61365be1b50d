package action_test

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/hcl/v2"

	"github.com/kind-lab/lab/dsl/action"
	"github.com/kind-lab/lab/dsl/schema"
)

// least are the arguments without which a verb is not complete.
func least(verb string) map[string]string {
	return map[string]map[string]string{
		"apply": {"manifests": `"a"`}, "delete": {"objects": `"pod/a"`}, "patch": {"object": `"pod/a"`, "patch": `{}`},
		"exec": {"pod": `"a"`, "command": `["c"]`}, "signal": {"pod": `"a"`, "container": `"c"`}, "node": {"action": `"stop"`},
		"sleep": {"duration": `"1s"`}, "wait": {"condition": "true"}, "expect": {"condition": "true"}, "invariant": {"condition": "true"},
	}[verb]
}

// with is a step of a verb with one more argument, and without those that it
// excludes.
func with(verb, name, expr string) string {
	arguments := maps.Clone(least(verb))
	switch {
	case verb == "delete" && name == "manifests":
		delete(arguments, "objects")
	case verb == "exec" && (name == "node" || name == "host"):
		delete(arguments, "pod")
	}
	arguments[name] = expr
	var lines []string
	for _, name := range slices.Sorted(maps.Keys(arguments)) {
		lines = append(lines, name+" = "+arguments[name])
	}
	return block(verb, lines...)
}

// samples are values of a type: some that it accepts and one that it refuses.
func samples(a schema.Argument) (good []string, bad string) {
	if len(a.Values) > 0 {
		for _, v := range a.Values {
			good = append(good, `"`+v+`"`, `"`+strings.ToUpper(v)+`"`)
		}
		return good, `"none of them"`
	}
	switch a.Type {
	case "duration":
		return []string{`"1s"`, `"1h2m3.5s"`, `"1ns"`}, "5"
	case "bool":
		return []string{"true", `"true"`, `"${true}"`}, `"yes"`
	case "condition":
		return []string{"true", "false", "target.minor > 28", `pod.web.phase == "Running"`}, `"text"`
	case "any":
		return []string{`"pod/a"`, "3", "[1]", "{ a = null }", "pod.web.conditions"}, "null"
	case "list(string)":
		return []string{`["a"]`, `["a", target.name]`, "target.nodes"}, `"a"`
	case "string or list(string)":
		return []string{`"pod/a"`, `["pod/a", "pod/b"]`, `"pod/${target.name}"`}, "{}"
	case "bool or string":
		return []string{"true", "false", `"a pattern"`, "target.minor > 28"}, "[]"
	}
	if a.Stage == schema.Load {
		return []string{`"a"`, `"${"a"}"`, "local.l"}, "[]"
	}
	return []string{`"pod/a"`, `"${target.name}"`, "target.name"}, "[]"
}

// each calls a function for every argument of every verb.
func each(t *testing.T, do func(t *testing.T, verb string, a schema.Argument)) {
	for verb, block := range verbs(t) {
		for _, a := range block.Arguments {
			t.Run(verb+"."+a.Name, func(t *testing.T) { do(t, verb, a) })
		}
	}
}

// TestDocumentedArgumentsAreAccepted writes each argument in each form of its
// documented type.
func TestDocumentedArgumentsAreAccepted(t *testing.T) {
	each(t, func(t *testing.T, verb string, a schema.Argument) {
		good, _ := samples(a)
		for _, expr := range good {
			if _, problems := read(t, with(verb, a.Name, expr)); problems.HasErrors() {
				t.Errorf("%s is refused: %v", expr, problems)
			}
		}
	})
}

// TestOtherTypesAreRefused writes each argument with a value of another type: one
// mistake, about the value, that names the argument or its type.
func TestOtherTypesAreRefused(t *testing.T) {
	each(t, func(t *testing.T, verb string, a schema.Argument) {
		_, bad := samples(a)
		_, problems := read(t, with(verb, a.Name, bad))
		if len(problems) != 1 || problems[0].Range == nil || problems[0].Snippet == nil {
			t.Fatalf("%s: problems %v", bad, problems)
		}
		s := problems[0].Snippet
		if got := s.Code[s.HighlightStart:s.HighlightEnd]; got != bad {
			t.Errorf("the mistake is about %q, not %q", got, bad)
		}
		if said := problems[0].Detail; !strings.Contains(said, a.Name) || !strings.HasSuffix(said, ".") && !strings.HasSuffix(said, "?") {
			t.Errorf("said: %s", said)
		}
	})
}

// TestStagesAreKept writes each argument with an observed value: one that is
// evaluated before the run must be refused, and any other accepted.
func TestStagesAreKept(t *testing.T) {
	observed := map[string]string{"condition": "target.minor > 28", "list(string)": "target.nodes", "bool": "target.minor > 28", "bool or string": "target.minor > 28"}
	each(t, func(t *testing.T, verb string, a schema.Argument) {
		expr := observed[a.Type]
		if expr == "" {
			expr = "target.name"
		}
		_, problems := read(t, with(verb, a.Name, expr))
		if before := a.Stage == schema.Load; before != problems.HasErrors() || before && (len(problems) != 1 || !strings.Contains(problems[0].Detail, `"target" is known only while a scenario runs`)) {
			t.Errorf("of the stage %s: %v", a.Stage, problems)
		}
	})
}

// TestRequiredArgumentsAreRequired leaves out each argument: only a required one
// is missed.
func TestRequiredArgumentsAreRequired(t *testing.T) {
	each(t, func(t *testing.T, verb string, a schema.Argument) {
		arguments := maps.Clone(least(verb))
		_, written := arguments[a.Name]
		delete(arguments, a.Name)
		var lines []string
		for name, expr := range arguments {
			lines = append(lines, name+" = "+expr)
		}
		_, problems := read(t, block(verb, lines...))
		oneOf := verb == "delete" && a.Name == "objects" || verb == "exec" && a.Name == "pod"
		if !written && a.Required {
			t.Fatal("required, but not among the least arguments")
		}
		if missed := len(problems) == 1 && strings.Contains(problems[0].Detail, `"`+a.Name+`"`); missed != (a.Required || oneOf) || !missed && problems.HasErrors() {
			t.Errorf("required %t: %v", a.Required, problems)
		}
	})
}

// TestDocumentedDefaultsAreDecoded writes each argument with its documented
// default: it must mean the same as leaving it out.
func TestDocumentedDefaultsAreDecoded(t *testing.T) {
	expression := reflect.TypeFor[hcl.Expression]()
	each(t, func(t *testing.T, verb string, a schema.Argument) {
		if a.Default == "" || verb == "exec" && a.Name == "host" {
			return
		}
		omitted, problems := read(t, block(verb, pairs(least(verb))...))
		given, more := read(t, with(verb, a.Name, a.Default))
		if problems.HasErrors() || more.HasErrors() {
			t.Fatal(problems, more)
		}
		of, as := reflect.ValueOf(omitted[0].Action).Elem(), reflect.ValueOf(given[0].Action).Elem()
		for _, f := range reflect.VisibleFields(of.Type()) {
			switch {
			case f.Anonymous || f.Type == reflect.TypeFor[hcl.Range]():
			case f.Type == expression: // evaluated later: nothing stands for the default
				if !of.FieldByIndex(f.Index).IsNil() && as.FieldByIndex(f.Index).IsNil() {
					t.Errorf("%s is lost", f.Name)
				}
			case fmt.Sprint(of.FieldByIndex(f.Index)) != fmt.Sprint(as.FieldByIndex(f.Index)):
				t.Errorf("%s is %v by default, and %v for %s", f.Name, of.FieldByIndex(f.Index), as.FieldByIndex(f.Index), a.Default)
			}
		}
	})
}

func pairs(arguments map[string]string) []string {
	var lines []string
	for _, name := range slices.Sorted(maps.Keys(arguments)) {
		lines = append(lines, name+" = "+arguments[name])
	}
	return lines
}

// TestMisspelledArgumentsAreNamed writes each argument with a letter too many.
func TestMisspelledArgumentsAreNamed(t *testing.T) {
	each(t, func(t *testing.T, verb string, a schema.Argument) {
		good, _ := samples(a)
		_, problems := read(t, with(verb, a.Name+"x", good[0]))
		if len(problems) != 1 || !strings.Contains(problems[0].Detail, `"`+a.Name+`x"`) {
			t.Errorf("problems %v", problems)
		}
	})
}

// TestPlacesOfCommands keeps what says where a command runs.
func TestPlacesOfCommands(t *testing.T) {
	for name, tt := range map[string]struct {
		lines []string
		words string
	}{
		"here":                     {[]string{`host = true`, `command = ["c"]`}, ""},
		"not here":                 {[]string{`host = false`, `command = ["c"]`}, `"host" is false`},
		"not here, by an operator": {[]string{`host = !true`, `command = ["c"]`}, `"host" is false`},
		"not here, but in a pod":   {[]string{`host = false`, `pod = "p"`, `command = ["c"]`}, `"host" is set already`},
		"here by a text":           {[]string{`host = "true"`, `command = ["c"]`}, ""},
		"no program":               {[]string{`pod = "p"`, `command = []`}, "a program at least"},
		"no program in the end":    {[]string{`pod = "p"`, `command = [for c in ["a"] : c if c == "b"]`}, "a program at least"},
		"an observed program":      {[]string{`pod = "p"`, `command = target.nodes`}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			_, problems := read(t, block("exec", tt.lines...))
			if tt.words == "" && problems.HasErrors() || tt.words != "" && (len(problems) != 1 || !strings.Contains(problems[0].Detail, tt.words)) {
				t.Errorf("problems %v, want %q", problems, tt.words)
			}
		})
	}
	_, problems := read(t, block("signal", `pod = "a"`, `container = "b"`, "signal = 9"))
	if len(problems) != 1 || !strings.Contains(problems[0].Detail, `its number in quotes, such as "9"; this is a number, 9.`) {
		t.Errorf("problems %v", problems)
	}
}

// TestLiteral keeps what is a literal.
func TestLiteral(t *testing.T) {
	for src, want := range map[string]bool{
		`"a"`: true, `""`: true, "3": true, "true": true, `"a${"b"}"`: false, "1 + 1": false, "local.l": false, "[1]": false, "-1": false, `"${local.l}"`: false,
	} {
		if got := action.Literal(one[*action.Patch](t, with("patch", "patch", src)).Patch); got != want {
			t.Errorf("%s: got %t", src, got)
		}
	}
	if (action.Times{Within: 1, Hold: 2, Timeout: 4, Duration: 8}).Longest() != 15*time.Nanosecond {
		t.Error("the longest time is not the sum of all")
	}
}
