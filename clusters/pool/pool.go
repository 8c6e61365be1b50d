// Package pool keeps clusters between runs, so that one of a kind that was made
// before is there within a second. A cluster is known by its fingerprint: what
// is made alike is alike. A run that acquires one has it alone, by a lock that
// ends with its process.
//
// A cluster that is given back is cleaned: what was made on it is deleted, and
// all the rest is compared with what was there when it was new. One on which
// anything else differs is destroyed, never leased again. Those that wait are
// paused, so that they cost memory and no processor time.
package pool

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/kind-lab/lab/clusters"
)

// Prefix begins the names of a pool's clusters on the host.
const Prefix = "lab-pool-"

// cleanUpLimit bounds what is done to a cluster whose user no longer waits.
const cleanUpLimit = 20 * time.Second

// Maker makes clusters, as clusters/kind does.
type Maker interface {
	clusters.Nodes
	// Create makes a cluster that is called id on the host and returns once it
	// is ready; where it fails it leaves nothing behind.
	Create(ctx context.Context, spec clusters.Spec, id, kubeconfig string, progress func(string)) (clusters.Handle, error)
	// LoadImages puts images on every node.
	LoadImages(ctx context.Context, handle clusters.Handle, refs []string, progress func(string)) error
	// Destroy removes a cluster; one that is not there is no error.
	Destroy(ctx context.Context, id string) error
	// Fingerprint is the same for what Create would make alike.
	Fingerprint(ctx context.Context, spec clusters.Spec) (string, error)
	// Capabilities are those of the clusters of a Spec. Only those that can be
	// reused are leased.
	Capabilities(spec clusters.Spec) clusters.Capabilities
}

// Options are what a Pool keeps to.
type Options struct {
	// Dir is the pool's folder on this host; clusters of other folders are
	// other pools'.
	Dir string
	// MaxIdle is how many clusters may wait, and MaxMemory how many bytes they
	// may hold together; 0 stands for none. The least recently used go first.
	MaxIdle   int
	MaxMemory int64
	// Connect reaches a cluster's API server by its kubeconfig; nil means the
	// real one.
	Connect func(kubeconfig string) (API, error)
}

// Pool leases clusters. It can be used by several goroutines, and a folder by
// several processes, at once.
type Pool struct {
	maker   Maker
	options Options

	mu sync.Mutex
	// leased are the clusters that this process uses, by the ids that they were
	// asked for with.
	leased map[string]*member
	// asked are the ids for which a Create goes on, ending those whose clusters
	// are just given back or destroyed; the channel is closed after that.
	asked  map[string]bool
	ending map[string]chan struct{}
}

// New returns the pool of the folder, which need not be there yet.
func New(maker Maker, o Options) *Pool {
	if o.Connect == nil {
		o.Connect = connect
	}
	return &Pool{maker: maker, options: o, leased: map[string]*member{}, asked: map[string]bool{}, ending: map[string]chan struct{}{}}
}

// Create leases a cluster like the Spec, one that waits or else a new one, and
// writes a kubeconfig for it. id is the holder's name for it; its own name on
// the host is the Handle's ID. A cluster that waits and does not come back
// whole is destroyed, and that is reported.
func (p *Pool) Create(ctx context.Context, spec clusters.Spec, id, kubeconfig string, progress func(string)) (clusters.Handle, error) {
	can, err := p.reusable(spec)
	if err != nil {
		return clusters.Handle{}, err
	}
	if err := p.ask(id); err != nil {
		return clusters.Handle{}, err
	}
	defer func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		delete(p.asked, id)
	}()
	print, err := p.maker.Fingerprint(ctx, spec)
	if err != nil {
		return clusters.Handle{}, err
	}
	m, err := p.take(ctx, print, id, progress)
	reused := m != nil
	if err == nil && !reused {
		m, err = p.make(ctx, spec, print, id, progress)
	}
	if err != nil {
		return clusters.Handle{}, err
	}
	m.copy = kubeconfig
	if err := copyKubeconfig(m.kubeconfig(), kubeconfig); err != nil {
		return clusters.Handle{}, errors.Join(err, p.discard(ctx, m))
	}
	p.mu.Lock()
	p.leased[id] = m
	p.mu.Unlock()
	handle := m.Handle
	handle.Name, handle.Kubeconfig, handle.Reused, handle.Capabilities = spec.Name, kubeconfig, reused, can
	return handle, nil
}

// Capabilities are those of the clusters that the maker makes of a Spec.
func (p *Pool) Capabilities(spec clusters.Spec) clusters.Capabilities {
	return p.maker.Capabilities(spec)
}

