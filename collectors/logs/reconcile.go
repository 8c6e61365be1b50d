package logs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

const (
	// askFor bounds one question for pods.
	askFor = 30 * time.Second
	// atOnce is how many containers' logs are read again at once.
	atOnce = 4
	// maxRestarts is how often a log is read again because its container
	// restarted meanwhile.
	maxRestarts = 3
)

// all returns the known containers, in the order of their pods' and their own
// names.
func (b *book) all() []*container {
	b.mu.Lock()
	defer b.mu.Unlock()
	var out []*container
	for _, p := range b.pods {
		for _, c := range p.containers {
			out = append(out, c)
		}
	}
	slices.SortFunc(out, func(x, y *container) int {
		return compare(x.pod.object.Name, y.pod.object.Name, x.pod.object.UID, y.pod.object.UID, x.name, y.name)
	})
	return out
}

// compare orders by pairs of names.
func compare(pairs ...string) int {
	for i := 0; i+1 < len(pairs); i += 2 {
		switch {
		case pairs[i] < pairs[i+1]:
			return -1
		case pairs[i] > pairs[i+1]:
			return 1
		}
	}
	return 0
}

// now returns the last run of a container, and whether the API can be asked
// for its log.
func (b *book) now(c *container) (latest int, there bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return c.latest, !c.pod.gone && c.latest >= 0 && string(b.names[c.pod.object.Name]) == c.pod.object.UID
}

// get returns a copy of what is known of a run.
func (b *book) get(c *container, number int) run {
	b.mu.Lock()
	defer b.mu.Unlock()
	if r := c.runs[number]; r != nil {
		return *r
	}
	return run{}
}

// keepOnly marks every pod as gone whose UID is not in there.
func (b *book) keepOnly(there map[types.UID]bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for uid, p := range b.pods {
		p.gone = p.gone || !there[uid]
	}
}

// reconcile reads every log again and declares what is not available.
func (c *Collector) reconcile(ctx context.Context) error {
	listErr := c.refresh(ctx)
	var group sync.WaitGroup
	slots := make(chan struct{}, atOnce)
	for _, target := range c.book.all() {
		group.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			c.reconcileContainer(ctx, target, listErr)
		})
	}
	group.Wait()
	c.declareDropped()
	return listErr
}

// refresh takes the state of all pods.
func (c *Collector) refresh(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, askFor)
	defer cancel()
	list, err := c.client.CoreV1().Pods(c.options.Namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return fmt.Errorf("reading the logs again: listing the pods of namespace %s: %w", c.options.Namespace, err)
	}
	there := map[types.UID]bool{}
	for i := range list.Items {
		there[list.Items[i].UID] = true
		c.book.observe(&list.Items[i], false)
	}
	c.book.keepOnly(there)
	return nil
}

// reconcileContainer reads a container's log and its previous run's, and
// declares the runs that are not known whole.
func (c *Collector) reconcileContainer(ctx context.Context, target *container, failed error) {
	target.mu.Lock()
	truncated := target.dropped > 0
	target.mu.Unlock()
	if truncated {
		return // declared with its count
	}
	why := map[int]error{}
	current := -1
	for range maxRestarts {
		latest, there := c.book.now(target)
		if !there || failed != nil {
			break
		}
		if before := latest - 1; before >= 0 && !c.book.get(target, before).read {
			why[before] = c.readPrevious(ctx, target, before)
		}
		why[latest] = c.readCurrent(ctx, target, latest)
		if now, _ := c.book.now(target); now == latest {
			if why[latest] == nil {
				current = latest
			}
			break
		}
	}
	latest, _ := c.book.now(target)
	for number := 0; number <= latest; number++ {
		if number != current {
			c.declareRun(ctx, target, number, errors.Join(why[number], failed))
		}
	}
}

// settle waits, for EndWait at most, until the following of a run that is over
// has reached its end.
func (c *Collector) settle(ctx context.Context, target *container, number int) {
	timer := time.NewTimer(c.options.EndWait)
	defer timer.Stop()
	for {
		over, changed := c.book.over(target, number)
		r := c.book.get(target, number)
		if !over || r.eof || r.read || r.openedAt.IsZero() || !c.streams.has(target, number) {
			return
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return
		case <-timer.C:
			return
		}
	}
}

