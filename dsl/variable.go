package dsl

import (
	"fmt"
	"sort"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/ext/typeexpr"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"

	"github.com/kind-lab/lab/dsl/internal/suggest"
	"github.com/kind-lab/lab/dsl/value"
)

// EnvPrefix is the prefix of environment variables with values of variables.
const EnvPrefix = "LAB_VAR_"

// declaration is a variable with what is needed to decode its value.
type declaration struct {
	*Variable
	defaults *typeexpr.Defaults
	// literal says that a value from the command line is a literal string, not
	// an expression.
	literal    bool
	validation []inner
}

func (l *loader) variables(blocks []inner) {
	var declared []*declaration
	seen := map[string]hcl.Range{}
	for _, block := range blocks {
		if l.named(block, "variable", seen) {
			declared = append(declared, l.variable(block))
		}
	}
	values := l.given(declared)
	for _, d := range declared {
		l.module.Variables = append(l.module.Variables, d.Variable)
		values[d.Name] = l.valueOf(d, values[d.Name])
	}
	l.scope.Vars = cty.ObjectVal(values)
	l.module.Vars = l.scope.Vars
	for _, d := range declared {
		for _, block := range d.validation {
			l.validate(d, block)
		}
	}
}

// named checks a block's label: it must be an identifier that is not in use.
func (l *loader) named(block inner, what string, seen map[string]hcl.Range) bool {
	name := block.Labels[0]
	if !hclsyntax.ValidIdentifier(name) {
		l.errorf(block.LabelRanges[0], "Invalid name", "%s is not a valid name for a %s: a name begins with a letter, and has only letters, digits, _ and -.",
			value.Format(cty.StringVal(name)), what)
		return false
	}
	if first, ok := seen[name]; ok {
		l.errorf(block.LabelRanges[0], "Duplicate "+what, "There is a %s %q already, at %s. Give this one another name.", what, name, FormatRange(first))
		return false
	}
	seen[name] = block.DefRange
	return true
}

func (l *loader) variable(block inner) *declaration {
	d := &declaration{Variable: &Variable{Name: block.Labels[0], Type: cty.DynamicPseudoType, Range: block.DefRange}, literal: true}
	c := l.content(block.Body, block.schema, block.in)
	d.validation = c.of("validation")
	if attr := c.args["type"]; attr != nil {
		ty, defaults, diags := typeexpr.TypeConstraintWithDefaults(attr.Expr)
		l.diags = append(l.diags, diags...)
		if !diags.HasErrors() {
			d.Type, d.defaults, d.literal = ty, defaults, ty.IsPrimitiveType()
		}
	}
	l.text(c.args["description"], block.in, &d.Description)
	if v, ok := l.static(c.args["sensitive"], block.in, cty.Bool); ok {
		d.Sensitive = v.True()
	}
	if c.meant["default"] {
		d.Default = cty.UnknownVal(d.Type)
	}
	if attr := c.args["default"]; attr != nil {
		d.Default = cty.UnknownVal(d.Type)
		if v, ok := l.check(attr.Expr, surroundings{literal: true}); ok {
			d.Default = l.fit(d, v, attr.Expr.Range(), "The default")
		}
		if d.Sensitive {
			d.Default = d.Default.Mark(value.Sensitive)
		}
	}
	return d
}

// fit converts a value to a variable's type. If that is not possible, it reports
// a mistake and returns an unknown value.
func (l *loader) fit(d *declaration, v cty.Value, at hcl.Range, what string) cty.Value {
	as, err := d.convert(v)
	if err != nil {
		l.errorf(at, "Invalid value for variable", "%s of variable %q does not match its type, %s: %s.", what, d.Name, typeexpr.TypeString(d.Type), err)
		return cty.UnknownVal(d.Type)
	}
	return as
}

func (d *declaration) convert(v cty.Value) (cty.Value, error) {
	if d.defaults != nil && !v.IsNull() {
		v = d.defaults.Apply(v)
	}
	return convert.Convert(v, d.Type)
}

