package kind

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/kind-lab/lab/clusters"
)

// placeProxy gives the pod of kube-proxy that is meant for a node to that node, as
// the scheduler would, which sees it later: its caches are full only some
// seconds after the API server is up. Without kube-proxy CoreDNS does not reach
// the API server, and asks again a second later. It ends with ctx at the latest:
// the scheduler does it then.
func placeProxy(ctx context.Context, client kubernetes.Interface, node string) {
	pods := client.CoreV1().Pods(metav1.NamespaceSystem)
	for {
		list, err := pods.List(ctx, metav1.ListOptions{LabelSelector: "k8s-app=kube-proxy"})
		if err == nil {
			for _, pod := range list.Items {
				switch {
				case pod.Spec.NodeName == node:
					return
				case pod.Spec.NodeName == "" && meantFor(&pod, node):
					bind(ctx, client, &pod, node)
				}
			}
		}
		if clusters.Pause(ctx, soon) != nil {
			return
		}
	}
}

// bind gives a pod to a node. Whether it did is for the next look to tell: the
// scheduler may have been sooner.
func bind(ctx context.Context, client kubernetes.Interface, pod *corev1.Pod, node string) {
	_ = client.CoreV1().Pods(pod.Namespace).Bind(ctx, &corev1.Binding{
		ObjectMeta: metav1.ObjectMeta{Name: pod.Name, Namespace: pod.Namespace, UID: pod.UID},
		Target:     corev1.ObjectReference{Kind: "Node", Name: node},
	}, metav1.CreateOptions{})
}

// proxyStarts ends when the node starts kube-proxy, which is half a second before
// it has the Services' rules, and less than a pod needs that gets its node now.
const proxyStarts = `until set -- /var/log/pods/kube-system_kube-proxy-*/kube-proxy/*.log && [ -e "$1" ]; do sleep 0.1; done`

// proxyLimit bounds how long CoreDNS is held back for kube-proxy.
const proxyLimit = 3 * time.Second

// awaitProxy waits until kube-proxy is about to start on the node.
func (p *Provisioner) awaitProxy(ctx context.Context, node string) {
	ctx, stop := context.WithTimeout(ctx, proxyLimit)
	defer stop()
	_ = p.NodeExec(ctx, node, nil, nil, nil, "sh", "-c", proxyStarts) // CoreDNS comes up anyway
}

// meantFor says whether a DaemonSet made the pod for the node.
func meantFor(pod *corev1.Pod, node string) bool {
	affinity := pod.Spec.Affinity
	if affinity == nil || affinity.NodeAffinity == nil || affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution == nil {
		return false
	}
	for _, term := range affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution.NodeSelectorTerms {
		for _, field := range term.MatchFields {
			if field.Key == metav1.ObjectNameField && len(field.Values) == 1 && field.Values[0] == node {
				return true
			}
		}
	}
	return false
}
