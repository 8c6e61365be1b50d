package dsl

import (
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"github.com/kind-lab/lab/dsl/internal/suggest"
	"github.com/kind-lab/lab/dsl/value"
)

func (l *loader) scenarios(blocks hcl.Blocks) {
	seen := map[string]hcl.Range{}
	for _, block := range blocks {
		if l.named(block, "scenario", seen) {
			l.module.Scenarios = append(l.module.Scenarios, l.scenario(block))
		}
	}
}

// laterSteps are the blocks of a scenario that belong to the language but are
// not there yet.
func laterSteps() []string {
	return []string{"delete", "patch", "exec", "wait", "sleep", "signal", "node", "invariant", "finally", "matrix"}
}

func scenarioSchema() *hcl.BodySchema {
	schema := &hcl.BodySchema{
		Attributes: attributes("description", "*clusters"),
		Blocks: []hcl.BlockHeaderSchema{
			{Type: "locals"},
			{Type: VerbApply, LabelNames: []string{"name"}},
			{Type: VerbExpect, LabelNames: []string{"name"}},
		},
	}
	for _, verb := range laterSteps() {
		header := hcl.BlockHeaderSchema{Type: verb, LabelNames: []string{"name"}}
		if verb == "finally" || verb == "matrix" {
			header.LabelNames = nil
		}
		schema.Blocks = append(schema.Blocks, header)
	}
	return schema
}

func (l *loader) scenario(block *hcl.Block) *Scenario {
	s := &Scenario{Name: block.Labels[0], Range: block.DefRange}
	content, diags := block.Body.Content(scenarioSchema())
	l.diags = append(l.diags, diags...)
	l.text(content.Attributes["description"], &s.Description)
	s.Clusters = l.clustersOf(content.Attributes["clusters"])

	var locals, steps hcl.Blocks
	in := surroundings{roots: value.Roots()}
	seen := map[string]hcl.Range{}
	for _, inner := range content.Blocks {
		switch {
		case inner.Type == "locals":
			locals = append(locals, inner)
		case has(laterSteps(), inner.Type):
			l.notYet(hcl.Blocks{inner}, "")
			in.steps = append(in.steps, inner.Labels...)
		case l.label(inner, seen):
			steps = append(steps, inner)
			in.steps = append(in.steps, inner.Labels[0])
		}
	}
	in.done = len(in.steps)
	s.Locals = l.scenarioLocals(locals, in)
	in.locals = s.Locals
	for _, inner := range steps {
		for i, name := range in.steps {
			if name == inner.Labels[0] {
				in.done = i
			}
		}
		s.Steps = append(s.Steps, l.step(inner, in))
	}
	return s
}

// label checks the label of a step: any text on one line that is free.
func (l *loader) label(block *hcl.Block, seen map[string]hcl.Range) bool {
	name := block.Labels[0]
	if strings.TrimSpace(name) == "" || strings.ContainsFunc(name, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		l.errorf(block.LabelRanges[0], "Invalid name", "A step needs a name, of one line.")
		return false
	}
	if first, ok := seen[name]; ok {
		l.errorf(block.LabelRanges[0], "Duplicate step", "The scenario has a step %q already, at %s. Give this one another name.", name, FormatRange(first))
		return false
	}
	seen[name] = block.DefRange
	return true
}

func (l *loader) step(block *hcl.Block, in surroundings) *Step {
	step := &Step{Name: block.Labels[0], Verb: block.Type, Range: block.DefRange}
	if block.Type == VerbApply {
		step.Apply = l.apply(block, in)
	} else {
		step.Expect = l.expect(block, in)
	}
	return step
}

func (l *loader) apply(block *hcl.Block, in surroundings) *Apply {
	content, diags := block.Body.Content(&hcl.BodySchema{
		Attributes: attributes("*manifests", "field_validation", "expect_error"),
	})
	l.diags = append(l.diags, diags...)
	a := &Apply{FieldValidation: FieldValidationStrict}
	if attr := content.Attributes["manifests"]; attr != nil {
		a.Manifests = attr.Expr
		if v, ok := l.check(attr.Expr, in); ok && !isTexts(v) {
			l.errorf(attr.Expr.Range(), "Invalid manifests",
				"The argument \"manifests\" must be a string of YAML documents, or a list of such; this is %s. Objects are written with yamlencode().", value.Format(v))
		}
	}
	l.fieldValidation(content.Attributes["field_validation"], a)
	a.ExpectError = l.boolean(content.Attributes["expect_error"], in)
	return a
}

