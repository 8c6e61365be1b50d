package remove

import (
	"context"
	"time"

	"github.com/kind-lab/lab/dsl/action"
	"github.com/kind-lab/lab/labs/step"
)

// Request asks for objects to be deleted: those that are named, or those of the
// manifests.
type Request struct {
	// Namespace is where objects are that name none.
	Namespace string
	// Objects are as kubectl writes them, such as "pod/web".
	Objects   []string
	Manifests []step.Manifest
	// GracePeriod is instead of the object's own; nil means its own, 0 at
	// once.
	GracePeriod *time.Duration
	// Propagation is "Background", "Foreground" or "Orphan".
	Propagation string
	// Wait says to wait until the objects are gone.
	Wait bool
	// IgnoreNotFound says that an object that is not there is no failure.
	IgnoreNotFound bool
}

// Verb is the verb delete.
func Verb() step.Verb {
	return step.Definition[*action.Delete]{Verb: "delete", ForecastOf: forecast, PrepareOf: prepare, Saying: step.OfAPI(), Traces: step.InAPI}
}

func forecast(d *action.Delete) step.Forecast {
	verbs := []string{"get", "delete", "list", "watch"}
	if d.Manifests != nil {
		return step.Forecast{Requests: []step.Request{{Manifests: d.Manifests, Namespace: d.Namespace, Verbs: verbs}}}
	}
	return step.Forecast{Requests: []step.Request{{Objects: d.Objects, Namespace: d.Namespace, Verbs: verbs}}}
}

func prepare(a *step.Arguments, d *action.Delete) step.Prepared {
	in := Request{
		Namespace: a.Within(d.Namespace), Objects: a.Texts("objects", d.Objects), Manifests: a.Manifests(d.Manifests),
		GracePeriod: d.GracePeriod, Propagation: d.Propagation, Wait: d.Wait, IgnoreNotFound: d.IgnoreNotFound,
	}
	return step.Prepared{Do: func(ctx context.Context, on step.Cluster) (step.Result, error) {
		return New(on.Client.Objects).Do(ctx, in)
	}}
}
