package dsl

import (
	"strings"
	"testing"

	"github.com/hashicorp/hcl/v2"

	"github.com/kind-lab/lab/dsl/value"
)

func TestParseExpression(t *testing.T) {
	tests := []struct{ src, want, problem string }{
		{"1 + 2", "3", ""},
		{"1e3", "1000", ""},
		{"2.5e+00003", "2500", ""},
		{"1e99999999", "", "Number out of range"},
		{"[1, -1E-99999999]", "", "Number out of range"},
		{"1 +", "", "Missing expression"},
		{strings.Repeat("(", 5000) + "1", "", "Too complicated"},
	}
	for _, tt := range tests {
		expr, diags := ParseExpression([]byte(tt.src), "test", hcl.Pos{Line: 7, Column: 1})
		if tt.problem != "" {
			if !diags.HasErrors() || diags[0].Summary != tt.problem || diags[0].Subject.Start.Line != 7 {
				t.Errorf("%.20s: %v, want %q on line 7", tt.src, diags, tt.problem)
			}
			continue
		}
		v, more := (&value.Scope{}).Eval(expr)
		if diags = append(diags, more...); diags.HasErrors() || value.Format(v) != tt.want {
			t.Errorf("%s: %s, %v; want %s", tt.src, value.Format(v), diags, tt.want)
		}
	}
}