// given collects the values of variables: each from the source with the highest
// precedence that has one.
func (l *loader) given(declared []*declaration) map[string]cty.Value {
	byName, names := map[string]*declaration{}, []string{}
	for _, d := range declared {
		byName[d.Name] = d
		names = append(names, d.Name)
	}
	values := map[string]cty.Value{}
	for _, file := range l.autoFiles() {
		l.take(l.varAttributes(file.data, file.name), byName, values)
	}
	for _, d := range declared {
		if l.opts.Env == nil {
			break
		}
		if s, ok := l.opts.Env(EnvPrefix + d.Name); ok {
			values[d.Name] = l.fromString(d, s, "the environment variable "+EnvPrefix+d.Name)
		}
	}
	for _, file := range l.opts.VarFiles {
		l.take(l.varFile(file), byName, values)
	}
	for _, name := range sorted(l.opts.Vars) {
		if d := byName[name]; d != nil {
			values[name] = l.fromString(d, l.opts.Vars[name], "--var")
			continue
		}
		l.diags = append(l.diags, &hcl.Diagnostic{
			Severity: hcl.DiagError, Summary: "Unknown variable",
			Detail: fmt.Sprintf("--var gives a value to %q, but the scenario declares no such variable.%s", name, suggest.Sentence(name, names)),
		})
	}
	return values
}

func sorted[V any](m map[string]V) []string {
	names := make([]string, 0, len(m))
	for name := range m {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}

// fromString decodes a value from the command line or the environment. from
// names the source.
func (l *loader) fromString(d *declaration, s, from string) cty.Value {
	v := cty.StringVal(s)
	if !d.literal {
		diags := limits([]byte(s), from)
		if !diags.HasErrors() {
			v, diags = literalValue(s, from)
		}
		if diags.HasErrors() {
			l.unsuitable(d, from, diags[0].Summary+"; "+diags[0].Detail)
			return cty.UnknownVal(d.Type)
		}
	}
	as, err := d.convert(v)
	if err != nil {
		l.unsuitable(d, from, err.Error()+".")
		return cty.UnknownVal(d.Type)
	}
	if as.Type() == cty.Number && as.IsKnown() && !as.IsNull() && tooGreat(as) {
		l.unsuitable(d, from, hugeNumber(d.Range).Detail)
		return cty.UnknownVal(d.Type)
	}
	return as
}

// literalValue is the value of an expression without references.
func literalValue(s, from string) (cty.Value, hcl.Diagnostics) {
	expr, diags := hclsyntax.ParseExpression([]byte(s), "<"+from+">", hcl.InitialPos)
	if diags.HasErrors() {
		return cty.NilVal, diags
	}
	return expr.Value(&hcl.EvalContext{})
}

func (l *loader) unsuitable(d *declaration, from, why string) {
	l.errorf(d.Range, "Invalid value for variable", "The value that %s gives to variable %q does not match its type, %s: %s",
		from, d.Name, typeexpr.TypeString(d.Type), why)
}

// valueOf is the final value of a variable. given may be cty.NilVal.
func (l *loader) valueOf(d *declaration, given cty.Value) cty.Value {
	v := given
	if v == cty.NilVal {
		v = d.Default
	}
	if v == cty.NilVal && l.opts.NoValues {
		v = cty.UnknownVal(d.Type)
	}
	if v == cty.NilVal {
		l.errorf(d.Range, "No value for variable",
			"The variable %q has no default, so it needs a value. Set it with --var '%s=VALUE', in a file for --var-file, or with the environment variable %s%s.",
			d.Name, d.Name, EnvPrefix, d.Name)
		v = cty.UnknownVal(d.Type)
	}
	if d.Sensitive {
		v = v.Mark(value.Sensitive)
	}
	return v
}

// validate evaluates a validation block of a variable.
func (l *loader) validate(d *declaration, block inner) {
	c := l.content(block.Body, block.schema, block.in)
	in := surroundings{roots: []string{"path", "var"}}
	condition, message := c.args["condition"], c.args["error_message"]
	if condition == nil || message == nil {
		return
	}
	used := l.used["var."+d.Name]
	defer func() { l.used["var."+d.Name] = used }() // its own rule does not count as a use
	v, ok := l.check(condition.Expr, in)
	said, messageOK := l.check(message.Expr, in)
	if !ok || !messageOK {
		return
	}
	truth, err := value.Truth(v)
	if err != nil {
		l.errorf(condition.Expr.Range(), "Invalid condition", "%s.", suggest.Capital(err.Error()))
		return
	}
	if truth != value.False {
		return
	}
	text := "The value does not satisfy the condition at " + FormatRange(condition.Expr.Range()) + "."
	if said, err = convert.Convert(said, cty.String); err == nil && said.IsKnown() && !said.IsNull() && !said.IsMarked() {
		text = said.AsString()
	}
	l.errorf(d.Range, "Invalid value for variable", "%s", text)
}
