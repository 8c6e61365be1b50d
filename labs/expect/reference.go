package expect

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"

	"github.com/kind-lab/lab/dsl/value"
)

// reference is a Reference with what it is about.
type reference struct {
	Reference
	path  []string
	known bool
	// absent says that what it names is known not to come any more.
	absent bool
}

// references are the references of an expression with their values, each once,
// and after them those of the scenario's locals that it reaches.
func (ev evidence) references(expr hcl.Expression, eval Evaluator) []reference {
	return ev.fromRefs(eval.References(expr))
}

func (ev evidence) fromRefs(all []value.Ref) []reference {
	refs := make([]reference, 0, len(all))
	for _, r := range all {
		path := steps(r.Traversal)
		if len(path) == 0 {
			path = []string{r.Root}
		}
		refs = append(refs, ev.reference(path, Reference{Expression: r.Expression, Value: r.Value, Precision: r.Precision}, r.State))
	}
	return refs
}

// reference adds when and by whom the value was observed.
func (ev evidence) reference(path []string, shown Reference, state value.State) reference {
	r := reference{path: path, known: state != value.Unknown, absent: state == value.Absent, Reference: shown}
	if !r.known || !isObserved(path) {
		return r
	}
	m := ev.at(parse(path))
	if !m.Known() {
		return r
	}
	at := ev.s.Timeline.Seconds(m.Time)
	r.At, r.Source = &at, string(m.Source)
	if since := ev.since(path); !since.IsZero() {
		from := ev.s.Timeline.Seconds(since)
		r.Since = &from
	}
	return r
}

// missing says what never came, of a reference that is not known, or known not
// to come any more.
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
	if s.attr == "signal" && r.absent {
		return of + " was not terminated by a signal"
	}
	if what := neverHappened(s.attr); what != "" {
		return of + " " + what + ev.obstacle(s)
	}
	return r.Expression + " was never seen" + ev.obstacle(s)
}

// neverSeen says of a subject's object that it was never observed; empty where
// it was.
func (ev evidence) neverSeen(s subject) string {
	of := s.root + " " + s.name
	_, ofKind := value.KindOf(s.root)
	switch {
	case ofKind && s.name != "" && !ev.at(s).Known():
		return of + " was never seen"
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
// empty if that is no event.
func neverHappened(attr string) string {
	switch attr {
	case "exit_code", "finished_at", "signal":
		return "never terminated"
	case "oom_killed":
		return "was never reported as out of memory or not"
	case "started_at":
		return "never started"
	case "ready_at":
		return "never became ready"
	case "start_order", "exit_order":
		return "has no known " + strings.Replace(attr, "_", " ", 1)
	case "deleted_at":
		return "was never deleted"
	case "gone_at":
		return "was never removed"
	case "completed_at":
		return "never completed"
	case attrLog:
		return "never wrote to its log"
	}
	return ""
}

// neverCame says, of those references that are not known, what never came, as
// of those whose time or exit code cannot come any more; if there are none,
// what is null, or why else the condition is not known. A local is named by what
// it is made of.
func (ev evidence) neverCame(refs []reference) string {
	var parts []string
	for _, r := range refs {
		if r.known && !r.over() || r.path[0] == rootLocal && ev.s.Locals[r.path[min(1, len(r.path)-1)]] != nil {
			continue
		}
		if text := ev.missing(r); !slices.Contains(parts, text) {
			parts = append(parts, text)
		}
	}
	if len(parts) > 0 {
		return joined(parts)
	}
	for _, r := range refs {
		if r.known && r.absent && isObserved(r.path) {
			parts = append(parts, r.Expression+" was null")
		}
	}
	if len(parts) == 0 {
		return "its values are known only in part, or not precisely enough (the API reports times in whole seconds)"
	}
	return joined(parts)
}

// over says that it names something that happens, and cannot happen any more.
func (r reference) over() bool {
	return r.absent && isObserved(r.path) && neverHappened(parse(r.path).attr) != ""
}

// since says from when on the value was so, where that was followed.
func (r reference) since() string {
	switch {
	case r.Since != nil:
		return fmt.Sprintf(" since %.3fs", *r.Since)
	case r.Precision > 0:
		return fmt.Sprintf(" (known to within %s)", span(r.Precision))
	}
	return ""
}

// values says what the references are, leaving out one that is the condition
// itself; empty if there is nothing to say.
func values(refs []reference, condition string) string {
	var parts []string
	for _, r := range refs {
		if r.Expression != condition {
			parts = append(parts, r.Expression+" was "+r.Value+r.since())
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
