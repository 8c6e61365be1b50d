package dsl

import (
	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"

	"github.com/kind-lab/lab/dsl/schema"
	"github.com/kind-lab/lab/dsl/value"
)

// maxInstances limits the number of elements of a for_each and of rows of a
// matrix.
const maxInstances = 1000

// dynamic returns the blocks that a dynamic block generates, as in Terraform:
// one for each element of for_each. The iterator, by default a root with the
// name of the type, has the key and the value of the element.
func (l *loader) dynamic(block *hcl.Block, b *schema.Block, in surroundings) []inner {
	kind := block.Labels[0]
	made := b.Block(kind)
	if made == nil || made.Later {
		l.errorf(block.LabelRanges[0], "Unsupported block type", "%s", unknownBlock(b, kind))
		return nil
	}
	found, diags := block.Body.Content(&hcl.BodySchema{
		Attributes: []hcl.AttributeSchema{{Name: "for_each", Required: true}, {Name: "iterator"}, {Name: "labels", Required: len(made.Labels) > 0}},
		Blocks:     []hcl.BlockHeaderSchema{{Type: "content"}},
	})
	l.diags = append(l.diags, diags...)
	if diags.HasErrors() {
		return nil
	}
	if len(found.Blocks) != 1 {
		l.errorf(block.DefRange, "Invalid dynamic block", "A dynamic block must have one content block, which is the content of each generated block; this one has %d.", len(found.Blocks))
		return nil
	}
	iterator, ok := l.iterator(found.Attributes["iterator"], kind)
	if !ok {
		return nil
	}
	var all []inner
	for _, e := range l.elements(l.native(found.Attributes["for_each"]), in, "dynamic block") {
		within := in.with(iterator, cty.ObjectVal(map[string]cty.Value{"key": e.key, "value": e.value}))
		labels, at, ok := l.labels(found.Attributes["labels"], made, within)
		if !ok {
			continue
		}
		copied := *block
		copied.Type, copied.Labels, copied.LabelRanges, copied.Body = kind, labels, at, found.Blocks[0].Body
		all = append(all, inner{&copied, made, within})
	}
	return all
}

func (l *loader) iterator(attr *hcl.Attribute, kind string) (string, bool) {
	if attr == nil {
		return kind, true
	}
	if name := hcl.ExprAsKeyword(attr.Expr); name != "" {
		return name, true
	}
	l.errorf(attr.Expr.Range(), "Invalid iterator", "The iterator is a plain name, without quotes, such as each_image.")
	return "", false
}

// labels evaluates the labels of a generated block.
func (l *loader) labels(attr *hcl.Attribute, made *schema.Block, in surroundings) ([]string, []hcl.Range, bool) {
	if attr == nil {
		return nil, nil, true
	}
	attr = l.native(attr)
	v, ok := l.static(attr, in, cty.List(cty.String))
	if !ok {
		return nil, nil, false
	}
	var labels []string
	var at []hcl.Range
	for _, label := range v.AsValueSlice() {
		labels, at = append(labels, label.AsString()), append(at, attr.Expr.Range())
	}
	if len(labels) != len(made.Labels) {
		l.errorf(attr.Expr.Range(), "Invalid labels", "Blocks of type %q have %d labels; this gives %d.", made.Type, len(made.Labels), len(labels))
		return nil, nil, false
	}
	return labels, at, true
}

// element is an element of a for_each.
type element struct{ key, value cty.Value }

// elements evaluates a for_each: a list, tuple, set, map or object. It returns nil
// if the elements are unknown, or invalid.
func (l *loader) elements(attr *hcl.Attribute, in surroundings, what string) []element {
	v, ok := l.check(attr.Expr, in.static())
	if !ok {
		return nil
	}
	if v.IsMarked() || v.HasMarkDeep(value.Sensitive) {
		l.errorf(attr.Expr.Range(), "Invalid for_each", "The for_each of a %s cannot be sensitive, because lab would show it.", what)
		return nil
	}
	v, _ = v.UnmarkDeep()
	if !v.IsWhollyKnown() {
		return nil // a variable without a value, which is reported elsewhere
	}
	if v.IsNull() || !v.CanIterateElements() {
		l.errorf(attr.Expr.Range(), "Invalid for_each", "The argument \"for_each\" must be a list, a set or a map; this is %s.", value.Format(v))
		return nil
	}
	if v.LengthInt() > maxInstances {
		l.errorf(attr.Expr.Range(), "Too many", "The argument \"for_each\" has %d elements; at most %d are allowed.", v.LengthInt(), maxInstances)
		return nil
	}
	all := []element{}
	for it := v.ElementIterator(); it.Next(); {
		key, e := it.Element()
		all = append(all, element{key, e})
	}
	return all
}

// instances evaluates the for_each of a cluster: a map, or a set of strings. It
// returns nil if the elements are unknown, or invalid.
func (l *loader) instances(attr *hcl.Attribute) []element {
	found := l.elements(attr, surroundings{}, "cluster")
	if found == nil {
		return nil
	}
	all := []element{}
	for _, e := range found {
		key, err := convert.Convert(e.key, cty.String)
		if err != nil || e.key.Type() == cty.Number {
			l.errorf(attr.Expr.Range(), "Invalid for_each",
				"The argument \"for_each\" of a cluster must be a map, or a set of strings: its keys name the clusters. To make a set from a list, use toset().")
			return nil
		}
		all = append(all, element{key, e.value})
	}
	return all
}
