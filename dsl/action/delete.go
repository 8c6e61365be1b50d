package action

import (
	"time"

	"github.com/hashicorp/hcl/v2"

	"github.com/kind-lab/lab/dsl/schema"
)

// Delete deletes objects.
type Delete struct {
	// Objects evaluates to a string such as "pod/web", or a list of such
	// strings. Manifests is the same as in Apply. Exactly one of them is set.
	Objects, Manifests hcl.Expression
	// Namespace is the same as in Apply.
	Namespace hcl.Expression
	// GracePeriod is nil if the object's own grace period applies.
	GracePeriod *time.Duration
	// Propagation is "Background", "Foreground" or "Orphan", as in the API.
	Propagation string
	// Wait says whether to wait until the objects are gone.
	Wait           bool
	IgnoreNotFound bool
	Limits
}

// Expressions implements Action.
func (d *Delete) Expressions() []hcl.Expression {
	return []hcl.Expression{d.Objects, d.Manifests, d.Namespace}
}

func deleteVerb() Verb {
	return Verb{
		Block: schema.Block{
			Type:    "delete",
			Summary: "Deletes objects, and waits until they are gone.",
			Example: `delete "pod" {
  objects      = ["pod/web", "configmap/web"]
  grace_period = "10s"
}`,
			Arguments: []schema.Argument{
				{Name: "objects", Type: "string or list(string)", Stage: schema.Begin, Doc: "The objects, in the form that kubectl uses: \"pod/web\", \"deployments.apps/web\". Set either this or manifests."},
				{Name: "manifests", Type: "string or list(string)", Stage: schema.Begin, Doc: "Manifests of the objects to delete. Set either this or objects."},
				namespaceArgument("The namespace of objects that name none, instead of the run's namespace."),
				{Name: "grace_period", Type: "duration", Stage: schema.Load, Doc: "The grace period, instead of the object's own. \"0s\" deletes the object immediately, without waiting for its containers."},
				{Name: "propagation", Type: "string", Default: `"background"`, Values: []string{"background", "foreground", "orphan"}, Stage: schema.Load, Doc: "What happens to dependents of the objects."},
				{Name: "wait", Type: "bool", Default: "true", Stage: schema.Load, Doc: "Whether to wait until the objects are gone."},
				{Name: "ignore_not_found", Type: "bool", Default: "false", Stage: schema.Load, Doc: "Whether an object that does not exist is ignored."},
			},
		},
		Timeout: "2m",
		Decode:  decodeDelete,
	}
}

func decodeDelete(a Arguments) Action {
	d := &Delete{Objects: a.Texts("objects", objectForm+", or a list of such strings", "")}
	objectNames(a, "objects")
	d.Manifests = a.Texts("manifests", manifestForm, "")
	d.Namespace = a.Text("namespace", namespaceForm)
	oneOf(a, "objects", "manifests")
	d.GracePeriod = a.OptionalDuration("grace_period")
	d.Propagation = capital(a.Choice("propagation"))
	d.Wait, d.IgnoreNotFound = a.Flag("wait"), a.Flag("ignore_not_found")
	return d
}
