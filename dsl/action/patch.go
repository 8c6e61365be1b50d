package action

import (
	"github.com/hashicorp/hcl/v2"

	"github.com/kind-lab/lab/dsl/schema"
)

// Patch changes an object with a patch.
type Patch struct {
	// Object evaluates to a string such as "pod/web".
	Object hcl.Expression
	// Patch evaluates to a string of YAML or JSON, or to a value to encode.
	Patch hcl.Expression
	// Type is "strategic", "merge", "json" or "apply".
	Type string
	// Subresource is empty for the object itself.
	Subresource string
	// FieldValidation is the same as in Apply.
	FieldValidation string
	Limits
}

// Expressions implements Action.
func (p *Patch) Expressions() []hcl.Expression { return []hcl.Expression{p.Object, p.Patch} }

func patchVerb() Verb {
	return Verb{
		Block: schema.Block{
			Type:    "patch",
			Summary: "Changes one object with a patch.",
			Example: `patch "image" {
  object = "deployment/web"
  patch  = { spec = { replicas = 3 } }
  type   = "merge"
}`,
			Arguments: []schema.Argument{
				{Name: "object", Type: "string", Required: true, Stage: schema.Begin, Doc: "The object, in the form that kubectl uses: \"pod/web\"."},
				{Name: "patch", Type: "any", Required: true, Stage: schema.Begin, Doc: "The patch: a value, or a string of YAML or JSON."},
				{Name: "type", Type: "string", Default: `"strategic"`, Values: []string{"strategic", "merge", "json", "apply"}, Stage: schema.Load, Doc: "How the patch is applied. \"json\" is a list of operations (RFC 6902), and \"apply\" is server-side apply."},
				{Name: "subresource", Type: "string", Stage: schema.Load, Doc: "The subresource to patch, such as \"status\", \"scale\", \"resize\" or \"ephemeralcontainers\"."},
				fieldValidation(),
			},
		},
		Timeout: "1m",
		Decode: func(a Arguments) Action {
			p := &Patch{FieldValidation: capital(a.Choice("field_validation")), Object: a.Text("object", objectForm)}
			objectNames(a, "object")
			p.Patch = a.Value("patch", "a value or a string of YAML or JSON")
			p.Type, p.Subresource = a.Choice("type"), a.String("subresource")
			return p
		},
	}
}
