package dsl

import (
	"strings"
	"testing"
	"testing/fstest"
)

// TestLimitsOfEverySource keeps the limits of an expression wherever a text is
// parsed: beyond them the parser uses up the stack, which ends the program.
func TestLimitsOfEverySource(t *testing.T) {
	const many = 3_000
	for name, tt := range map[string]struct{ expr, want string }{
		"nested brackets":  {strings.Repeat("(", many) + "1" + strings.Repeat(")", many), "nested at most 100"},
		"nested lists":     {strings.Repeat("[", many) + strings.Repeat("]", many), "nested at most 100"},
		"nested objects":   {strings.Repeat("{a=", many) + "1" + strings.Repeat("}", many), "nested at most 100"},
		"never closed":     {strings.Repeat("[", many), "nested at most 100"},
		"a long sum":       {"1" + strings.Repeat("+1", many), "at most 1000 operators"},
		"many signs":       {strings.Repeat("-", many) + "1", "at most 1000 operators"},
		"many negations":   {strings.Repeat("!", many) + "true", "at most 1000 operators"},
		"many conditions":  {strings.Repeat("true ? 1 : ", many) + "1", "at most 1000 operators"},
		"many attributes":  {"var.x" + strings.Repeat(".a", many), "at most 1000 operators"},
		"a great exponent": {"1e99999999", "at most 4 digits"},
		"a tiny number":    {"1E-99999999", "at most 4 digits"},
		"with zeros":       {"2.5e+0000099999", "at most 4 digits"},
		"the greatest":     {"1e9999", ""},
		"zeros alone":      {"1e000000001", ""},
		"hexadecimal text": {`"5e12345678"`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			checkLimit(t, "x.hcl", "locals {\n  x = "+tt.expr+"\n}\n", Options{}, tt.want)
			checkLimit(t, "x.hcl.json", `{"locals": {"x": `+quote(t, "${"+tt.expr+"}")+`}}`, Options{}, tt.want)
			checkLimit(t, "x.hcl.json", `{"locals": {"x": `+quote(t, "text ${"+tt.expr+"} text")+`}}`, Options{}, tt.want, "string required")
			const declared = "variable \"v\" {\n  type = any\n}\n"
			checkLimit(t, "x.hcl", declared, Options{Vars: map[string]string{"v": tt.expr}}, tt.want)
			env := func(name string) (string, bool) { return tt.expr, name == "LAB_VAR_v" }
			checkLimit(t, "x.hcl", declared, Options{Env: env}, tt.want)
		})
	}
}

// checkLimit loads a file. There must be one mistake with the words, or none if
// want is empty, beside mistakes that have also.
func checkLimit(t *testing.T, file, src string, opts Options, want string, also ...string) {
	t.Helper()
	_, list := LoadFS(fstest.MapFS{file: {Data: []byte(src)}}, file, opts)
	list = mistakes(list)
	if want == "" && len(also) > 0 && len(list) > 0 {
		return
	}
	if want == "" && len(list) > 0 || want != "" && (len(list) != 1 || !strings.Contains(list[0].Detail, want)) {
		t.Errorf("%s %.60q: got %.300q, want %q", file, src, list.Error(), want)
	}
}

// TestNumbersOutOfRange keeps the limit of numbers that are no expressions.
func TestNumbersOutOfRange(t *testing.T) {
	for name, tt := range map[string]struct {
		number string
		ok     bool
	}{
		"a great number": {"1e99999999", false}, "a tiny number": {"1e-99999999", false}, "the greatest": {"1e9999", true},
		"the tiniest": {"1e-9999", true}, "one": {"1", true}, "zero": {"0", true}, "negative": {"-1e99999", false},
	} {
		t.Run(name, func(t *testing.T) {
			_, inJSON := LoadFS(fstest.MapFS{"x.hcl.json": {Data: []byte(`{"locals": {"x": [` + tt.number + `]}}`)}}, "x.hcl.json", Options{})
			given := Options{Vars: map[string]string{"n": tt.number}}
			_, asText := LoadFS(fstest.MapFS{"x.hcl": {Data: []byte("variable \"n\" {\n  type = number\n}\n")}}, "x.hcl", given)
			for from, list := range map[string][]string{"JSON": details(mistakes(inJSON)), "--var": details(mistakes(asText))} {
				if tt.ok && len(list) > 0 || !tt.ok && (len(list) != 1 || !strings.Contains(list[0], "at most 4 digits")) {
					t.Errorf("%s: got %q", from, list)
				}
			}
		})
	}
}

// TestLongExponent finds what may be a number with a long exponent, and takes no
// notice of words and short numbers.
func TestLongExponent(t *testing.T) {
	for text, want := range map[string]bool{
		"": false, "e99999": false, "1e": false, "1e1234": false, "1e12345": true, "1E+12345": true, "1e-12345": true, "x1e12345": true,
		"1e+": false, "one12345": false, "1e1e12345": true, "1e123 45": false, "e": false, "0e00000": true, "1.5e12345": true,
	} {
		if got := longExponent([]byte(text)); got != want {
			t.Errorf("%q: got %t", text, got)
		}
	}
}

// TestLongLocals evaluates a long chain of locals, whose values depend on one
// another from the first to the last.
func TestLongLocals(t *testing.T) {
	const n = 500
	var b strings.Builder
	b.WriteString("locals {\n")
	for i := range n {
		b.WriteString("  l" + strings.Repeat("x", i) + " = local.l" + strings.Repeat("x", i+1) + "\n")
	}
	b.WriteString("  l" + strings.Repeat("x", n) + " = 7\n}\n")
	if got := localOf(good(t, b.String(), Options{}), "l"); got != "7" {
		t.Errorf("got %s", got)
	}
}
