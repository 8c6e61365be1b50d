package expect

import (
	"bytes"
	"fmt"

	"github.com/hashicorp/hcl/v2"

	"github.com/kind-lab/lab/dsl/diag"
	"github.com/kind-lab/lab/dsl/value"
)

// diagnostic is the verdict as something to say about the condition's place;
// about the place of what could not be evaluated, where that is why.
func (d *Decider) diagnostic(v Verdict, refs []reference, cause *hcl.Diagnostic) *diag.Diagnostic {
	out := &diag.Diagnostic{Severity: diag.SeverityError, Summary: "Expectation not met", Detail: sentence(v.Reason)}
	rng := d.e.Condition.Range()
	if v.Status == Error {
		out.Summary = "Expectation could not be decided"
	}
	if cause != nil {
		out.Summary, out.Detail = cause.Summary, cause.Detail
		if cause.Subject != nil {
			rng = *cause.Subject
		}
	}
	if v.Message != "" {
		out.Detail += "\n\n" + v.Message
	}
	out.Range = &diag.Range{Filename: rng.Filename, Start: position(rng.Start), End: position(rng.End)}
	out.Snippet = d.snippet(rng, refs)
	return out
}

// sentence is a text that begins as it is, and ends as a sentence does.
func sentence(s string) string {
	if s == "" || s[len(s)-1] == '.' {
		return s
	}
	return s + "."
}

func position(p hcl.Pos) diag.Pos { return diag.Pos{Line: p.Line, Column: p.Column, Byte: p.Byte} }

// snippet is the source lines of a range with the references' values; nil
// where the scope does not have the file.
func (d *Decider) snippet(rng hcl.Range, refs []reference) *diag.Snippet {
	file := d.s.Files[rng.Filename]
	if file == nil || !rng.CanSliceBytes(file.Bytes) {
		return nil
	}
	src := file.Bytes
	begin := bytes.LastIndexByte(src[:rng.Start.Byte], '\n') + 1
	end := len(src)
	if n := bytes.IndexByte(src[rng.End.Byte:], '\n'); n >= 0 {
		end = rng.End.Byte + n
	}
	s := &diag.Snippet{
		Context: fmt.Sprintf("expect %q", d.e.Name), Code: string(src[begin:end]), StartLine: rng.Start.Line,
		HighlightStart: rng.Start.Byte - begin, HighlightEnd: rng.End.Byte - begin,
	}
	for _, r := range refs {
		statement := "is " + r.Value
		if r.Value == value.NotObserved {
			statement = "is not known yet"
		}
		s.Values = append(s.Values, diag.Value{Reference: r.Expression, Statement: statement})
	}
	return s
}
