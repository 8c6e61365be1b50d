package expect

import (
	"slices"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/kind-lab/lab/dsl/value"
)

// walker follows what expressions reach, by way of locals too.
type walker struct {
	locals map[string]hcl.Expression
	seen   map[string]bool
}

// traversals are those of the expression, and those of the locals that it
// reaches.
func (w walker) traversals(expr hcl.Expression) []hcl.Traversal {
	found := expr.Variables()
	for _, t := range expr.Variables() {
		if local := w.local(t); local != nil {
			found = append(found, w.traversals(local)...)
		}
	}
	return found
}

// local is the expression of the local that a traversal names, the first time
// that it is met.
func (w walker) local(t hcl.Traversal) hcl.Expression {
	path := steps(t)
	if len(path) < 2 || path[0] != rootLocal || w.seen[path[1]] {
		return nil
	}
	w.seen[path[1]] = true
	return w.locals[path[1]]
}

// logs says whether an expression may use log lines: by the attribute log, by
// a function over logs, or since it takes a whole pod or container and that
// has them.
func (w walker) logs(expr hcl.Expression) bool {
	node, ok := expr.(hclsyntax.Expression)
	if !ok {
		// The functions of JSON's expressions cannot be seen from here.
		return len(observed(w.traversals(expr))) > 0
	}
	if callsLogs(node) {
		return true
	}
	for _, t := range expr.Variables() {
		if local := w.local(t); local != nil && w.logs(local) {
			return true
		}
		if mayHaveLogs(steps(t)) {
			return true
		}
	}
	return false
}

// callsLogs says whether there is a function over logs, or an attribute log of
// something that is not a plain reference.
func callsLogs(node hclsyntax.Node) bool {
	found := false
	// The callback returns no diagnostics, so neither does VisitAll.
	_ = hclsyntax.VisitAll(node, func(n hclsyntax.Node) hcl.Diagnostics {
		switch n := n.(type) {
		case *hclsyntax.FunctionCallExpr:
			found = found || n.Name == "logged" || n.Name == "log_time"
		case *hclsyntax.RelativeTraversalExpr:
			found = found || slices.Contains(steps(n.Traversal), attrLog)
		}
		return nil
	})
	return found
}

// mayHaveLogs says whether a reference names a log, or something as large as a
// container.
func mayHaveLogs(path []string) bool {
	if !isObserved(path) || path[0] != rootPod && path[0] != rootJob {
		return false
	}
	s := parse(path)
	return s.attr == attrLog || s.attr == ""
}

// observed are the traversals whose root is observed.
func observed(all []hcl.Traversal) []hcl.Traversal {
	return slices.DeleteFunc(slices.Clone(all), func(t hcl.Traversal) bool { return !isObserved(steps(t)) })
}

// steps are the names and keys of a traversal; "" for a splat.
func steps(t hcl.Traversal) []string {
	path := make([]string, 0, len(t))
	for _, step := range t {
		switch step := step.(type) {
		case hcl.TraverseRoot:
			path = append(path, step.Name)
		case hcl.TraverseAttr:
			path = append(path, step.Name)
		case hcl.TraverseIndex:
			path = append(path, keyText(step.Key))
		default:
			path = append(path, "")
		}
	}
	return path
}

// keyText is an index's key as text.
func keyText(key cty.Value) string {
	if key.Type() == cty.String && key.IsKnown() && !key.IsNull() {
		return key.AsString()
	}
	return value.Format(key)
}
