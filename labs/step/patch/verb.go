package patch

import (
	"context"

	"github.com/kind-lab/lab/dsl/action"
	"github.com/kind-lab/lab/labs/step"
)

// Request asks for one object to be changed.
type Request struct {
	// Namespace is where the object is.
	Namespace string
	// Object is as kubectl writes it, such as "pod/web".
	Object string
	// Patch is YAML or JSON.
	Patch string
	// Type is "strategic", "merge", "json" or "apply".
	Type string
	// Subresource is empty for the object itself.
	Subresource string
	// FieldValidation is "Strict", "Warn" or "Ignore".
	FieldValidation string
}

// Verb is the verb patch.
func Verb() step.Verb {
	return step.Definition[*action.Patch]{Verb: "patch", ForecastOf: forecast, PrepareOf: prepare, Saying: step.OfAPI(), Traces: step.InAPI}
}

func forecast(d *action.Patch) step.Forecast {
	return step.Forecast{AltersPods: true, Requests: []step.Request{{Objects: d.Object, Verbs: []string{"get", "patch"}}}}
}

func prepare(a *step.Arguments, d *action.Patch) step.Prepared {
	in := Request{
		Namespace: a.Namespace, Object: a.Required("object", d.Object), Patch: a.Document("patch", d.Patch),
		Type: d.Type, Subresource: d.Subresource, FieldValidation: d.FieldValidation,
	}
	return step.Prepared{
		Do: func(ctx context.Context, on step.Cluster) (step.Result, error) {
			return New(on.Client.Objects).Do(ctx, in)
		},
		Needs: func() (step.Needs, error) { return Needs(in) },
	}
}
