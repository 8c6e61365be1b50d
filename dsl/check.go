package dsl

import (
	"fmt"
	"sort"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/kind-lab/lab/dsl/internal/suggest"
	"github.com/kind-lab/lab/dsl/value"
)

// surroundings are what an expression may refer to at its place in the file.
type surroundings struct {
	roots []string
	// extra are further roots with their values: matrix, each, iterators.
	extra map[string]cty.Value
	// locals are the scenario's own.
	locals map[string]hcl.Expression
	// steps are the names of the scenario's steps. The first done of them come
	// before the expression: all of them if it is not in a step.
	steps []string
	done  int
	// literal says that only literal values are allowed.
	literal bool
}

// static are the surroundings of an expression that is evaluated before the run.
func (in surroundings) static() surroundings {
	return surroundings{roots: []string{"local", "path", "var"}, extra: in.extra}
}

// all are the roots that may be referred to, sorted.
func (in surroundings) all() []string {
	roots := append([]string(nil), in.roots...)
	for name := range in.extra {
		if !has(roots, name) {
			roots = append(roots, name)
		}
	}
	sort.Strings(roots)
	return roots
}

// check finds mistakes in an expression before the run and reports them. It
// returns the expression's value as far as it is known then, with its marks;
// false if there is a mistake.
func (l *loader) check(expr hcl.Expression, in surroundings) (cty.Value, bool) {
	if v, ok := literal(expr); ok {
		return v, true
	}
	found := l.references(expr, in)
	scope := l.scope
	scope.ScenarioLocals, scope.Extra = in.locals, in.extra
	wrong := found.HasErrors()
	excused := tried(expr)
	v, diags, ofRefs := scope.EvalEach(expr, func(ref hcl.Traversal) bool { return wrong || excused[ref.SourceRange()] })
	for _, at := range scope.UnknownKinds(expr) {
		found = append(found, mistake(at, "Unknown kind", "The API version and the kind in object() must be known before the run, because lab must watch them. Only the name can be computed during the run."))
	}
	if !has(in.roots, "target") {
		for _, at := range value.ChartsIn(expr) {
			found = append(found, mistake(at, "Cluster is not known here", "A chart is rendered for the version of a cluster, which is not known here. Move helm() to the locals of the scenario, or to the step."))
		}
	}
	for _, d := range scope.Examine(expr).Diags {
		if !covered(d, found) {
			found = append(found, d)
		}
	}
	for _, d := range ofRefs {
		if !inLocals(d, expr, in) && !covered(d, found) {
			found = append(found, d)
		}
	}
	for _, d := range diags {
		if !covered(d, found) && !inLocals(d, expr, in) {
			found = append(found, d)
		}
	}
	l.diags = append(l.diags, found...)
	return v, !found.HasErrors() && !diags.HasErrors()
}

// literal is the value of an expression that is one literal string or number,
// as most are; false for any other expression.
func literal(expr hcl.Expression) (cty.Value, bool) {
	switch expr := expr.(type) {
	case *hclsyntax.TemplateExpr:
		if expr.IsStringLiteral() {
			v, diags := expr.Value(nil)
			return v, !diags.HasErrors()
		}
	case *hclsyntax.LiteralValueExpr:
		return expr.Val, true
	}
	return cty.NilVal, false
}

// covered says whether one of found is about the same place.
func covered(d *hcl.Diagnostic, found hcl.Diagnostics) bool {
	for _, f := range found {
		if d.Subject != nil && f.Subject != nil && (f.Subject.Overlaps(*d.Subject) || f.Subject.Start == d.Subject.Start) &&
			f.Subject.Filename == d.Subject.Filename {
			return true
		}
	}
	return false
}

// inLocals says whether a diagnostic is about one of the scenario's locals
// that expr uses. Locals are checked separately.
func inLocals(d *hcl.Diagnostic, expr hcl.Expression, in surroundings) bool {
	if d.Subject == nil {
		return false
	}
	for _, local := range in.locals {
		r := local.Range()
		if local != expr && r.Filename == d.Subject.Filename && r.ContainsOffset(d.Subject.Start.Byte) {
			return true
		}
	}
	return false
}

// tried are the references in try() and can(), which may fail.
func tried(expr hcl.Expression) map[hcl.Range]bool {
	native, ok := expr.(hclsyntax.Expression)
	if !ok {
		return nil
	}
	var excused map[hcl.Range]bool
	_ = hclsyntax.VisitAll(native, func(n hclsyntax.Node) hcl.Diagnostics {
		if call, ok := n.(*hclsyntax.FunctionCallExpr); ok && (call.Name == "try" || call.Name == "can") {
			if excused == nil {
				excused = map[hcl.Range]bool{}
			}
			for _, ref := range call.Variables() {
				excused[ref.SourceRange()] = true
			}
		}
		return nil
	}) // the function returns no diagnostics
	return excused
}

// references checks the roots of an expression's references and the names that
// are declared in the file.
func (l *loader) references(expr hcl.Expression, in surroundings) hcl.Diagnostics {
	var found hcl.Diagnostics
	for _, ref := range expr.Variables() {
		d := l.reference(ref, in)
		if d != nil && !covered(d, found) {
			found = append(found, d)
		}
	}
	return found
}

