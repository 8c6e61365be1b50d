package pool

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/kind-lab/lab/clusters"
)

const (
	// wakeLimit bounds how long a cluster that waited may need to be usable.
	wakeLimit = 30 * time.Second
	// look is how long it takes until it is looked at again.
	look = 25 * time.Millisecond
)

// sleep pauses the nodes' machines.
func (p *Pool) sleep(ctx context.Context, m *member) error {
	if err := p.machines(ctx, m, "running", "pause"); err != nil {
		return err
	}
	m.Paused = time.Now()
	return nil
}

// machines does something to those nodes' machines that are in a state.
func (p *Pool) machines(ctx context.Context, m *member, in, action string) error {
	group, ctx := errgroup.WithContext(ctx)
	for _, node := range m.Handle.Nodes {
		group.Go(func() error {
			state, err := p.maker.NodeState(ctx, node.Name)
			if err != nil {
				return err
			}
			switch state {
			case in:
				return p.maker.NodeAction(ctx, node.Name, action)
			case "running", "paused":
				return nil
			}
			return fmt.Errorf("node %s is %s", node.Name, state)
		})
	}
	return group.Wait()
}

// wake makes a cluster that waited usable, and returns once it is, or says why
// it is not whole.
func (p *Pool) wake(ctx context.Context, m *member) error {
	ctx, cancel := context.WithTimeout(ctx, wakeLimit)
	defer cancel()
	if err := p.machines(ctx, m, "paused", "unpause"); err != nil {
		return err
	}
	api, err := p.options.Connect(m.kubeconfig())
	if err != nil {
		return err
	}
	group, asking := errgroup.WithContext(ctx)
	group.Go(func() error { return p.whole(asking, m) })
	group.Go(func() error { return until(asking, api.Ready) })
	if err := group.Wait(); err != nil {
		return err
	}
	if err := nodesReady(ctx, api, m); err != nil {
		return err
	}
	m.Paused = time.Time{}
	return nil
}

const (
	// unnoticed is how long a machine can be paused without its kubelet noticing:
	// it calls the runtime down that it has not asked for 30 seconds
	// (maxWaitForContainerRuntime), and asks every 5.
	unnoticed = 20 * time.Second
	// certain is how long it can be paused at most without that.
	certain = 36 * time.Second
	// mayNotice is how soon it says so, once the machine runs again, if it does at
	// all, and mustNotice if it is certain to.
	mayNotice, mustNotice = 2 * time.Second, 12 * time.Second
)

// nodesReady waits until all nodes are ready. A kubelet whose machine was paused
// says at once that the node is not, as it takes the runtime for dead, and looks
// again 10 seconds later only. Its runtime has answered by now (see whole), so
// that what it will say then is said for it.
func nodesReady(ctx context.Context, api API, m *member) error {
	waiting := map[string]bool{}
	enough := time.Now().Add(mayNotice)
	if paused := time.Since(m.Paused); !m.Paused.IsZero() && paused > unnoticed {
		if paused > certain {
			enough = time.Now().Add(mustNotice)
		}
		for _, node := range m.Handle.Nodes {
			waiting[node.Name] = true
		}
	}
	return until(ctx, func(ctx context.Context) error {
		unready, err := api.Unready(ctx)
		if err != nil {
			return err
		}
		for node, why := range unready {
			if !waiting[node] {
				return fmt.Errorf("node %s is not ready: %s", node, why)
			}
			if err := api.MarkReady(ctx, node); err != nil {
				return err
			}
			delete(waiting, node)
		}
		if len(unready) > 0 || len(waiting) > 0 && time.Now().Before(enough) {
			return errors.New("the kubelets have not looked at their nodes yet")
		}
		return nil
	})
}

// until tries again and again and returns the last failure when ctx ends.
func until(ctx context.Context, try func(context.Context) error) error {
	for {
		err := try(ctx)
		if err == nil {
			return nil
		}
		timer := time.NewTimer(look)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return err
		}
	}
}

// runtime asks the node's container runtime, and controllers the controllers of
// the control plane, whether they live: one that lost its lease while the machine
// was paused ends.
const (
	runtime = `timeout 5 ctr version >/dev/null || { echo "the container runtime does not answer"; exit 1; }
`
	controllers = runtime + `
for port in 10257 10259; do
  said=$(curl --silent --insecure --max-time 5 "https://127.0.0.1:$port/healthz") || { echo "port $port of the control plane does not answer"; exit 1; }
  [ "$said" = ok ] || { echo "port $port of the control plane says: $said"; exit 1; }
done
`
)

// whole checks what the API server does not tell.
func (p *Pool) whole(ctx context.Context, m *member) error {
	return until(ctx, func(ctx context.Context) error {
		for _, node := range m.Handle.Nodes {
			script := runtime
			if node.Role == "control-plane" {
				script = controllers
			}
			var said bytes.Buffer
			if err := p.maker.NodeExec(ctx, node.Name, nil, &said, nil, "sh", "-c", script); err != nil {
				return fmt.Errorf("node %s: %s: %w", node.Name, strings.TrimSpace(said.String()), err)
			}
		}
		return nil
	})
}

// held prints how much memory all processes of a machine hold that cannot be
// taken from them, in KiB.
const held = `cat /proc/[0-9]*/status 2>/dev/null | awk '/^RssAnon/ { kib += $2 } END { print kib + 0 }'`

// memory is what the cluster's processes hold, in bytes; what cannot be asked is
// taken as a node is known to need.
func (p *Pool) memory(ctx context.Context, m *member) int64 {
	var total int64
	for _, node := range m.Handle.Nodes {
		total += p.nodeMemory(ctx, node)
	}
	return total
}

// nodeMemory of a node that does not tell is what a control plane was measured
// to take.
func (p *Pool) nodeMemory(ctx context.Context, node clusters.Node) int64 {
	const unknown = 520 << 20
	var said bytes.Buffer
	if err := p.maker.NodeExec(ctx, node.Name, nil, &said, nil, "sh", "-c", held); err != nil {
		return unknown
	}
	kib, err := strconv.ParseInt(strings.TrimSpace(said.String()), 10, 64)
	if err != nil || kib <= 0 {
		return unknown
	}
	return kib << 10
}
