package kind

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"

	"github.com/kind-lab/lab/clusters"
)

const (
	// quickPeriod is how often the first pods of CoreDNS are asked whether they
	// are ready, in seconds.
	quickPeriod = 1
	// usualPeriod is what a probe has that names none.
	usualPeriod = 10
	// gate keeps the scheduler from trying to find a node for a pod. Where it tries
	// in vain it waits before it tries again, longer each time.
	gate = "kind-lab/booting"
	// soon is how long it takes until the API server is asked again about what
	// its controllers do within milliseconds.
	soon = 50 * time.Millisecond
)

// dnsPods are those of the Deployment coredns; they are looked at every so often.
type dnsPods struct {
	client kubernetes.Interface
	look   time.Duration
	// proxy waits until kube-proxy is on its way: without it CoreDNS does not reach
	// the API server, and tries again a second later.
	proxy func(ctx context.Context)
}

// speedUp sees to it that CoreDNS is ready when it is, and not up to 10 seconds
// later: a readiness probe of kubeadm's Deployment is made every 10 seconds, and
// the first of them at any moment of these 10 where the kubelet is younger than
// that, as a new cluster's is (worker.run in pkg/kubelet/prober). The first pods
// are made with a probe every second instead; the Deployment and its ReplicaSet
// are what kubeadm wrote when speedUp returns, so that later pods are as well.
//
// speedUp waits for the Deployment's first ReplicaSet. While the Deployment is
// paused, and so begins no other, the ReplicaSet has such a probe and a scheduling
// gate, and those of its pods that no node has yet are made anew. Then pending is
// called, or when it is clear that none will be made. Once there is a node for the
// pods they are given to it, as the scheduler would, which looks a second later
// again at a node that it believes not to be ready.
func (d dnsPods) speedUp(ctx context.Context, pending func()) error {
	first, err := d.first(ctx)
	if err != nil {
		return err
	}
	container, usual := probed(first.Spec.Template)
	if container == "" || usual <= quickPeriod {
		return nil
	}
	var node string
	steps := []func() error{
		func() error { return d.pause(ctx, true) },
		func() error { return d.every(ctx, first.Name, container, quickPeriod, []object{{"name": gate}}) },
		func() error { return d.replace(ctx, first) },
		func() error { pending(); return d.every(ctx, first.Name, container, usual, nil) },
		func() error { return d.pause(ctx, false) },
		func() (err error) { node, err = d.open(ctx); return err },
		func() error { d.proxy(ctx); return nil },
		func() error { return d.place(ctx, first, node) },
	}
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// until does something until it says that it is done, whatever fails meanwhile:
// the API server of a new cluster comes and goes. The error is the last one, or
// the context's.
func (d dnsPods) until(ctx context.Context, try func() (bool, error)) error {
	for {
		done, err := try()
		if done && err == nil {
			return nil
		}
		if over := clusters.Pause(ctx, d.look); over != nil {
			if err == nil {
				err = over
			}
			return err
		}
	}
}

// first is the ReplicaSet that the controller manager makes of the Deployment.
func (d dnsPods) first(ctx context.Context) (*appsv1.ReplicaSet, error) {
	var found *appsv1.ReplicaSet
	err := d.until(ctx, func() (bool, error) {
		deployment, err := d.client.AppsV1().Deployments(metav1.NamespaceSystem).Get(ctx, "coredns", metav1.GetOptions{})
		if err != nil {
			return false, err
		}
		list, err := d.client.AppsV1().ReplicaSets(metav1.NamespaceSystem).List(ctx,
			metav1.ListOptions{LabelSelector: metav1.FormatLabelSelector(deployment.Spec.Selector)})
		if err != nil {
			return false, err
		}
		for i := range list.Items {
			if metav1.IsControlledBy(&list.Items[i], deployment) {
				found = &list.Items[i]
			}
		}
		return found != nil, nil
	})
	return found, err
}

// probed is the container of a pod that is asked whether it is ready, and how
// often, in seconds; "" where none is.
func probed(template corev1.PodTemplateSpec) (container string, period int32) {
	for _, c := range template.Spec.Containers {
		switch probe := c.ReadinessProbe; {
		case probe == nil:
		case probe.PeriodSeconds == 0:
			return c.Name, usualPeriod
		default:
			return c.Name, probe.PeriodSeconds
		}
	}
	return "", 0
}

// pause pauses the Deployment, or lets it go on, and returns once the controller
// manager knows.
func (d dnsPods) pause(ctx context.Context, paused bool) error {
	patch, err := json.Marshal(object{"spec": object{"paused": paused}})
	if err != nil {
		return err
	}
	deployments := d.client.AppsV1().Deployments(metav1.NamespaceSystem)
	wanted := int64(-1)
	return d.until(ctx, func() (bool, error) {
		if wanted < 0 {
			changed, err := deployments.Patch(ctx, "coredns", types.MergePatchType, patch, metav1.PatchOptions{})
			if err != nil {
				return false, err
			}
			wanted = changed.Generation
		}
		now, err := deployments.Get(ctx, "coredns", metav1.GetOptions{})
		return err == nil && now.Status.ObservedGeneration >= wanted, err
	})
}

// every sets how often pods that the ReplicaSet makes from now on are asked, and
// their gates, and returns once the controller manager knows.
func (d dnsPods) every(ctx context.Context, name, container string, seconds int32, gates []object) error {
	patch, err := json.Marshal(object{"spec": object{"template": object{"spec": object{
		"schedulingGates": gates, // null takes them away
		"containers":      []object{{"name": container, "readinessProbe": object{"periodSeconds": seconds}}},
	}}}})
	if err != nil {
		return err
	}
	sets := d.client.AppsV1().ReplicaSets(metav1.NamespaceSystem)
	wanted := int64(-1)
	return d.until(ctx, func() (bool, error) {
		if wanted < 0 {
			changed, err := sets.Patch(ctx, name, types.StrategicMergePatchType, patch, metav1.PatchOptions{})
			if err != nil {
				return false, err
			}
			wanted = changed.Generation
		}
		now, err := sets.Get(ctx, name, metav1.GetOptions{})
		return err == nil && now.Status.ObservedGeneration >= wanted, err
	})
}

// podsOf are the ReplicaSet's.
func (d dnsPods) podsOf(ctx context.Context, set *appsv1.ReplicaSet) ([]corev1.Pod, error) {
	list, err := d.client.CoreV1().Pods(metav1.NamespaceSystem).List(ctx,
		metav1.ListOptions{LabelSelector: metav1.FormatLabelSelector(set.Spec.Selector)})
	if err != nil {
		return nil, err
	}
	return list.Items, nil
}

// replace deletes those pods of the ReplicaSet that no node has yet and returns
// once all pods are quick or on a node.
func (d dnsPods) replace(ctx context.Context, set *appsv1.ReplicaSet) error {
	pods := d.client.CoreV1().Pods(metav1.NamespaceSystem)
	return d.until(ctx, func() (bool, error) {
		list, err := d.podsOf(ctx, set)
		if err != nil {
			return false, err
		}
		good := int32(0)
		for _, pod := range list {
			_, period := probed(corev1.PodTemplateSpec{Spec: pod.Spec})
			switch {
			case pod.DeletionTimestamp != nil:
			case period == quickPeriod, pod.Spec.NodeName != "":
				good++
			default:
				err := pods.Delete(ctx, pod.Name, metav1.DeleteOptions{Preconditions: metav1.NewUIDPreconditions(string(pod.UID))})
				if err != nil {
					return false, err
				}
			}
		}
		return good >= replicas(set), nil
	})
}

// open waits for a node that takes pods, and names it.
func (d dnsPods) open(ctx context.Context) (string, error) {
	var name string
	err := d.until(ctx, func() (bool, error) {
		nodes, err := d.client.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
		if err != nil {
			return false, err
		}
		i := slices.IndexFunc(nodes.Items, func(n corev1.Node) bool {
			return unready(&n) == "" && !slices.ContainsFunc(n.Spec.Taints, func(t corev1.Taint) bool {
				return t.Key == corev1.TaintNodeNotReady || t.Key == corev1.TaintNodeNetworkUnavailable
			})
		})
		if i < 0 {
			return false, nil
		}
		name = nodes.Items[i].Name
		return true, nil
	})
	return name, err
}

// place takes the gates from the ReplicaSet's pods and gives those that have no
// node to this one.
func (d dnsPods) place(ctx context.Context, set *appsv1.ReplicaSet, node string) error {
	pods := d.client.CoreV1().Pods(metav1.NamespaceSystem)
	return d.until(ctx, func() (bool, error) {
		list, err := d.podsOf(ctx, set)
		if err != nil {
			return false, err
		}
		placed := true
		for i := range list {
			pod := &list[i]
			if pod.Spec.NodeName != "" {
				continue
			}
			placed = false // the next look tells
			if len(pod.Spec.SchedulingGates) > 0 {
				_, err := pods.Patch(ctx, pod.Name, types.MergePatchType, []byte(`{"spec":{"schedulingGates":null}}`), metav1.PatchOptions{})
				if err != nil && !apierrors.IsNotFound(err) {
					return false, err
				}
			}
			bind(ctx, d.client, pod, node)
		}
		return placed, nil
	})
}

func replicas(set *appsv1.ReplicaSet) int32 {
	if set.Spec.Replicas == nil {
		return 1
	}
	return *set.Spec.Replicas
}
