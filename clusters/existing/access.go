package existing

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kind-lab/lab/clusters"
)

const (
	// accessName is what the DaemonSet is called that reaches the nodes, and its
	// container.
	accessName = "lab-node-access"
	// accessRuns is a command that does nothing and ends when it is asked to.
	accessRuns = "trap 'exit 0' TERM; while :; do sleep 3600 & wait $!; done"
)

// openNodes puts a privileged pod on every node that takes one, and returns once
// all of them run. handle gets the nodes that are reached so.
func (c *connection) openNodes(ctx context.Context, handle *clusters.Handle) error {
	c.access = c.id + "-nodes"
	if err := c.claim(ctx, c.access, map[string]string{"pod-security.kubernetes.io/enforce": "privileged"}); err != nil {
		return err
	}
	c.say(fmt.Sprintf("putting a privileged pod of %s on every node", c.setting(settingNodeAccess)))
	sets := c.client.AppsV1().DaemonSets(c.access)
	if _, err := sets.Create(ctx, accessSet(c.id, c.setting(settingNodeAccess)), metav1.CreateOptions{FieldManager: manager}); err != nil {
		return fmt.Errorf("making the DaemonSet %s/%s that reaches the nodes: %w", c.access, accessName, err)
	}
	for {
		set, err := sets.Get(ctx, accessName, metav1.GetOptions{})
		if err == nil && set.Status.ObservedGeneration >= set.Generation && set.Status.DesiredNumberScheduled > 0 &&
			set.Status.NumberReady >= set.Status.DesiredNumberScheduled {
			break
		}
		why := err
		if set != nil && err == nil {
			why = fmt.Errorf("%d of %d pods are ready%s", set.Status.NumberReady, set.Status.DesiredNumberScheduled, c.troubled(ctx))
		}
		if err := clusters.Pause(ctx, looksAgain); err != nil {
			return fmt.Errorf("waiting for the pods that reach the nodes: %w: %w", why, err)
		}
	}
	pods, err := c.accessPods(ctx)
	if err != nil {
		return err
	}
	c.pods = map[string]string{}
	for _, pod := range pods {
		c.pods[pod.Spec.NodeName] = pod.Name
		if !slices.ContainsFunc(handle.Nodes, func(n clusters.Node) bool { return n.Name == pod.Spec.NodeName }) {
			handle.Nodes = append(handle.Nodes, clusters.Node{Name: pod.Spec.NodeName, Role: "worker"})
		}
	}
	// A node without a pod is one that cannot be reached.
	handle.Nodes = slices.DeleteFunc(handle.Nodes, func(n clusters.Node) bool { return c.pods[n.Name] == "" })
	handle.Capabilities.CanExecOnNodes = true
	return nil
}

func (c *connection) accessPods(ctx context.Context) ([]corev1.Pod, error) {
	list, err := c.client.CoreV1().Pods(c.access).List(ctx, metav1.ListOptions{LabelSelector: runLabel + "=" + c.id})
	if err != nil {
		return nil, fmt.Errorf("listing the pods that reach the nodes: %w", err)
	}
	return list.Items, nil
}

// troubled says why pods that reach the nodes do not run.
func (c *connection) troubled(ctx context.Context) string {
	limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	pods, err := c.accessPods(limited)
	if err != nil {
		return ""
	}
	var why []string
	for _, pod := range pods {
		for _, s := range pod.Status.ContainerStatuses {
			if w := s.State.Waiting; w != nil && !slices.Contains(why, w.Reason+": "+w.Message) {
				why = append(why, w.Reason+": "+w.Message)
			}
		}
	}
	if len(why) == 0 {
		return ""
	}
	return ": " + strings.Join(why, "; ")
}

// accessSet is the DaemonSet: one pod on every node, whatever it is tainted
// with, in the node's own process namespace.
func accessSet(id, image string) *appsv1.DaemonSet {
	labels := map[string]string{managedBy: manager, runLabel: id}
	grace, yes, no := quickly, true, false
	return &appsv1.DaemonSet{
		ObjectMeta: metav1.ObjectMeta{Name: accessName, Labels: labels},
		Spec: appsv1.DaemonSetSpec{
			Selector: &metav1.LabelSelector{MatchLabels: map[string]string{runLabel: id}},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: labels},
				Spec: corev1.PodSpec{
					HostPID: true, TerminationGracePeriodSeconds: &grace, AutomountServiceAccountToken: &no,
					Tolerations: []corev1.Toleration{{Operator: corev1.TolerationOpExists}},
					Containers: []corev1.Container{{
						Name: accessName, Image: image, Command: []string{"sh", "-c", accessRuns},
						SecurityContext: &corev1.SecurityContext{Privileged: &yes},
					}},
				},
			},
		},
	}
}