// reusable returns the capabilities of the clusters of a Spec; the error is a
// *clusters.CapabilityError if they cannot be reused.
func (p *Pool) reusable(spec clusters.Spec) (clusters.Capabilities, error) {
	can := p.maker.Capabilities(spec)
	if !can.CanReuse {
		return can, &clusters.CapabilityError{Cluster: spec.Name, Provider: spec.ProviderName(), Missing: clusters.Reuse}
	}
	return can, nil
}

// ask notes that a Create goes on for the id, of which there can be one.
func (p *Pool) ask(id string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if m := p.leased[id]; m != nil {
		return fmt.Errorf("%s is leased already, as %s", id, m.ID)
	}
	if p.asked[id] {
		return fmt.Errorf("%s is asked for already", id)
	}
	p.asked[id] = true
	return nil
}

// end takes the cluster that is leased as id away from its holder; done is called
// once it was given back or destroyed. Where somebody else just does that, end
// waits for it and returns none.
func (p *Pool) end(ctx context.Context, id string) (m *member, done func(), err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if m := p.leased[id]; m != nil {
		delete(p.leased, id)
		over := make(chan struct{})
		p.ending[id] = over
		return m, func() {
			p.mu.Lock()
			defer p.mu.Unlock()
			delete(p.ending, id)
			close(over)
		}, nil
	}
	over := p.ending[id]
	if over == nil {
		return nil, nil, nil
	}
	p.mu.Unlock()
	select {
	case <-over:
	case <-ctx.Done():
		err = fmt.Errorf("waiting for the end of %s: %w", id, ctx.Err())
	}
	p.mu.Lock()
	return nil, nil, err
}

// take leases one that waits, or none.
func (p *Pool) take(ctx context.Context, print, id string, progress func(string)) (*member, error) {
	members, err := p.members()
	if err != nil {
		return nil, err
	}
	for _, m := range latestFirst(members) {
		if m.Fingerprint != print || m.State != StateIdle {
			continue
		}
		if free, err := m.lock(); err != nil || !free {
			continue // somebody else has it
		}
		if m.State != StateIdle || m.Fingerprint != print {
			m.unlock()
			continue // or had it in the meantime
		}
		if err := m.lease(id); err != nil {
			m.unlock()
			return nil, err
		}
		began := time.Now()
		err := p.resume(ctx, m)
		if err == nil {
			progress(fmt.Sprintf("taking %s, which was idle: usable after %s", m.ID, time.Since(began).Round(10*time.Millisecond)))
			return m, nil
		}
		if ctx.Err() == nil {
			progress(fmt.Sprintf("%s did not come back whole and is replaced: %v", m.ID, err))
		}
		if err := errors.Join(p.discard(ctx, m), ctx.Err()); err != nil {
			return nil, err
		}
	}
	return nil, nil
}

// make makes a new one and notes what is on it.
func (p *Pool) make(ctx context.Context, spec clusters.Spec, print, id string, progress func(string)) (*member, error) {
	m, err := p.found(spec, print, id)
	if err != nil {
		return nil, err
	}
	handle, err := p.maker.Create(ctx, spec, m.ID, m.kubeconfig(), progress)
	if err != nil {
		return nil, errors.Join(err, m.forget())
	}
	m.Handle = handle
	if err := p.note(ctx, m); err != nil {
		return nil, errors.Join(err, p.discard(ctx, m))
	}
	return m, nil
}

// note keeps what is on a new cluster, to compare it with later.
func (p *Pool) note(ctx context.Context, m *member) error {
	api, err := p.options.Connect(m.kubeconfig())
	if err != nil {
		return err
	}
	var baseline Objects
	group, asking := errgroup.WithContext(ctx)
	group.Go(func() (err error) {
		if baseline, err = api.Objects(asking); err != nil {
			err = fmt.Errorf("looking at what is on the new cluster: %w", err)
		}
		return err
	})
	group.Go(func() (err error) { m.Births, err = p.births(asking, m); return err })
	group.Go(func() error { m.Memory = p.memory(asking, m); return nil })
	if err := group.Wait(); err != nil {
		return err
	}
	m.State = StateLeased
	return errors.Join(m.saveBaseline(baseline), m.save())
}

// LoadImages puts images on every node; they stay there.
func (p *Pool) LoadImages(ctx context.Context, handle clusters.Handle, refs []string, progress func(string)) error {
	return p.maker.LoadImages(ctx, handle, refs, progress)
}

// newID is a name that no other cluster has.
func newID() string {
	return Prefix + strings.ToLower(rand.Text()[:6])
}

// copyKubeconfig writes a copy for the holder alone.
func copyKubeconfig(from, to string) error {
	text, err := os.ReadFile(from)
	if err == nil {
		err = os.MkdirAll(filepath.Dir(to), 0o700)
	}
	if err == nil {
		err = os.WriteFile(to, text, 0o600)
	}
	if err != nil {
		return fmt.Errorf("writing the cluster's kubeconfig: %w", err)
	}
	return nil
}
