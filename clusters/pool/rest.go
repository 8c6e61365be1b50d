package pool

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/kind-lab/lab/clusters"
)

const (
	// resumeLimit bounds how long a cluster that waited may need to be usable.
	resumeLimit = 30 * time.Second
	// look is how long it takes until it is looked at again.
	look = 25 * time.Millisecond
)

// pause pauses the nodes' machines.
func (p *Pool) pause(ctx context.Context, m *member) error {
	passes, err := p.passes(ctx, m)
	if err != nil {
		return err
	}
	if err := p.machines(ctx, m, "running", "pause"); err != nil {
		return err
	}
	m.Paused, m.Passes = time.Now(), passes
	return nil
}

// healthPasses prints how often a controller manager has looked at the nodes,
// which it does every 5 seconds. It asks with the administrator's certificate,
// which kubeadm's kubeconfig holds in base64.
const healthPasses = `
umask 077
dir=$(mktemp -d) && trap 'rm -r "$dir"' EXIT
for field in client-certificate-data client-key-data; do
  awk -v field="$field:" '$1 == field { print $2 }' /etc/kubernetes/admin.conf | base64 -d >"$dir/$field"
done
curl --silent --show-error --insecure --max-time 5 --cert "$dir/client-certificate-data" --key "$dir/client-key-data" https://127.0.0.1:10257/metrics 2>&1 |
  awk '$1 == "node_collector_update_all_nodes_health_duration_seconds_count" { print $2; found = 1 } END { if (!found) { print "the controller manager does not tell how often it looked at the nodes"; exit 1 } }'
`

// passes adds up what the controller managers tell: one of several leads.
func (p *Pool) passes(ctx context.Context, m *member) (int64, error) {
	var total int64
	for _, node := range m.Handle.Nodes {
		if node.Role != "control-plane" {
			continue
		}
		said, err := p.output(ctx, node, healthPasses)
		if err != nil {
			return 0, err
		}
		n, err := strconv.ParseInt(said, 10, 64)
		if err != nil {
			return 0, fmt.Errorf("node %s: how often its controller manager looked at the nodes: %w", node.Name, err)
		}
		total += n
	}
	return total, nil
}

// controlPlanes runs a script on every node of the control plane.
func (p *Pool) controlPlanes(ctx context.Context, m *member, script string) error {
	for _, node := range m.Handle.Nodes {
		if node.Role != "control-plane" {
			continue
		}
		if err := p.script(ctx, node, script); err != nil {
			return err
		}
	}
	return nil
}

// script runs a script on a node; what it writes is the reason of its failure.
func (p *Pool) script(ctx context.Context, node clusters.Node, script string) error {
	_, err := p.output(ctx, node, script)
	return err
}

// output is script for what it writes.
func (p *Pool) output(ctx context.Context, node clusters.Node, script string) (string, error) {
	var said bytes.Buffer
	err := p.maker.NodeExec(ctx, node.Name, nil, &said, nil, "sh", "-c", script)
	text := strings.TrimSpace(said.String())
	if err != nil {
		return "", &scriptError{node: node.Name, said: text, err: err}
	}
	return text, nil
}

// scriptError is a script that failed on a node. Its message leaves out the
// script.
type scriptError struct {
	node, said string
	err        error
}

// Error is one line with the last of what the script wrote.
func (e *scriptError) Error() string {
	said, how := e.said, e.err
	if command := (*clusters.CommandError)(nil); errors.As(e.err, &command) {
		how = command.Err
		said = cmp.Or(command.Output, said)
	}
	if i := strings.LastIndexByte(said, '\n'); i >= 0 {
		said = said[i+1:]
	}
	if said != "" {
		said = ": " + said
	}
	return fmt.Sprintf("node %s: %v%s", e.node, how, said)
}

// Unwrap returns how the command ended.
func (e *scriptError) Unwrap() error { return e.err }

// born prints when a machine's first process began.
const born = `awk '{ print $22 }' /proc/1/stat`

