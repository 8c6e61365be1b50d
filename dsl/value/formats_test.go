package value

import (
	"math/big"
	"strings"
	"testing"
	"unicode"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
)

// written are values that can be written in a scenario as they are.
func written() []cty.Value {
	texts := []string{"", "a", "ä ö", "a\"b", `a\b`, "a\nb\r\t", "${x}", "%{if}", "$${x}", "%%{x}", "$", "%", "${", "$$", "a$", "\x00\x1b[31m", "\u202e", "\U0001F600", "\U000E0001", "a${b}%{c}$"}
	var all []cty.Value
	for _, text := range texts {
		all = append(all, cty.StringVal(text))
	}
	for _, n := range []string{"0", "1", "-1", "0.5", "-3.25", "123456789012345678901234567890", "0.000000001", "1e-12", "1000000.000001"} {
		all = append(all, cty.MustParseNumberVal(n))
	}
	all = append(all, cty.True, cty.False, cty.NullVal(cty.DynamicPseudoType), cty.EmptyTupleVal, cty.EmptyObjectVal)
	inner := append([]cty.Value(nil), all[:12]...)
	all = append(all, cty.TupleVal(inner), cty.TupleVal([]cty.Value{cty.TupleVal(inner[:3]), cty.NullVal(cty.String), cty.True}))
	attrs := map[string]cty.Value{}
	for i, text := range texts[1:8] {
		attrs[text] = all[i]
	}
	return append(all, cty.ObjectVal(attrs), cty.ObjectVal(map[string]cty.Value{"a-b": cty.True, "if": cty.Zero, "1a": cty.Zero, "null": cty.True}))
}

// TestFormatIsReadBack writes values and reads them again as a scenario would.
func TestFormatIsReadBack(t *testing.T) {
	for _, want := range written() {
		text := Format(want)
		v, diags := (&Scope{}).Eval(parse(t, text))
		if diags.HasErrors() {
			t.Errorf("%s: %v", text, diags)
			continue
		}
		if same(v, want) != True && !(v.IsNull() && want.IsNull()) {
			t.Errorf("%#v is written %s, which is %#v", want, text, v)
		}
		if again := Format(v); again != text {
			t.Errorf("%s is written %s the second time", text, again)
		}
	}
}

// TestFormatIsOneLineOfText holds that no text can reach a terminal as more than
// one line of what is printable, and that long values are cut.
func TestFormatIsOneLineOfText(t *testing.T) {
	long := make([]cty.Value, 3000)
	for i := range long {
		long[i] = cty.StringVal("element")
	}
	deep := cty.StringVal("deep")
	for range 60 {
		deep = cty.TupleVal([]cty.Value{deep})
	}
	values := append(written(), cty.TupleVal(long), deep, cty.StringVal(strings.Repeat("\x1b", 5000)),
		cty.ObjectVal(map[string]cty.Value{strings.Repeat("k", 5000): cty.True, "\n": cty.True}), cty.StringVal("\u2028\u2029\u0085\x7f"))
	for _, v := range values {
		text := Format(v)
		for _, r := range text {
			if unicode.IsControl(r) || !unicode.IsPrint(r) {
				t.Errorf("%q holds %U", text, r)
			}
		}
		if n := len([]rune(text)); n > formatLimit+1 {
			t.Errorf("it has %d characters: %s", n, text)
		}
	}
}

