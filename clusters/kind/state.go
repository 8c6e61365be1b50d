package kind

import (
	"context"
	"fmt"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/kubernetes"
)

// state is what there is of a cluster at one moment.
type state struct {
	want    int
	nodes   []*corev1.Node
	account bool
	dns     *appsv1.Deployment
	proxy   *appsv1.DaemonSet
}

// state reads what has been watched; what cannot be read is not there.
func (s *sources) state() state {
	now := state{want: s.want}
	now.nodes, _ = s.cluster.Core().V1().Nodes().Lister().List(labels.Everything())
	_, err := s.home.Core().V1().ServiceAccounts().Lister().ServiceAccounts(metav1.NamespaceDefault).Get("default")
	now.account = err == nil
	now.dns, _ = s.system.Apps().V1().Deployments().Lister().Deployments(metav1.NamespaceSystem).Get("coredns")
	now.proxy, _ = s.system.Apps().V1().DaemonSets().Lister().DaemonSets(metav1.NamespaceSystem).Get("kube-proxy")
	return now
}

// waiting names what is missing until the cluster is ready, and why.
func (s state) waiting() []string {
	var waiting []string
	if len(s.nodes) < s.want {
		waiting = append(waiting, fmt.Sprintf("%d of %d nodes have joined", len(s.nodes), s.want))
	}
	for _, node := range s.nodes {
		if why := unready(node); why != "" {
			waiting = append(waiting, fmt.Sprintf("node %s: %s", node.Name, why))
		}
	}
	if !s.account {
		waiting = append(waiting, "service account default is not there (made by kube-controller-manager)")
	}
	if why := unavailable(s.dns); why != "" {
		waiting = append(waiting, "CoreDNS: "+why)
	}
	if why := unproxied(s.proxy, s.want); why != "" {
		waiting = append(waiting, "kube-proxy: "+why)
	}
	return waiting
}

func unready(node *corev1.Node) string {
	for _, c := range node.Status.Conditions {
		if c.Type != corev1.NodeReady {
			continue
		}
		if c.Status == corev1.ConditionTrue {
			return ""
		}
		return c.Message
	}
	return "it has not reported yet"
}

func unavailable(d *appsv1.Deployment) string {
	if d == nil {
		return "there is no Deployment coredns"
	}
	if d.Status.ObservedGeneration >= d.Generation {
		for _, c := range d.Status.Conditions {
			if c.Type == appsv1.DeploymentAvailable && c.Status == corev1.ConditionTrue {
				return ""
			}
		}
	}
	return fmt.Sprintf("%d of %d pods are available", d.Status.AvailableReplicas, d.Status.Replicas)
}

func unproxied(d *appsv1.DaemonSet, nodes int) string {
	if d == nil {
		return "there is no DaemonSet kube-proxy"
	}
	if d.Status.ObservedGeneration >= d.Generation && d.Status.NumberReady >= int32(nodes) {
		return ""
	}
	return fmt.Sprintf("%d of %d pods are ready", d.Status.NumberReady, nodes)
}

// troubledPods says why the system's pods are not ready, as far as the API
// server answers.
func troubledPods(ctx context.Context, client kubernetes.Interface) []string {
	asking, done := context.WithTimeout(context.WithoutCancel(ctx), answerLimit)
	defer done()
	list, err := client.CoreV1().Pods(metav1.NamespaceSystem).List(asking, metav1.ListOptions{})
	if err != nil {
		return []string{"the system's pods could not be listed: " + err.Error()}
	}
	var troubled []string
	for _, pod := range list.Items {
		if why := podTrouble(&pod); why != "" {
			troubled = append(troubled, fmt.Sprintf("pod %s: %s", pod.Name, why)+lastWords(asking, client, &pod))
		}
	}
	return troubled
}

func podTrouble(pod *corev1.Pod) string {
	for _, c := range append(pod.Status.InitContainerStatuses, pod.Status.ContainerStatuses...) {
		switch {
		case c.State.Waiting != nil:
			return joined(c.Name+" is waiting", c.State.Waiting.Reason, c.State.Waiting.Message)
		case c.State.Terminated != nil && c.State.Terminated.ExitCode != 0:
			return joined(fmt.Sprintf("%s ended with exit code %d", c.Name, c.State.Terminated.ExitCode), c.State.Terminated.Reason)
		case c.State.Running != nil && !c.Ready:
			return fmt.Sprintf("%s runs since %s and is not ready", c.Name, c.State.Running.StartedAt.Format(time.TimeOnly))
		}
	}
	for _, c := range pod.Status.Conditions {
		if c.Type == corev1.PodScheduled && c.Status != corev1.ConditionTrue {
			return joined("not scheduled", c.Reason, c.Message)
		}
	}
	return ""
}

// lastWords are the last line of what a pod's container wrote before it ended
// for the last time, as far as the API server gives it.
func lastWords(ctx context.Context, client kubernetes.Interface, pod *corev1.Pod) string {
	for _, c := range append(pod.Status.InitContainerStatuses, pod.Status.ContainerStatuses...) {
		if c.State.Waiting == nil || c.LastTerminationState.Terminated == nil {
			continue
		}
		const lines = int64(20) // the last of which may be a trace of functions
		count := lines
		log, err := client.CoreV1().Pods(pod.Namespace).GetLogs(pod.Name,
			&corev1.PodLogOptions{Container: c.Name, Previous: true, TailLines: &count}).DoRaw(ctx)
		if last := lastLine(string(log)); err == nil && last != "" {
			return ": its last words: " + last
		}
	}
	return ""
}

func joined(first string, rest ...string) string {
	for _, r := range rest {
		if r != "" {
			first += ": " + r
		}
	}
	return first
}
