// Package patch changes one object of a cluster by a patch.
package patch

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/yaml"

	"github.com/kind-lab/lab/labs/step"
	"github.com/kind-lab/lab/labs/step/apply"
	"github.com/kind-lab/lab/labs/step/objects"
)

// Patcher changes objects of one cluster. It may be used by several
// goroutines.
type Patcher struct{ objects *objects.Client }

// New returns a Patcher whose objects are reached by the client.
func New(client *objects.Client) *Patcher { return &Patcher{objects: client} }

// The types of patches.
const (
	Strategic = "strategic"
	Merge     = "merge"
	JSON      = "json"
	Apply     = "apply"
)

var apiTypes = map[string]types.PatchType{
	Strategic: types.StrategicMergePatchType, Merge: types.MergePatchType, JSON: types.JSONPatchType, Apply: types.ApplyPatchType,
}

// Do patches the object. A refusal of the API server is a *failure.Rejection;
// an object that is not there is one, too. A patch that is no patch of its type
// is an error before anything is sent.
func (p *Patcher) Do(ctx context.Context, in Request) (step.Result, error) {
	object, err := p.objects.Named(in.Object, in.Namespace)
	if err != nil {
		return step.Result{}, err
	}
	body, err := encode(in, object)
	if err != nil {
		return step.Result{}, err
	}
	ctx, warnings := objects.Warned(ctx)
	before, err := object.Get(ctx)
	if err != nil {
		return step.Result{Warnings: warnings.List()}, err
	}
	options := metav1.PatchOptions{FieldManager: objects.FieldManager, FieldValidation: in.FieldValidation}
	if in.Type == Apply {
		force := true
		options.Force = &force
	}
	var subresources []string
	if in.Subresource != "" {
		subresources = []string{in.Subresource}
	}
	after, err := object.Patch(ctx, object.Name, apiTypes[in.Type], body, options, subresources...)
	out := step.Result{Warnings: warnings.List()}
	ref := object.Reference(before)
	if err != nil {
		return out, objects.Rejection(ref, "patching", err)
	}
	action := "patched"
	if before.GetResourceVersion() == after.GetResourceVersion() {
		action = "unchanged"
	}
	out.Did(ref, action)
	return out, nil
}

// encode is the patch as its type wants it, in JSON.
func encode(in Request, object *objects.Object) ([]byte, error) {
	if _, known := apiTypes[in.Type]; !known {
		return nil, fmt.Errorf("%q is no type of patch: want %s, %s, %s or %s", in.Type, Strategic, Merge, JSON, Apply)
	}
	var content any
	if err := yaml.UnmarshalStrict([]byte(in.Patch), &content); err != nil {
		return nil, fmt.Errorf("reading the patch: %w", err)
	}
	switch fields := content.(type) {
	case []any:
		if in.Type != JSON {
			return nil, fmt.Errorf("the patch is a list of operations, which is of type %q and not %q", JSON, in.Type)
		}
	case map[string]any:
		if in.Type == JSON {
			return nil, fmt.Errorf("a patch of type %q is a list of operations such as {op: replace, path: /spec/replicas, value: 3}; this is an object", JSON)
		}
		if in.Type == Apply {
			if err := complete(fields, object); err != nil {
				return nil, err
			}
		}
	default:
		return nil, fmt.Errorf("the patch is neither an object nor a list of operations: %v", content)
	}
	body, err := json.Marshal(content)
	if err != nil {
		return nil, fmt.Errorf("encoding the patch: %w", err)
	}
	return body, nil
}

// Needs says what the pods of a patch need of the cluster.
func Needs(in Request) (step.Needs, error) {
	var content any
	if err := yaml.UnmarshalStrict([]byte(in.Patch), &content); err != nil {
		return step.Needs{}, fmt.Errorf("reading the patch: %w", err)
	}
	return apply.NeedsIn(content), nil
}

// complete adds what server-side apply wants to find in a patch: what object it
// is.
func complete(fields map[string]any, object *objects.Object) error {
	version, kind := object.Kind.ToAPIVersionAndKind()
	for name, want := range map[string]string{"apiVersion": version, "kind": kind} {
		if fields[name] == nil {
			fields[name] = want
		}
	}
	if fields["metadata"] == nil {
		fields["metadata"] = map[string]any{}
	}
	metadata, ok := fields["metadata"].(map[string]any)
	if !ok {
		return errors.New("the patch's metadata is no object")
	}
	if metadata["name"] == nil {
		metadata["name"] = object.Name
	}
	return nil
}
