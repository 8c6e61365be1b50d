package diag

import (
	"sort"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/kind-lab/lab/dsl/value"
)

// FromHCL converts HCL's diagnostics, and sorts them by place. files are the
// parsed sources by name, as in dsl.Module. A diagnostic in any other file has no
// snippet.
func FromHCL(diags hcl.Diagnostics, files map[string]*hcl.File) List {
	list := make(List, 0, len(diags))
	for _, d := range diags {
		if d != nil {
			list = append(list, fromHCL(d, files))
		}
	}
	list.Sort()
	return list
}

func fromHCL(d *hcl.Diagnostic, files map[string]*hcl.File) Diagnostic {
	out := Diagnostic{Severity: SeverityError, Summary: d.Summary, Detail: ended(d.Detail)}
	if d.Severity == hcl.DiagWarning {
		out.Severity = SeverityWarning
	}
	if d.Subject == nil {
		return out
	}
	out.Range = rangeOf(*d.Subject)
	if file := files[d.Subject.Filename]; file != nil {
		out.Snippet = NewSnippet(file, *d.Subject)
		if out.Snippet != nil && d.Expression != nil && d.EvalContext != nil {
			out.Snippet.Values = valuesIn(d.Expression, d.EvalContext)
		}
	}
	return out
}

func rangeOf(r hcl.Range) *Range {
	return &Range{
		Filename: r.Filename,
		Start:    Pos{Line: r.Start.Line, Column: r.Start.Column, Byte: r.Start.Byte},
		End:      Pos{Line: r.End.Line, Column: r.End.Column, Byte: r.End.Byte},
	}
}

// NewSnippet returns the lines of a range with what encloses them; nil if the
// file does not have that range.
func NewSnippet(file *hcl.File, r hcl.Range) *Snippet {
	src := file.Bytes
	start, end := r.Start.Byte, max(r.End.Byte, r.Start.Byte)
	if start < 0 || end > len(src) {
		return nil
	}
	first := strings.LastIndexByte(string(src[:start]), '\n') + 1
	if mark := "\xef\xbb\xbf"; first == 0 && start >= len(mark) && strings.HasPrefix(string(src[:start]), mark) {
		first = len(mark) // a byte order mark is no part of the line
	}
	last := len(src)
	until := end
	if end > start && src[end-1] == '\n' {
		until = end - 1 // a range up to the end of a line does not include the next line
	}
	if i := strings.IndexByte(string(src[until:]), '\n'); i >= 0 {
		last = until + i
	}
	code := strings.TrimSuffix(string(src[first:last]), "\r")
	return &Snippet{
		Context: enclosing(file, start), Code: code, StartLine: r.Start.Line,
		HighlightStart: min(start-first, len(code)), HighlightEnd: min(end-first, len(code)),
	}
}

// enclosing names the blocks around an offset, outermost first.
func enclosing(file *hcl.File, offset int) string {
	body, ok := file.Body.(*hclsyntax.Body)
	if !ok {
		return ""
	}
	var names []string
	for body != nil {
		var inner *hclsyntax.Body
		for _, block := range body.Blocks {
			if block.Range().ContainsOffset(offset) && block.Body != nil {
				name := block.Type
				for _, label := range block.Labels {
					name += " " + value.Format(cty.StringVal(label))
				}
				names = append(names, name)
				inner = block.Body
				break
			}
		}
		body = inner
	}
	return strings.Join(names, ", ")
}

// valuesIn returns the values of the references in an expression, sorted. It
// omits whole roots.
func valuesIn(expr hcl.Expression, ctx *hcl.EvalContext) []Value {
	var values []Value
	seen := map[string]bool{}
	for _, ref := range expr.Variables() {
		text := value.FormatTraversal(ref)
		v, diags := ref.TraverseAbs(ctx)
		if len(ref) < 2 || seen[text] || diags.HasErrors() {
			continue
		}
		seen[text] = true
		values = append(values, Value{Reference: text, Statement: statement(v)})
	}
	sort.Slice(values, func(i, j int) bool { return values[i].Reference < values[j].Reference })
	return values
}

// ValuesOf returns the values of references, in their order, for the snippet of a
// verdict.
func ValuesOf(refs []value.Ref) []Value {
	values := make([]Value, 0, len(refs))
	for _, ref := range refs {
		said := "is " + ref.Value
		switch {
		case ref.State == value.Unknown:
			said = "was not observed"
		case ref.Precision > 0:
			said += ", known to " + ref.Precision.String()
		}
		values = append(values, Value{Reference: ref.Expression, Statement: said})
	}
	return values
}

func statement(v cty.Value) string {
	if v.HasMark(value.Sensitive) {
		return "has a sensitive value"
	}
	plain, _ := v.Unmark()
	if !plain.IsKnown() {
		if ty := plain.Type(); ty.IsPrimitiveType() {
			return "is a " + ty.FriendlyName() + " that is not known yet"
		}
		return "is not known yet"
	}
	return "is " + value.Format(v)
}

// ended removes a second punctuation mark at the end of a text. The library adds
// a full stop even to complete sentences.
func ended(text string) string {
	if rest, ok := strings.CutSuffix(text, "."); ok && (strings.HasSuffix(rest, ".") || strings.HasSuffix(rest, "?")) && !strings.HasSuffix(rest, "..") {
		return rest
	}
	return text
}
