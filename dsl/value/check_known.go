package value

import (
	"regexp"
	"slices"
	"strings"

	langschema "github.com/kind-lab/lab/dsl/schema"

	"github.com/zclconf/go-cty/cty"
)

// wording is what a text can be.
type wording struct {
	// of names the attribute that is so, as in "pod.phase"; empty for texts
	// that a scenario writes itself.
	of string
	// all are all of them; where that is nil, form is what they look like, and
	// nil for any.
	all  []string
	form *regexp.Regexp
	// free says that it may be any text at all, a number among them.
	free bool
}

// has says whether a text can be.
func (t *wording) has(text string) bool {
	switch {
	case t.all != nil:
		return slices.Contains(t.all, text)
	case t.form != nil:
		return t.form.MatchString(text)
	}
	return true
}

// closed says whether some text cannot be.
func (t *wording) closed() bool { return t != nil && (t.all != nil || t.form != nil) }

// textsOf are the texts that a value can be; nil for any.
func (s *shape) textsOf() *wording {
	if text, ok := s.text(); ok {
		return &wording{all: []string{text}}
	}
	return s.texts
}

// unionOf are the texts of a value that is one of several.
func unionOf(all []*shape) *wording {
	union := &wording{}
	for _, s := range all {
		t := s.textsOf()
		switch {
		case s.isNull():
			continue
		case t == nil || t.all == nil:
			return sameTexts(all)
		}
		union.all = append(union.all, t.all...)
		if t.of != "" {
			union.of = t.of
		}
	}
	if union.all == nil {
		return nil
	}
	return union
}

// sameTexts are the texts of values that all can be the same; nil otherwise.
func sameTexts(all []*shape) *wording {
	first := all[0].texts
	for _, s := range all {
		if s.texts != first {
			return nil
		}
	}
	return first
}

// kindShape is what is known of the attributes of a kind of value.
type kindShape struct{ attrs map[string]attributeShape }

// attributeShape is what is known of an attribute: its type, the kind of value
// that it or its elements are, and the texts that it can be.
type attributeShape struct {
	ty    cty.Type
	below string
	texts *wording
}

// objectKind is the kind of objects that have no type of their own.
const objectKind = "object"

// kindOfRoot is the kind of the objects below a root.
func kindOfRoot(root string) string {
	if _, ok := KindOf(root); ok {
		return objectKind
	}
	return root
}

// kindsOf are the kinds of values with their attributes, as dsl/schema
// describes them.
func kindsOf(s *schema) map[string]kindShape {
	types := map[string]cty.Type{
		"run": s.run, "line": s.line, "log": s.log, "event": s.event, "container": s.container,
		"pod": s.pod, "job": s.job, "step": s.step, "target": s.target,
	}
	kinds := map[string]kindShape{}
	for _, v := range langschema.Values() {
		ty, ok := types[v.Name]
		if !ok {
			continue
		}
		attrs := map[string]attributeShape{}
		for _, a := range v.Attributes {
			if ty.HasAttribute(a.Name) {
				attrs[a.Name] = attributeShape{ty.AttributeType(a.Name), belowOf(a.Type, types), textsOfAttribute(v.Name, a)}
			}
		}
		kinds[v.Name] = kindShape{attrs}
	}
	kinds[objectKind] = kindShape{map[string]attributeShape{
		"name": {ty: cty.String, texts: &wording{of: "object.name"}}, "uid": {ty: cty.String, texts: &wording{of: "object.uid"}},
		"conditions": {ty: cty.Map(cty.Bool)}, "events": {ty: cty.List(s.event), below: "event"},
		"created_at": {ty: cty.Number}, "gone_at": {ty: cty.Number},
	}}
	return kinds
}

// belowOf is the kind that a type of dsl/schema names, such as container in
// "map(container)"; empty for a plain one.
func belowOf(written string, types map[string]cty.Type) string {
	if i := strings.IndexByte(written, '('); i >= 0 {
		written = strings.TrimSuffix(written[i+1:], ")")
	}
	if _, ok := types[written]; ok {
		return written
	}
	return ""
}

// textsOfAttribute are the texts that an attribute, or each element of it, can
// be.
func textsOfAttribute(kind string, a langschema.Attribute) *wording {
	of := kind + "." + a.Name
	if a.Type != "string" && a.Type != "list(string)" {
		return nil
	}
	t := &wording{of: of, all: a.Values}
	switch of {
	case "pod.ready":
		t.form = regexp.MustCompile(`^\d+/\d+$`)
	case "target.kubernetes":
		t.form = regexp.MustCompile(`^v?\d+\.\d+\.\d+`)
	case "step.stdout", "step.stderr", "log.text", "line.text":
		t.free = true
	}
	return t
}

// kindOfType is the kind of a value, or of its elements, by its type; empty for
// plain ones.
func (s *schema) kindOfType(ty cty.Type) string {
	if ty.IsCollectionType() {
		ty = ty.ElementType()
	}
	if !ty.IsObjectType() {
		return ""
	}
	for kind, known := range map[string]cty.Type{
		"run": s.run, "line": s.line, "log": s.log, "event": s.event, "container": s.container,
		"pod": s.pod, "job": s.job, "step": s.step, "target": s.target,
	} {
		if ty.Equals(known) {
			return kind
		}
	}
	return ""
}
