package dsl

import (
	"regexp"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"github.com/kind-lab/lab/dsl/schema"
	"github.com/kind-lab/lab/dsl/value"
)

// limits decodes what every step that does something has.
func (l *loader) limits(c content, b *schema.Block, in surroundings) Limits {
	var limits Limits
	l.durationOr(c.args["timeout"], b.Argument("timeout"), in, &limits.Timeout)
	attr := c.args["expect_error"]
	if attr == nil {
		return limits
	}
	limits.ExpectError = attr.Expr
	v, ok := l.check(attr.Expr, in)
	v, _ = v.UnmarkDeep()
	switch ty := v.Type(); {
	case !ok || ty == cty.DynamicPseudoType && !v.IsKnown():
	case v.IsNull() || ty != cty.Bool && ty != cty.String:
		l.errorf(attr.Expr.Range(), "Invalid expect_error",
			"The argument \"expect_error\" must be true or false, or a string with a regular expression that the refusal must match; this is %s.", value.Format(v))
	case ty == cty.String && v.IsKnown() && (v.AsString() == "true" || v.AsString() == "false"):
		if _, written := literal(attr.Expr); written {
			l.errorf(attr.Expr.Range(), "Invalid expect_error", "A string is a regular expression that the refusal must match. Did you mean %s?", v.AsString())
		}
	case ty == cty.String && v.IsKnown():
		if _, err := regexp.Compile(v.AsString()); err != nil {
			l.errorf(attr.Expr.Range(), "Invalid regular expression", "%s.", sentence(err))
		}
	}
	return limits
}

func (l *loader) apply(c content, b *schema.Block, in surroundings) *Apply {
	a := &Apply{FieldValidation: l.fieldValidation(c, b, in), Limits: l.limits(c, b, in)}
	a.Manifests = l.texts(c.args["manifests"], in, "a string of YAML documents, or a list of such", " Objects are written with yamlencode().")
	return a
}

// fieldValidation decodes the argument of that name, as the API names it.
func (l *loader) fieldValidation(c content, b *schema.Block, in surroundings) string {
	return capital(l.choice(c.args["field_validation"], b.Argument("field_validation"), in))
}

