package dsl

import (
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"github.com/kind-lab/lab/dsl/internal/suggest"
	"github.com/kind-lab/lab/dsl/value"
)

// row is a row of a matrix: the values of its axes, in the axes' order.
type row []cty.Value

// axes are a matrix's axes, in the order in which they are written.
type axes []string

// object is the root matrix in a row.
func (a axes) object(r row) cty.Value {
	attrs := map[string]cty.Value{}
	for i, name := range a {
		attrs[name] = r[i]
	}
	return cty.ObjectVal(attrs)
}

// title names a row, such as `grace=5,image="busybox"`.
func (a axes) title(r row) string {
	parts := make([]string, len(a))
	for i, name := range a {
		parts[i] = name + "=" + value.Format(r[i])
	}
	return strings.Join(parts, ",")
}

// matrix decodes a matrix: all combinations of the axes' values, without the
// excluded rows, and with the included rows.
func (l *loader) matrix(block inner) (axes, []row) {
	c := l.content(block.Body, block.schema, block.in)
	var names axes
	rows := []row{nil}
	good := true
	for _, attr := range c.sortedArgs() {
		values, ok := l.axis(attr, block.in)
		if good = good && ok; !good {
			continue
		}
		names = append(names, attr.Name)
		rows = combine(rows, values)
		if len(rows) > maxInstances {
			l.errorf(block.DefRange, "Too many rows", "The matrix has more than %d rows.", maxInstances)
			return nil, nil
		}
	}
	if !good {
		return nil, nil
	}
	if len(names) == 0 {
		l.errorf(block.DefRange, "No axis", "A matrix needs an axis: a name with a list of values, such as grace = [5, 30].")
		return nil, nil
	}
	for _, exclude := range c.of("exclude") {
		rows = l.exclude(exclude, names, rows)
	}
	for _, include := range c.of("include") {
		rows = l.include(include, names, rows)
	}
	if len(rows) == 0 {
		l.errorf(block.DefRange, "No rows", "All rows of the matrix are excluded, so the scenario never runs.")
	}
	return names, rows
}

// combine adds each of an axis's values to each row.
func combine(rows []row, values []cty.Value) []row {
	var all []row
	for _, r := range rows {
		for _, v := range values {
			all = append(all, append(append(row(nil), r...), v))
		}
	}
	return all
}

// axis evaluates the values of an axis.
func (l *loader) axis(attr *hcl.Attribute, in surroundings) ([]cty.Value, bool) {
	var values []cty.Value
	v, ok := l.check(attr.Expr, in.static())
	switch {
	case !ok || !v.IsWhollyKnown():
		return nil, false
	case v.HasMarkDeep(value.Sensitive):
		l.errorf(attr.Expr.Range(), "Invalid axis", "The values of an axis cannot be sensitive, because they are part of the names of the rows.")
		return nil, false
	}
	ty := v.Type()
	if v.IsNull() || !ty.IsTupleType() && !ty.IsListType() && !ty.IsSetType() || v.LengthInt() == 0 {
		l.errorf(attr.Expr.Range(), "Invalid axis", "An axis must be a list of at least one value, such as [5, 30]; this is %s.", value.Format(v))
		return nil, false
	}
	for it := v.ElementIterator(); it.Next(); {
		_, e := it.Element()
		for _, before := range values {
			if before.RawEquals(e) {
				l.errorf(attr.Expr.Range(), "Duplicate value", "The axis has the value %s twice.", value.Format(e))
				return nil, false
			}
		}
		values = append(values, e)
	}
	return values, true
}

// chosen evaluates the values of axes in an include or exclude block.
func (l *loader) chosen(block inner, names axes) (map[string]cty.Value, bool) {
	c := l.content(block.Body, block.schema, block.in)
	given, good := map[string]cty.Value{}, true
	for _, attr := range c.sortedArgs() {
		if !has(names, attr.Name) {
			l.errorf(attr.NameRange, "Unknown axis", "The matrix has no axis %q.%s", attr.Name, suggestAxis(attr.Name, names))
			good = false
			continue
		}
		v, ok := l.check(attr.Expr, block.in.static())
		given[attr.Name] = v
		good = good && ok && v.IsWhollyKnown()
	}
	return given, good
}

func suggestAxis(name string, names axes) string {
	if hint := suggest.Sentence(name, names); hint != "" {
		return hint
	}
	return " Its axes are " + suggest.List(names) + "."
}

func (l *loader) exclude(block inner, names axes, rows []row) []row {
	given, ok := l.chosen(block, names)
	if !ok {
		return rows
	}
	if len(given) == 0 {
		l.errorf(block.DefRange, "Empty exclude", "An exclude block needs a value of at least one axis. An empty block would remove every row.")
		return rows
	}
	var kept []row
	for _, r := range rows {
		if !names.matches(r, given) {
			kept = append(kept, r)
		}
	}
	if len(kept) == len(rows) {
		l.warnf(block.DefRange, "Nothing excluded", "No row of the matrix has these values.")
	}
	return kept
}

func (a axes) matches(r row, given map[string]cty.Value) bool {
	for i, name := range a {
		if want, ok := given[name]; ok && !want.RawEquals(r[i]) {
			return false
		}
	}
	return true
}

func (l *loader) include(block inner, names axes, rows []row) []row {
	given, ok := l.chosen(block, names)
	if !ok {
		return rows
	}
	var added row
	for _, name := range names {
		v, ok := given[name]
		if !ok {
			l.errorf(block.DefRange, "Incomplete row", "An include block adds one row and must name every axis; %q is missing.", name)
			return rows
		}
		added = append(added, v)
	}
	for _, r := range rows {
		if names.matches(r, given) {
			l.warnf(block.DefRange, "Row exists already", "The matrix already has the row %s.", names.title(r))
			return rows
		}
	}
	return append(rows, added)
}
