package dsl

import (
	"slices"
	"sort"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"
)

// localsIn collects the locals of some blocks by name, with the names in the
// order in which they are written. taken are names that are already in use, with
// their places.
func (l *loader) localsIn(blocks []inner, taken map[string]hcl.Range) (map[string]*hcl.Attribute, []string) {
	found, names := map[string]*hcl.Attribute{}, []string{}
	for _, block := range blocks {
		for name, attr := range l.content(block.Body, block.schema, block.in).args {
			if first, ok := taken[name]; ok {
				l.errorf(attr.NameRange, "Duplicate local", "There is a local %q already, at %s. Give this one another name.", name, FormatRange(first))
				continue
			}
			taken[name] = attr.NameRange
			found[name] = attr
			names = append(names, name)
		}
	}
	sort.Slice(names, func(i, j int) bool {
		a, b := found[names[i]].Range, found[names[j]].Range
		if a.Filename != b.Filename {
			return a.Filename < b.Filename
		}
		return a.Start.Byte < b.Start.Byte
	})
	return found, names
}

// locals evaluates the file's locals, each after the locals that it uses.
func (l *loader) locals(blocks []inner) {
	l.taken = map[string]hcl.Range{}
	attrs, names := l.localsIn(blocks, l.taken)
	all := map[string]cty.Value{}
	for _, name := range names {
		all[name] = cty.DynamicVal
	}
	l.scope.Locals = cty.ObjectVal(all)
	state := map[string]int{} // 1 while it is evaluated, 2 after it was
	var evaluate func(name string, path []string)
	evaluate = func(name string, path []string) {
		path = append(path, name)
		switch state[name] {
		case 1:
			l.circular(attrs[name], path)
			return
		case 2:
			return
		}
		state[name] = 1
		for _, used := range localsOf(attrs[name].Expr, attrs) {
			evaluate(used, path)
		}
		if v, ok := l.check(attrs[name].Expr, surroundings{}.static()); ok {
			all[name] = v
			l.scope.Locals = cty.ObjectVal(all)
		}
		state[name] = 2
	}
	for _, name := range names {
		evaluate(name, nil)
	}
	l.module.Locals = l.scope.Locals
}

// localsOf returns the names of those locals that an expression refers to.
func localsOf(expr hcl.Expression, among map[string]*hcl.Attribute) []string {
	var names []string
	for _, ref := range expr.Variables() {
		if used, _, ok := nameIn(ref); ok && ref.RootName() == "local" && among[used] != nil {
			names = append(names, used)
		}
	}
	return names
}

// circular reports a local that depends on itself. path ends with its name, and
// has the locals by which it was reached.
func (l *loader) circular(attr *hcl.Attribute, path []string) {
	circle := path[slices.Index(path, attr.Name):]
	l.errorf(attr.NameRange, "Local refers to itself", "The value of local.%s depends on itself: local.%s.", attr.Name, strings.Join(circle, " uses local."))
}

// circles reports the locals of a scenario that depend on themselves, each circle
// once, and returns all that are in a circle.
func (l *loader) circles(attrs map[string]*hcl.Attribute, names []string) map[string]bool {
	in, state := map[string]bool{}, map[string]int{} // 1 while it is followed, 2 after it was
	var follow func(name string, path []string)
	follow = func(name string, path []string) {
		path = append(path, name)
		if state[name] == 1 {
			l.circular(attrs[name], path)
			for _, member := range path[slices.Index(path, name):] {
				in[member] = true
			}
		}
		if state[name] != 0 {
			return
		}
		state[name] = 1
		for _, used := range localsOf(attrs[name].Expr, attrs) {
			follow(used, path)
		}
		state[name] = 2
	}
	for _, name := range names {
		follow(name, nil)
	}
	return in
}

// scenarioLocals checks a scenario's own locals and returns them.
func (l *loader) scenarioLocals(blocks []inner, in surroundings) map[string]hcl.Expression {
	taken := map[string]hcl.Range{}
	for name, at := range l.taken {
		taken[name] = at
	}
	attrs, names := l.localsIn(blocks, taken)
	in.locals = map[string]hcl.Expression{}
	for name, attr := range attrs {
		in.locals[name] = attr.Expr
	}
	circles := l.circles(attrs, names)
	for _, name := range names {
		if !circles[name] {
			l.check(attrs[name].Expr, in)
		}
	}
	return in.locals
}
