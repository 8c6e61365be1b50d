package action

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/kind-lab/lab/dsl/schema"
)

// Verb is one verb of the language.
type Verb struct {
	// Block is the schema of its block, with its documentation. Table adds the
	// label, and for a verb that acts the arguments expect_error and timeout.
	Block schema.Block
	// Timeout is the default of the argument timeout, such as "1m". Every verb
	// that acts has a default, and other verbs have none.
	Timeout string
	// Decode decodes a block. It reports mistakes to the Arguments, and returns
	// the parts that it can decode. Limits are set afterwards.
	Decode func(Arguments) Action
}

// Table holds the verbs of a language by the types of their blocks. The zero
// value holds the verbs of Default. A Table is immutable.
type Table struct{ verbs []Verb }

// Default returns the table of all verbs, in the order of the documentation.
func Default() Table {
	return Table{[]Verb{
		applyVerb(), deleteVerb(), patchVerb(), execVerb(), waitVerb(), sleepVerb(), signalVerb(), nodeVerb(),
		expectVerb(), invariantVerb(),
	}}
}

// With returns the table with further verbs. It fails if a verb has no name, no
// summary, no example or no decoder, if the default of its timeout is not a
// positive duration, or if the table already has a verb of that name.
func (t Table) With(verbs ...Verb) (Table, error) {
	more := Table{slices.Clone(t.all())}
	for _, v := range verbs {
		if err := v.complete(); err != nil {
			return Table{}, err
		}
		if _, there := more.verb(v.Block.Type); there {
			return Table{}, fmt.Errorf("there is already a verb %q", v.Block.Type)
		}
		more.verbs = append(more.verbs, v)
	}
	return more, nil
}

// complete returns an error if a part of the verb is missing or invalid.
func (v Verb) complete() error {
	switch {
	case v.Block.Type == "":
		return fmt.Errorf("a verb has no name: set Block.Type")
	case v.Block.Summary == "" || v.Block.Example == "":
		return fmt.Errorf("the verb %q has no summary or no example", v.Block.Type)
	case v.Decode == nil:
		return fmt.Errorf("the verb %q has no decoder", v.Block.Type)
	case v.Timeout == "":
		return nil
	}
	if d, err := time.ParseDuration(v.Timeout); err != nil || d <= 0 {
		return fmt.Errorf("the verb %q has the default timeout %q: want a duration, such as \"1m\"", v.Block.Type, v.Timeout)
	}
	return nil
}

// OrDefault returns the table itself, or Default for the zero value.
func (t Table) OrDefault() Table { return Table{t.all()} }

func (t Table) all() []Verb {
	if t.verbs == nil {
		return Default().verbs
	}
	return t.verbs
}

func (t Table) verb(name string) (Verb, bool) {
	i := slices.IndexFunc(t.all(), func(v Verb) bool { return v.Block.Type == name })
	if i < 0 {
		return Verb{}, false
	}
	return t.all()[i], true
}

// Names returns the names of the verbs, in their order.
func (t Table) Names() []string {
	var names []string
	for _, v := range t.all() {
		names = append(names, v.Block.Type)
	}
	return names
}

// Acts says whether the table has a verb of that name that acts.
func (t Table) Acts(name string) bool {
	v, ok := t.verb(name)
	return ok && v.Timeout != ""
}

// Language returns the language with the table's verbs as steps of scenarios.
func (t Table) Language() *schema.Block {
	var steps []*schema.Block
	for _, v := range t.all() {
		b := v.Block
		b.Step, b.Labels = true, []string{"name"}
		if v.Timeout != "" {
			b.Arguments = append(slices.Clone(b.Arguments), expectErrorArgument(), timeoutArgument(v.Timeout))
		}
		steps = append(steps, &b)
	}
	return schema.Language(steps)
}

// Decode decodes a block of that verb; nil if there is no such verb.
func (t Table) Decode(name string, a Arguments) Action {
	v, ok := t.verb(name)
	if !ok {
		return nil
	}
	decoded := v.Decode(a)
	switch l := LimitsOf(decoded); {
	case (l != nil) != (v.Timeout != ""):
		a.Mistake(a.Range(), "Unlimited verb", "The verb %q acts, but has no default timeout. This is a bug in lab.", name)
	case l != nil:
		decodeLimits(a, l)
	}
	return decoded
}

func expectErrorArgument() schema.Argument {
	return schema.Argument{Name: "expect_error", Type: "bool or string", Default: "false", Stage: schema.Begin,
		Doc: "Whether the step must fail. If this is true, step.NAME.error has the error. A string is a regular expression (RE2) that the error must match. A response in which the API server does not reject the object (401, 409, 429, 5xx) does not count: the step then results in an Error."}
}

func timeoutArgument(after string) schema.Argument {
	return schema.Argument{Name: "timeout", Type: "duration", Default: `"` + after + `"`, Stage: schema.Load, Doc: "The maximum time that the step may take."}
}

// fieldValidation is the argument of that name.
func fieldValidation() schema.Argument {
	return schema.Argument{Name: "field_validation", Type: "string", Default: `"strict"`, Values: []string{"strict", "warn", "ignore"}, Stage: schema.Load,
		Doc: "How the API server treats unknown and duplicate fields: it rejects the object (as with kubectl), warns about the fields, or drops them."}
}

// The ways in which the API server treats unknown and duplicate fields, as its
// fieldValidation parameter names them.
const (
	FieldValidationStrict = "Strict"
	FieldValidationWarn   = "Warn"
	FieldValidationIgnore = "Ignore"
)

// capital returns a word with a capital first letter, like the API's constants.
func capital(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

// Literal says whether an expression is one literal string or number.
func Literal(expr hcl.Expression) bool {
	switch expr := expr.(type) {
	case *hclsyntax.TemplateExpr:
		return expr.IsStringLiteral()
	case *hclsyntax.LiteralValueExpr:
		return true
	}
	return false
}