// declareRun declares a run as a gap unless its log is known whole.
func (c *Collector) declareRun(ctx context.Context, target *container, number int, why error) {
	c.settle(ctx, target, number)
	r, next := c.book.get(target, number), c.book.get(target, number+1)
	latest, _ := c.book.now(target)
	followed := r.eof && (number == latest || next.startedAt.After(r.openedAt))
	if r.read || followed || r.declared {
		return
	}
	reason := fmt.Sprintf("run %d of the container was not followed to its end and its log is no longer there", number)
	if why = cmp.Or(why, r.why); why != nil {
		reason = fmt.Sprintf("run %d of the container was not followed to its end and its log cannot be read: %v", number, why)
	}
	from := r.last
	if from.IsZero() {
		from = r.startedAt
	}
	c.book.note(target, number, func(r *run) { r.declared = true })
	c.gap(target, from, -1, reason)
}

// readPrevious reads the log of the run before the last.
func (c *Collector) readPrevious(ctx context.Context, target *container, number int) error {
	if latest, there := c.book.now(target); !there || latest != number+1 {
		return fmt.Errorf("run %d is no longer the one before the last", number)
	}
	if _, err := c.readLog(ctx, target, number, true, time.Time{}); err != nil {
		return err
	}
	if latest, _ := c.book.now(target); latest != number+1 {
		return fmt.Errorf("the container restarted while the log of run %d was read", number)
	}
	c.book.note(target, number, func(r *run) { r.read = true })
	return nil
}

// readCurrent reads the log of the last run and refreshes the pod's state.
func (c *Collector) readCurrent(ctx context.Context, target *container, number int) error {
	before := c.book.get(target, number)
	first, err := c.readLog(ctx, target, number, false, time.Time{})
	if err != nil {
		return err
	}
	if !before.first.IsZero() && (first.IsZero() || first.After(before.first)) {
		c.gap(target, before.first, -1, fmt.Sprintf(
			"the log of run %d of the container was rotated: what was followed of it cannot be compared with what was written", number))
	}
	asking, cancel := context.WithTimeout(ctx, askFor)
	defer cancel()
	p, err := c.client.CoreV1().Pods(c.options.Namespace).Get(asking, target.pod.object.Name, metav1.GetOptions{})
	switch {
	case apierrors.IsNotFound(err):
		return nil // it went after its log was read
	case err != nil:
		return fmt.Errorf("reading the state of pod %s after its log: %w", target.pod.object.Name, err)
	case string(p.UID) == target.pod.object.UID:
		c.book.observe(p, false)
	}
	if r := c.book.get(target, number); r.ended {
		c.book.note(target, number, func(r *run) { r.read = true })
	}
	return nil
}

// readLog reads one log through the API to its end, from a time on unless that
// is zero, and records what is not recorded yet. It returns the time of the
// first line that it read.
func (c *Collector) readLog(ctx context.Context, target *container, number int, previous bool, since time.Time) (time.Time, error) {
	var first time.Time
	options := &corev1.PodLogOptions{Container: target.name, Timestamps: true, Previous: previous}
	if !since.IsZero() {
		options.SinceTime = &metav1.Time{Time: since.Truncate(time.Second)}
	}
	body, err := c.client.CoreV1().Pods(c.options.Namespace).GetLogs(target.pod.object.Name, options).Stream(ctx)
	if err != nil {
		return first, fmt.Errorf("reading the log: %w", err)
	}
	defer body.Close()
	reading := target.begin()
	defer target.end(reading)
	for lines := newLineReader(body); ; {
		text, err := lines.next()
		if text != "" {
			l, ok := parseLine(text)
			if !ok {
				return first, fmt.Errorf("reading the log: the kubelet says: %s", text[:min(len(text), 500)])
			}
			if first.IsZero() {
				first = l.at
			}
			c.record(target, number, reading, l)
		}
		if errors.Is(err, io.EOF) {
			return first, nil
		}
		if err != nil {
			return first, fmt.Errorf("reading the log: %w", err)
		}
	}
}
