package pool

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
)

// answerLimit bounds one question to the API server.
const answerLimit = 5 * time.Second

// server is an API server.
type server struct {
	typed   kubernetes.Interface
	dynamic dynamic.Interface
}

func connect(kubeconfig string) (API, error) {
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return nil, fmt.Errorf("reading the kubeconfig: %w", err)
	}
	config.UserAgent, config.QPS = "lab", -1 // not held back
	typed, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, fmt.Errorf("reading the kubeconfig: %w", err)
	}
	untyped, err := dynamic.NewForConfig(config)
	if err != nil {
		return nil, fmt.Errorf("reading the kubeconfig: %w", err)
	}
	return &server{typed: typed, dynamic: untyped}, nil
}

func (s *server) Ready(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, answerLimit)
	defer cancel()
	if _, err := s.typed.Discovery().RESTClient().Get().AbsPath("/readyz").DoRaw(ctx); err != nil {
		return fmt.Errorf("the API server is not ready: %w", err)
	}
	return nil
}

func (s *server) Unready(ctx context.Context) (map[string]string, error) {
	ctx, cancel := context.WithTimeout(ctx, answerLimit)
	defer cancel()
	nodes, err := s.typed.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, fmt.Errorf("listing the nodes: %w", err)
	}
	unready := map[string]string{}
	for _, node := range nodes.Items {
		for _, c := range node.Status.Conditions {
			if c.Type == corev1.NodeReady && c.Status != corev1.ConditionTrue {
				unready[node.Name] = c.Message
			}
		}
		for _, taint := range node.Spec.Taints {
			if taint.Key == corev1.TaintNodeNotReady || taint.Key == corev1.TaintNodeUnreachable {
				if _, known := unready[node.Name]; !known {
					unready[node.Name] = "it has the taint " + taint.Key
				}
			}
		}
	}
	return unready, nil
}

func (s *server) Renewed(ctx context.Context) (map[string]time.Time, error) {
	ctx, cancel := context.WithTimeout(ctx, answerLimit)
	defer cancel()
	leases, err := s.typed.CoordinationV1().Leases(corev1.NamespaceNodeLease).List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, fmt.Errorf("listing the nodes' leases: %w", err)
	}
	renewed := map[string]time.Time{}
	for _, l := range leases.Items {
		if l.Spec.RenewTime != nil {
			renewed[l.Name] = l.Spec.RenewTime.Time
		}
	}
	return renewed, nil
}

func (s *server) MarkPodsReady(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, answerLimit)
	defer cancel()
	pods, err := s.typed.CoreV1().Pods(metav1.NamespaceAll).List(ctx, metav1.ListOptions{})
	if err != nil {
		return fmt.Errorf("listing the pods: %w", err)
	}
	for _, pod := range pods.Items {
		if !called(pod) {
			continue
		}
		patch, err := json.Marshal(map[string]any{"status": map[string]any{"conditions": []corev1.PodCondition{
			{Type: corev1.PodReady, Status: corev1.ConditionTrue, LastTransitionTime: metav1.Now()}}}})
		if err == nil {
			_, err = s.typed.CoreV1().Pods(pod.Namespace).Patch(ctx, pod.Name, types.StrategicMergePatchType, patch, metav1.PatchOptions{}, "status")
		}
		if err != nil && !apierrors.IsNotFound(err) {
			return fmt.Errorf("marking pod %s/%s as ready: %w", pod.Namespace, pod.Name, err)
		}
	}
	return nil
}

// called says whether a pod is called not ready though all its containers are.
func called(pod corev1.Pod) bool {
	if pod.DeletionTimestamp != nil || pod.Status.Phase != corev1.PodRunning || len(pod.Spec.ReadinessGates) > 0 {
		return false
	}
	for _, c := range pod.Status.ContainerStatuses {
		if !c.Ready {
			return false
		}
	}
	for _, c := range pod.Status.Conditions {
		if c.Type == corev1.PodReady {
			return c.Status != corev1.ConditionTrue
		}
	}
	return false
}

