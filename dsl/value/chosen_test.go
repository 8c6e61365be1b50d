package value

import (
	"testing"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"
)

func TestChosenKeepsTheTypeThatIsWritten(t *testing.T) {
	scope := &Scope{
		Vars: cty.ObjectVal(map[string]cty.Value{"on": cty.True, "off": cty.False}),
		ScenarioLocals: map[string]hcl.Expression{
			"which": parse(t, `var.off ? "text" : true`), "loop": parse(t, `local.loop`),
		},
	}
	for src, want := range map[string]string{
		`var.on ? "text" : false`:                         `"text"`,
		`var.off ? "text" : false`:                        `false`,
		`(var.off ? "text" : (var.on ? false : "other"))`: `false`,
		`local.which`:                                     `true`,
		`true`:                                            `true`,
		`pod.x.ready == "1/1" ? "text" : false`:           NotObserved,
	} {
		v, diags := scope.Eval(scope.Chosen(parse(t, src)))
		if diags.HasErrors() || Format(v) != want {
			t.Errorf("%s is %s (%v), want %s", src, Format(v), diags, want)
		}
	}
	if _, diags := scope.Eval(scope.Chosen(parse(t, `local.loop`))); !diags.HasErrors() {
		t.Error("a local that refers to itself has a value")
	}
}
