package dsl

import (
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"github.com/kind-lab/lab/dsl/value"
)

func (l *loader) scenarios(blocks []inner) {
	seen := map[string]hcl.Range{}
	for _, block := range blocks {
		if l.named(block, "scenario", seen) {
			l.module.Scenarios = append(l.module.Scenarios, l.scenario(block)...)
		}
	}
}

// scenario decodes a scenario, once for each row of its matrix.
func (l *loader) scenario(block inner) []*Scenario {
	names, rows, found := l.rows(block)
	if !found {
		return []*Scenario{l.scenarioRow(block, surroundings{})}
	}
	if len(rows) == 0 { // the mistake in the matrix is reported; check the rest anyway
		return []*Scenario{l.scenarioRow(block, surroundings{}.with("matrix", cty.DynamicVal))}
	}
	var all []*Scenario
	for _, r := range rows {
		matrix := names.object(r)
		s := l.scenarioRow(block, surroundings{}.with("matrix", matrix))
		s.Row, s.Matrix = names.title(r), matrix
		all = append(all, s)
	}
	return all
}

// rows decodes the matrix of a scenario; false if it has none.
func (l *loader) rows(block inner) (axes, []row, bool) {
	known := block.schema.Block("matrix")
	found, _, diags := block.Body.PartialContent(&hcl.BodySchema{Blocks: []hcl.BlockHeaderSchema{
		{Type: known.Type}, {Type: dynamic, LabelNames: []string{"type"}},
	}})
	l.diags = append(l.diags, diags...)
	for _, b := range found.Blocks {
		all := []inner{{b, known, surroundings{}}}
		if b.Type == dynamic && b.Labels[0] == known.Type {
			all = l.dynamic(b, block.schema, surroundings{})
		} else if b.Type == dynamic {
			continue
		}
		if len(all) > 0 { // content reports a second one
			names, rows := l.matrix(all[0])
			return names, rows, true
		}
	}
	return nil, nil, false
}

// scenarioRow decodes a scenario with the extra roots of in, for one row of its
// matrix.
func (l *loader) scenarioRow(block inner, in surroundings) *Scenario {
	s := &Scenario{Name: block.Labels[0], Range: block.DefRange}
	c := l.content(block.Body, block.schema, in)
	l.text(c.args["description"], in, &s.Description)
	s.Clusters = l.clustersOf(c.args["clusters"], in)
	in.roots = value.Roots()
	steps, finals := l.stepsIn(c)
	for _, step := range append(steps[:len(steps):len(steps)], finals...) {
		in.steps = append(in.steps, step.Labels[0])
	}
	in.done = len(in.steps)
	s.Locals = l.scenarioLocals(c.of("locals"), in)
	in.locals = s.Locals
	for i, step := range steps {
		in.done = i
		s.Steps = append(s.Steps, l.step(step, in))
	}
	for i, step := range finals {
		in.done = len(steps) + i
		s.Finally = append(s.Finally, l.step(step, in))
	}
	return s
}

// stepsIn returns the steps of a scenario that have a valid label, and those in
// its finally block.
func (l *loader) stepsIn(c content) (steps, finals []inner) {
	seen := map[string]hcl.Range{}
	for _, block := range c.blocks {
		if block.schema.Step && l.label(block.Block, seen) {
			steps = append(steps, block)
		}
	}
	for _, block := range c.of("finally") {
		for _, step := range l.content(block.Body, block.schema, block.in).blocks {
			if l.label(step.Block, seen) {
				finals = append(finals, step)
			}
		}
	}
	return steps, finals
}

// label checks the label of a step: any text on one line that is not in use.
func (l *loader) label(block *hcl.Block, seen map[string]hcl.Range) bool {
	name := block.Labels[0]
	if strings.TrimSpace(name) == "" || strings.ContainsFunc(name, breaksLine) {
		l.errorf(block.LabelRanges[0], "Invalid name", "A step needs a name on one line.")
		return false
	}
	if first, ok := seen[name]; ok {
		l.errorf(block.LabelRanges[0], "Duplicate step", "The scenario has a step %q already, at %s. Give this one another name.", name, FormatRange(first))
		return false
	}
	seen[name] = block.DefRange
	return true
}

// breaksLine says whether a character is a control character, or ends a line or
// a paragraph.
func breaksLine(r rune) bool { return unicode.In(r, unicode.Cc, unicode.Zl, unicode.Zp) }

// step decodes a step. A step of a dynamic block also has the iterators of that
// block as roots.
func (l *loader) step(block inner, in surroundings) *Step {
	step := &Step{Name: block.Labels[0], Verb: block.Type, Range: block.DefRange}
	for name, v := range block.in.extra {
		if _, ofScenario := in.extra[name]; !ofScenario {
			if step.Roots == nil {
				step.Roots = map[string]cty.Value{}
			}
			step.Roots[name] = v
		}
	}
	in.extra = block.in.extra
	c := l.content(block.Body, block.schema, in)
	before := len(l.diags)
	step.Action = l.opts.Verbs.Decode(step.Verb, &arguments{l, step, c, block.schema, in})
	l.diags = append(l.diags[:before], slices.DeleteFunc(l.diags[before:], c.misspelled)...)
	return step
}

// with returns the surroundings with one more root.
func (in surroundings) with(name string, v cty.Value) surroundings {
	extra := maps.Clone(in.extra)
	if extra == nil {
		extra = map[string]cty.Value{}
	}
	extra[name] = v
	in.extra = extra
	return in
}
