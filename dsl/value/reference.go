package value

import (
	"time"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
)

// Ref is a reference in an expression with what it stands for.
type Ref struct {
	// Expression is the reference as it is written, such as
	// job.myapp.pod.container["main"].exit_code; Range is where.
	Expression string
	Range      hcl.Range
	// Value is what it stands for, as Format writes it.
	Value string
	// State says whether that is known, absent or not observed yet.
	State State
	// Precision is how finely a time, or a difference of times, is known; 0
	// where it is no time or known to the nanosecond.
	Precision time.Duration
	// Root is the reference's first word, such as "job"; Name is the object's
	// name below it, such as "myapp", and Container the container's, such as
	// "main". They are empty if there is none.
	Root, Name, Container string
	// Traversal is the reference with its computed indices evaluated.
	Traversal hcl.Traversal
}

// References returns the references in an expression, each once, in the order
// written; those in the scenario's locals that it uses come after it. Where an
// index is computed it is written as its value.
func (s *Scope) References(expr hcl.Expression) []Ref {
	e := s.explaining(expr)
	found := &references{evaluation: e, seen: map[string]bool{}}
	found.of(expr)
	return found.refs
}

// references collects them.
type references struct {
	*evaluation
	refs []Ref
	seen map[string]bool
}

func (r *references) of(expr hcl.Expression) {
	ctx, diags := r.context(expr)
	if diags.HasErrors() {
		return
	}
	var locals []string
	for _, found := range chains(expr) {
		full := found.traversal(ctx)
		text := FormatTraversal(full)
		if r.seen[text] {
			continue
		}
		r.seen[text] = true
		v, diags := found.Value(ctx)
		if diags.HasErrors() {
			v = cty.DynamicVal
		}
		r.refs = append(r.refs, newRef(full, text, found.Range(), v))
		if name, ok := stepName(full, 1); ok && full.RootName() == "local" {
			locals = append(locals, name)
		}
	}
	for _, name := range locals {
		if local := r.scope.ScenarioLocals[name]; local != nil {
			r.of(local)
		}
	}
}

// StateOf says whether a value is known, absent (null) or not observed yet.
func StateOf(v cty.Value) State {
	switch plain, _ := v.Unmark(); {
	case plain.IsNull():
		return Absent
	case !plain.IsKnown():
		return Unknown
	}
	return Known
}

func newRef(t hcl.Traversal, text string, at hcl.Range, v cty.Value) Ref {
	ref := Ref{Expression: text, Range: at, Value: Format(v), State: StateOf(v), Root: t.RootName(), Traversal: t}
	if f := fuzzOf(v); !f.exact() {
		ref.Precision = time.Duration(max(f.below, f.above) * float64(time.Second))
	}
	if !namesObjects(ref.Root) {
		return ref
	}
	ref.Name, _ = stepName(t, 1)
	for i := 2; i+1 < len(t); i++ {
		if name, ok := stepName(t, i); ok && name == "container" {
			ref.Container, _ = stepName(t, i+1)
			break
		}
	}
	return ref
}

// chain is a reference: a root with all the attributes and indices after it.
type chain struct{ hcl.Expression }

// traversal is the chain with its computed indices evaluated.
func (c chain) traversal(ctx *hcl.EvalContext) hcl.Traversal {
	switch expr := c.Expression.(type) {
	case *hclsyntax.ScopeTraversalExpr:
		return expr.Traversal
	case *hclsyntax.RelativeTraversalExpr:
		return append(append(hcl.Traversal(nil), chain{expr.Source}.traversal(ctx)...), expr.Traversal...)
	case *hclsyntax.IndexExpr:
		key, _ := expr.Key.Value(ctx)
		if key.HasMark(Sensitive) {
			key = cty.DynamicVal
		}
		key, _ = key.UnmarkDeep()
		before := append(hcl.Traversal(nil), chain{expr.Collection}.traversal(ctx)...)
		return append(before, hcl.TraverseIndex{Key: key, SrcRange: expr.BracketRange})
	case *computedRoot:
		return chain{expr.Expression}.traversal(ctx)
	case *growingList:
		return chain{expr.Expression}.traversal(ctx)
	default:
		variables := c.Variables()
		if len(variables) == 0 {
			return nil
		}
		return variables[0]
	}
}

// isChain says whether an expression is a reference as a whole.
func isChain(expr hcl.Expression) bool {
	switch expr := expr.(type) {
	case *hclsyntax.ScopeTraversalExpr:
		return true
	case *hclsyntax.RelativeTraversalExpr:
		return isChain(expr.Source)
	case *hclsyntax.IndexExpr:
		return isChain(expr.Collection)
	case *computedRoot:
		return true
	case *growingList:
		return isChain(expr.Expression)
	}
	return false
}

// chains returns the references of an expression that are not part of a longer
// one, without those to names that the expression itself declares.
func chains(expr hcl.Expression) []chain {
	native, ok := expr.(hclsyntax.Expression)
	if !ok {
		var all []chain
		for _, t := range expr.Variables() {
			all = append(all, chain{&hclsyntax.ScopeTraversalExpr{Traversal: t, SrcRange: t.SourceRange()}})
		}
		return all
	}
	w := &chainWalker{part: map[hclsyntax.Node]bool{}}
	_ = hclsyntax.Walk(native, w) // the walker returns no diagnostics
	return w.found
}

// chainWalker finds chains.
type chainWalker struct {
	found []chain
	// part are the expressions that are part of a chain found.
	part   map[hclsyntax.Node]bool
	scopes []map[string]struct{}
}

// Enter implements hclsyntax.Walker.
func (w *chainWalker) Enter(n hclsyntax.Node) hcl.Diagnostics {
	if scope, ok := n.(hclsyntax.ChildScope); ok {
		w.scopes = append(w.scopes, scope.LocalNames)
		return nil
	}
	expr, ok := n.(hclsyntax.Expression)
	if !ok || w.part[n] || !isChain(expr) {
		return nil
	}
	w.take(expr)
	for _, used := range expr.Variables() {
		for _, names := range w.scopes {
			if _, local := names[used.RootName()]; local {
				return nil
			}
		}
	}
	w.found = append(w.found, chain{expr})
	return nil
}

// take notes the parts of a chain.
func (w *chainWalker) take(expr hclsyntax.Expression) {
	w.part[expr] = true
	switch expr := expr.(type) {
	case *hclsyntax.RelativeTraversalExpr:
		w.take(expr.Source)
	case *hclsyntax.IndexExpr:
		w.take(expr.Collection)
	case *computedRoot:
		w.take(expr.Expression)
	case *growingList:
		w.take(expr.Expression)
	}
}

// Exit implements hclsyntax.Walker.
func (w *chainWalker) Exit(n hclsyntax.Node) hcl.Diagnostics {
	if _, ok := n.(hclsyntax.ChildScope); ok {
		w.scopes = w.scopes[:len(w.scopes)-1]
	}
	return nil
}