// births are when the machines began, by the nodes' names.
func (p *Pool) births(ctx context.Context, m *member) (map[string]string, error) {
	births := map[string]string{}
	for _, node := range m.Handle.Nodes {
		text, err := p.output(ctx, node, born)
		if err != nil {
			return nil, err
		}
		births[node.Name] = text
	}
	return births, nil
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

// resume makes a cluster that waited usable, and returns once it is, or says why
// it is not whole.
func (p *Pool) resume(ctx context.Context, m *member) error {
	ctx, cancel := context.WithTimeout(ctx, resumeLimit)
	defer cancel()
	if err := p.machines(ctx, m, "paused", "unpause"); err != nil {
		return err
	}
	api, err := p.options.Connect(m.kubeconfig())
	if err != nil {
		return err
	}
	anew := make([]bool, len(m.Handle.Nodes))
	group, asking := errgroup.WithContext(ctx)
	for i, node := range m.Handle.Nodes {
		group.Go(func() error {
			return until(asking, func(ctx context.Context) error {
				birth, err := p.output(ctx, node, runtime+"\n"+born)
				anew[i] = err == nil && birth != m.Births[node.Name]
				return err
			})
		})
	}
	group.Go(func() error { return until(asking, api.Ready) })
	// After a longer pause they may end later: see below.
	group.Go(func() error { return p.controllersLive(asking, m) })
	if err := group.Wait(); err != nil {
		return err
	}
	if i := slices.Index(anew, true); i >= 0 {
		return fmt.Errorf("node %s was started anew", m.Handle.Nodes[i].Name)
	}
	if err := p.settled(ctx, api, m); err != nil {
		return err
	}
	if m.pausedLong() {
		if err := p.controllersLive(ctx, m); err != nil {
			return err
		}
	}
	m.Paused = time.Time{}
	return nil
}

// controllersLive waits until the controllers of the control plane answer.
func (p *Pool) controllersLive(ctx context.Context, m *member) error {
	return until(ctx, func(ctx context.Context) error { return p.controlPlanes(ctx, m, controllers) })
}

const (
	// unnoticed is how long a machine can be paused without anybody in it
	// noticing: a kubelet calls the runtime down that it has not asked for 30
	// seconds (maxWaitForContainerRuntime), and asks every 5; a controller manager
	// calls a node unreachable of which it has not heard for 40.
	unnoticed = 20 * time.Second
	// together is how long after a kubelet's lease its word on the node may come:
	// both are due every 10 seconds, and so at once after a longer pause.
	together = 300 * time.Millisecond
)

// settled waits until all nodes and pods are ready and stay so. In a machine that
// was paused, the kubelet may say at once that the node is not, as it takes the
// runtime for dead, and look again 10 seconds later only; or the controller
// manager says so of the node and its pods, as it has not heard of the kubelet.
// Once the runtime has answered (see resume), the kubelet has renewed its lease, and
// the controller manager has looked at the nodes, what the kubelet will say is
// said for it.
func (p *Pool) settled(ctx context.Context, api API, m *member) error {
	if !m.pausedLong() {
		return until(ctx, func(ctx context.Context) error {
			unready, err := api.Unready(ctx)
			for node, why := range unready {
				err = errors.Join(err, fmt.Errorf("node %s is not ready: %s", node, why))
			}
			return err
		})
	}
	if err := until(ctx, func(ctx context.Context) error { return p.looked(ctx, api, m) }); err != nil {
		return err
	}
	enough := time.Now().Add(together)
	return until(ctx, func(ctx context.Context) error {
		unready, err := api.Unready(ctx)
		if err != nil {
			return err
		}
		var why error
		for node, text := range unready {
			why = fmt.Errorf("node %s is not ready: %s", node, text)
			if err := api.MarkReady(ctx, node); err != nil {
				return err
			}
		}
		if err := api.MarkPodsReady(ctx); err != nil {
			return err
		}
		if why == nil && time.Now().Before(enough) {
			why = errors.New("the kubelets may not have looked at their nodes yet")
		}
		return why
	})
}

// looked says whether every kubelet and the controller manager have looked at the
// nodes since the machines run again.
func (p *Pool) looked(ctx context.Context, api API, m *member) error {
	renewed, err := api.Renewed(ctx)
	if err != nil {
		return err
	}
	for _, node := range m.Handle.Nodes {
		if !heard(renewed[node.Name], m) {
			return fmt.Errorf("the kubelet of node %s has not renewed its lease yet", node.Name)
		}
	}
	passes, err := p.passes(ctx, m)
	if err == nil && passes <= m.Passes {
		err = errors.New("the controller manager has not looked at the nodes yet")
	}
	return err
}

// pausedLong says whether somebody in it may notice that it was paused.
func (m *member) pausedLong() bool {
	return !m.Paused.IsZero() && time.Since(m.Paused) >= unnoticed
}

// heard says whether a lease was renewed since the machines run again. Its time
// is the node's clock's, so that it is held against when they were paused.
func heard(renewed time.Time, m *member) bool {
	return renewed.After(m.Paused.Add(unnoticed / 2))
}

// until tries again and again and returns the last failure when ctx ends.
func until(ctx context.Context, try func(context.Context) error) error {
	for {
		err := try(ctx)
		if err == nil {
			return nil
		}
		if clusters.Pause(ctx, look) != nil {
			return err
		}
	}
}

// runtime asks the node's container runtime, and controllers the controllers of
// the control plane, whether they live: one that lost its lease while the machine
// was paused ends.
const (
	runtime     = `timeout 5 ctr version >/dev/null || { echo "the container runtime does not answer"; exit 1; }`
	controllers = `
for port in 10257 10259; do
  said=$(curl --silent --insecure --max-time 5 "https://127.0.0.1:$port/healthz") || { echo "port $port of the control plane does not answer"; exit 1; }
  [ "$said" = ok ] || { echo "port $port of the control plane says: $said"; exit 1; }
done
`
)

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
	said, err := p.output(ctx, node, held)
	if err != nil {
		return unknown
	}
	kib, err := strconv.ParseInt(said, 10, 64)
	if err != nil || kib <= 0 {
		return unknown
	}
	return kib << 10
}
