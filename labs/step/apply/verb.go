package apply

import (
	"context"

	"github.com/kind-lab/lab/dsl/action"
	"github.com/kind-lab/lab/labs/step"
)

// Request asks for objects to be created or changed.
type Request struct {
	// Namespace is where objects go that name none.
	Namespace string
	// Manifests are strings of YAML or JSON documents.
	Manifests []step.Manifest
	// FieldValidation is "Strict", "Warn" or "Ignore".
	FieldValidation string
}

// Verb is the verb apply.
func Verb() step.Verb {
	return step.Definition[*action.Apply]{Verb: "apply", ForecastOf: forecast, PrepareOf: prepare, Saying: step.OfAPI(), Traces: step.InAPI}
}

func forecast(d *action.Apply) step.Forecast {
	return step.Forecast{
		Creates: d.Manifests, Namespace: d.Namespace, Strict: d.FieldValidation == action.FieldValidationStrict,
		Requests: []step.Request{{Manifests: d.Manifests, Namespace: d.Namespace, Verbs: []string{"create", "get", "patch"}}},
	}
}

func prepare(a *step.Arguments, d *action.Apply) step.Prepared {
	in := Request{Namespace: a.Within(d.Namespace), Manifests: a.Manifests(d.Manifests), FieldValidation: d.FieldValidation}
	return step.Prepared{
		Do: func(ctx context.Context, on step.Cluster) (step.Result, error) {
			return New(on.Client.Objects).Do(ctx, in)
		},
		Needs: func() (step.Needs, error) { return Needs(in.Manifests) },
	}
}
