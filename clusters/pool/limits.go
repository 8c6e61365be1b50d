package pool

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/kind-lab/lab/clusters"
)

// Trim destroys the clusters that wait beyond the pool's limits, the least
// recently used first, and returns their names.
func (p *Pool) Trim(ctx context.Context) ([]string, error) {
	members, err := p.members()
	if err != nil {
		return nil, err
	}
	idle := slices.DeleteFunc(latestFirst(members), func(m *member) bool { return m.State != StateIdle })
	var memory int64
	var removed []string
	var errs []error
	for i, m := range idle {
		memory += m.Memory
		if i < p.options.MaxIdle && memory <= p.options.MaxMemory {
			continue
		}
		done, err := p.Remove(ctx, m.ID)
		if errs = append(errs, err); done {
			removed = append(removed, m.ID)
			memory -= m.Memory
		}
	}
	return removed, errors.Join(errs...)
}

// Evict destroys the cluster that waits the longest and returns its name; empty
// where none waits.
func (p *Pool) Evict(ctx context.Context) (string, error) {
	members, err := p.members()
	if err != nil {
		return "", err
	}
	latest := latestFirst(members)
	for i := len(latest) - 1; i >= 0; i-- {
		if latest[i].State != StateIdle {
			continue
		}
		if done, err := p.Remove(ctx, latest[i].ID); done || err != nil {
			return latest[i].ID, err
		}
	}
	return "", nil
}

// Remove destroys a cluster of the pool that nobody uses; false where it is in
// use, or gone.
func (p *Pool) Remove(ctx context.Context, id string) (bool, error) {
	m, err := p.claim(id)
	if m == nil || err != nil {
		return false, err
	}
	if err := p.discard(ctx, m); err != nil {
		return false, err
	}
	return true, nil
}

// claim locks a member that nobody uses; nil where there is none.
func (p *Pool) claim(id string) (*member, error) {
	members, err := p.members()
	if err != nil {
		return nil, err
	}
	for _, m := range members {
		if m.ID != id {
			continue
		}
		free, err := m.lock()
		if err != nil || !free {
			return nil, err
		}
		return m, nil
	}
	return nil, nil
}

// Status is a Member and whether somebody uses it now.
type Status struct {
	Member
	// Busy says that a process has it. One that is StateMaking or StateLeased and
	// is not busy was left by its user.
	Busy bool `json:"busy"`
	// Kubeconfig is its own.
	Kubeconfig string `json:"kubeconfig"`
}

// List are the pool's clusters, the one that was used last first.
func (p *Pool) List() ([]Status, error) {
	members, err := p.members()
	if err != nil {
		return nil, err
	}
	list := make([]Status, 0, len(members))
	for _, m := range latestFirst(members) {
		busy, err := m.busy()
		if err != nil {
			return nil, err
		}
		list = append(list, Status{Member: m.Member, Busy: busy, Kubeconfig: m.kubeconfig()})
	}
	return list, nil
}

// Pause makes a cluster that waits do so paused, Resume makes it do so running;
// false where it is in use, gone, or does not wait. Resume returns once it is
// usable; one that does not come back whole is destroyed, which the error says.
func (p *Pool) Pause(ctx context.Context, id string) (bool, error) {
	return p.change(id, func(m *member) error {
		m.Awake = false
		return p.pause(ctx, m)
	})
}

// Resume is described at Pause.
func (p *Pool) Resume(ctx context.Context, id string) (bool, error) {
	return p.change(id, func(m *member) error {
		m.Awake = true
		return p.resume(ctx, m)
	})
}

func (p *Pool) change(id string, do func(*member) error) (bool, error) {
	m, err := p.claim(id)
	if m == nil || err != nil {
		return false, err
	}
	defer m.unlock()
	if m.State != StateIdle {
		return false, nil
	}
	if err := do(m); err != nil {
		return false, err
	}
	return true, m.save()
}

// Ready makes sure that a cluster like the Spec waits, running, and returns its
// name, and how long that took.
func (p *Pool) Ready(ctx context.Context, spec clusters.Spec, images []string, progress func(string)) (string, time.Duration, error) {
	began := time.Now()
	if _, err := p.reusable(spec); err != nil {
		return "", 0, err
	}
	print, err := p.maker.Fingerprint(ctx, spec)
	if err != nil {
		return "", 0, err
	}
	id := newID() + "-up"
	m, err := p.take(ctx, print, id, progress)
	if err == nil && m == nil {
		m, err = p.make(ctx, spec, print, id, progress)
	}
	if err == nil && len(images) > 0 {
		err = p.maker.LoadImages(ctx, m.Handle, images, progress)
	}
	if err == nil {
		m.Awake = true
		err = p.settle(ctx, m)
	}
	if err != nil {
		if m != nil && m.held != nil {
			err = errors.Join(err, p.discard(ctx, m))
		}
		return "", 0, err
	}
	return m.ID, time.Since(began), nil
}
