package action_test

import (
	"slices"
	"testing"
	"time"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"github.com/kind-lab/lab/dsl/action"
	"github.com/kind-lab/lab/dsl/schema"
)

// recorder is the Arguments of a block in which no argument is written. It notes
// how each argument is asked for.
type recorder struct {
	asked    map[string][]string
	mistakes []string
}

func (r *recorder) note(method, name string) { r.asked[name] = append(r.asked[name], method) }

func (r *recorder) expr(method, name string) hcl.Expression {
	r.note(method, name)
	return nil
}

func (r *recorder) Name() string     { return "x" }
func (r *recorder) Range() hcl.Range { return hcl.Range{Filename: "f"} }
func (r *recorder) Attribute(name string) *hcl.Attribute {
	r.note("Attribute", name)
	return nil
}
func (r *recorder) Mistake(_ hcl.Range, summary, _ string, _ ...any) {
	r.mistakes = append(r.mistakes, summary)
}
func (r *recorder) Text(name, _ string) hcl.Expression     { return r.expr("Text", name) }
func (r *recorder) Texts(name, _, _ string) hcl.Expression { return r.expr("Texts", name) }
func (r *recorder) List(name, _, _ string) hcl.Expression  { return r.expr("List", name) }
func (r *recorder) Value(name, _ string) hcl.Expression    { return r.expr("Value", name) }
func (r *recorder) Condition(name string) hcl.Expression   { return r.expr("Condition", name) }
func (r *recorder) Message(name string) hcl.Expression     { return r.expr("Message", name) }

func (r *recorder) Check(hcl.Expression) (cty.Value, bool) { return cty.NilVal, false }
func (r *recorder) Known(hcl.Expression) (cty.Value, bool) { return cty.NilVal, false }

func (r *recorder) String(name string) string {
	r.note("String", name)
	return ""
}

func (r *recorder) Flag(name string) bool {
	r.note("Flag", name)
	return false
}

func (r *recorder) Choice(name string) string {
	r.note("Choice", name)
	return ""
}

func (r *recorder) Duration(name string) time.Duration {
	r.note("Duration", name)
	return time.Second
}

func (r *recorder) OptionalDuration(name string) *time.Duration {
	r.note("OptionalDuration", name)
	return nil
}

// verbs are the blocks of all verbs, by their names.
func verbs(t *testing.T) map[string]*schema.Block {
	t.Helper()
	all := map[string]*schema.Block{}
	for _, b := range action.Default().Language().Block("scenario").Blocks {
		if b.Step {
			all[b.Type] = b
		}
	}
	if len(all) != len(action.Default().Names()) {
		t.Fatalf("%d blocks for the verbs %v", len(all), action.Default().Names())
	}
	return all
}

// TestDecodersAskForWhatIsDocumented decodes a block of each verb: the decoder
// must ask for every documented argument, for no other, and in the way that its
// type and its stage say.
func TestDecodersAskForWhatIsDocumented(t *testing.T) {
	for verb, block := range verbs(t) {
		t.Run(verb, func(t *testing.T) {
			r := &recorder{asked: map[string][]string{}}
			if action.Default().Decode(verb, r) == nil {
				t.Fatal("no action")
			}
			for name := range r.asked {
				if block.Argument(name) == nil {
					t.Errorf("asks for %q, which is not documented", name)
				}
			}
			for _, a := range block.Arguments {
				if ways := r.asked[a.Name]; !slices.Contains(ways, method(a)) {
					t.Errorf("%s is a %s of the stage %s, and is asked for by %v, not by %s", a.Name, a.Type, a.Stage, ways, method(a))
				}
			}
		})
	}
}

// method is how an argument is decoded, by its documentation.
func method(a schema.Argument) string {
	switch {
	case a.Type == "duration" && a.Name == "grace_period":
		return "OptionalDuration"
	case a.Type == "duration":
		return "Duration"
	case a.Type == "bool":
		return "Flag"
	case a.Type == "condition":
		return "Condition"
	case a.Type == "any":
		return "Value"
	case a.Type == "list(string)":
		return "List"
	case a.Type == "string or list(string)":
		return "Texts"
	case a.Type == "bool or string": // of two types: decoded as it is written
		return "Attribute"
	case a.Stage == schema.Judge:
		return "Message"
	case a.Stage == schema.Begin:
		return "Text"
	case len(a.Values) > 0:
		return "Choice"
	}
	return "String"
}

// TestAnEmptyBlockHasItsMistakes keeps which decoders find by themselves that
// something is missing; required arguments are not theirs.
func TestAnEmptyBlockHasItsMistakes(t *testing.T) {
	want := map[string][]string{"delete": {"Missing argument"}, "exec": {"Missing argument"}}
	for verb := range verbs(t) {
		r := &recorder{asked: map[string][]string{}}
		action.Default().Decode(verb, r)
		if !slices.Equal(r.mistakes, want[verb]) {
			t.Errorf("%s: mistakes %q, want %q", verb, r.mistakes, want[verb])
		}
	}
	r := &recorder{asked: map[string][]string{}}
	if a := action.Default().Decode("greet", r); a != nil || len(r.asked) > 0 || len(r.mistakes) > 0 {
		t.Errorf("decoded an unknown verb to %T: %+v", a, r)
	}
}

// TestTablesAreImmutable adds verbs to a table in two ways: neither must see the
// other's, and the table must stay as it is.
func TestTablesAreImmutable(t *testing.T) {
	verb := func(name string) action.Verb {
		return action.Verb{Block: schema.Block{Type: name, Summary: "S.", Example: name + " \"x\" {}"}, Timeout: "1m",
			Decode: func(action.Arguments) action.Action { return &action.Apply{} }}
	}
	base, err := action.Table{}.With(verb("one"))
	if err != nil {
		t.Fatal(err)
	}
	left, errLeft := base.With(verb("left"))
	right, errRight := base.With(verb("right"))
	if errLeft != nil || errRight != nil {
		t.Fatal(errLeft, errRight)
	}
	own := func(table action.Table) []string { return table.Names()[len(action.Default().Names()):] }
	for name, tt := range map[string]struct {
		table action.Table
		want  []string
	}{
		"the zero value": {action.Table{}, nil}, "the default": {action.Table{}.OrDefault(), nil}, "the base": {base, []string{"one"}},
		"one": {left, []string{"one", "left"}}, "the other": {right, []string{"one", "right"}}, "of one again": {left.OrDefault(), []string{"one", "left"}},
	} {
		if got := own(tt.table); !slices.Equal(got, tt.want) {
			t.Errorf("%s has %q, want %q", name, got, tt.want)
		}
	}
	language := left.Language()
	if language.Find("scenario", "finally", "left") == nil || language.Find("scenario", "right") != nil || action.Default().Acts("left") || !left.Acts("left") {
		t.Error("the language has not the verbs of its table")
	}
	before := len(language.Find("scenario", "left").Arguments)
	if again := len(left.Language().Find("scenario", "left").Arguments); again != before || before != 2 {
		t.Errorf("%d arguments, and then %d", before, again)
	}
	if _, err := base.With(verb("two"), verb("two")); err == nil {
		t.Error("added a verb twice")
	}
}
