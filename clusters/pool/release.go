package pool

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Release takes back the cluster that was leased as id. tainted says what was done
// to it that nobody can undo; it is destroyed then, as it is where it cannot be
// cleaned. The text says what became of it.
func (p *Pool) Release(ctx context.Context, id, tainted string, progress func(string)) (string, error) {
	m, done, err := p.end(ctx, id)
	if m == nil {
		return "destroyed", errors.Join(err, p.Destroy(ctx, id))
	}
	defer done()
	if tainted != "" {
		progress("destroying")
		return "destroyed, not kept for the next run: " + tainted, p.discard(ctx, m)
	}
	progress("cleaning")
	if err := p.clean(ctx, m); err != nil {
		return fmt.Sprintf("destroyed, not kept for the next run: %v", err), p.discard(ctx, m)
	}
	awake := m.Awake
	m.Memory = p.memory(ctx, m)
	if err := p.settle(ctx, m); err != nil {
		return fmt.Sprintf("destroyed, not kept for the next run: %v", err), p.discard(ctx, m)
	}
	text := fmt.Sprintf("%s waits for the next run, paused; lab down %s removes it", m.ID, m.ID)
	if awake {
		text = fmt.Sprintf("%s waits for the next run, running; lab down %s removes it", m.ID, m.ID)
	}
	removed, err := p.Trim(ctx)
	if slices.Contains(removed, m.ID) {
		return "destroyed: no more clusters may wait", err
	}
	if len(removed) > 0 {
		text += fmt.Sprintf(" (removed to make room: %s)", strings.Join(removed, ", "))
	}
	return text, err
}

// settle lets a clean cluster wait.
func (p *Pool) settle(ctx context.Context, m *member) error {
	if !m.Awake {
		if err := p.pause(ctx, m); err != nil {
			return err
		}
	}
	m.State, m.Lease, m.Used = StateIdle, nil, time.Now()
	if err := errors.Join(m.removeCopy(), m.save()); err != nil {
		return err
	}
	m.unlock()
	return nil
}

// Destroy removes the cluster that was leased as id, by this process or one that
// is gone, or whose own name is id; any other id is the maker's. One that
// another process uses is an error.
func (p *Pool) Destroy(ctx context.Context, id string) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("destroying %s: %w", id, err)
	}
	m, done, err := p.end(ctx, id)
	if err != nil {
		return err
	}
	if m != nil {
		defer done()
		return p.discard(ctx, m)
	}
	members, err := p.members()
	if err != nil {
		return err
	}
	for _, m := range members {
		if m.ID != id && (m.Lease == nil || m.Lease.ID != id) {
			continue
		}
		free, err := m.lock()
		if err != nil {
			return err
		}
		if !free {
			return fmt.Errorf("cluster %s is in use%s", m.ID, m.user())
		}
		if m.ID == id || m.Lease != nil && m.Lease.ID == id {
			return p.discard(ctx, m)
		}
		m.unlock() // it was another's in the meantime
	}
	return p.maker.Destroy(ctx, id)
}

// discard destroys a member that this process has locked. It goes on for a
// while where the context is over, or ends in the middle of it.
func (p *Pool) discard(ctx context.Context, m *member) error {
	ctx, stop := outliving(ctx, cleanUpLimit)
	defer stop()
	if err := p.maker.Destroy(ctx, m.ID); err != nil {
		m.State = StateTainted
		err = errors.Join(err, m.save())
		m.unlock()
		return err
	}
	return errors.Join(m.removeCopy(), m.forget())
}

// outliving is a context that ends so much later than ctx.
func outliving(ctx context.Context, grace time.Duration) (context.Context, func()) {
	longer, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		timer := time.NewTimer(grace)
		defer timer.Stop()
		select {
		case <-timer.C:
			cancel()
		case <-longer.Done():
		}
	})
	return longer, func() {
		stop()
		cancel()
	}
}
