package value

import (
	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"
)

// shape is what is known of a value before the run.
type shape struct {
	// v is the value with its marks, unknown in whole or in part.
	v cty.Value
	// written says that the value is a text that stands in the expression as
	// it is.
	written bool
	// kind names the kind of value that it is, or that its elements are, such
	// as "container"; empty for plain values.
	kind string
	// attrs are the attributes of an object, where more is known of them than
	// their types; open says that it may have others, of any type.
	attrs map[string]*shape
	open  bool
	// items are the elements of a tuple; elem is what each element of a
	// collection of unknown length is, which list says to be one of a list.
	items []*shape
	elem  *shape
	list  bool
	// either are those of which it is one.
	either []*shape
	// texts are what a text can be; nil for any.
	texts *wording
	// root is set for a root as a whole, such as pod: its objects are by name.
	root string
	// from is the object that it is part of; nil for none. whole says that it
	// is the object itself.
	from  *Reached
	whole bool
}

// anything is a value of which nothing is known.
func anything() *shape { return &shape{v: cty.DynamicVal} }

// typed is a value of which the type is known.
func typed(ty cty.Type) *shape { return &shape{v: cty.UnknownVal(ty)} }

// plain is the value without marks.
func (s *shape) plain() cty.Value {
	v, _ := s.v.UnmarkDeep()
	return v
}

func (s *shape) ty() cty.Type { return s.v.Type() }

// isNull says whether the value is known to be null.
func (s *shape) isNull() bool { return s.v.IsNull() }

// text is the text that the value is known to be; one that is sensitive is not
// looked at, since it would show.
func (s *shape) text() (string, bool) {
	v := s.plain()
	if s.v.HasMarkDeep(Sensitive) || v.Type() != cty.String || !v.IsKnown() || v.IsNull() {
		return "", false
	}
	return v.AsString(), true
}

// unwritten is the shape without the note that it is written out.
func (s *shape) unwritten() *shape {
	if !s.written {
		return s
	}
	plain := *s
	plain.written = false
	return &plain
}

// oneOf is a value that is one of several. unify says that they are converted
// to one type, as the results of a conditional are.
func oneOf(all []*shape, unify bool) *shape {
	var flat []*shape
	for _, s := range all {
		if len(s.either) > 0 {
			flat = append(flat, s.either...)
		} else {
			flat = append(flat, s)
		}
	}
	flat = distinctShapes(flat)
	switch {
	case len(flat) == 0 || len(flat) > maxElements:
		return anything()
	case len(flat) == 1:
		return flat[0].unwritten()
	}
	ty, same := commonType(flat, unify)
	result := &shape{v: cty.UnknownVal(ty), either: flat, kind: flat[0].kind}
	for _, s := range flat {
		if s.kind != result.kind {
			result.kind = ""
		}
	}
	if same {
		result.texts = unionOf(flat)
	}
	return result
}

func distinctShapes(all []*shape) []*shape {
	var kept []*shape
	seen := map[*shape]bool{}
	for _, s := range all {
		if !seen[s] {
			seen[s] = true
			kept = append(kept, s)
		}
	}
	return kept
}

// commonType is the type of a value that is one of several; it says whether
// they have it without being converted. Null has any type.
func commonType(all []*shape, unify bool) (cty.Type, bool) {
	var types []cty.Type
	for _, s := range all {
		if !s.isNull() {
			types = append(types, s.ty())
		}
	}
	if len(types) == 0 {
		return cty.DynamicPseudoType, true
	}
	same := true
	for _, ty := range types {
		if ty == cty.DynamicPseudoType {
			return cty.DynamicPseudoType, false
		}
		same = same && ty.Equals(types[0])
	}
	if same {
		return types[0], true
	}
	if ty, _ := convert.Unify(types); unify && ty != cty.NilType && ty.IsPrimitiveType() {
		return ty, false
	}
	return cty.DynamicPseudoType, false
}

