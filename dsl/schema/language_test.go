package schema_test

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/kind-lab/lab/dsl/action"
	"github.com/kind-lab/lab/dsl/schema"
)

// TestShapeOfTheLanguage checks every block and argument for what its readers
// rely on: names that are identifiers and occur once, stages that there are,
// defaults among the values, and no default where a value is required.
func TestShapeOfTheLanguage(t *testing.T) {
	identifier := regexp.MustCompile(`^[a-z][a-z_]*$`)
	action.Default().Language().Walk(func(path []*schema.Block, b *schema.Block) {
		if !identifier.MatchString(b.Type) || b.Type == "dynamic" {
			t.Errorf("the type %q", b.Type)
		}
		if b.Step != slices.Equal(b.Labels, []string{"name"}) && len(path) > 0 && b.Type != "component" {
			t.Errorf("%s: a step %t with the labels %q", b.Type, b.Step, b.Labels)
		}
		if b.Free && len(b.Arguments) > 0 || b.Verdict && !b.Step || b.Unique && len(b.Labels) > 0 {
			t.Errorf("%s: %+v", b.Type, b)
		}
		seen := map[string]bool{}
		for _, a := range b.Arguments {
			name := b.Type + "." + a.Name
			if !identifier.MatchString(a.Name) || seen[a.Name] || b.Block(a.Name) != nil {
				t.Errorf("%s is no identifier, or is there twice", name)
			}
			seen[a.Name] = true
			if !slices.Contains([]schema.Stage{schema.Load, schema.Begin, schema.Judge}, a.Stage) {
				t.Errorf("%s is of the stage %q", name, a.Stage)
			}
			if a.Required && a.Default != "" {
				t.Errorf("%s is required and has a default", name)
			}
			if len(a.Values) > 0 && a.Default != "" && !slices.Contains(a.Values, strings.Trim(a.Default, `"`)) {
				t.Errorf("%s: the default %s is none of %q", name, a.Default, a.Values)
			}
			if a.Type == "duration" && a.Stage != schema.Load || a.Type == "condition" && b.Step && a.Stage != schema.Judge {
				t.Errorf("%s: a %s of the stage %s", name, a.Type, a.Stage)
			}
			if a.Provider != "" && (b.Type != "cluster" || !strings.Contains(a.Doc, `"`+a.Provider+`"`)) {
				t.Errorf("%s belongs to %q and says %q", name, a.Provider, a.Doc)
			}
		}
	})
}

// TestAttributesOfValues checks the attributes of all values, and that their
// types lead to values that there are.
func TestAttributesOfValues(t *testing.T) {
	plain := []string{"string", "number", "bool", "time", "any", "list(string)", "map(bool)"}
	reached := map[string]bool{}
	for _, v := range schema.Values() {
		if schema.ValueOf(v.Name).Doc != v.Doc || !strings.HasPrefix(v.Reference, v.Name) && v.Root {
			t.Errorf("%s is not found, or its reference is %q", v.Name, v.Reference)
		}
		seen := map[string]bool{}
		for i, a := range v.Attributes {
			if seen[a.Name] || v.Attribute(a.Name) != &v.Attributes[i] {
				t.Errorf("%s.%s is there twice", v.Name, a.Name)
			}
			seen[a.Name] = true
			below := a.Below()
			if (below == nil) != slices.Contains(plain, a.Type) {
				t.Errorf("%s.%s is of the type %q, which leads to %v", v.Name, a.Name, a.Type, below)
			}
			if below != nil {
				reached[below.Name] = true
			}
			for _, value := range a.Values {
				if a.Type != "string" || !strings.Contains(a.Doc, value) {
					t.Errorf("%s.%s: %q is a value of a %s, and is not in %q", v.Name, a.Name, value, a.Type, a.Doc)
				}
			}
		}
		if v.Attribute("nothing") != nil || v.Attribute("") != nil {
			t.Errorf("%s has an attribute that is not there", v.Name)
		}
	}
	for _, v := range schema.Values() {
		if !v.Root && !reached[v.Name] {
			t.Errorf("no attribute leads to %s", v.Name)
		}
	}
	if schema.ValueOf("nothing") != nil || schema.ValueOf("") != nil {
		t.Error("found a value that is not there")
	}
}

