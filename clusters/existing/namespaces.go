package existing

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/kind-lab/lab/clusters"
)

// Claim makes a namespace for the run, once the Lease says that it will. In a
// namespace that is named nothing is made: that one is returned as it is.
func (p *Provisioner) Claim(ctx context.Context, id, namespace string) error {
	c := p.of(id)
	if c == nil || c.lock == nil {
		return fmt.Errorf("making namespace %s: %s is not in use", namespace, id)
	}
	if c.setting(settingNamespace) != "" {
		return nil
	}
	return c.claim(ctx, namespace, nil)
}

// claim makes a namespace with labels, once the Lease says that it will be made.
func (c *connection) claim(ctx context.Context, namespace string, labels map[string]string) error {
	_, err := c.lock.change(ctx, func(b *book) error {
		e := b.entries[c.id]
		if e == nil {
			e = &entry{Since: b.now()}
			b.entries[c.id] = e
		}
		if !slices.Contains(e.Namespaces, namespace) {
			e.Namespaces = append(e.Namespaces, namespace)
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("writing into the Lease %s that namespace %s will be made: %w", c.lock.name(), namespace, err)
	}
	all := map[string]string{managedBy: manager, runLabel: c.id}
	maps.Copy(all, labels)
	object := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace, Labels: all}}
	if _, err = c.client.CoreV1().Namespaces().Create(ctx, object, metav1.CreateOptions{FieldManager: manager}); err != nil {
		return fmt.Errorf("making namespace %s: %w", namespace, err)
	}
	return nil
}

// Leave takes back what the run made in a namespace: the namespace, whose
// deletion is asked for and not waited for, or in one that is named the objects.
func (p *Provisioner) Leave(ctx context.Context, id, namespace string) error {
	c := p.of(id)
	if c == nil || c.lock == nil {
		return fmt.Errorf("cleaning namespace %s: %s is not in use", namespace, id)
	}
	if c.setting(settingNamespace) != "" {
		return c.lock.clean(ctx, c.reach)
	}
	return deleteNamespace(ctx, c.client, id, namespace)
}

// Adopt says where the kubeconfig is of a run that is gone, so that Destroy can
// find what it left.
func (p *Provisioner) Adopt(id, kubeconfig string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.adopted[id] = kubeconfig
}

// Destroy removes what the run made on the cluster, and never the cluster: the
// namespaces, or the objects in the one that is named. It returns once they are
// gone and gives the Lease back. One that this process does not use is looked
// for by what Adopt said; one that nobody knows is no error. The error wraps
// ErrLeft.
func (p *Provisioner) Destroy(ctx context.Context, id string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	p.mu.Lock()
	c, kubeconfig := p.used[id], p.adopted[id]
	p.mu.Unlock()
	if c != nil {
		c.cancel()
		select {
		case <-c.created:
		case <-ctx.Done():
			return ctx.Err()
		}
		c = p.of(id) // a creation that failed has cleaned up
	}
	if c == nil {
		var err error
		if c, err = p.adopt(id, kubeconfig); c == nil {
			return err
		}
	}
	if err := c.clean(ctx); err != nil {
		return err
	}
	if err := c.lock.release(ctx); err != nil {
		return err
	}
	if err := removeFile(c.kubeconfig); err != nil {
		return fmt.Errorf("%w: %w", ErrLeft, err)
	}
	p.forget(id)
	return nil
}

// adopt reaches the cluster of a run that is gone; nil where it made nothing,
// or nobody knows.
func (p *Provisioner) adopt(id, kubeconfig string) (*connection, error) {
	if kubeconfig == "" {
		return nil, nil
	}
	document, err := os.ReadFile(kubeconfig)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil // it is written before anything is made
	}
	if err != nil {
		return nil, fmt.Errorf("%w: reading the run's kubeconfig: %w", ErrLeft, err)
	}
	c := &connection{id: id, kubeconfig: kubeconfig}
	if c.reach, err = parse(document); err == nil {
		c.client, err = p.client(c.reach)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: the run's kubeconfig %s: %w", ErrLeft, kubeconfig, err)
	}
	c.lock = p.newLock(c.client, id, c.reach.within, c.reach.context)
	return c, nil
}