func TestFormatOfWhatIsNotThere(t *testing.T) {
	secret := cty.StringVal("x").Mark(Sensitive)
	for _, tt := range []struct {
		name string
		v    cty.Value
		want string
	}{
		{"an attribute that was not observed is left out", cty.ObjectVal(map[string]cty.Value{"a": cty.UnknownVal(cty.String), "b": cty.True}), `{b = true}`},
		{"an element that was not observed stays", cty.TupleVal([]cty.Value{cty.UnknownVal(cty.String), cty.True}), `[` + NotObserved + `, true]`},
		{"what is sensitive within", cty.TupleVal([]cty.Value{secret, cty.ObjectVal(map[string]cty.Value{"a": secret})}), `[(sensitive), {a = (sensitive)}]`},
		{"sensitive and not observed", cty.UnknownVal(cty.String).Mark(Sensitive), `(sensitive)`},
		{"sensitive null", cty.NullVal(cty.String).Mark(Sensitive), `(sensitive)`},
		{"an open time", timeValue(Time{Seconds: 1.5, Precision: 1e9}), `1.5`},
		{"a set", cty.SetVal([]cty.Value{cty.StringVal("b"), cty.StringVal("a")}), `["a", "b"]`},
		{"a map", cty.MapVal(map[string]cty.Value{"b": cty.Zero, "a": cty.Zero}), `{a = 0, b = 0}`},
		{"nearly a whole number", cty.NumberVal(big.NewFloat(0.99999999999)), `1`},
		{"a tiny negative number", cty.NumberFloatVal(-1e-10), `-1e-10`},
		{"a null list", cty.NullVal(cty.List(cty.String)), `null`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := Format(tt.v); got != tt.want {
				t.Errorf("is %s, want %s", got, tt.want)
			}
		})
	}
}

// TestReferencesAreWrittenBack writes references and reads them again.
func TestReferencesAreWrittenBack(t *testing.T) {
	for src, want := range map[string]string{
		`pod.x.phase`:                         `pod.x.phase`,
		`pod["x"].phase`:                      `pod["x"].phase`,
		`job.a.pod.container["main"].runs[0]`: `job.a.pod.container["main"].runs[0]`,
		`pod.my-app.conditions["a.b/c"]`:      `pod.my-app.conditions["a.b/c"]`,
		`pod.x.container["a\"b"]`:             `pod.x.container["a\"b"]`,
		`pod.x.container["$${a}"]`:            `pod.x.container["$${a}"]`,
		`step["apply it"].error`:              `step["apply it"].error`,
		`var.list.0`:                          `var.list[0]`,
	} {
		expr, ok := parse(t, src).(*hclsyntax.ScopeTraversalExpr)
		if !ok {
			t.Fatalf("%s is no plain reference", src)
		}
		got := FormatTraversal(expr.Traversal)
		if got != want {
			t.Errorf("%s is written %s, want %s", src, got, want)
		}
		again, ok := parse(t, got).(*hclsyntax.ScopeTraversalExpr)
		if !ok || FormatTraversal(again.Traversal) != got {
			t.Errorf("%s is not read back", got)
		}
	}
	splat := hcl.Traversal{hcl.TraverseRoot{Name: "pod"}, hcl.TraverseSplat{Each: hcl.Traversal{hcl.TraverseAttr{Name: "phase"}}}}
	if got := FormatTraversal(splat); got != "pod[*].phase" {
		t.Errorf("a splat is written %s", got)
	}
}

func TestFormat(t *testing.T) {
	for _, tt := range []struct {
		v    cty.Value
		want string
	}{
		{cty.StringVal("a\"b\\\n\x1b[31m${x}%{y}\u202e"), `"a\"b\\\n\u001b[31m$${x}%%{y}\u202e"`},
		{cty.NumberFloatVal(0.1), "0.1"}, {cty.NumberFloatVal(1e-12), "1e-12"}, {cty.NumberIntVal(-3), "-3"},
		{cty.NumberFloatVal(1e100), "1e+100"}, {cty.PositiveInfinity, "+Inf"},
		{cty.ObjectVal(map[string]cty.Value{"a b": cty.True, "c": cty.UnknownVal(cty.Bool), "d": cty.StringVal("x").Mark(Sensitive)}), `{"a b" = true, d = (sensitive)}`},
		{cty.NilVal, "null"},
		{cty.StringVal(strings.Repeat("x", 1000)), `"` + strings.Repeat("x", 239) + "…"},
		{cty.UnknownVal(cty.List(cty.String)), NotObserved},
		{cty.EmptyTupleVal, "[]"},
	} {
		if got := Format(tt.v); got != tt.want {
			t.Errorf("got %s, want %s", got, tt.want)
		}
	}
}
