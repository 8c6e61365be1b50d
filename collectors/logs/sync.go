package logs

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kind-lab/lab/collectors/internal/retry"
)

// errWatch is why nobody knows whether there are containers that are not
// followed.
var errWatch = errors.New("the watch of the pods is broken")

// Sync returns once every line that was written before it is recorded, as far as
// the API has it: each log is read from its last line on. Where that cannot be
// done before ctx ends, that is the error, and a gap is declared that goes on
// until it can.
func (c *Collector) Sync(ctx context.Context) error {
	if c.display != nil {
		return nil
	}
	if c.watching.isLost() {
		return errWatch // of which a gap tells
	}
	if err := c.observePods(ctx); err != nil {
		c.lose(&c.asking, nil, c.asking.since(), err)
		return err
	}
	c.regain(&c.asking, nil)
	return c.catchUpAll(ctx)
}

// catchUpAll reads on in the logs of all containers.
func (c *Collector) catchUpAll(ctx context.Context) error {
	all := c.book.all()
	errs := make([]error, len(all))
	var group sync.WaitGroup
	slots := make(chan struct{}, atOnce)
	for i, target := range all {
		group.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			errs[i] = c.asked(ctx, target)
		})
	}
	group.Wait()
	return errors.Join(errs...)
}

// asked reads on in a container's log, and declares where that cannot be done.
func (c *Collector) asked(ctx context.Context, target *container) error {
	err := c.catchUp(ctx, target)
	switch {
	case err == nil:
		c.regain(&target.asking, target)
	case !target.following.isLost():
		c.lose(&target.asking, target, target.asking.since(), err)
	}
	return err
}

// catchUp reads a container's log from its last line on, and the previous run's
// if that is not known whole. What is no longer there is left to Reconcile.
func (c *Collector) catchUp(ctx context.Context, target *container) error {
	latest, there := c.book.now(target)
	if !there {
		return nil
	}
	if before := latest - 1; before >= 0 {
		if r := c.book.get(target, before); !r.read && !r.eof {
			if err := c.readPrevious(ctx, target, before); err != nil && ctx.Err() != nil {
				return err
			}
		}
	}
	r := c.book.get(target, latest)
	if r.ended && (r.eof || r.read) {
		return nil
	}
	_, err := c.readLog(ctx, target, latest, false, r.last)
	var status apierrors.APIStatus
	if errors.As(err, &status) && (apierrors.IsNotFound(err) || apierrors.IsBadRequest(err)) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("container %s of pod %s: %w", target.name, target.pod.object.Name, err)
	}
	return nil
}

// observePods takes the state of all pods that are there.
func (c *Collector) observePods(ctx context.Context) error {
	list, err := c.client.CoreV1().Pods(c.options.Namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return fmt.Errorf("what containers there are cannot be seen: listing the pods of namespace %s: %w", c.options.Namespace, err)
	}
	for i := range list.Items {
		c.book.observe(&list.Items[i], false)
	}
	return nil
}

const (
	// provenAfter is how long a watch lasts that works.
	provenAfter = 500 * time.Millisecond
	// darkFor is how long the pods may be without a watch that works before that
	// is a gap.
	darkFor = 2 * time.Second
)

// unwatched notes that the watch of the pods ended, or could not be opened. Where
// none works soon, that is a gap. Before the first nothing is missed.
func (c *Collector) unwatched(ctx context.Context) {
	select {
	case <-c.ready:
	default:
		return
	}
	if c.display != nil || !c.dark.CompareAndSwap(false, true) {
		return
	}
	from := c.watching.since()
	c.streams.spawn(ctx, func() {
		retry.Sleep(ctx, darkFor)
		if ctx.Err() == nil && c.dark.Load() {
			c.lose(&c.watching, nil, from, errWatch)
		}
	})
}

// rewatched notes that a watch of the pods works. After a gap it reads on in all
// logs, and then ends the gap: with a loss that nobody knows, since pods may have
// come and gone in it. It tries until ctx ends.
func (c *Collector) rewatched(ctx context.Context) {
	c.dark.Store(false)
	if c.display != nil || !c.watching.isLost() {
		c.watching.sees()
		return
	}
	c.streams.spawn(ctx, func() {
		for backoff := c.options.Retry; ctx.Err() == nil && !c.dark.Load(); retry.Pause(ctx, &backoff) {
			if c.observePods(ctx) == nil && c.catchUpAll(ctx) == nil {
				c.endGap(&c.watching, nil, -1, "the pods are watched again, and the logs of those that are there were read; pods that came and went meanwhile were not seen")
				return
			}
		}
	})
}
