package wiring

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"
	watchtools "k8s.io/client-go/tools/watch"

	"github.com/kind-lab/lab/labs/step/objects"
)

// createNamespace creates a namespace and returns once pods can be created in it:
// its default service account is there. ctx bounds the wait.
func (c *realCluster) createNamespace(ctx context.Context, name string) error {
	client := c.client.Kubernetes
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"app.kubernetes.io/managed-by": objects.FieldManager}}}
	if _, err := client.CoreV1().Namespaces().Create(ctx, namespace, metav1.CreateOptions{FieldManager: objects.FieldManager}); err != nil && !apierrors.IsAlreadyExists(err) {
		return fmt.Errorf("creating namespace %s: %w", name, err)
	}
	accounts := client.CoreV1().ServiceAccounts(name)
	selector := fields.OneTermEqualSelector("metadata.name", "default").String()
	source := &cache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) {
			o.FieldSelector = selector
			return accounts.List(ctx, o)
		},
		WatchFuncWithContext: func(ctx context.Context, o metav1.ListOptions) (watch.Interface, error) {
			o.FieldSelector = selector
			return accounts.Watch(ctx, o)
		},
	}
	_, err := watchtools.UntilWithSync(ctx, source, &corev1.ServiceAccount{}, nil, func(e watch.Event) (bool, error) {
		return e.Type == watch.Added || e.Type == watch.Modified, nil
	})
	if err != nil {
		return fmt.Errorf("waiting for the default service account of namespace %s: %w", name, err)
	}
	return nil
}

// deleteNamespace asks for the namespace's deletion and does not wait for it.
func (c *realCluster) deleteNamespace(ctx context.Context, name string) error {
	client := c.client.Kubernetes
	if err := client.CoreV1().Namespaces().Delete(ctx, name, metav1.DeleteOptions{}); err != nil && !apierrors.IsNotFound(err) {
		return fmt.Errorf("deleting namespace %s: %w", name, err)
	}
	return nil
}
