package remove

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"
	watchtools "k8s.io/client-go/tools/watch"

	"github.com/kind-lab/lab/labs/step/failure"
	"github.com/kind-lab/lab/labs/step/objects"
)

// explaining bounds the look at an object that did not go.
const explaining = 5 * time.Second

// gone returns once the object is not there any more, or is another one of the
// same name.
func (t target) gone(ctx context.Context, began time.Time) error {
	there := func(o any) bool {
		u, ok := o.(*unstructured.Unstructured)
		return ok && u.GetName() == t.Name && u.GetUID() == t.uid
	}
	absent := func(store cache.Store) (bool, error) {
		for _, o := range store.List() {
			if there(o) {
				return false, nil
			}
		}
		return true, nil
	}
	_, err := watchtools.UntilWithSync(ctx, t.Watching(), &unstructured.Unstructured{}, absent, func(e watch.Event) (bool, error) {
		u, ok := e.Object.(*unstructured.Unstructured)
		return ok && u.GetName() == t.Name && (e.Type == watch.Deleted || u.GetUID() != t.uid), nil
	})
	switch {
	case err == nil:
		return nil
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return t.stuck(ctx, time.Since(began))
	}
	return fmt.Errorf("waiting until %s %q is gone: %w", t.Kind.Kind, t.Name, err)
}

// stuck says what an object that is still there waits for.
func (t target) stuck(ctx context.Context, after time.Duration) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), explaining)
	defer cancel()
	now, err := t.Get(ctx)
	if err != nil && !objects.NotFound(err) {
		return fmt.Errorf("waiting until %s %q is gone: after %s it cannot be seen whether it is: %w", t.Kind.Kind, t.Name, after.Round(time.Second), err)
	}
	if err != nil || now.GetUID() != t.uid {
		return nil // it went at the last moment
	}
	return failure.New("%s %q is still there after %s: %s", t.Kind.Kind, t.Name, after.Round(time.Second), waitsFor(now))
}

// waitsFor says what holds up an object's deletion.
func waitsFor(o *unstructured.Unstructured) string {
	if o.GetDeletionTimestamp() == nil {
		return "its deletion was not begun"
	}
	if names := o.GetFinalizers(); len(names) > 0 {
		return fmt.Sprintf("it waits for its finalizer %s, which nobody has removed", strings.Join(names, ", "))
	}
	if running := runningIn(o); len(running) > 0 {
		return fmt.Sprintf("its container %s still runs", strings.Join(running, ", "))
	}
	return "it waits for its node, or for what it owns"
}

// runningIn names the containers of a pod that run.
func runningIn(o *unstructured.Unstructured) []string {
	var names []string
	for _, list := range []string{"initContainerStatuses", "containerStatuses"} {
		statuses, _, err := unstructured.NestedSlice(o.Object, "status", list)
		if err != nil {
			continue
		}
		for _, s := range statuses {
			status, ok := s.(map[string]any)
			if !ok {
				continue
			}
			if _, running, err := unstructured.NestedMap(status, "state", "running"); err == nil && running {
				name, _, _ := unstructured.NestedString(status, "name") // empty where it has none
				names = append(names, name)
			}
		}
	}
	return names
}