// isTexts says whether a value is, or may become, a string or a list of them.
func isTexts(v cty.Value) bool {
	v, _ = v.UnmarkDeep()
	ty := v.Type()
	switch {
	case ty == cty.DynamicPseudoType:
		return !v.IsKnown()
	case v.IsNull():
		return false
	case ty == cty.String:
		return true
	case ty.IsListType() || ty.IsSetType():
		return (ty.ElementType() == cty.String || ty.ElementType() == cty.DynamicPseudoType) && !hasNull(v)
	case ty.IsTupleType():
		for _, element := range ty.TupleElementTypes() {
			if element != cty.String && element != cty.DynamicPseudoType {
				return false
			}
		}
		return !hasNull(v)
	}
	return false
}

func (l *loader) fieldValidation(attr *hcl.Attribute, a *Apply) {
	var given string
	if !l.text(attr, &given) {
		return
	}
	for _, known := range []string{FieldValidationStrict, FieldValidationWarn, FieldValidationIgnore} {
		if strings.EqualFold(given, known) {
			a.FieldValidation = known
			return
		}
	}
	names := []string{"strict", "warn", "ignore"}
	l.errorf(attr.Expr.Range(), "Invalid field validation", "The argument \"field_validation\" must be %s, not %s.%s",
		orList([]string{`"strict"`, `"warn"`, `"ignore"`}), value.Format(cty.StringVal(given)), suggest.Sentence(given, names))
}

func (l *loader) expect(block *hcl.Block, in surroundings) *Expect {
	content, diags := block.Body.Content(&hcl.BodySchema{
		Attributes: attributes("*condition", "within", "hold", "outcome", "when", "message"),
	})
	l.diags = append(l.diags, diags...)
	args := content.Attributes
	e := &Expect{Name: block.Labels[0], Range: block.DefRange}
	e.Condition = l.boolean(args["condition"], in)
	l.duration(args["within"], &e.Within)
	l.duration(args["hold"], &e.Hold)
	e.Outcome = l.boolean(args["outcome"], in)
	e.When = l.boolean(args["when"], in)
	if attr := args["message"]; attr != nil {
		e.Message = attr.Expr
		if v, ok := l.check(attr.Expr, in); ok && !v.Type().IsPrimitiveType() && v.Type() != cty.DynamicPseudoType {
			l.errorf(attr.Expr.Range(), "Invalid message", "The argument \"message\" must be a string; this is %s.", value.Format(v))
		}
	}
	return e
}

// boolean checks an argument that must be true or false when it is evaluated,
// and returns its expression; nil where it is missing.
func (l *loader) boolean(attr *hcl.Attribute, in surroundings) hcl.Expression {
	if attr == nil {
		return nil
	}
	if v, ok := l.check(attr.Expr, in); ok {
		shown := kind(v)
		v, _ = v.UnmarkDeep()
		switch ty := v.Type(); {
		case v.IsNull():
			l.errorf(attr.Expr.Range(), "Invalid condition", "The argument %q must be true or false; this is null.", attr.Name)
		case ty != cty.Bool && ty != cty.DynamicPseudoType:
			l.errorf(attr.Expr.Range(), "Invalid condition", "The argument %q must be true or false; this is %s.%s", attr.Name, shown, comparisonHint(ty))
		}
	}
	return attr.Expr
}

// kind names the type of a value with its article, and the value where it is
// known.
func kind(v cty.Value) string {
	name := v.Type().FriendlyName()
	if strings.ContainsRune("aeiou", rune(name[0])) {
		name = "an " + name
	} else {
		name = "a " + name
	}
	if v.IsWhollyKnown() {
		name += ", " + value.Format(v)
	}
	return name
}

func comparisonHint(ty cty.Type) string {
	if ty.IsPrimitiveType() {
		return " Compare it with what is expected, such as == 0 or == \"Running\"."
	}
	return ""
}

// clustersOf decodes the argument that names a scenario's clusters.
func (l *loader) clustersOf(attr *hcl.Attribute) []*Cluster {
	if attr == nil {
		return nil
	}
	v, ok := l.clusterList(attr)
	if !ok {
		return nil
	}
	var clusters []*Cluster
	seen := map[string]bool{}
	for it := v.ElementIterator(); it.Next(); {
		_, element := it.Element()
		cluster := l.declaredCluster(element)
		switch {
		case cluster == nil && element.IsKnown():
			l.errorf(attr.Expr.Range(), "Invalid clusters", "Every element must be a cluster of this file, such as cluster.%s; this is %s.",
				l.exampleCluster(), value.Format(element))
		case cluster == nil:
		case seen[cluster.Name]:
			l.errorf(attr.Expr.Range(), "Duplicate cluster", "The cluster %q is named twice. A scenario runs once on each of its clusters.", cluster.Name)
		default:
			seen[cluster.Name] = true
			clusters = append(clusters, cluster)
		}
	}
	if len(seen) == 0 && v.LengthInt() == 0 {
		l.errorf(attr.Expr.Range(), "No clusters", "A scenario needs at least one cluster to run on, such as cluster.%s.", l.exampleCluster())
	}
	return clusters
}