// each applies a step to a value, or to each of those that it may be.
func (s *shape) each(step func(*shape) *shape) *shape {
	if len(s.either) == 0 {
		return step(s)
	}
	var all []*shape
	for _, one := range s.either {
		if !one.isNull() {
			all = append(all, step(one))
		}
	}
	return oneOf(all, false)
}

// entry is a key of a collection with what is there.
type entry struct{ key, value *shape }

// elements are those of a collection; false where not all are known.
func (s *shape) elements() ([]entry, bool) {
	switch v := s.plain(); {
	case len(s.either) > 0 || s.open || s.elem != nil || s.root != "":
		return nil, false
	case s.items != nil:
		all := make([]entry, len(s.items))
		for i, item := range s.items {
			all[i] = entry{constant(number(i)), item}
		}
		return all, len(all) <= maxElements
	case s.attrs != nil:
		var all []entry
		for _, name := range sortedKeys(s.attrs) {
			all = append(all, entry{constant(cty.StringVal(name)), s.attrs[name]})
		}
		return all, len(all) <= maxElements
	case !v.IsKnown() || v.IsNull() || !v.CanIterateElements() || v.LengthInt() > maxElements:
		return nil, false
	}
	unmarked, marks := s.v.Unmark()
	var all []entry
	for it := unmarked.ElementIterator(); it.Next(); {
		key, v := it.Element()
		all = append(all, entry{constant(key), constant(v.WithMarks(marks))})
	}
	return all, true
}

// element is what any element of a collection is.
func (x *examiner) element(s *shape) *shape {
	if len(s.either) > 0 {
		return s.each(x.element)
	}
	if s.elem != nil {
		return s.elem
	}
	if s.root != "" {
		return &shape{v: cty.UnknownVal(x.schema.object(s.root)), kind: kindOfRoot(s.root), open: s.ty() == cty.DynamicPseudoType}
	}
	if all, ok := s.elements(); ok {
		values := make([]*shape, len(all))
		for i, e := range all {
			values[i] = e.value
		}
		return oneOf(values, false)
	}
	if ty := s.ty(); ty.IsCollectionType() {
		one := typed(ty.ElementType())
		one.kind, one.from, one.texts = s.kind, s.from, s.texts
		return one
	}
	return anything()
}

// attribute is what an object has under a name.
func (x *examiner) attribute(s *shape, name string, at hcl.Range) *shape {
	if len(s.either) > 0 {
		return s.each(func(one *shape) *shape { return x.attribute(one, name, at) })
	}
	if s.whole && s.from != nil {
		r := *s.from
		r.Attribute, r.At = name, at
		x.reach(r)
	}
	if found := s.attrs[name]; found != nil {
		return found
	}
	ty := s.ty()
	switch {
	case ty.IsMapType():
		return x.keyed(s, name, at)
	case ty.IsObjectType() && ty.HasAttribute(name):
		v := cty.UnknownVal(ty.AttributeType(name))
		if plain, marks := s.v.Unmark(); plain.IsKnown() && !plain.IsNull() {
			v = plain.GetAttr(name).WithMarks(marks)
		}
		known := x.kinds[s.kind].attrs[name]
		return &shape{v: v, kind: known.below, texts: known.texts, from: s.from}
	case s.open:
		if known, ok := x.kinds[s.kind].attrs[name]; ok {
			return &shape{v: cty.UnknownVal(known.ty), kind: known.below, texts: known.texts}
		}
	}
	return anything()
}

// keyed is what a map, or an object, has under a key that is known.
func (x *examiner) keyed(s *shape, key string, at hcl.Range) *shape {
	if s.kind == "container" && s.from != nil && s.ty().IsMapType() {
		r := *s.from
		r.Attribute, r.Container, r.ContainerAt = "", key, at
		x.reach(r)
	}
	if all, ok := s.elements(); ok {
		for _, e := range all {
			if name, isText := e.key.text(); isText && name == key {
				return e.value
			}
		}
		return anything()
	}
	return x.element(s)
}
