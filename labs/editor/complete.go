package editor

import (
	"context"
	"fmt"
	"path/filepath"
	"sort"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/kind-lab/lab/dsl"
	"github.com/kind-lab/lab/dsl/schema"
)

func (s *server) completion(_ context.Context, p placeParams) (any, error) {
	d, t, err := s.opened(p.TextDocument.URI)
	if err != nil {
		return nil, err
	}
	offset := t.offset(p.Position)
	c := completer{s: s, t: t, offset: offset, cursor: cursorAt(t.content, offset)}
	if c.cursor.argument == "" {
		return completionList{Items: c.body()}, nil
	}
	m, _ := s.loadWith(s.unitOf(d.path), map[string]string{filepath.Base(d.path): repaired(t.content, offset, c.cursor)})
	return completionList{Items: c.expression(m)}, nil
}

// repaired is a source that is being written, made one that can be parsed, so
// that what it declares is known: with a name at the place, without the line of
// the place, or without all from there on.
func repaired(content string, offset int, c cursor) string {
	begin := strings.LastIndexByte(content[:offset], '\n') + 1
	end := len(content)
	if next := strings.IndexByte(content[offset:], '\n'); next >= 0 {
		end = offset + next
	}
	for _, tried := range []string{
		content,
		content[:offset] + "x" + content[offset:],
		content[:begin] + content[end:],
		content[:begin] + strings.Repeat("}\n", max(0, len(c.frames)-1)),
	} {
		if _, diags := dsl.Parse([]byte(tried), ""); !diags.HasErrors() {
			return tried
		}
	}
	return content
}

// completer makes the items for one place.
type completer struct {
	s      *server
	t      text
	offset int
	cursor cursor
}

// item is one that replaces what is written from start to the place.
func (c completer) item(label string, kind, start int, insert, detail, doc string) completionItem {
	item := completionItem{
		Label: label, Kind: kind, Detail: detail,
		TextEdit: &textEdit{Range: c.t.span(start, c.offset), NewText: insert},
	}
	if doc != "" {
		item.Documentation = &markup{"markdown", doc}
	}
	return item
}

// body are the arguments and blocks that may be written at the place, those
// that are required first.
func (c completer) body() []completionItem {
	items := []completionItem{}
	b := c.cursor.block(c.s.options.Verbs.Language())
	if b == nil || len(c.cursor.line) > 1 {
		return items
	}
	start := c.offset
	for start > 0 && isName(c.t.content[start-1]) {
		start--
	}
	written := c.cursor.frames[len(c.cursor.frames)-1].written
	for _, a := range b.Arguments {
		if written[a.Name] || a.Later {
			continue
		}
		item := c.item(a.Name, kindProperty, start, a.Name+" = ", a.Type, a.Doc)
		item.SortText = "1" + a.Name
		if a.Required {
			item.Detail, item.SortText = a.Type+", required", "0"+a.Name
		}
		items = append(items, item)
	}
	for _, below := range b.Blocks {
		if below.Later || below.Unique && written[below.Type] {
			continue
		}
		item := c.item(below.Type, kindClass, start, header(below), "block", below.Summary)
		if c.s.snippets {
			item.TextEdit.NewText, item.InsertTextFormat = snippet(below), 2
		}
		item.SortText = "2" + below.Type
		items = append(items, item)
	}
	return items
}

func header(b *schema.Block) string {
	if len(b.Labels) == 0 {
		return b.Type + " {"
	}
	return b.Type + ` "`
}

// snippet is a block with its required arguments, as clients with snippets take
// it.
func snippet(b *schema.Block) string {
	var out strings.Builder
	out.WriteString(b.Type)
	n := 0
	for _, label := range b.Labels {
		n++
		fmt.Fprintf(&out, ` "${%d:%s}"`, n, label)
	}
	out.WriteString(" {\n")
	for _, a := range b.Arguments {
		if a.Required {
			n++
			fmt.Fprintf(&out, "  %s = $%d\n", a.Name, n)
		}
	}
	if n == len(b.Labels) {
		out.WriteString("  $0\n")
	}
	out.WriteString("}")
	return out.String()
}

