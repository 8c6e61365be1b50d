package value

import (
	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"
)

// reference examines a name with what is taken of it.
func (x *examiner) reference(expr *hclsyntax.ScopeTraversalExpr, in *bindings) *shape {
	t := expr.Traversal
	name := t.RootName()
	if bound := in.lookup(name); bound != nil {
		return x.follow(bound, t[1:], t.SourceRange())
	}
	if v, ok := x.scope.Extra[name]; ok {
		return x.follow(constant(v), t[1:], t.SourceRange())
	}
	switch name {
	case "var":
		return x.follow(constant(orEmpty(x.scope.Vars)), t[1:], t.SourceRange())
	case "local":
		return x.localReference(t)
	case "path":
		return typed(cty.String)
	case "target":
		target := &shape{v: cty.UnknownVal(x.schema.target), kind: "target"}
		return x.follow(target, t[1:], t.SourceRange())
	}
	if namesObjects(name) {
		return x.follow(&shape{v: cty.DynamicVal, root: name}, t[1:], t.SourceRange())
	}
	return anything()
}

// localReference examines local.NAME: one of the scenario's, or the file's.
func (x *examiner) localReference(t hcl.Traversal) *shape {
	name, ok := stepName(t, 1)
	if ok && x.scope.ScenarioLocals[name] != nil {
		return x.follow(x.local(name), t[2:], t.SourceRange())
	}
	if !ok {
		return anything()
	}
	return x.follow(constant(orEmpty(x.scope.Locals)), t[1:], t.SourceRange())
}

// follow takes the steps of a traversal from a value; at is the whole of it.
func (x *examiner) follow(s *shape, t hcl.Traversal, at hcl.Range) *shape {
	for _, step := range t {
		attr, isAttr := step.(hcl.TraverseAttr)
		key, isIndex := indexKey(step)
		switch {
		case isAttr:
			s = x.named(s, attr.Name, attr.SrcRange, at)
		case isIndex:
			s = x.index(s, constant(key), step.SourceRange())
		default:
			return anything()
		}
	}
	return s
}

// named is what has a name below a value: an object of a root, an element of a
// map or an attribute. step is where the name is written, at the whole
// reference.
func (x *examiner) named(s *shape, name string, step, at hcl.Range) *shape {
	switch {
	case s.root != "":
		return x.objectNamed(s.root, name, step)
	case len(s.either) > 0:
		return s.each(func(one *shape) *shape { return x.named(one, name, step, at) })
	case s.ty().IsMapType():
		return x.keyed(s, name, step)
	}
	return x.attribute(s, name, at)
}

// objectNamed is an object of a root.
func (x *examiner) objectNamed(root, name string, at hcl.Range) *shape {
	found := &shape{v: cty.UnknownVal(x.schema.object(root)), kind: kindOfRoot(root), whole: true}
	if _, ofKind := KindOf(root); ofKind {
		found.open = true
		return found
	}
	found.from = &Reached{Root: root, Name: name, At: at, NameAt: at}
	x.reach(*found.from)
	return found
}

// index is an element of a value by its key.
func (x *examiner) index(s, key *shape, at hcl.Range) *shape {
	switch {
	case len(key.either) > 0:
		return key.each(func(one *shape) *shape { return x.index(s, one, at) })
	case len(s.either) > 0:
		return s.each(func(one *shape) *shape { return x.index(one, key, at) })
	}
	if ty := s.ty(); ty.IsMapType() || ty.IsObjectType() || s.root != "" || s.open {
		if as, err := convert.Convert(key.plain(), cty.String); err == nil && as.IsKnown() && !as.IsNull() {
			return x.named(s, as.AsString(), at, at)
		}
		return x.element(s)
	}
	if all, ok := s.elements(); ok {
		at, err := convert.Convert(key.plain(), cty.Number)
		for _, e := range all {
			if err == nil && at.IsKnown() && !at.IsNull() && e.key.plain().RawEquals(at) {
				return e.value
			}
		}
	}
	return x.element(s)
}