func (s *server) MarkReady(ctx context.Context, node string) error {
	now := metav1.Now()
	patch, err := json.Marshal(map[string]any{"status": map[string]any{"conditions": []corev1.NodeCondition{{
		Type: corev1.NodeReady, Status: corev1.ConditionTrue, Reason: "KubeletReady",
		Message: "kubelet is posting ready status", LastHeartbeatTime: now, LastTransitionTime: now,
	}}}})
	if err == nil {
		_, err = s.typed.CoreV1().Nodes().Patch(ctx, node, types.StrategicMergePatchType, patch, metav1.PatchOptions{}, "status")
	}
	if err != nil {
		return fmt.Errorf("marking node %s as ready: %w", node, err)
	}
	return nil
}

// renewed are the resources whose objects Kubernetes itself makes and changes
// all the time.
var renewed = map[schema.GroupResource]bool{
	{Resource: "events"}:                                                   true,
	{Group: "events.k8s.io", Resource: "events"}:                           true,
	{Resource: "endpoints"}:                                                true,
	{Group: "discovery.k8s.io", Resource: "endpointslices"}:                true,
	{Group: "coordination.k8s.io", Resource: "leases"}:                     true,
	{Group: "coordination.k8s.io", Resource: "leasecandidates"}:            true,
	{Group: "certificates.k8s.io", Resource: "certificatesigningrequests"}: true,
	{Group: "metrics.k8s.io", Resource: "nodes"}:                           true,
	{Group: "metrics.k8s.io", Resource: "pods"}:                            true,
	{Group: "storage.k8s.io", Resource: "csistoragecapacities"}:            true,
}

func (s *server) Objects(ctx context.Context) (Objects, error) {
	resources, err := s.resources(func(r metav1.APIResource, name schema.GroupResource) bool {
		return !renewed[name] && slices.Contains(r.Verbs, "list") && slices.Contains(r.Verbs, "delete")
	})
	if err != nil {
		return nil, err
	}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(16)
	all := Objects{}
	var mu sync.Mutex
	for _, r := range resources {
		group.Go(func() error {
			list, err := s.dynamic.Resource(r).List(ctx, metav1.ListOptions{})
			if apierrors.IsNotFound(err) || apierrors.IsMethodNotSupported(err) {
				return nil // it went in the meantime, or cannot be listed after all
			}
			if err != nil {
				return fmt.Errorf("listing %s: %w", r.GroupResource(), err)
			}
			for _, item := range list.Items {
				object, sum, err := summed(r, item)
				if err != nil {
					return err
				}
				if sum != "" {
					mu.Lock()
					all[object] = sum
					mu.Unlock()
				}
			}
			return nil
		})
	}
	return all, group.Wait()
}

// resources are those that are wanted, in the versions that the server prefers.
func (s *server) resources(wanted func(metav1.APIResource, schema.GroupResource) bool) ([]schema.GroupVersionResource, error) {
	lists, err := s.typed.Discovery().ServerPreferredResources()
	if err != nil && !discovery.IsGroupDiscoveryFailedError(err) {
		return nil, fmt.Errorf("asking the API server what it has: %w", err)
	}
	var all []schema.GroupVersionResource
	for _, list := range lists {
		version, err := schema.ParseGroupVersion(list.GroupVersion)
		if err != nil {
			return nil, fmt.Errorf("asking the API server what it has: %w", err)
		}
		for _, r := range list.APIResources {
			if !strings.Contains(r.Name, "/") && wanted(r, schema.GroupResource{Group: version.Group, Resource: r.Name}) {
				all = append(all, version.WithResource(r.Name))
			}
		}
	}
	return all, nil
}

// summed is an object with the sum of what it asks for; the sum is empty for one
// that Kubernetes itself renews.
func summed(r schema.GroupVersionResource, item unstructured.Unstructured) (Object, string, error) {
	object := Object{Group: r.Group, Version: r.Version, Resource: r.Resource, Namespace: item.GetNamespace(), Name: item.GetName()}
	if passing(r, item) {
		return object, "", nil
	}
	content := item.Object
	delete(content, "status")
	metadata, _, _ := unstructured.NestedMap(content, "metadata")
	for _, field := range []string{"resourceVersion", "managedFields", "generation", "selfLink", "creationTimestamp"} {
		delete(metadata, field)
	}
	if r.Group == "" && r.Resource == "nodes" {
		delete(metadata, "annotations") // where networks and kubelets keep notes
	}
	content["metadata"] = metadata
	text, err := json.Marshal(content)
	if err != nil {
		return object, "", fmt.Errorf("summing up %s: %w", object, err)
	}
	sum := sha256.Sum256(text)
	return object, hex.EncodeToString(sum[:8]), nil
}

