package pods

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kind-lab/lab/collectors"
	"github.com/kind-lab/lab/collectors/internal/retry"
)

const (
	// tooLate is how long an answer may take that tells of what was so before
	// it was asked for.
	tooLate = 5 * time.Second
	// comparesAgain is how often what is known is compared with what was
	// listed.
	comparesAgain = 5 * time.Millisecond
)

// Sync returns once every state that the API server had before it was recorded:
// what is there is listed and compared with what the watches brought. What came
// and went before the watch reported it is not waited for. Where the API server
// does not answer before ctx ends, or a watch lags behind, that is the error,
// and a gap is declared that goes on until all is there again. Kubernetes'
// events are left out: they are hints.
func (c *Collector) Sync(ctx context.Context) error {
	c.mu.Lock()
	watchers := append([]*watcher{}, c.watchers...)
	c.mu.Unlock()
	var group sync.WaitGroup
	errs := make([]error, len(watchers))
	for i, w := range watchers {
		if w.resource.kind != "Event" {
			group.Go(func() { errs[i] = w.sync(ctx) })
		}
	}
	group.Wait()
	return errors.Join(errs...)
}

// versions are the resource versions of the objects that a watcher knows, by
// UID, beside the goroutine that watches.
type versions struct {
	mu    sync.Mutex
	known map[string]uint64
	// reached is the newest resource version that was brought, be it by a list,
	// an event or a bookmark. A server sends the changes of a resource in the order
	// of their versions.
	reached uint64
	// seen is when something came last; away says that the watch is broken, of
	// which a gap tells.
	seen time.Time
	away bool
	// doubted is when the gap begins of a watch that lags; zero if there is
	// none.
	doubted time.Time
}

func (v *versions) set(uid, version string) {
	n, err := strconv.ParseUint(version, 10, 64)
	if err != nil {
		return // no server sends such a one
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.known == nil {
		v.known = map[string]uint64{}
	}
	v.known[uid], v.seen = n, time.Now()
}

func (v *versions) remove(uid string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	delete(v.known, uid)
	v.seen = time.Now()
}

// reach notes that all was brought up to a resource version.
func (v *versions) reach(version string) {
	n, err := strconv.ParseUint(version, 10, 64)
	v.mu.Lock()
	defer v.mu.Unlock()
	v.seen = time.Now()
	if err == nil {
		v.reached = max(v.reached, n)
	}
}

func (v *versions) isAway(away bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.away = away
}

// listing is what the API server listed: resource versions by UID, and that of
// the listing.
type listing struct {
	objects map[string]uint64
	at      uint64
}

// behind says whether something was listed that was not brought yet, or was
// brought and is no longer listed.
func (v *versions) behind(listed listing) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.reached >= listed.at {
		return false // what differs changed after it was listed
	}
	for uid, version := range listed.objects {
		if v.known[uid] < version {
			return true
		}
	}
	for uid, version := range v.known {
		// What is newer than the listing was made after it.
		if _, there := listed.objects[uid]; !there && version <= listed.at {
			return true
		}
	}
	return false
}

// sync lists, and waits until the watch has brought all of it.
func (w *watcher) sync(ctx context.Context) error {
	w.versions.mu.Lock()
	away := w.versions.away
	w.versions.mu.Unlock()
	if away {
		return fmt.Errorf("the watch of %s is broken", w.resource.name) // of which a gap tells
	}
	began := time.Now()
	listed, err := w.listVersions(ctx)
	for err == nil && w.versions.behind(listed) {
		retry.Sleep(ctx, comparesAgain)
		err = ctx.Err()
	}
	if err != nil {
		err = fmt.Errorf("what there is of %s cannot be seen: %w", w.resource.name, err)
		w.doubt(err)
		return err
	}
	w.believe()
	if late := time.Since(began); late > tooLate {
		w.late(late)
	}
	return nil
}

// listVersions lists what there is.
func (w *watcher) listVersions(ctx context.Context) (listing, error) {
	document, err := w.resource.list(ctx, w.c.client, w.c.options.Namespace)
	if err != nil {
		return listing{}, err
	}
	var names columns
	rows, version, err := decodeTable(document, &names)
	if err != nil {
		return listing{}, err
	}
	listed := listing{objects: map[string]uint64{}}
	if listed.at, err = strconv.ParseUint(version, 10, 64); err != nil {
		return listing{}, fmt.Errorf("reading the version of what the API server listed: %w", err)
	}
	for _, r := range rows {
		var meta metav1.PartialObjectMetadata
		if err := json.Unmarshal(r.object, &meta); err != nil {
			return listing{}, fmt.Errorf("reading what the API server listed: %w", err)
		}
		if version, err := strconv.ParseUint(meta.ResourceVersion, 10, 64); err == nil {
			listed.objects[string(meta.UID)] = version
		}
	}
	return listed, nil
}

// doubt declares a gap since something came last, unless one goes on.
func (w *watcher) doubt(why error) {
	w.versions.mu.Lock()
	since := w.versions.seen
	if since.IsZero() || w.versions.away || !w.versions.doubted.IsZero() {
		since = time.Time{}
	} else {
		w.versions.doubted = since
	}
	w.versions.mu.Unlock()
	if !since.IsZero() {
		w.tell(since, time.Time{}, -1, why.Error())
	}
}

// believe closes that gap: all is there.
func (w *watcher) believe() {
	w.versions.mu.Lock()
	since := w.versions.doubted
	w.versions.doubted = time.Time{}
	w.versions.mu.Unlock()
	if !since.IsZero() {
		w.tell(since, time.Now(), 0, "the API server answers again, and all was seen")
	}
}

// late declares that what was so meanwhile came late.
func (w *watcher) late(by time.Duration) {
	w.versions.mu.Lock()
	since := w.versions.seen
	w.versions.mu.Unlock()
	if before := time.Now().Add(-by); since.IsZero() || before.Before(since) {
		since = before
	}
	w.tell(since, time.Now(), 0, fmt.Sprintf("the API server took %s to answer", by.Round(10*time.Millisecond)))
}

func (w *watcher) tell(from, to time.Time, count int, reason string) {
	w.c.sink.Add(collectors.Record{
		Time: time.Now(), Precision: time.Second, Source: collectors.SourceAPI, Type: collectors.TypeGap,
		Object: collectors.Object{Kind: w.resource.kind},
		Gap:    &collectors.Gap{From: from, To: to, Reason: reason, Count: count},
	})
}