// clean removes what the run made, and returns once it is gone.
func (c *connection) clean(ctx context.Context) error {
	if c.reach.within != "" {
		return c.lock.clean(ctx, c.reach)
	}
	b, err := c.lock.read(ctx)
	if err != nil || b == nil || b.entries[c.id] == nil {
		return err
	}
	var errs []error
	for _, namespace := range b.entries[c.id].Namespaces {
		errs = append(errs, deleteNamespace(ctx, c.client, c.id, namespace))
	}
	for _, namespace := range b.entries[c.id].Namespaces {
		errs = append(errs, gone(ctx, c.client, c.id, namespace))
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("%w: %w", ErrLeft, err)
	}
	return nil
}

// quickly is the grace that pods have whose namespace is deleted, in seconds.
const quickly = int64(1)

// deleteNamespace asks for the deletion of a namespace that the run made, and of
// its pods with little grace. One that is not there, or not the run's, is left
// alone.
func deleteNamespace(ctx context.Context, client kubernetes.Interface, id, namespace string) error {
	found, err := client.CoreV1().Namespaces().Get(ctx, namespace, metav1.GetOptions{})
	if apierrors.IsNotFound(err) || err == nil && found.Labels[runLabel] != id {
		return nil
	}
	if err != nil {
		return fmt.Errorf("looking at namespace %s: %w", namespace, err)
	}
	err = client.CoreV1().Namespaces().Delete(ctx, namespace, metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &found.UID}})
	if err != nil && !apierrors.IsNotFound(err) && !apierrors.IsConflict(err) {
		return fmt.Errorf("deleting namespace %s: %w", namespace, err)
	}
	grace := quickly
	err = client.CoreV1().Pods(namespace).DeleteCollection(ctx, metav1.DeleteOptions{GracePeriodSeconds: &grace}, metav1.ListOptions{})
	if err != nil && !apierrors.IsNotFound(err) {
		return fmt.Errorf("deleting the pods of namespace %s: %w", namespace, err)
	}
	return nil
}

// looksAgain is how often it is looked whether something is gone.
const looksAgain = 250 * time.Millisecond

// gone returns once a namespace of the run is gone; what keeps it is in the
// error.
func gone(ctx context.Context, client kubernetes.Interface, id, namespace string) error {
	var last *corev1.Namespace
	for {
		found, err := client.CoreV1().Namespaces().Get(ctx, namespace, metav1.GetOptions{})
		switch {
		case apierrors.IsNotFound(err), err == nil && found.Labels[runLabel] != id:
			return nil
		case ctx.Err() != nil && err == nil:
			return fmt.Errorf("namespace %s is still there: %s", namespace, kept(found))
		case ctx.Err() != nil && last != nil: // what was seen last says more
			return fmt.Errorf("namespace %s is still there: %s: %w", namespace, kept(last), ctx.Err())
		case err != nil:
			return fmt.Errorf("waiting until namespace %s is gone: %w", namespace, err)
		}
		last = found
		if err := clusters.Pause(ctx, looksAgain); err != nil {
			return fmt.Errorf("namespace %s is still there: %s: %w", namespace, kept(last), err)
		}
	}
}

// kept says why a namespace is not gone yet.
func kept(n *corev1.Namespace) string {
	var reasons []string
	for _, condition := range n.Status.Conditions {
		if condition.Status == corev1.ConditionTrue {
			reasons = append(reasons, condition.Message)
		}
	}
	if len(reasons) == 0 {
		return "the cluster has not said why"
	}
	return strings.Join(reasons, "; ")
}
