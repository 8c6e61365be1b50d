package console

import (
	"strings"
	"testing"
	"unicode"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"github.com/kind-lab/lab/dsl/value"
)

// parsed is the value of a text as one would write it in a scenario.
func parsed(t *testing.T, text string) (cty.Value, hcl.Diagnostics) {
	t.Helper()
	expr, diags := value.ParseExpression([]byte(text+"\n"), "test")
	if diags.HasErrors() {
		return cty.NilVal, diags
	}
	return expr.Value(nil)
}

// texts are strings that a scenario has to write with care.
var texts = []string{
	"", "plain", "two\nlines\n", "no end\nof line", "${pod.web.ip}\n", "%{ if true }\n", "$${x}\n", "a ${x} b", `"quoted"` + "\n", "EOT\n", "a\nEOT\n", "a\n  EOT\nb\n",
	"a\n\tEOT\n", "EOTs\n", "  indented\nless\n", "\n", "\n\n", "tab\there\n", "\u00a0\n", "é 東京 👩\n", "back\\slash\n", "\x00\n", "a\r\nb\n", "%%{\n", "ends with $\n", "~}\n",
}

// TestAStringIsWrittenAsInAScenario holds that what is printed of a string can be
// taken into a scenario, where it is that string.
func TestAStringIsWrittenAsInAScenario(t *testing.T) {
	for _, text := range texts {
		checkFormat(t, cty.StringVal(text))
		checkFormat(t, cty.ObjectVal(map[string]cty.Value{"a": cty.StringVal(text), "b c": cty.TupleVal([]cty.Value{cty.StringVal(text), cty.StringVal(strings.Repeat("x", 90))})}))
	}
}

func checkFormat(t *testing.T, v cty.Value) {
	t.Helper()
	for _, width := range []int{1, 80} {
		text := Format(v, width)
		if strings.Contains(text, "…") {
			continue
		}
		got, diags := parsed(t, text)
		if diags.HasErrors() || !got.RawEquals(v) {
			t.Errorf("%#v is written as\n%s\nwhich is %#v, %v", v, text, got, diags)
		}
		if i := strings.IndexFunc(text, func(r rune) bool { return r != '\n' && r != '\t' && unicode.IsControl(r) }); i >= 0 {
			t.Errorf("%#v: a control character is in %q", v, text)
		}
	}
}

func FuzzFormat(f *testing.F) {
	for _, text := range texts {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if v := cty.StringVal(text); v.AsString() == text { // cty keeps strings in their normal form
			checkFormat(t, v)
		}
	})
}

func TestWhatIsNotThereIsNamed(t *testing.T) {
	secret := cty.StringVal("hunter22").Mark(value.Sensitive)
	for name, tt := range map[string]struct {
		value     cty.Value
		has, hasn string
	}{
		"not observed":         {cty.UnknownVal(cty.String), "(not observed)", ""},
		"null":                 {cty.NullVal(cty.String), "null", ""},
		"sensitive":            {secret, "(sensitive)", "hunter22"},
		"sensitive, deep":      {cty.ObjectVal(map[string]cty.Value{"key": cty.ListVal([]cty.Value{secret})}), "(sensitive)", "hunter22"},
		"not observed, deep":   {cty.ListVal([]cty.Value{cty.StringVal("a"), cty.UnknownVal(cty.String)}), "(not observed)", ""},
		"sensitive as a whole": {cty.ObjectVal(map[string]cty.Value{"a": cty.StringVal("hunter22")}).Mark(value.Sensitive), "(sensitive)", "hunter22"},
		"an empty list":        {cty.ListValEmpty(cty.String), "[]", ""},
		"an empty object":      {cty.EmptyObjectVal, "{}", ""},
		"a key with a space":   {cty.ObjectVal(map[string]cty.Value{"a b": cty.StringVal(strings.Repeat("x", 99))}), `"a b" = `, ""},
	} {
		for _, width := range []int{1, 80} {
			got := Format(tt.value, width)
			if !strings.Contains(strings.ReplaceAll(strings.ReplaceAll(got, "\n", ""), " ", ""), strings.ReplaceAll(tt.has, " ", "")) || tt.hasn != "" && strings.Contains(got, tt.hasn) {
				t.Errorf("%s, width %d: %q", name, width, got)
			}
		}
	}
}
