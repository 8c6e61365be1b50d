package existing

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
)

const (
	// leaseName is the Lease of a cluster, or of a namespace that is named.
	leaseName = "lab"
	// leaseNamespace is where it is unless a namespace is named.
	leaseNamespace = metav1.NamespaceDefault
)

// HeldError says that another run has the cluster.
type HeldError struct {
	// Lease is its name with its namespace, Holder who has it.
	Lease, Holder string
	// Since is when it was taken, Renewed when it was renewed last, by the
	// holder's clock.
	Since, Renewed time.Time
	// Expires is how long it lasts without being renewed.
	Expires time.Duration
}

// Error says who has it, since when, and what to do.
func (e *HeldError) Error() string {
	return fmt.Sprintf("another run has this cluster: %s holds the Lease %s since %s, renewed at %s: wait until it has ended; "+
		"a run that is gone loses it %s after the last renewal", e.Holder, e.Lease, stamp(e.Since), stamp(e.Renewed), e.Expires)
}

func stamp(t time.Time) string { return t.Local().Format("2006-01-02 15:04:05") }

// lock is a run's hold on a cluster: its Lease.
type lock struct {
	client            kubernetes.Interface
	namespace, holder string
	id, context       string
	options           Options

	cancel context.CancelFunc
	ended  chan struct{} // closed once it is no longer renewed

	mu      sync.Mutex
	holding bool
	// failure is the error of the last question about the Lease.
	failure error
}

func (p *Provisioner) newLock(client kubernetes.Interface, id, namespace, name string) *lock {
	if namespace == "" {
		namespace = leaseNamespace
	}
	return &lock{client: client, namespace: namespace, holder: id + "@" + p.options.Host, id: id, context: name, options: p.options}
}

func (l *lock) name() string { return l.namespace + "/" + leaseName }

// held says where the Lease is not held now.
func (l *lock) held() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.holding {
		return nil
	}
	err := fmt.Errorf("the Lease %s of context %q is lost: another run may have the cluster now", l.name(), l.context)
	if l.failure != nil {
		err = fmt.Errorf("%w: %w", err, l.failure)
	}
	return err
}

func (l *lock) set(holding bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.holding = holding
}

func (l *lock) failed(err error) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.failure = err
	return err
}

func (l *lock) lastFailure() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.failure
}

// take returns once the Lease is held, and has it renewed from then on until
// release. One that another run holds is a *HeldError at once; one that looks
// expired is watched for its whole time before it is taken, since clocks differ.
func (l *lock) take(ctx context.Context, say func(string)) error {
	first, err := l.look(ctx)
	if err != nil {
		return err
	}
	if first.others(l.holder) {
		if !first.expired() {
			return l.heldBy(first)
		}
		say(fmt.Sprintf("%s held the Lease %s and has not renewed it since %s: waiting %s to be sure that it is gone",
			first.HolderIdentity, l.name(), stamp(first.RenewTime.Time), first.lasts()))
	}
	// It is renewed until it is released, whatever ends ctx.
	renewing, cancel := context.WithCancel(context.WithoutCancel(ctx))
	l.cancel, l.ended = cancel, make(chan struct{})
	started := make(chan struct{}, 1)
	go l.keep(renewing, started, say)
	if err := l.await(ctx, first, started); err != nil {
		cancel()
		<-l.ended
		return err
	}
	return nil
}

// await returns once the Lease is held or cannot be.
func (l *lock) await(ctx context.Context, first record, started <-chan struct{}) error {
	ticker := time.NewTicker(l.options.Renews / 2)
	defer ticker.Stop()
	for {
		select {
		case <-started:
			return nil
		case <-ctx.Done():
			return fmt.Errorf("taking the Lease %s: %w", l.name(), errors.Join(ctx.Err(), l.lastFailure()))
		case <-ticker.C:
		}
		if err := l.lastFailure(); apierrors.IsForbidden(err) || apierrors.IsNotFound(err) {
			return fmt.Errorf("taking the Lease %s: %w", l.name(), err)
		}
		now, err := l.look(ctx)
		if err == nil && now.others(l.holder) && (now.HolderIdentity != first.HolderIdentity || !now.RenewTime.Equal(&first.RenewTime)) {
			return l.heldBy(now)
		}
	}
}

