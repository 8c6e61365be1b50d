package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

// network is flannel, as far as a node needs it.
type network interface {
	// masquerade lets what leaves the pod network take the node's address. The
	// node's pods have the CIDRs.
	masquerade(ctx context.Context, cidrs []string) error
	// join tells the other nodes of this one. The function that it returns
	// keeps the routes to theirs until its context ends.
	join(ctx context.Context) (func(context.Context), error)
}

// agent gives one node its pod network.
type agent struct {
	node, conflist string
	connect        func() (kubernetes.Interface, error)
	// network begins to learn of the other nodes.
	network func(context.Context, settings) (network, error)
	say     func(string)
	said    string
	// again is how long to wait before something is tried again.
	again time.Duration
}

// patience is how often something is tried in quick succession; after that
// only now and then, as on a cluster with another network.
const (
	patience = 3000 // ten minutes
	slowdown = 25
)

// errBroken says that flannel cannot go on; trying again is of no use.
var errBroken = errors.New("flannel has ended")

// errChanged says that the node is no longer the one that was told to others.
var errChanged = errors.New("the node was registered anew, or its pod CIDR changed")

// run keeps the network until ctx ends, or until it has to begin anew.
func (a *agent) run(ctx context.Context) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var client kubernetes.Interface
	var s settings
	err := a.retry(ctx, func() (err error) {
		if client, err = a.connect(); err == nil {
			s, err = readSettings(ctx, client)
		}
		return err
	})
	if err != nil {
		return err
	}
	flannel, err := a.network(ctx, s)
	if err != nil {
		return err
	}
	nodes := followNode(ctx, client, a.node)
	own, err := a.podCIDRs(ctx, nodes)
	if err != nil {
		return err
	}
	keep, err := a.setUp(ctx, client, flannel, own)
	if err != nil {
		return err
	}
	kept := make(chan struct{})
	go func() {
		defer close(kept)
		keep(ctx)
	}()
	err = unchanged(ctx, nodes, own)
	stop()
	<-kept
	return err
}

// retry calls f until it succeeds, or fails for good. Why it failed is said
// once.
func (a *agent) retry(ctx context.Context, f func() error) error {
	for tries := 1; ; tries++ {
		err := f()
		if err == nil || errors.Is(err, errBroken) {
			return err
		}
		if ctx.Err() == nil {
			a.sayOnce(err.Error())
		}
		wait := a.again
		if tries > patience {
			wait *= slowdown
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(wait):
		}
	}
}

// sayOnce says text unless it was the last thing said so.
func (a *agent) sayOnce(text string) {
	if text != a.said {
		a.said = text
		a.say(text)
	}
}

// podCIDRs waits for the node's.
func (a *agent) podCIDRs(ctx context.Context, nodes <-chan *corev1.Node) ([]string, error) {
	for {
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case n := <-nodes:
			if cidrs := podCIDRs(n); len(cidrs) > 0 {
				return cidrs, nil
			}
			a.sayOnce("this node has no pod CIDR yet")
		}
	}
}

// setUp makes the network. The CNI configuration comes last, because pods start
// once it is there; but the first node has nobody to wait for.
func (a *agent) setUp(ctx context.Context, client kubernetes.Interface, flannel network, own []string) (func(context.Context), error) {
	if err := flannel.masquerade(ctx, own); err != nil {
		return nil, fmt.Errorf("masquerading: %w", err)
	}
	first, err := isFirst(ctx, client, a.node)
	if err != nil {
		return nil, err
	}
	if first {
		if err := writeConflist(a.conflist, own); err != nil {
			return nil, err
		}
		a.say(fmt.Sprintf("pods of this node have %v", own))
	}
	var keep func(context.Context)
	err = a.retry(ctx, func() (err error) {
		keep, err = flannel.join(ctx)
		return err
	})
	if err != nil || first {
		return keep, err
	}
	a.say(fmt.Sprintf("pods of this node have %v, other nodes know of it", own))
	return keep, writeConflist(a.conflist, own)
}

// isFirst says whether no node but the one called name has pods.
func isFirst(ctx context.Context, client kubernetes.Interface, name string) (bool, error) {
	nodes, err := client.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	if err != nil {
		return false, fmt.Errorf("looking for other nodes: %w", err)
	}
	others := slices.ContainsFunc(nodes.Items, func(n corev1.Node) bool { return n.Name != name && len(podCIDRs(&n)) > 0 })
	return !others, nil
}

// unchanged waits until the node's own object is no longer as flannel left it.
// Flannel does not see that itself: others then know the node no more.
func unchanged(ctx context.Context, nodes <-chan *corev1.Node, own []string) error {
	told := false
	for {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case n := <-nodes:
			// What was seen before flannel's own mark may be older than it.
			marked := n.Annotations[annotationPrefix+"/kube-subnet-manager"] == "true"
			told = told || marked
			if told && (!marked || !slices.Equal(podCIDRs(n), own)) {
				return errChanged
			}
		}
	}
}