func (l *loader) reference(ref hcl.Traversal, in surroundings) *hcl.Diagnostic {
	root := ref.RootName()
	if _, ok := in.extra[root]; ok {
		return nil
	}
	if !has(in.roots, root) {
		return mistake(ref[0].SourceRange(), "Unknown reference", foreignRoot(ref, in.all()))
	}
	name, at, ok := nameIn(ref)
	if !ok {
		l.used[root+".*"] = true
		return nil
	}
	l.used[root+"."+name] = true
	switch root {
	case "var":
		return undeclared(at, "variable", name, attributeNames(l.scope.Vars), `variable %q {}`)
	case "local":
		names := attributeNames(l.scope.Locals)
		for local := range in.locals {
			names = append(names, local)
		}
		return undeclared(at, "local", name, names, `locals { %s = ... }`)
	case "step":
		return unreachedStep(at, name, in)
	}
	return nil
}

// nameIn returns the name after a reference's root and where it is written.
func nameIn(ref hcl.Traversal) (string, hcl.Range, bool) {
	if len(ref) < 2 {
		return "", hcl.Range{}, false
	}
	if attr, ok := ref[1].(hcl.TraverseAttr); ok {
		return attr.Name, ref[:2].SourceRange(), true
	}
	key, ok := value.IndexKey(ref[1])
	if ok && key.Type() == cty.String && key.IsKnown() && !key.IsNull() {
		return key.AsString(), ref[:2].SourceRange(), true
	}
	return "", hcl.Range{}, false
}

// foreignRoot explains why a reference cannot begin with its root.
func foreignRoot(ref hcl.Traversal, roots []string) string {
	root := ref.RootName()
	switch {
	case root == "cluster":
		return `Only the "clusters" argument of a scenario can refer to clusters. The cluster that the scenario runs on is "target".`
	case root == "matrix":
		return "The scenario has no matrix block, so it has no row to refer to."
	case root == "each":
		return `"each" is known only in a cluster block with for_each.`
	case len(roots) == 0:
		return fmt.Sprintf("%q cannot be used here: a plain value is required.", root)
	case has(value.Roots(), root):
		return fmt.Sprintf("%q is known only while a scenario runs, so it cannot be used here. An expression here can refer to %s.", root, suggest.List(roots))
	}
	hint := suggest.Sentence(root, roots)
	if len(ref) == 1 {
		hint += fmt.Sprintf(" Write a string in quotes: %q.", root)
	}
	return fmt.Sprintf("There is nothing called %q here. A reference begins with %s.%s", root, beginnings(roots), hint)
}

// beginnings lists roots. Because there are many kinds of objects, it lists only
// one of them as an example.
func beginnings(roots []string) string {
	var kept []string
	for _, root := range roots {
		if _, kind := value.KindOf(root); !kind {
			kept = append(kept, root)
		}
	}
	if len(kept) == len(roots) {
		return suggest.Or(kept)
	}
	return suggest.Or(kept) + ", or with a kind of objects, such as deployment"
}

func undeclared(at hcl.Range, what, name string, names []string, declaration string) *hcl.Diagnostic {
	if has(names, name) {
		return nil
	}
	hint := suggest.Sentence(name, names)
	if hint == "" {
		hint = fmt.Sprintf(" Declare it: "+declaration+".", name)
	}
	return mistake(at, "Unknown "+what, fmt.Sprintf("There is no %s %q.%s", what, name, hint))
}

func unreachedStep(at hcl.Range, name string, in surroundings) *hcl.Diagnostic {
	for i, step := range in.steps {
		if step == name && i >= in.done {
			return mistake(at, "Step comes later", fmt.Sprintf("The step %q does not run before this one, so it has no result here. Steps run in the order in which they are written.", name))
		}
	}
	if has(in.steps, name) {
		return nil
	}
	hint := suggest.Sentence(name, in.steps)
	if hint == "" && len(in.steps) > 0 {
		hint = " Its steps are " + suggest.List(in.steps) + "."
	}
	return mistake(at, "Unknown step", fmt.Sprintf("The scenario has no step %q.%s", name, hint))
}

func mistake(at hcl.Range, summary, detail string) *hcl.Diagnostic {
	return &hcl.Diagnostic{Severity: hcl.DiagError, Summary: summary, Detail: detail, Subject: &at}
}

func has(names []string, name string) bool {
	for _, n := range names {
		if n == name {
			return true
		}
	}
	return false
}

func attributeNames(object cty.Value) []string {
	if object == cty.NilVal || !object.Type().IsObjectType() {
		return nil
	}
	names := make([]string, 0, len(object.Type().AttributeTypes()))
	for name := range object.Type().AttributeTypes() {
		names = append(names, name)
	}
	return names
}

// DidYouMean returns ` Did you mean "x"?` for the name that is nearest to given,
// with the leading space, or "" if no name is near.
func DidYouMean(given string, names []string) string { return suggest.Sentence(given, names) }
