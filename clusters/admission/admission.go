// Package admission says whether a host can take another cluster, before it is
// made: as many boot at once as the host bears, whichever process asks, and one
// that would run into a limit is not begun. The limit is named.
package admission

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"

	"github.com/kind-lab/lab/clusters"
	"github.com/kind-lab/lab/clusters/internal/procfs"
)

// What a node needs, as measured with one control plane of Kubernetes 1.29: its
// processes hold 385 to 520 MiB, and 28 inotify instances.
const (
	nodeMemory  = 600 << 20
	nodeInotify = 28
	// hostInotify stays with whatever else goes on on the host.
	hostInotify = 8
)

// ErrNotAdmitted is the cause where there is no room for a cluster; the text says
// which limit was reached, and what to do.
var ErrNotAdmitted = errors.New("there is no room for another cluster on this host")

// again is how long it takes until a slot is looked for again.
const again = 100 * time.Millisecond

// Options say what an Admission is about.
type Options struct {
	// Dir is the folder in which the host's slots are.
	Dir string
	// Slots is how many clusters may boot at once; less than 1 means 1.
	Slots int
	// Proc is where the kernel tells of the engine's host; empty where that is
	// not this machine, so that it cannot be asked.
	Proc string
	// Evict destroys a cluster that nobody uses and returns its name, "" where
	// there is none. Nil means that there never is one.
	Evict func(ctx context.Context) (string, error)
}

// Admission is that of a host. It can be used by several goroutines and processes.
type Admission struct{ options Options }

// New returns the host's admission.
func New(o Options) *Admission {
	o.Slots = max(1, o.Slots)
	return &Admission{o}
}

// Admit waits for a slot among those that boot and returns once a cluster of so
// many nodes can be begun, with what gives the slot back once it is ready. It
// fails with ErrNotAdmitted where it would run into a limit, although what waits for
// nobody was removed.
func (a *Admission) Admit(ctx context.Context, nodes int, progress func(string)) (func(), error) {
	slot, err := a.slot(ctx, progress)
	if err != nil {
		return nil, err
	}
	for {
		short := a.short(nodes)
		if short == "" {
			return func() { _ = slot.Close() }, nil // it ends with the process at the latest
		}
		evicted := ""
		if a.options.Evict != nil {
			evicted, err = a.options.Evict(ctx)
		}
		if err != nil || evicted == "" {
			return nil, errors.Join(fmt.Errorf("%w: %s", ErrNotAdmitted, short), err, slot.Close())
		}
		progress(fmt.Sprintf("removed %s, which waited, to make room: %s", evicted, short))
	}
}

// slot takes one of the slots, and waits for one where none is free.
func (a *Admission) slot(ctx context.Context, progress func(string)) (*flock.Flock, error) {
	if err := os.MkdirAll(a.options.Dir, 0o700); err != nil {
		return nil, fmt.Errorf("taking a slot among the clusters that boot: %w", err)
	}
	told := false
	for {
		for i := range a.options.Slots {
			lock := a.lock(i)
			taken, err := lock.TryLock()
			if err != nil {
				return nil, fmt.Errorf("taking a slot among the clusters that boot: %w", err)
			}
			if taken {
				return lock, nil
			}
		}
		if !told {
			progress(fmt.Sprintf("waiting: %d clusters boot on this host already, as many at once as its processors and memory bear", a.options.Slots))
			told = true
		}
		if clusters.Pause(ctx, again) != nil {
			return nil, fmt.Errorf("waiting for a slot among the clusters that boot: %w", context.Cause(ctx))
		}
	}
}

func (a *Admission) lock(i int) *flock.Flock {
	return flock.New(filepath.Join(a.options.Dir, fmt.Sprintf("slot-%d", i)))
}

// booting counts the slots that are taken: what boots there does not hold yet
// all that it will.
func (a *Admission) booting() int {
	count := 0
	for i := range a.options.Slots {
		lock := a.lock(i)
		if free, err := lock.TryLock(); err == nil && free {
			_ = lock.Close() // it was taken to look
		} else {
			count++
		}
	}
	return count
}

// short names the limit that so many more nodes would run into; "" where there
// is none, or it is unknown.
func (a *Admission) short(nodes int) string {
	if a.options.Proc == "" {
		return ""
	}
	others := max(0, a.booting()-1)
	needed := int64(nodes + others)
	if available, err := procfs.AvailableMemory(a.options.Proc); err == nil && available < needed*nodeMemory {
		return fmt.Sprintf("%d MiB of memory are available, and a node takes about %d (%d to boot, %d of other clusters just booting): stop something, or remove clusters (lab ls, lab down, lab gc)",
			available>>20, nodeMemory>>20, nodes, others)
	}
	limit, used, err := inotify(a.options.Proc)
	if err == nil && limit-used-hostInotify < needed*nodeInotify {
		return fmt.Sprintf("%d of %d inotify instances (fs.inotify.max_user_instances) are in use, and a node takes about %d (%d to boot, %d of other clusters just booting): lab engine up raises the limit, as root; lab down and lab gc remove clusters",
			used, limit, nodeInotify, nodes, others)
	}
	return ""
}