// expression are the values and references that may be written at the place.
func (c completer) expression(m *dsl.Module) []completionItem {
	items := []completionItem{}
	var known *schema.Argument
	if b := c.cursor.block(c.s.options.Verbs.Language()); b != nil {
		known = b.Argument(c.cursor.argument)
	}
	if c.cursor.quoted {
		return append(items, c.choices(known, "")...)
	}
	ref, start := reference(c.t.content, c.offset)
	parts := segments(ref)
	if len(parts) > 1 {
		return append(items, c.below(m, parts)...)
	}
	items = append(items, c.choices(known, `"`)...)
	for _, v := range schema.Values() {
		if v.Root && c.mayBegin(v.Name, known) {
			items = append(items, c.item(v.Name, kindVariable, start, v.Name, v.Reference, v.Doc))
		}
	}
	for _, f := range schema.Functions() {
		items = append(items, c.item(f.Name, kindFunction, start, f.Name+"(", f.Signature, f.Doc))
	}
	for _, step := range c.stepNames(m) {
		if !hclsyntax.ValidIdentifier(step) {
			items = append(items, c.item(fmt.Sprintf("step[%q]", step), kindVariable, start, fmt.Sprintf("step[%q]", step), "step", "The result of the step."))
		}
	}
	return items
}

// mayBegin says whether a reference may begin with a root here.
func (c completer) mayBegin(root string, known *schema.Argument) bool {
	switch root {
	case "cluster":
		return known != nil && known.Name == "clusters"
	case "each":
		return len(c.cursor.frames) > 1 && c.cursor.frames[1].kind == "cluster"
	case "matrix":
		return c.cursor.scenario() != ""
	case "var", "local", "path":
		return true
	}
	return known == nil || known.Stage != schema.Load
}

// choices are the values that an argument may have.
func (c completer) choices(known *schema.Argument, quote string) []completionItem {
	var items []completionItem
	if known == nil {
		return nil
	}
	start := c.offset
	for start > 0 && isName(c.t.content[start-1]) {
		start--
	}
	values := known.Values
	if c.cursor.inClusterSets(c.s.options.Verbs.Language()) {
		values = schema.SetNames(c.s.options.ClusterSets)
	}
	if known.Type == "bool" || known.Type == "condition" && quote != "" {
		values, quote = []string{"true", "false"}, ""
	}
	for _, v := range values {
		items = append(items, c.item(v, kindValue, start, quote+v+quote, known.Name, ""))
	}
	return items
}

// below are the names and attributes after a reference that is begun.
func (c completer) below(m *dsl.Module, parts []string) []completionItem {
	last := parts[len(parts)-1]
	start := c.offset - len(last)
	var items []completionItem
	if len(parts) == 2 {
		for _, name := range c.names(m, parts[0]) {
			if hclsyntax.ValidIdentifier(name) {
				items = append(items, c.item(name, kindVariable, start, name, parts[0], ""))
			}
		}
	}
	if v := reached(parts[:len(parts)-1]); v != nil {
		for _, a := range v.Attributes {
			items = append(items, c.item(a.Name, kindField, start, a.Name, a.Type, a.Doc))
		}
	}
	return items
}

// names are the names below a root that the source declares, or its manifests
// as far as they are referred to.
func (c completer) names(m *dsl.Module, root string) []string {
	names := map[string]bool{}
	switch root {
	case "var":
		for _, v := range m.Variables {
			names[v.Name] = true
		}
	case "local":
		for name := range locals(m, c.cursor.scenario()) {
			names[name] = true
		}
	case "cluster":
		for _, cluster := range m.Clusters {
			names[cluster.Block] = true
		}
	case "matrix":
		for _, s := range m.Scenarios {
			if s.Name == c.cursor.scenario() {
				for axis := range s.Extra()["matrix"].Type().AttributeTypes() {
					names[axis] = true
				}
			}
		}
	case "step":
		for _, name := range c.stepNames(m) {
			names[name] = true
		}
	default:
		for _, s := range m.Scenarios {
			for _, step := range s.Steps {
				for _, expr := range step.Expressions() {
					for _, ref := range expr.Variables() {
						if name, ok := nameAfter(ref); ok && ref.RootName() == root {
							names[name] = true
						}
					}
				}
			}
		}
	}
	sorted := make([]string, 0, len(names))
	for name := range names {
		sorted = append(sorted, name)
	}
	sort.Strings(sorted)
	return sorted
}

func nameAfter(ref hcl.Traversal) (string, bool) {
	if len(ref) < 2 {
		return "", false
	}
	attr, ok := ref[1].(hcl.TraverseAttr)
	return attr.Name, ok
}

// stepNames are the steps of the scenario around the place.
func (c completer) stepNames(m *dsl.Module) []string {
	var names []string
	for _, s := range m.Scenarios {
		if s.Name != c.cursor.scenario() {
			continue
		}
		for _, step := range s.Steps {
			names = append(names, step.Name)
		}
		break
	}
	return names
}
