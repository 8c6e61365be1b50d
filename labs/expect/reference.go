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

// references are the references of an expression with their values, each once,
// and after them those of the scenario's locals that it reaches.
func (ev evidence) references(expr hcl.Expression, eval Evaluator) []reference {
	var refs []reference
	w := walker{locals: ev.s.Locals, seen: map[string]bool{}}
	for _, t := range w.traversals(expr) {
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
	if text := ev.neverSeen(s); text != "" {
		return text
	}
	of := s.root + " " + s.name
	if s.container != "" {
		of = fmt.Sprintf("container %q of %s", s.container, of)
	}
	if what := neverHappened(s.attr); what != "" {
		return of + " " + what
	}
	return r.Expression + " was never seen"
}

// neverSeen says of a subject's object that it was never observed; empty where
// it was.
func (ev evidence) neverSeen(s subject) string {
	of := s.root + " " + s.name
	switch {
	case s.root == rootStep && s.name != "" && !ev.stepAt(s.name).Known():
		return fmt.Sprintf("step %q was not done", s.name)
	case s.root == rootJob && s.name != "" && newestJobs(ev.s.Timeline, ev.s.Namespace)[s.name] == nil:
		return of + " was never seen"
	case len(ev.podsOf(s)) == 0 && s.pods:
		return of + " never had a pod"
	case len(ev.podsOf(s)) == 0 && s.root == rootPod:
		return of + " was never seen"
	}
	return ""
}

// unobserved says whether an object of the references was never observed.
func (ev evidence) unobserved(refs []reference) bool {
	return slices.ContainsFunc(refs, func(r reference) bool {
		return !r.known && isObserved(r.path) && ev.neverSeen(parse(r.path)) != ""
	})
}

// neverHappened says what did not happen where an attribute is not known;
// empty where that is no event.
func neverHappened(attr string) string {
	switch attr {
	case "exit_code", "finished_at", "signal":
		return "never terminated"
	case "oom_killed":
		return "was never said to be out of memory or not"
	case "started_at":
		return "never started"
	case "ready_at":
		return "never became ready"
	case "start_order", "exit_order":
		return "has no " + strings.Replace(attr, "_", " ", 1) + " that can be told"
	case "deleted_at":
		return "was never deleted"
	case "gone_at":
		return "never went away"
	case "completed_at":
		return "never completed"
	case attrLog:
		return "never wrote to its log"
	}
	return ""
}

// neverCame says, of those references that are not known, what never came;
// where all are known, why the condition is not. A local is named by what it
// is made of.
func (ev evidence) neverCame(refs []reference) string {
	var parts []string
	for _, r := range refs {
		if r.known || r.path[0] == rootLocal && ev.s.Locals[r.path[min(1, len(r.path)-1)]] != nil {
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
