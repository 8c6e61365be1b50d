// Command podnet is the pod network of node images that are built without a
// registry. It runs on every node as a service and does there what kind's own
// network daemon does in a pod: it gives containerd a CNI configuration for
// the node's pod CIDR, keeps a route to every other node's pods, and
// masquerades what leaves the pod network.
//
// It begins once the ConfigMap kube-system/podnet exists, which is in kind's
// default CNI manifest: a cluster that brings a network of its own never has
// it, and podnet then changes nothing.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	name, err := os.Hostname()
	if err != nil {
		fmt.Fprintln(os.Stderr, "podnet: the node's name:", err)
		os.Exit(1)
	}
	a := &agent{node: name, paths: defaultPaths(), host: shellHost{}, say: func(text string) { fmt.Println(text) }}
	a.run(ctx)
}

// agent keeps one node's pod network as the API server's nodes ask for.
type agent struct {
	node  string
	paths paths
	host  host
	say   func(string)
	said  string
	last  plan
}

// run keeps the network until ctx ends. What fails is said once and tried
// again.
func (a *agent) run(ctx context.Context) {
	for ctx.Err() == nil {
		if err := a.session(ctx); err != nil && ctx.Err() == nil {
			a.sayOnce("podnet: " + err.Error())
			pause(ctx, 500*time.Millisecond)
		}
	}
}

// session reads the settings, then follows the nodes until the watch breaks.
func (a *agent) session(ctx context.Context) error {
	api, err := connect(a.paths)
	if err != nil {
		return err
	}
	subnets, err := api.podSubnets(ctx)
	if err != nil {
		return err
	}
	return api.followNodes(ctx, func(nodes []node) error {
		return a.apply(ctx, subnets, nodes)
	})
}

// apply brings the host in line with nodes; it does nothing where that has
// not changed since the last time.
func (a *agent) apply(ctx context.Context, subnets []string, nodes []node) error {
	want := newPlan(a.node, subnets, nodes)
	if want.equal(a.last) {
		return nil
	}
	if err := want.apply(ctx, a.host, a.paths.conflist); err != nil {
		return err
	}
	a.last = want
	a.sayOnce("podnet: " + want.String())
	return nil
}

// sayOnce says text unless it was the last thing said.
func (a *agent) sayOnce(text string) {
	if text != a.said {
		a.said = text
		a.say(text)
	}
}

// pause waits for d, or until ctx ends.
func pause(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}
