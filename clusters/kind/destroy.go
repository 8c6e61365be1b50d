package kind

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/kind-lab/lab/clusters"
)

// ErrLeft is the cause where something of a cluster could not be removed.
var ErrLeft = errors.New("cluster could not be removed")

// again is how long it takes until something is looked at again.
const again = 250 * time.Millisecond

// Destroy removes the cluster's containers, their volumes and the kubeconfig
// that this Provisioner wrote, and returns once it has seen that they are gone.
// One that is being created is cancelled first. A cluster that is not there is
// no error. The error wraps ErrName for a name that no cluster of lab can have,
// and ErrLeft where something is left; it can be called again.
func (p *Provisioner) Destroy(ctx context.Context, id string) error {
	if err := CheckID(id, 1, 0); err != nil {
		return fmt.Errorf("destroying cluster: %w", err)
	}
	p.mu.Lock()
	c := p.active[id]
	kubeconfig := p.written[id]
	p.mu.Unlock()
	if c != nil {
		c.cancel(errDestroyed)
		select {
		case <-c.ended:
		case <-ctx.Done():
			return fmt.Errorf("destroying cluster %s, which is still being created: %w: %w", id, ErrLeft, ctx.Err())
		}
	}
	if err := p.remove(ctx, id, kubeconfig, idle); err != nil {
		return fmt.Errorf("destroying cluster %s: %w", id, err)
	}
	return nil
}

// errDestroyed is why a creation ends that Destroy meets.
var errDestroyed = errors.New("the cluster is being destroyed")

// remove takes away what there is of the cluster until twice in a row nothing
// is found and busy is false: a container that was asked for may come late.
func (p *Provisioner) remove(ctx context.Context, id, kubeconfig string, busy func() bool) error {
	volumes := map[string]bool{}
	var last error
	for empty := 0; ; {
		still := busy()
		making := stopChildren(id)
		found, err := p.containers(ctx, clusterLabel+"="+id)
		switch {
		case ctx.Err() != nil: // it says of the engine's answers no more than that
		case err != nil:
			last = err
		case len(found) > 0:
			failed := p.removeContainers(ctx, found, volumes)
			if failed != nil {
				failed = errors.Join(failed, p.thaw(ctx, found))
			}
			if ctx.Err() == nil {
				last = failed
			}
		}
		if still || making > 0 || err != nil || len(found) > 0 {
			empty = 0
		} else if empty++; empty == 2 {
			break
		}
		if err := clusters.Pause(ctx, again); err != nil {
			return fmt.Errorf("%w: %w", ErrLeft, errors.Join(err, last))
		}
	}
	if err := p.removeVolumes(ctx, volumes); err != nil {
		return fmt.Errorf("%w: %w", ErrLeft, err)
	}
	if err := removeFiles(kubeconfig); err != nil {
		return fmt.Errorf("%w: %w", ErrLeft, err)
	}
	p.mu.Lock()
	delete(p.written, id)
	p.mu.Unlock()
	return nil
}

// idle says that nothing else is under way.
func idle() bool { return false }

// removeContainers removes them with their volumes, which it notes.
func (p *Provisioner) removeContainers(ctx context.Context, found []container, volumes map[string]bool) error {
	args := []string{"rm", "--force", "--volumes"}
	for _, c := range found {
		args = append(args, c.ID)
		for _, m := range c.Mounts {
			if m.Type == "volume" && m.Name != "" {
				volumes[m.Name] = true
			}
		}
	}
	if _, err := p.output(ctx, args...); err != nil {
		return fmt.Errorf("removing containers: %w", err)
	}
	return nil
}

// removeVolumes removes those that went not with their containers.
func (p *Provisioner) removeVolumes(ctx context.Context, volumes map[string]bool) error {
	if len(volumes) == 0 {
		return nil
	}
	out, err := p.output(ctx, "volume", "ls", "--quiet")
	if err != nil {
		return fmt.Errorf("listing volumes: %w", err)
	}
	left := slices.DeleteFunc(strings.Fields(string(out)), func(name string) bool { return !volumes[name] })
	if len(left) == 0 {
		return nil
	}
	if _, err := p.output(ctx, append([]string{"volume", "rm"}, left...)...); err != nil {
		return fmt.Errorf("removing volumes: %w", err)
	}
	return nil
}

// removeFiles removes the kubeconfig and the library's lock of it.
func removeFiles(kubeconfig string) error {
	if kubeconfig == "" {
		return nil
	}
	var errs []error
	for _, path := range []string{kubeconfig, kubeconfig + ".lock"} {
		if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// Orphans returns the clusters on the host whose names begin with Prefix, oldest
// first, whole or not and whether a run uses them or not. Their nodes are the
// containers' names with their states, such as "lab-x-control-plane (running)".
func (p *Provisioner) Orphans(ctx context.Context) ([]clusters.Orphan, error) {
	found, err := p.containers(ctx, clusterLabel)
	if err != nil {
		return nil, fmt.Errorf("listing clusters: %w", err)
	}
	slices.SortFunc(found, func(a, b container) int { return a.Created.Compare(b.Created) })
	byID := map[string]*clusters.Orphan{}
	var ids []string
	for _, c := range found {
		id := c.Config.Labels[clusterLabel]
		if !strings.HasPrefix(id, Prefix) {
			continue
		}
		if byID[id] == nil {
			byID[id] = &clusters.Orphan{ID: id, Created: c.Created}
			ids = append(ids, id)
		}
		byID[id].Nodes = append(byID[id].Nodes, fmt.Sprintf("%s (%s)", c.Name, c.State.Status))
	}
	list := make([]clusters.Orphan, 0, len(ids))
	for _, id := range ids {
		list = append(list, *byID[id])
	}
	return list, nil
}
