package console

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/hashicorp/hcl/v2/hclwrite"
	"github.com/zclconf/go-cty/cty"

	"github.com/kind-lab/lab/dsl/value"
)

// maxDepth bounds how deep a value is written on lines of its own.
const maxDepth = 32

// Format writes a value as one would in a scenario: on one line where it fits
// within width, else on several, whole. What was not observed is "(not
// observed)", what is sensitive "(sensitive)". Of control characters it holds
// none but newlines.
func Format(v cty.Value, width int) string {
	p := &printer{width: width}
	p.value(v, 0, 0)
	return p.String()
}

type printer struct {
	strings.Builder
	width int
}

// value writes v, of which the first line begins at a column.
func (p *printer) value(v cty.Value, depth, column int) {
	if v == cty.NilVal || v.HasMark(value.Sensitive) {
		p.WriteString(value.Format(v))
		return
	}
	v, _ = v.Unmark()
	ty := v.Type()
	switch {
	case !v.IsKnown() || v.IsNull():
		p.WriteString(value.Format(v))
	case ty == cty.String:
		p.text(v, depth)
	case !v.CanIterateElements() || depth >= maxDepth:
		p.WriteString(value.Format(v))
	case p.short(v, column):
	case ty.IsObjectType() || ty.IsMapType():
		p.object(v, depth)
	default:
		p.list(v, depth)
	}
}

// short writes a value on one line where it fits and nothing is left out.
func (p *printer) short(v cty.Value, column int) bool {
	if v.LengthInt() > 0 && !v.IsWhollyKnown() {
		return false
	}
	s := value.Format(v)
	if utf8.RuneCountInString(s)+column > p.width || strings.HasSuffix(s, "…") {
		return false
	}
	p.WriteString(s)
	return true
}

// text writes a string: one of whole lines as a heredoc, where nothing is
// around it and its characters can be shown.
func (p *printer) text(v cty.Value, depth int) {
	s := v.AsString()
	if depth == 0 && strings.HasSuffix(s, "\n") && printable(s) {
		p.WriteString("<<EOT\n" + s + "EOT")
		return
	}
	p.Write(hclwrite.TokensForValue(v).Bytes())
}

// printable says that a heredoc of the string is the string: no line of it ends
// the heredoc, and nothing in it is a template.
func printable(s string) bool {
	for _, r := range s {
		if r != '\n' && r != '\t' && !unicode.IsPrint(r) {
			return false
		}
	}
	for line := range strings.Lines(s) {
		if strings.TrimSpace(line) == "EOT" {
			return false
		}
	}
	return !strings.Contains(s, "${") && !strings.Contains(s, "%{")
}

func (p *printer) object(v cty.Value, depth int) {
	p.WriteString("{\n")
	indent := strings.Repeat("  ", depth+1)
	for it := v.ElementIterator(); it.Next(); {
		key, element := it.Element()
		key, _ = key.Unmark()
		name := key.AsString()
		if !hclsyntax.ValidIdentifier(name) {
			name = value.Format(key)
		}
		p.WriteString(indent + name + " = ")
		p.value(element, depth+1, len(indent)+len(name)+3)
		p.WriteString("\n")
	}
	p.WriteString(indent[2:] + "}")
}

func (p *printer) list(v cty.Value, depth int) {
	p.WriteString("[\n")
	indent := strings.Repeat("  ", depth+1)
	for it := v.ElementIterator(); it.Next(); {
		_, element := it.Element()
		p.WriteString(indent)
		p.value(element, depth+1, len(indent)+1)
		p.WriteString(",\n")
	}
	p.WriteString(indent[2:] + "]")
}
