package verbs_test

import (
	"github.com/hashicorp/hcl/v2"

	"github.com/kind-lab/lab/dsl/action"
	"github.com/kind-lab/lab/dsl/schema"
)

// Fake is the language's side of the verb fake: what dsl/action/fake.go would
// have.
type Fake struct {
	Greeting, Pod hcl.Expression
	Loud          bool
	action.Limits
}

// Expressions implements action.Action.
func (f *Fake) Expressions() []hcl.Expression { return []hcl.Expression{f.Greeting, f.Pod} }

func fakeVerb() action.Verb {
	return action.Verb{
		Block: schema.Block{
			Type:    "fake",
			Summary: "Greets a pod from its node.",
			Example: `fake "hello" { greeting = "hello" }`,
			Arguments: []schema.Argument{
				{Name: "greeting", Type: "string", Required: true, Stage: schema.Begin, Doc: "What is said."},
				{Name: "pod", Type: "string", Stage: schema.Begin, Doc: "The pod's name."},
				{Name: "loud", Type: "bool", Default: "true", Stage: schema.Load, Doc: "Whether it is said in capitals."},
			},
		},
		Timeout: "45s",
		Decode: func(a action.Arguments) action.Action {
			return &Fake{Greeting: a.Text("greeting", "a greeting"), Pod: a.Text("pod", "a pod's name"), Loud: a.Flag("loud")}
		},
	}
}