// passing are objects that come and go by themselves: kubeadm's tokens, what is
// signed with them, and what every namespace gets.
func passing(r schema.GroupVersionResource, item unstructured.Unstructured) bool {
	if r.Group != "" {
		return false
	}
	switch r.Resource {
	case "secrets":
		kind, _, _ := unstructured.NestedString(item.Object, "type")
		return kind == string(corev1.SecretTypeBootstrapToken) || item.GetName() == "kubeadm-certs" && item.GetNamespace() == metav1.NamespaceSystem
	case "configmaps":
		return item.GetName() == "cluster-info" && item.GetNamespace() == metav1.NamespacePublic ||
			item.GetName() == "kube-root-ca.crt"
	case "serviceaccounts":
		return item.GetName() == "default"
	}
	return false
}

func (s *server) Delete(ctx context.Context, o Object) error {
	ctx, cancel := context.WithTimeout(ctx, answerLimit)
	defer cancel()
	r := schema.GroupVersionResource{Group: o.Group, Version: o.Version, Resource: o.Resource}
	err := s.dynamic.Resource(r).Namespace(o.Namespace).Delete(ctx, o.Name, deletion(r))
	if err != nil && !apierrors.IsNotFound(err) && !apierrors.IsConflict(err) { // a namespace may be going already
		return err
	}
	if o.Group == "" && o.Resource == "namespaces" {
		return s.empty(ctx, o.Name)
	}
	return nil
}

// deletion is how objects of a kind are deleted: pods within a second, the
// shortest time in which the kubelet still says that they are gone.
func deletion(r schema.GroupVersionResource) metav1.DeleteOptions {
	background := metav1.DeletePropagationBackground
	options := metav1.DeleteOptions{PropagationPolicy: &background}
	if r.Group == "" && r.Resource == "pods" {
		options.GracePeriodSeconds = new(int64)
		*options.GracePeriodSeconds = 1
	}
	return options
}

// empty asks for the deletion of all in a namespace.
func (s *server) empty(ctx context.Context, namespace string) error {
	resources, err := s.resources(func(r metav1.APIResource, _ schema.GroupResource) bool {
		return r.Namespaced && slices.Contains(r.Verbs, "deletecollection")
	})
	if err != nil {
		return err
	}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(16)
	for _, r := range resources {
		group.Go(func() error {
			err := s.dynamic.Resource(r).Namespace(namespace).DeleteCollection(ctx, deletion(r), metav1.ListOptions{})
			if err != nil && !apierrors.IsNotFound(err) && !apierrors.IsMethodNotSupported(err) {
				return fmt.Errorf("deleting the %s of namespace %s: %w", r.GroupResource(), namespace, err)
			}
			return nil
		})
	}
	return group.Wait()
}

func (s *server) Finish(ctx context.Context, namespace string) error {
	ctx, cancel := context.WithTimeout(ctx, answerLimit)
	defer cancel()
	if err := s.empty(ctx, namespace); err != nil {
		return err
	}
	found, err := s.typed.CoreV1().Namespaces().Get(ctx, namespace, metav1.GetOptions{})
	if err == nil && found.DeletionTimestamp != nil {
		found.Spec.Finalizers = nil
		_, err = s.typed.CoreV1().Namespaces().Finalize(ctx, found, metav1.UpdateOptions{})
	}
	if err != nil && !apierrors.IsNotFound(err) && !apierrors.IsConflict(err) {
		return fmt.Errorf("ending namespace %s: %w", namespace, err)
	}
	return nil
}

func (s *server) Stuck(ctx context.Context, o Object) string {
	r := schema.GroupVersionResource{Group: o.Group, Version: o.Version, Resource: o.Resource}
	item, err := s.dynamic.Resource(r).Namespace(o.Namespace).Get(ctx, o.Name, metav1.GetOptions{})
	if err != nil {
		return ""
	}
	if f := item.GetFinalizers(); len(f) > 0 {
		return "finalizers " + strings.Join(f, ", ")
	}
	conditions, _, err := unstructured.NestedSlice(item.Object, "status", "conditions")
	if err != nil {
		return ""
	}
	for _, c := range conditions {
		condition, _ := c.(map[string]any)
		if condition["status"] == "True" && condition["message"] != nil {
			return fmt.Sprint(condition["message"])
		}
	}
	return ""
}

var _ API = (*server)(nil)