// keep takes the Lease and renews it until ctx ends; where it was lost it is
// taken again as soon as it is free.
func (l *lock) keep(ctx context.Context, started chan<- struct{}, say func(string)) {
	defer close(l.ended)
	for ctx.Err() == nil {
		elector, err := leaderelection.NewLeaderElector(leaderelection.LeaderElectionConfig{
			Lock: &noted{l: l, Interface: &resourcelock.LeaseLock{
				LeaseMeta: metav1.ObjectMeta{Name: leaseName, Namespace: l.namespace}, Client: l.client.CoordinationV1(),
				LockConfig: resourcelock.ResourceLockConfig{Identity: l.holder},
				Labels:     map[string]string{managedBy: manager},
			}},
			LeaseDuration: l.options.Expires, RenewDeadline: l.options.GivesUp, RetryPeriod: l.options.Renews,
			Callbacks: leaderelection.LeaderCallbacks{
				OnStartedLeading: func(context.Context) {
					l.set(true)
					select {
					case started <- struct{}{}:
					default:
					}
				},
				OnStoppedLeading: func() {},
			},
			Name: l.name(),
		})
		if err != nil {
			say(fmt.Sprintf("the Lease %s cannot be renewed: %v", l.name(), err))
			return
		}
		elector.Run(ctx)
		if ctx.Err() == nil {
			l.set(false)
			say(fmt.Sprintf("the Lease %s could not be renewed for %s; the run goes on once it is held again: %v", l.name(), l.options.GivesUp, l.lastFailure()))
		}
	}
}

// record is what a Lease says of its holder.
type record struct {
	resourcelock.LeaderElectionRecord
}

func (r record) others(holder string) bool {
	return r.HolderIdentity != "" && r.HolderIdentity != holder
}

func (r record) lasts() time.Duration { return time.Duration(r.LeaseDurationSeconds) * time.Second }

// expired says whether it looks so by this machine's clock.
func (r record) expired() bool { return time.Since(r.RenewTime.Time) > r.lasts() }

// look reads the Lease; one that is not there is held by nobody.
func (l *lock) look(ctx context.Context) (record, error) {
	lease, err := l.client.CoordinationV1().Leases(l.namespace).Get(ctx, leaseName, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return record{}, nil
	}
	if err != nil {
		return record{}, fmt.Errorf("looking at the Lease %s: %w", l.name(), err)
	}
	return record{*resourcelock.LeaseSpecToLeaderElectionRecord(&lease.Spec)}, nil
}

func (l *lock) heldBy(r record) error {
	return &HeldError{Lease: l.name(), Holder: r.HolderIdentity, Since: r.AcquireTime.Time, Renewed: r.RenewTime.Time, Expires: r.lasts()}
}

// stop ends the renewal.
func (l *lock) stop() {
	if l.cancel != nil {
		l.cancel()
		<-l.ended
	}
}

// errNothing says that a Lease need not be changed.
var errNothing = errors.New("nothing to change")

// release gives the Lease back. It goes, unless it still says what other runs
// left.
func (l *lock) release(ctx context.Context) error {
	l.stop()
	l.set(false)
	_, err := l.change(ctx, func(b *book) error {
		if b.entries[l.id] == nil && b.holder() != l.holder {
			return errNothing
		}
		delete(b.entries, l.id)
		if b.holder() == l.holder {
			b.free()
		}
		return nil
	})
	if apierrors.IsNotFound(err) || errors.Is(err, errNothing) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("%w: the Lease %s, which expires after %s: %w", ErrLeft, l.name(), l.options.Expires, err)
	}
	return nil
}

// noted keeps the failures of a Lease's requests, which the library only logs.
type noted struct {
	resourcelock.Interface
	l *lock
}

// Get reads the Lease; one that is not there yet is no failure.
func (n *noted) Get(ctx context.Context) (*resourcelock.LeaderElectionRecord, []byte, error) {
	r, raw, err := n.Interface.Get(ctx)
	if !apierrors.IsNotFound(err) {
		_ = n.l.failed(err) // it is returned below
	}
	return r, raw, err
}

// Create makes the Lease.
func (n *noted) Create(ctx context.Context, r resourcelock.LeaderElectionRecord) error {
	return n.l.failed(n.Interface.Create(ctx, r))
}

// Update renews the Lease.
func (n *noted) Update(ctx context.Context, r resourcelock.LeaderElectionRecord) error {
	return n.l.failed(n.Interface.Update(ctx, r))
}

var _ resourcelock.Interface = (*noted)(nil)