// TestFind follows paths of blocks.
func TestFind(t *testing.T) {
	language := action.Default().Language()
	for name, there := range map[string]bool{
		"": true, "scenario": true, "scenario expect": true, "scenario finally sleep": true, "cluster component": true, "variable validation": true,
		"expect": false, "scenario finally expect": false, "scenario nothing": false, "nothing scenario": false, "scenario matrix exclude exclude": false,
	} {
		path := strings.Fields(name)
		b := language.Find(path...)
		if (b != nil) != there || b != nil && len(path) > 0 && b.Type != path[len(path)-1] {
			t.Errorf("%q: found %v", name, b)
		}
	}
	sleep := language.Find("scenario", "sleep")
	if got := sleep.Names(); !slices.Equal(got, []string{"duration"}) || sleep.Argument("durations") != nil || sleep.Argument("duration") != &sleep.Arguments[0] {
		t.Errorf("sleep has %q", got)
	}
	if got := language.Find("locals").Names(); got != nil {
		t.Errorf("locals has %q", got)
	}
}

// TestWalk visits every block once, after the blocks that contain it.
func TestWalk(t *testing.T) {
	language := action.Default().Language()
	var visited []string
	language.Walk(func(path []*schema.Block, b *schema.Block) {
		names := make([]string, 0, len(path)+1)
		for _, p := range append(path, b) { // what a visit does with its path is its own matter
			names = append(names, p.Type)
		}
		name := strings.Join(names, ".")
		if slices.Contains(visited, name) {
			t.Errorf("%s is visited twice", name)
		}
		if len(path) > 0 && !slices.Contains(visited, strings.Join(names[:len(names)-1], ".")) {
			t.Errorf("%s is visited before what contains it", name)
		}
		if language.Find(names...) != b {
			t.Errorf("%s is another block", name)
		}
		visited = append(visited, name)
	})
	count := 0
	var all func(b *schema.Block)
	all = func(b *schema.Block) {
		for _, inner := range b.Blocks {
			count++
			all(inner)
		}
	}
	all(language)
	if len(visited) != count || count < 25 {
		t.Errorf("visited %d of %d blocks", len(visited), count)
	}
}

// TestJSONOfTheLanguage writes the language as JSON and reads it: programs rely on
// its names.
func TestJSONOfTheLanguage(t *testing.T) {
	language := action.Default().Language()
	data, err := json.Marshal(language)
	if err != nil {
		t.Fatal(err)
	}
	var back schema.Block
	if err := json.Unmarshal(data, &back); err != nil {
		t.Fatal(err)
	}
	if schema.Reference(&back) != schema.Reference(language) {
		t.Error("the reference of what was read is another")
	}
	for _, want := range []string{`"type":"scenario"`, `"labels":["name"]`, `"required":true`, `"stage":"judge"`, `"stage":"load"`, `"default":"\"1m\""`, `"provider":"existing"`, `"path":true`, `"later":true`, `"unique":true`, `"free":true`, `"step":true`} {
		if !strings.Contains(string(data), want) {
			t.Errorf("%s is not in it", want)
		}
	}
}

// TestReferenceOfABlock writes the reference of a small language: what it has must
// be in it, and a bar in a text must not end a cell of a table.
func TestReferenceOfABlock(t *testing.T) {
	text := schema.Reference(schema.Language([]*schema.Block{{
		Type: "greet", Labels: []string{"name"}, Step: true, Verdict: true, Summary: "Greets a|b.", Doc: "At length.", Example: "greet \"x\" {}",
		Arguments: []schema.Argument{
			{Name: "whom", Type: "string", Required: true, Stage: schema.Begin, Doc: "Either | or."},
			{Name: "how", Type: "string", Default: `"loud"`, Values: []string{"loud", "low"}, Stage: schema.Load, Doc: "The voice."},
			{Name: "when", Type: "condition", Stage: schema.Judge, Later: true, Doc: "The time."},
		},
	}}))
	for _, want := range []string{
		"| [`greet NAME`](#greet) | `scenario` | Greets a\\|b. |", "### greet\n\nGreets a|b.\n\nAt length.\n", "```hcl\ngreet \"x\" {}\n```",
		"| `whom` | string | required | when the step begins | Either \\| or. |",
		"| `how` | string | `\"loud\"` | before the run | The voice. One of `loud`, `low`. |",
		"| `when` | condition | – | at every observation | The time. This version does not support it yet. |",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in the reference", want)
		}
	}
	if strings.Contains(text, "### expect\n") || strings.Count(text, "### greet") != 1 {
		t.Error("the reference has another verb, or has greet twice")
	}
	if schema.Language(nil).Find("scenario", "finally", "greet") != nil {
		t.Error("finally has a step of another language")
	}
}
