package expect

import (
	"strings"

	"github.com/hashicorp/hcl/v2"

	"github.com/kind-lab/lab/dsl/value"
)

// because says why the condition is what it is: of the parts of it that decide,
// what their references are and how their sides differ; of what is not known,
// what never came.
func (d *Decider) because(expr hcl.Expression, got truth, ev evidence, refs []reference, eval Evaluator) string {
	parts := eval.Decisive(expr)
	if len(parts) == 0 {
		if got == truthUnknown {
			return ev.neverCame(refs)
		}
		return values(refs, d.source(expr))
	}
	texts := make([]string, 0, len(parts))
	for _, p := range parts {
		text := d.partText(expr, p, ev)
		if text != "" {
			texts = append(texts, text)
		}
	}
	return strings.Join(texts, "; ")
}

// partText says of a part what it was and why; what it was only where it is
// not the whole condition.
func (d *Decider) partText(whole hcl.Expression, p value.Part, ev evidence) string {
	source := d.sourceAt(p.Range)
	why := p.Difference
	refs := ev.fromRefs(p.Refs)
	switch {
	case p.Is == value.Undecided && why == "":
		why = ev.neverCame(refs)
	default:
		if text := values(refs, source); text != "" {
			why = strings.TrimSuffix(text+"; "+why, "; ")
		}
	}
	if oneLine(source) == d.source(whole) || p.Range == whole.Range() {
		return why
	}
	was := map[value.Logic]string{value.True: "true", value.False: "false", value.Undecided: "unknown"}[p.Is]
	text := oneLine(source) + " was " + was
	if why != "" {
		text += ", because " + why
	}
	return text
}