func capital(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

func (l *loader) remove(step *Step, c content, b *schema.Block, in surroundings) *Delete {
	d := &Delete{Wait: true, Limits: l.limits(c, b, in)}
	d.Objects = l.texts(c.args["objects"], in, objectForm+", or a list of such", "")
	l.objectNames(c.args["objects"], in)
	d.Manifests = l.texts(c.args["manifests"], in, "a string of YAML documents, or a list of such", "")
	l.oneOf(step, c, "objects", "manifests")
	if attr := c.args["grace_period"]; attr != nil {
		if grace, ok := l.durationValue(attr, in, true); ok {
			d.GracePeriod = &grace
		}
	}
	d.Propagation = capital(l.choice(c.args["propagation"], b.Argument("propagation"), in))
	l.flag(c.args["wait"], in, &d.Wait)
	l.flag(c.args["ignore_not_found"], in, &d.IgnoreNotFound)
	return d
}

func (l *loader) patch(c content, b *schema.Block, in surroundings) *Patch {
	p := &Patch{FieldValidation: l.fieldValidation(c, b, in), Limits: l.limits(c, b, in)}
	p.Object = l.aText(c.args["object"], in, objectForm)
	l.objectNames(c.args["object"], in)
	if attr := c.args["patch"]; attr != nil {
		p.Patch = attr.Expr
		if v, ok := l.check(attr.Expr, in); ok && v.IsNull() {
			l.errorf(attr.Expr.Range(), "Invalid patch", "The argument \"patch\" must be a value or a string of YAML or JSON, not null.")
		}
	}
	p.Type = l.choice(c.args["type"], b.Argument("type"), in)
	l.text(c.args["subresource"], in, &p.Subresource)
	return p
}

func (l *loader) exec(step *Step, c content, b *schema.Block, in surroundings) *Exec {
	e := &Exec{Limits: l.limits(c, b, in)}
	e.Pod = l.aText(c.args["pod"], in, "a pod's name")
	e.Container = l.aText(c.args["container"], in, "a container's name")
	e.Node = l.aText(c.args["node"], in, "a node's name")
	l.flag(c.args["host"], in, &e.Host)
	l.oneOf(step, c, "pod", "node", "host")
	if attr := c.args["container"]; attr != nil && c.args["pod"] == nil {
		l.errorf(attr.NameRange, "Container without a pod", "The argument \"container\" goes with \"pod\".")
	}
	if attr := c.args["command"]; attr != nil {
		e.Command = attr.Expr
		if v, ok := l.check(attr.Expr, in); ok && !isTextList(v) {
			l.errorf(attr.Expr.Range(), "Invalid command", "The argument \"command\" must be a list of strings, the program first; this is %s. A shell is asked for by name: [\"sh\", \"-c\", \"...\"].", value.Format(v))
		}
	}
	e.Stdin = l.aText(c.args["stdin"], in, "a string")
	l.flag(c.args["ignore_exit_code"], in, &e.IgnoreExitCode)
	return e
}

func (l *loader) signal(c content, b *schema.Block, in surroundings) *Signal {
	s := &Signal{Limits: l.limits(c, b, in)}
	s.Pod = l.aText(c.args["pod"], in, "a pod's name")
	s.Container = l.aText(c.args["container"], in, "a container's name")
	s.Signal = l.aText(c.args["signal"], in, "the name of a signal, such as \"TERM\", or its number")
	return s
}

func (l *loader) node(c content, b *schema.Block, in surroundings) *Node {
	n := &Node{Limits: l.limits(c, b, in)}
	n.Node = l.aText(c.args["node"], in, "a node's name")
	n.Action = l.choice(c.args["action"], b.Argument("action"), in)
	n.Service = l.choice(c.args["service"], b.Argument("service"), in)
	if n.Service != "" && n.Action != "" && !has([]string{"stop", "start", "restart"}, n.Action) {
		l.errorf(c.args["service"].NameRange, "Invalid service", "A service is stopped, started or restarted; %q is done to the node itself.", n.Action)
	}
	return n
}

// oneOf checks that exactly one of some arguments is written.
func (l *loader) oneOf(step *Step, c content, names ...string) {
	var written []*hcl.Attribute
	for _, attr := range c.sortedArgs() {
		if has(names, attr.Name) {
			written = append(written, attr)
		}
	}
	switch {
	case len(written) == 0:
		l.errorf(step.Range, "Missing argument", "One of the arguments %s is required.", orList(quoted(names)))
	case len(written) > 1:
		l.errorf(written[1].NameRange, "Too many arguments", "Only one of the arguments %s may be written; %q is there already.", orList(quoted(names)), written[0].Name)
	}
}

func quoted(names []string) []string {
	out := make([]string, len(names))
	for i, name := range names {
		out[i] = `"` + name + `"`
	}
	return out
}

// objectForm describes how objects are named.
const objectForm = `an object as kubectl writes it, such as "pod/web"`

var objectName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9.-]*/[^/\s]+$`)

// objectNames checks the names of objects that are known before the run.
func (l *loader) objectNames(attr *hcl.Attribute, in surroundings) {
	if attr == nil {
		return
	}
	scope := l.scope
	scope.Extra, scope.ScenarioLocals = in.extra, in.locals
	v, diags := scope.Eval(attr.Expr)
	if diags.HasErrors() || !v.IsWhollyKnown() || v.IsNull() {
		return
	}
	names := []cty.Value{v}
	if v.CanIterateElements() {
		names = nil
		for it := v.ElementIterator(); it.Next(); {
			_, e := it.Element()
			names = append(names, e)
		}
	}
	for _, name := range names {
		if name.Type() == cty.String && !name.IsNull() && !objectName.MatchString(name.AsString()) {
			l.errorf(attr.Expr.Range(), "Invalid object", "%s does not name an object: write %s.", value.Format(name), objectForm)
		}
	}
}
