package expect

import (
	"github.com/hashicorp/hcl/v2"

	"github.com/kind-lab/lab/dsl/diag"
	"github.com/kind-lab/lab/dsl/value"
)

// diagnostic is the verdict as something to say about the condition's place;
// about the place of what could not be evaluated, where that is why.
func (d *Decider) diagnostic(v Verdict, refs []reference, cause *hcl.Diagnostic) *diag.Diagnostic {
	about := hcl.Diagnostic{
		Severity: hcl.DiagError, Summary: d.titles[0], Detail: sentence(v.Reason),
		Subject: d.e.Condition.Range().Ptr(),
	}
	if v.Status == Error {
		about.Summary = d.titles[1]
	}
	if cause != nil {
		about.Summary, about.Detail = cause.Summary, cause.Detail
		if cause.Subject != nil {
			about.Subject = cause.Subject
		}
	}
	if v.Message != "" {
		about.Detail += "\n\n" + v.Message
	}
	out := diag.FromHCL(hcl.Diagnostics{&about}, d.s.Files)[0]
	if out.Snippet != nil {
		out.Snippet.Values = statements(refs)
	}
	return &out
}

// statements say of references what they are.
func statements(refs []reference) []diag.Value {
	var all []diag.Value
	for _, r := range refs {
		statement := "is " + r.Value
		if r.Value == value.NotObserved {
			statement = "is unknown"
		}
		all = append(all, diag.Value{Reference: r.Expression, Statement: statement})
	}
	return all
}

// sentence is a text that ends as a sentence does.
func sentence(s string) string {
	if s == "" || s[len(s)-1] == '.' {
		return s
	}
	return s + "."
}
