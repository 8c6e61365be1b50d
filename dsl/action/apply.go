package action

import (
	"github.com/hashicorp/hcl/v2"

	"github.com/kind-lab/lab/dsl/schema"
)

// Apply creates or changes objects.
type Apply struct {
	// Manifests evaluates to a string of YAML documents, or a list of such
	// strings.
	Manifests hcl.Expression
	// Namespace evaluates to the namespace of objects that name none; nil for the
	// run's own.
	Namespace hcl.Expression
	// FieldValidation is FieldValidationStrict, FieldValidationWarn or
	// FieldValidationIgnore. Strict is the default, as in kubectl.
	FieldValidation string
	Limits
}

// Expressions implements Action.
func (a *Apply) Expressions() []hcl.Expression { return []hcl.Expression{a.Manifests, a.Namespace} }

func applyVerb() Verb {
	return Verb{
		Block: schema.Block{
			Type:    "apply",
			Summary: "Creates or updates objects, in the order in which they are written.",
			Doc:     "Objects without a namespace are created in the run's namespace. First, lab loads the images of the objects onto the nodes. If a CustomResourceDefinition is among the objects, lab waits until it is established before it creates objects of that kind.",
			Example: `apply "job" {
  manifests = [templatefile("job.yaml", { image = var.image })]
}`,
			Arguments: []schema.Argument{
				{Name: "manifests", Type: "string or list(string)", Required: true, Stage: schema.Begin, Doc: "YAML or JSON documents, such as file(\"job.yaml\"), yamlencode({...}), helm(\"chart\") or kustomize(\"overlay\")."},
				namespaceArgument("The namespace of objects that name none, and of a chart's release, instead of the run's namespace. It must exist."),
				fieldValidation(),
			},
		},
		Timeout: "1m",
		Decode: func(a Arguments) Action {
			return &Apply{
				FieldValidation: capital(a.Choice("field_validation")),
				Manifests:       a.Texts("manifests", manifestForm, " Use yamlencode() for an object."),
				Namespace:       a.Text("namespace", namespaceForm),
			}
		},
	}
}

// namespaceArgument is the argument namespace.
func namespaceArgument(doc string) schema.Argument {
	return schema.Argument{Name: "namespace", Type: "string", Stage: schema.Begin, Doc: doc}
}

// namespaceForm describes a namespace.
const namespaceForm = "the name of a namespace"

// manifestForm describes manifests.
const manifestForm = "a string of YAML documents, or a list of such strings"
