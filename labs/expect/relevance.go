package expect

import (
	"regexp"
	"slices"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/kind-lab/lab/collectors"
	"github.com/kind-lab/lab/dsl"
	"github.com/kind-lab/lab/dsl/value"
)

// relevance says which records can change what an expectation's expressions
// are. Where that is not plain, it says that a record can.
type relevance struct {
	s        *Scope
	subjects []subject
	// any says that every record can.
	any bool
	// logs says that lines can at all; lines that every one can, else those
	// that match one of patterns.
	logs, lines bool
	patterns    []*regexp.Regexp
}

// isFixed says whether a root holds values that no record changes.
func isFixed(root string) bool {
	switch root {
	case "var", rootLocal, "path", "target", "matrix", "each", "cluster":
		return true
	}
	return false
}

func newRelevance(e *dsl.Expect, s *Scope, logs bool) *relevance {
	v := &relevance{s: s, logs: logs}
	w := walker{locals: s.Locals, seen: map[string]bool{}}
	for _, expr := range []hcl.Expression{e.Condition, e.When, e.Outcome} {
		if expr != nil {
			v.expression(w, expr)
		}
	}
	return v
}

// uses says whether lines can matter at all, by a look that is closer than that
// of NeedsLogs.
func (v *relevance) uses() bool {
	return v.logs && (v.any || v.lines || len(v.patterns) > 0)
}

// expression notes what an expression, and the locals that it reaches, look at.
func (v *relevance) expression(w walker, expr hcl.Expression) {
	for _, t := range expr.Variables() {
		path := steps(t)
		_, extra := v.s.Extra[path[0]]
		switch {
		case isObserved(path):
			if sub := parse(path); !slices.Contains(v.subjects, sub) {
				v.subjects = append(v.subjects, sub)
			}
		case !extra && !isFixed(path[0]):
			v.any = true
		}
		if local := w.local(t); local != nil {
			v.expression(w, local)
		}
	}
	node, native := expr.(hclsyntax.Expression)
	if !native {
		v.lines = true
		return
	}
	harmless := map[hclsyntax.Node]bool{}
	// The callback returns no diagnostics, so neither does VisitAll.
	_ = hclsyntax.VisitAll(node, func(n hclsyntax.Node) hcl.Diagnostics {
		v.node(n, harmless)
		return nil
	})
}

// node notes the functions that are called, and what may hold lines other than
// for a function that looks for a pattern in them.
func (v *relevance) node(n hclsyntax.Node, harmless map[hclsyntax.Node]bool) {
	switch n := n.(type) {
	case *hclsyntax.FunctionCallExpr:
		v.call(n, harmless)
	case *hclsyntax.ForExpr:
		harmless[n.CollExpr] = true
	case *hclsyntax.RelativeTraversalExpr:
		v.lines = v.lines || slices.Contains(steps(n.Traversal), attrLog)
	case *hclsyntax.ScopeTraversalExpr:
		path := steps(n.Traversal)
		whole := mayHaveLogs(path) || len(path) == 1 && !isObserved(path) && !isFixed(path[0])
		v.lines = v.lines || slices.Contains(path, attrLog) || whole && !harmless[n]
	}
}

func (v *relevance) call(n *hclsyntax.FunctionCallExpr, harmless map[hclsyntax.Node]bool) {
	switch n.Name {
	case "object":
		v.any = true
	case "overlaps", "length":
		for _, arg := range n.Args {
			harmless[arg] = true
		}
	case "logged", "log_time":
		if len(n.Args) != 2 {
			return
		}
		harmless[n.Args[0]] = true
		re := literalPattern(n.Args[1])
		if re == nil {
			v.lines = true
			return
		}
		v.patterns = append(v.patterns, re)
	}
}

// literalPattern is a pattern that is written out; nil where it is computed or
// is none.
func literalPattern(expr hclsyntax.Expression) *regexp.Regexp {
	if len(expr.Variables()) > 0 {
		return nil
	}
	text, diags := expr.Value(nil)
	if diags.HasErrors() || text.Type() != cty.String || !text.IsKnown() || text.IsNull() || text.IsMarked() {
		return nil
	}
	re, err := regexp.Compile(text.AsString())
	if err != nil {
		return nil
	}
	return re
}

// concerns says whether a record can change anything.
func (v *relevance) concerns(r *collectors.Record) bool {
	switch {
	case r.Type == collectors.TypeLog:
		return v.logs && r.Log != nil && v.line(r)
	case r.Type == collectors.TypeGap, r.Type == collectors.TypeStepBegin:
		return false // it tells of what is not known or will be, and changes nothing that is
	case v.any, r.Type == collectors.TypeClock:
		return true
	case r.Type == collectors.TypeStep:
		return r.Step == nil || slices.ContainsFunc(v.subjects, func(s subject) bool { return s.root == rootStep && s.is(r.Step.Name) })
	case v.s.Namespace != "" && r.Object.Namespace != "" && r.Object.Namespace != v.s.Namespace:
		return false
	}
	return slices.ContainsFunc(v.subjects, func(s subject) bool { return s.touchedBy(r) })
}

func (v *relevance) line(r *collectors.Record) bool {
	if v.lines || v.any {
		return true
	}
	return slices.ContainsFunc(v.patterns, func(re *regexp.Regexp) bool { return re.MatchString(r.Log.Text) })
}

// longName is from where on the names of a Job's pods do not begin with all of
// the Job's own.
const longName = 50

// touchedBy says whether a record can change a subject.
func (s subject) touchedBy(r *collectors.Record) bool {
	if kind, ofKind := value.KindOf(s.root); ofKind {
		return r.Object.Kind == kind.Kind && s.is(r.Object.Name)
	}
	if r.Type == collectors.TypeObject || r.Type == collectors.TypeObjectGone {
		return false
	}
	switch r.Object.Kind {
	case "Job":
		return s.root == rootJob && s.is(r.Object.Name)
	case "Pod":
		if s.container != "" && s.attr != "" && r.Task != nil && r.Container != "" && r.Container != s.container {
			return false
		}
		owned := r.Pod != nil && r.Pod.Owner != nil && s.is(r.Pod.Owner.Name)
		return s.root == rootPod && s.is(r.Object.Name) ||
			s.root == rootJob && (owned || len(s.name) > longName || s.named(r.Object, nil))
	}
	return s.root != rootStep
}
