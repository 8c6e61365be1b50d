package existing

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/util/retry"
)

const (
	// managedBy is the label by which lab's objects are found, and manager its
	// value. The manager of the fields that a scenario sets is called so, too.
	managedBy = "app.kubernetes.io/managed-by"
	manager   = "lab"
	// runLabel says on a namespace which run made it.
	runLabel = "lab.kind-lab.github.com/run"
	// bookAnnotation is where the Lease says what runs made.
	bookAnnotation = "lab.kind-lab.github.com/made"
)

// book is what a Lease says of the runs that used the cluster and of what they
// made there.
type book struct {
	lease   *coordinationv1.Lease
	entries map[string]*entry
}

// entry is what one run made, or is about to make.
type entry struct {
	// Since is when it began, by the API server's clock, in whole seconds.
	Since time.Time `json:"since"`
	// Namespaces are those that it made.
	Namespaces []string `json:"namespaces,omitempty"`
}

func openBook(lease *coordinationv1.Lease) (*book, error) {
	b := &book{lease: lease, entries: map[string]*entry{}}
	text := lease.Annotations[bookAnnotation]
	if text == "" {
		return b, nil
	}
	if err := json.Unmarshal([]byte(text), &b.entries); err != nil {
		return nil, fmt.Errorf("reading the annotation %s of the Lease %s/%s: %w", bookAnnotation, lease.Namespace, lease.Name, err)
	}
	return b, nil
}

func (b *book) holder() string {
	if b.lease.Spec.HolderIdentity == nil {
		return ""
	}
	return *b.lease.Spec.HolderIdentity
}

// free says that nobody holds the Lease.
func (b *book) free() {
	b.lease.Spec = coordinationv1.LeaseSpec{LeaseTransitions: b.lease.Spec.LeaseTransitions}
}

// others are the ids of the other runs that left something, sorted.
func (b *book) others(id string) []string {
	var ids []string
	for other := range b.entries {
		if other != id {
			ids = append(ids, other)
		}
	}
	slices.Sort(ids)
	return ids
}

// next is when the first run after an entry's began; zero where none did. What
// was made from then on may be that run's.
func (b *book) next(e *entry) time.Time {
	var next time.Time
	for _, other := range b.entries {
		if other.Since.After(e.Since) && (next.IsZero() || other.Since.Before(next)) {
			next = other.Since
		}
	}
	return next
}

// now is the API server's clock when it wrote the Lease last.
func (b *book) now() time.Time {
	at := b.lease.CreationTimestamp.Time
	for _, f := range b.lease.ManagedFields {
		if f.Time != nil && f.Time.After(at) {
			at = f.Time.Time
		}
	}
	return at
}

// change reads the Lease, changes what it says and writes it; where somebody
// else wrote it meanwhile, again. One that says nothing any more and that nobody
// holds is deleted. It returns what the Lease says then.
func (l *lock) change(ctx context.Context, change func(*book) error) (*book, error) {
	leases := l.client.CoordinationV1().Leases(l.namespace)
	var b *book
	err := retry.OnError(retry.DefaultBackoff, apierrors.IsConflict, func() error {
		lease, err := leases.Get(ctx, leaseName, metav1.GetOptions{})
		if err != nil {
			return err
		}
		if b, err = openBook(lease); err != nil {
			return err
		}
		if err := change(b); err != nil {
			return err
		}
		if len(b.entries) == 0 && b.holder() == "" {
			return leases.Delete(ctx, leaseName, metav1.DeleteOptions{
				Preconditions: &metav1.Preconditions{UID: &lease.UID, ResourceVersion: &lease.ResourceVersion}})
		}
		text, err := json.Marshal(b.entries)
		if err != nil {
			return err
		}
		metav1.SetMetaDataAnnotation(&lease.ObjectMeta, bookAnnotation, string(text))
		if len(b.entries) == 0 {
			delete(lease.Annotations, bookAnnotation)
		}
		b.lease, err = leases.Update(ctx, lease, metav1.UpdateOptions{FieldManager: manager})
		return err
	})
	return b, err
}

// read is what the Lease says; nil where it is not there.
func (l *lock) read(ctx context.Context) (*book, error) {
	lease, err := l.client.CoordinationV1().Leases(l.namespace).Get(ctx, leaseName, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("%w: looking at the Lease %s: %w", ErrLeft, l.name(), err)
	}
	return openBook(lease)
}

// enter notes that the run has begun. It returns the ids of others that left
// something, and how far the API server's clock is ahead of this machine's, as
// far as whole seconds tell: 0 where it may be right.
func (l *lock) enter(ctx context.Context) (others []string, ahead time.Duration, err error) {
	asked := time.Now()
	b, err := l.change(ctx, func(b *book) error {
		if b.entries[l.id] == nil {
			b.entries[l.id] = &entry{Since: b.now()}
		}
		return nil
	})
	if err != nil {
		return nil, 0, fmt.Errorf("writing into the Lease %s: %w", l.name(), err)
	}
	return b.others(l.id), apart(b.now(), asked, time.Now()), nil
}

// apart is how far a clock is ahead that said a whole second between two times of
// this machine; 0 where it may be right.
func apart(said, from, to time.Time) time.Duration {
	switch {
	case said.After(to):
		return said.Sub(to)
	case said.Add(time.Second).Before(from):
		return said.Add(time.Second).Sub(from)
	}
	return 0
}
