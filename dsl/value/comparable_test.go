package value

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/zclconf/go-cty/cty"
)

// TestComparisonsThatTurnOutImpossible evaluates comparisons of values whose
// types are known only in the run.
func TestComparisonsThatTurnOutImpossible(t *testing.T) {
	scope := &Scope{
		Objects: map[ObjectKey]*Object{{Kind{"v1", "Service"}, "web"}: {Name: "web", Fields: map[string]any{
			"spec": map[string]any{"port": "http", "on": true, "list": []any{"a"}, "none": nil},
		}}},
		Vars:  cty.ObjectVal(map[string]cty.Value{"n": cty.NumberIntVal(5), "s": cty.StringVal("hunter2").Mark(Sensitive)}),
		Extra: map[string]cty.Value{"unknown": cty.UnknownVal(cty.Number)},
		Dir:   fstest.MapFS{},
	}
	for src, want := range map[string]string{
		`object("v1", "Service", "web").spec.port == 5`:      "the left side is a string and the right side a number, which are never equal. Convert the string with tonumber(), or the number with tostring()",
		`object("v1", "Service", "web").spec.port != 5`:      "never equal",
		`service.web.spec.port == 5`:                         "never equal",
		`service.web.spec.on == "true"`:                      "the left side is a bool and the right side a string, which are never equal. Convert both to strings with tostring()",
		`service.web.spec.list == "a"`:                       "the left side is a list and the right side a string, which are never equal. Use contains() to check whether a list has a value",
		`service.web.spec == 5`:                              "the left side is an object",
		`jsondecode("{\"a\": \"1\"}").a == 1`:                "tonumber()",
		`1 == "1"`:                                           "tonumber()",
		`var.n == var.s`:                                     "never equal",
		`alltrue([for p in [service.web] : p.spec.on == 1])`: "never equal",
		`unknown == "x"`:                                     "",
		`service.web.spec.none == 5`:                         "",
		`service.web.spec.port == null`:                      "",
		`service.web.spec.never == 5`:                        "",
		`service.other.spec.port == 5`:                       "",
		`service.web.spec.list == ["a"]`:                     "",
		`service.web.spec == {}`:                             "",
		`[1] == ["1"]`:                                       "",
		`tostring(var.n) == "5"`:                             "",
		`service.web.spec.port == "http"`:                    "",
	} {
		t.Run(src, func(t *testing.T) {
			v, diags := scope.Eval(parse(t, src))
			switch text := diags.Error(); {
			case want == "" && diags.HasErrors():
				t.Errorf("%s: want a value", text)
			case want != "" && !diags.HasErrors():
				t.Errorf("is %s, want an error", Format(v))
			case want != "" && !strings.Contains(text, want):
				t.Errorf("said %s\nwant %s", text, want)
			case strings.Contains(text, "hunter2"):
				t.Error("what is sensitive shows")
			}
		})
	}
}
