package node

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/kubectl/pkg/drain"

	"github.com/kind-lab/lab/collectors"
	"github.com/kind-lab/lab/labs/step"
	"github.com/kind-lab/lab/labs/step/failure"
	"github.com/kind-lab/lab/labs/step/objects"
)

// retry is how long to wait before a pod is evicted again that a disruption
// budget protects.
const retry = time.Second

// cordon makes the node unschedulable, or schedulable again.
func (o *Operator) cordon(ctx context.Context, name string, desired bool) (step.Result, error) {
	var out step.Result
	node, err := o.client.CoreV1().Nodes().Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return out, objects.Rejection(reference(name), "looking at", err)
	}
	action := "cordoned"
	if !desired {
		action = "uncordoned"
	}
	helper := drain.NewCordonHelper(node)
	if !helper.UpdateIfRequired(desired) {
		out.Did(reference(name), "was "+action+" already")
		return out, nil
	}
	// An error of the second kind means that it was replaced instead.
	if err, _ := helper.PatchOrReplaceWithContext(ctx, o.client, false); err != nil {
		return out, objects.Rejection(reference(name), "patching", err)
	}
	out.Did(reference(name), action)
	return out, nil
}

// drain cordons the node and evicts its pods, all but those of DaemonSets and
// those that the kubelet runs by itself. A pod without a controller is evicted,
// too, and with it what is in its emptyDirs.
func (o *Operator) drain(ctx context.Context, name string) (step.Result, error) {
	out, err := o.cordon(ctx, name, true)
	if err != nil {
		return out, err
	}
	evicted := &evictions{}
	helper := &drain.Helper{
		Ctx: ctx, Client: o.client, Force: true, IgnoreAllDaemonSets: true, DeleteEmptyDirData: true,
		GracePeriodSeconds: -1, EvictErrorRetryDelay: retry, Out: io.Discard, ErrOut: evicted,
		OnPodDeletionOrEvictionFinished: evicted.finished,
	}
	if deadline, ok := ctx.Deadline(); ok {
		helper.Timeout = max(time.Until(deadline), time.Millisecond)
	}
	began := time.Now()
	list, errs := helper.GetPodsForDeletion(name)
	if err := errors.Join(errs...); err != nil {
		return out, fmt.Errorf("finding the pods of node %s: %w", name, err)
	}
	pods := list.Pods()
	err = helper.DeleteOrEvictPods(pods)
	for _, ref := range evicted.list() {
		out.Did(ref, "evicted")
	}
	switch {
	case err == nil:
		out.Did(reference(name), "drained")
		return out, nil
	case ctx.Err() != nil && !errors.Is(ctx.Err(), context.DeadlineExceeded):
		return out, ctx.Err()
	case ctx.Err() != nil || helper.Timeout > 0 && time.Since(began) >= helper.Timeout:
		return out, evicted.overdue(name, pods, time.Since(began))
	}
	return out, fmt.Errorf("evicting the pods of node %s: %w", name, err)
}

// evictions notes what became of a drain's pods. It is used by several
// goroutines.
type evictions struct {
	mu   sync.Mutex
	gone []collectors.Object
	// said is the last reason why a pod could not be evicted.
	said string
}

func (e *evictions) finished(pod *corev1.Pod, _ bool, err error) {
	if err != nil {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.gone = append(e.gone, collectors.Object{Kind: "Pod", Namespace: pod.Namespace, Name: pod.Name, UID: string(pod.UID)})
}

// Write takes what the drain says of a pod that could not be evicted yet.
func (e *evictions) Write(b []byte) (int, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	text := strings.TrimSpace(string(b))
	if _, reason, ok := strings.Cut(text, "): "); ok {
		text = reason
	}
	e.said = text
	return len(b), nil
}

func (e *evictions) list() []collectors.Object {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Clone(e.gone)
}

// overdue says which pods are still on the node, and why.
func (e *evictions) overdue(node string, pods []corev1.Pod, after time.Duration) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	var left []string
	for _, p := range pods {
		if !slices.ContainsFunc(e.gone, func(o collectors.Object) bool { return o.UID == string(p.UID) }) {
			left = append(left, p.Namespace+"/"+p.Name)
		}
	}
	failed := failure.New("node %s was not drained after %s: it still has the pods %s", node, after.Round(100*time.Millisecond), strings.Join(left, ", "))
	if e.said != "" {
		failed.Message += ": " + e.said
	}
	return failed
}
