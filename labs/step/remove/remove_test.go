package remove

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	dynamicfake "k8s.io/client-go/dynamic/fake"
	clienttesting "k8s.io/client-go/testing"

	"github.com/kind-lab/lab/labs/step"
	"github.com/kind-lab/lab/labs/step/failure"
	"github.com/kind-lab/lab/labs/step/internal/fakes"
)

func pod(name string) *corev1.Pod {
	return &corev1.Pod{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"},
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "ns", UID: "uid-1"}}
}

var pods = schema.GroupVersionResource{Version: "v1", Resource: "pods"}

func TestDelete(t *testing.T) {
	manifest := []step.Manifest{{Name: "m", Text: "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n---\napiVersion: v1\nkind: Pod\nmetadata: {name: b}\n"}}
	tests := []struct {
		name    string
		in      Request
		actions []string
		left    int
		refused string
	}{
		{"one, and it is waited for", Request{Objects: []string{"pod/a"}, Wait: true}, []string{Deleted}, 1, ""},
		{"not waited for", Request{Objects: []string{"po/a"}}, []string{Deleting}, 1, ""},
		{"by manifests", Request{Manifests: manifest, Wait: true}, []string{Deleted, Deleted}, 0, ""},
		{"not there", Request{Objects: []string{"pod/c"}, Wait: true}, nil, 2, `pods "c" not found`},
		{"not there, all right", Request{Objects: []string{"pod/c", "pod/a"}, Wait: true, IgnoreNotFound: true}, []string{Absent, Deleted}, 1, ""},
		{"no such kind", Request{Objects: []string{"pod/a", "thing/a"}}, nil, 2, "no matches for"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			objects, client := fakes.Objects(pod("a"), pod("b"))
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
			defer cancel()
			tt.in.Namespace, tt.in.Propagation = "ns", "Background"
			out, err := New(objects).Do(ctx, tt.in)
			if tt.refused != "" {
				fakes.WantFailure(t, err, tt.refused)
			} else if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.actions, out.Actions); diff != "" {
				t.Error(diff)
			}
			left, err := client.Resource(pods).Namespace("ns").List(t.Context(), metav1.ListOptions{})
			if err != nil || len(left.Items) != tt.left {
				t.Errorf("%d pods are left (%v), want %d", len(left.Items), err, tt.left)
			}
		})
	}
}

func TestOptionsOfADeletion(t *testing.T) {
	objects, client := fakes.Objects(pod("a"))
	grace := 1500 * time.Millisecond
	if _, err := New(objects).Do(t.Context(), Request{Namespace: "ns", Objects: []string{"pod/a"}, GracePeriod: &grace, Propagation: "Orphan"}); err != nil {
		t.Fatal(err)
	}
	for _, a := range client.Actions() {
		if d, ok := a.(clienttesting.DeleteActionImpl); ok {
			if *d.DeleteOptions.GracePeriodSeconds != 2 || *d.DeleteOptions.PropagationPolicy != metav1.DeletePropagationOrphan {
				t.Errorf("options = %v", d.DeleteOptions)
			}
			return
		}
	}
	t.Error("nothing was deleted")
}

// slowly makes the API server keep what is deleted: after a while it is gone,
// or for ever where that is 0.
func slowly(client *dynamicfake.FakeDynamicClient, o *corev1.Pod, after time.Duration) {
	client.PrependReactor("delete", "pods", func(clienttesting.Action) (bool, runtime.Object, error) {
		now := metav1.Now()
		o.DeletionTimestamp = &now
		fields, err := runtime.DefaultUnstructuredConverter.ToUnstructured(o)
		if err != nil {
			return true, nil, err
		}
		marked := &unstructured.Unstructured{Object: fields}
		if err := client.Tracker().Update(pods, marked, "ns"); err != nil {
			return true, nil, err
		}
		if after > 0 {
			time.AfterFunc(after, func() {
				if err := client.Tracker().Delete(pods, "ns", o.Name); err != nil {
					panic(err)
				}
			})
		}
		return true, nil, nil
	})
}

func TestADeletionThatTakesItsTime(t *testing.T) {
	objects, client := fakes.Objects(pod("a"), pod("b"))
	slowly(client, pod("a"), 200*time.Millisecond)
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	began := time.Now()
	out, err := New(objects).Do(ctx, Request{Namespace: "ns", Objects: []string{"pod/a"}, Wait: true, Propagation: "Background"})
	if err != nil || len(out.Actions) != 1 || time.Since(began) < 200*time.Millisecond {
		t.Errorf("after %s: %v, %v", time.Since(began), out.Actions, err)
	}
}

func TestWhatIsStuckIsExplained(t *testing.T) {
	finalized, running, other := pod("a"), pod("a"), pod("a")
	finalized.Finalizers = []string{"example.com/hold"}
	running.Status.ContainerStatuses = []corev1.ContainerStatus{
		{Name: "main", State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{}}},
		{Name: "over", State: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{}}},
	}
	for _, tt := range []struct {
		name string
		pod  *corev1.Pod
		want string
	}{
		{"finalizer", finalized, "waits for its finalizer example.com/hold"},
		{"container", running, "its container main still runs"},
		{"other", other, "it waits for its node"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			objects, client := fakes.Objects(tt.pod)
			slowly(client, tt.pod, 0)
			ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
			defer cancel()
			_, err := New(objects).Do(ctx, Request{Namespace: "ns", Objects: []string{"pod/a"}, Wait: true, Propagation: "Background"})
			fakes.WantFailure(t, err, tt.want)
		})
	}
}

func TestWhatCannotBeAskedIsNoRefusal(t *testing.T) {
	objects, client := fakes.Objects(pod("a"))
	client.PrependReactor("delete", "pods", func(clienttesting.Action) (bool, runtime.Object, error) {
		return true, nil, apierrors.NewInternalError(context.Canceled)
	})
	_, err := New(objects).Do(t.Context(), Request{Namespace: "ns", Objects: []string{"pod/a"}, Propagation: "Background"})
	fakes.WantError(t, err, `deleting Pod "a"`)
	if r := (failure.Failure)(nil); errors.As(err, &r) {
		t.Errorf("%v is a refusal", err)
	}
}

func TestAnInterruptedWaitIsNoRefusal(t *testing.T) {
	objects, client := fakes.Objects(pod("a"))
	slowly(client, pod("a"), 0)
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(100*time.Millisecond, cancel)
	_, err := New(objects).Do(ctx, Request{Namespace: "ns", Objects: []string{"pod/a"}, Wait: true, Propagation: "Background"})
	if r := (failure.Failure)(nil); err == nil || errors.As(err, &r) {
		t.Errorf("error = %v, want one that is no refusal", err)
	}
}
