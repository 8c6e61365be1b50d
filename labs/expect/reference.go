package expect

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/kind-lab/lab/dsl/value"
)

// reference is a Reference with what it is about.
type reference struct {
	Reference
	path  []string
	known bool
}

// references are the references of an expression with their values, each once.
func (ev evidence) references(expr hcl.Expression, eval Evaluator) []reference {
	var refs []reference
	for _, t := range expr.Variables() {
		r := ev.reference(t, eval)
		if !slices.ContainsFunc(refs, func(x reference) bool { return x.Expression == r.Expression }) {
			refs = append(refs, r)
		}
	}
	return refs
}

// reference evaluates a traversal. One that cannot be evaluated is not
// observed.
func (ev evidence) reference(t hcl.Traversal, eval Evaluator) reference {
	path := steps(t)
	v, diags := marked(&hclsyntax.ScopeTraversalExpr{Traversal: t, SrcRange: t.SourceRange()}, eval)
	if diags.HasErrors() || v == cty.NilVal {
		v = cty.DynamicVal
	}
	plain, _ := v.Unmark()
	r := reference{path: path, known: plain.IsKnown(), Reference: Reference{
		Expression: value.FormatTraversal(t), Value: value.Format(v),
	}}
	if !r.known || !isObserved(path) {
		return r
	}
	if m := ev.at(parse(path)); m.Known() {
		at := ev.s.Timeline.Seconds(m.Time)
		r.At, r.Source = &at, string(m.Source)
	}
	return r
}

// marked evaluates with the marks of the result where the evaluator can, so
// that what is sensitive is known to be.
func marked(expr hcl.Expression, eval Evaluator) (cty.Value, hcl.Diagnostics) {
	if m, ok := eval.(interface {
		EvalMarked(hcl.Expression) (cty.Value, hcl.Diagnostics)
	}); ok {
		return m.EvalMarked(expr)
	}
	return eval.Eval(expr)
}

// missing says what never came, of a reference that is not known.
func (ev evidence) missing(r reference) string {
	if !isObserved(r.path) || len(r.path) < 2 {
		return r.Expression + " was never known"
	}
	s := parse(r.path)
	of := s.root + " " + s.name
	switch {
	case s.root == rootStep:
		return fmt.Sprintf("step %q was not done", s.name)
	case s.root == rootJob && newestJobs(ev.s.Timeline, ev.s.Namespace)[s.name] == nil:
		return of + " was never seen"
	case len(ev.podsOf(s)) == 0 && s.pods:
		return of + " never had a pod"
	case len(ev.podsOf(s)) == 0 && s.root == rootPod:
		return of + " was never seen"
	}
	if s.container != "" {
		of = fmt.Sprintf("container %q of %s", s.container, of)
	}
	if what, ok := neverHappened[s.attr]; ok {
		return of + " " + what
	}
	return r.Expression + " was never seen"
}

// neverHappened says what did not happen where an attribute is not known.
var neverHappened = map[string]string{
	"exit_code":    "never terminated",
	"finished_at":  "never terminated",
	"signal":       "never terminated",
	"oom_killed":   "was never said to be out of memory or not",
	"started_at":   "never started",
	"ready_at":     "never became ready",
	"start_order":  "has no start order that can be told",
	"exit_order":   "has no exit order that can be told",
	"deleted_at":   "was never deleted",
	"gone_at":      "never went away",
	"completed_at": "never completed",
	attrLog:        "never wrote to its log",
}

// neverCame says, of those references that are not known, what never came;
// where all are known, why the condition is not.
func (ev evidence) neverCame(refs []reference) string {
	var parts []string
	for _, r := range refs {
		if r.known {
			continue
		}
		if text := ev.missing(r); !slices.Contains(parts, text) {
			parts = append(parts, text)
		}
	}
	if len(parts) == 0 {
		return "what it is made of is known, but not finely enough to tell (times that the API tells have whole seconds), or only in part"
	}
	return joined(parts)
}

// values says what the references are, leaving out one that is the condition
// itself; empty where there is nothing to say.
func values(refs []reference, condition string) string {
	var parts []string
	for _, r := range refs {
		if r.Expression != condition {
			parts = append(parts, r.Expression+" was "+r.Value)
		}
	}
	return joined(parts)
}

// maxParts bounds how many parts a sentence names; the verdict's References
// have all.
const maxParts = 4

func joined(parts []string) string {
	if n := len(parts); n > maxParts {
		return fmt.Sprintf("%s and %d more", strings.Join(parts[:maxParts], ", "), n-maxParts)
	}
	return strings.Join(parts, ", ")
}
