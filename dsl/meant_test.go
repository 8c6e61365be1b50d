package dsl

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/hashicorp/hcl/v2"

	"github.com/kind-lab/lab/dsl/value"
)

// meant writes what the steps of a module ask for, without where it is written.
// An expression is its value if that is known before the run, otherwise its
// source.
func meant(t *testing.T, m *Module) string {
	t.Helper()
	var b strings.Builder
	for _, s := range m.Scenarios {
		fmt.Fprintf(&b, "scenario %s %q on %q\n", s.Title(), s.Description, clusterNames(s.Clusters))
		for _, name := range sorted(s.Locals) {
			fmt.Fprintf(&b, "  local %s = %s\n", name, sourceOf(m, s.Locals[name]))
		}
		for i, step := range append(s.Steps[:len(s.Steps):len(s.Steps)], s.Finally...) {
			fmt.Fprintf(&b, "  %s %q finally %t\n", step.Verb, step.Name, i >= len(s.Steps))
			dumpFields(&b, reflect.ValueOf(step.Action).Elem(), func(e hcl.Expression) string {
				if e == nil {
					return "-"
				}
				scope := value.Scope{Vars: m.Vars, Locals: m.Locals, Extra: step.Scope(s), Dir: m.FS, PathScenario: m.Dir}
				if v, diags := scope.Eval(e); !diags.HasErrors() && v.IsWhollyKnown() {
					return value.Format(v)
				}
				return sourceOf(m, e)
			})
		}
	}
	return b.String()
}

// sourceOf is an expression as the native syntax writes it: of a JSON string,
// what is in its interpolation.
func sourceOf(m *Module, e hcl.Expression) string {
	src := string(e.Range().SliceBytes(m.Files[e.Range().Filename].Bytes))
	var text string
	if json.Unmarshal([]byte(src), &text) != nil {
		return src
	}
	if inner, ok := strings.CutPrefix(text, "${"); ok && strings.HasSuffix(inner, "}") {
		return strings.TrimSuffix(inner, "}")
	}
	return src
}
