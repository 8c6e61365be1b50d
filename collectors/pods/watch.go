package pods

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"syscall"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/kind-lab/lab/collectors"
	"github.com/kind-lab/lab/collectors/internal/retry"
)

// shortWatch is how soon a watch may end cleanly without a pause before it is
// resumed.
const shortWatch = time.Second

// margin is how long before a watch was ended by the server it may have lost
// something.
const margin = 2 * time.Second

// watcher observes one resource.
type watcher struct {
	c        *Collector
	resource resource
	// opened is called when a watch was opened for the first time.
	opened func()

	columns columns
	known   map[string]decoded // by UID
	version string             // empty means that a list is due
	seen    time.Time          // until when nothing is missing
	open    bool               // a watch was opened once
	// failed counts the attempts since seen; reason is why the first did not
	// work.
	failed int
	reason string
	// due is what a watch that was resumed has to bring before its gap is over;
	// nil if nothing is due.
	due *listing
	// versions are what is known, for who compares it.
	versions versions
	// blind is since when the gap goes on that was declared; zero if none
	// does.
	blind time.Time
}

func newWatcher(c *Collector, r resource, opened func()) *watcher {
	return &watcher{c: c, resource: r, opened: opened, known: map[string]decoded{}}
}

// unreadable is what an API server sent and a further attempt would not mend.
type unreadable struct{ error }

func (u unreadable) Unwrap() error { return u.error }

// run watches until ctx ends.
func (w *watcher) run(ctx context.Context) error {
	backoff := w.c.options.Retry
	for ctx.Err() == nil {
		began := time.Now()
		err := w.observe(ctx)
		if err == nil || w.open && w.failed == 0 {
			backoff = w.c.options.Retry
		}
		switch {
		case ctx.Err() != nil:
		case errors.As(err, new(unreadable)):
			return err
		case err != nil:
			if w.failed == 0 {
				w.reason = err.Error()
			}
			w.failed++
			w.lost()
			if !w.open && w.failed >= w.c.options.Retry.Steps {
				return fmt.Errorf("gave up after %d attempts: %w", w.failed, err)
			}
		}
		if w.failed == 0 && time.Since(began) > shortWatch {
			continue
		}
		retry.Pause(ctx, &backoff)
	}
	if w.open && w.failed > 0 {
		w.gap(-1, w.reason+"; the API server did not come back before the observation ended")
	}
	return nil
}

// observe lists where that is due, opens one watch and reads it to its end. A
// watch that ended cleanly, or broke after it had worked, and can be resumed
// is no error.
func (w *watcher) observe(ctx context.Context) error {
	if w.version == "" {
		if err := w.list(ctx); err != nil {
			return err
		}
	}
	body, err := w.resource.watch(ctx, w.c.client, w.c.options.Namespace, w.version)
	if isGone(err) {
		return w.expired(err)
	}
	if err != nil {
		return err
	}
	defer body.Close()
	w.open = true
	w.opened()
	w.due = nil
	return w.read(ctx, newEventReader(body))
}

// lost declares that nothing is seen, until a gap with an end says otherwise:
// what is judged meanwhile must know.
func (w *watcher) lost() {
	if !w.open || !w.blind.IsZero() {
		return
	}
	w.blind = w.seen
	w.versions.isAway(true)
	w.declare(time.Time{}, -1, w.reason)
}

// resumed looks whether a watch that was resumed has brought all that changed
// while there was none, and closes the gap once it has. A server accepts a watch
// that it cannot serve, and says so in its first event: so this is asked after an
// event of another type, or a clean end, which show that the watch works.
func (w *watcher) resumed(ctx context.Context) error {
	if w.failed == 0 {
		return nil
	}
	if w.due == nil {
		listed, err := w.listVersions(ctx)
		if err != nil {
			return err
		}
		w.due = &listed
	}
	if w.versions.behind(*w.due) {
		return nil
	}
	w.gap(0, w.reason+"; the watch was resumed where it ended, its changes arrived late")
	w.failed, w.due = 0, nil
	return nil
}

// expired makes a list due.
func (w *watcher) expired(err error) error {
	w.version = ""
	if w.failed == 0 {
		w.reason = err.Error()
	}
	return err
}

// read records the events of one watch until it ends.
func (w *watcher) read(ctx context.Context, events *eventReader) error {
	for {
		ev, err := events.next()
		switch {
		case errors.Is(err, errTooLong):
			return unreadable{fmt.Errorf("watching %s: %w", w.resource.name, err)}
		case err != nil:
			// Ended or broken: resuming tells whether anything is missing.
			w.stopped(err)
			if errors.Is(err, io.EOF) {
				return w.resumed(ctx)
			}
			return nil
		}
		if ev.Type == "ERROR" {
			return w.refused(statusError(w.resource.name, ev.Object))
		}
		if err := w.handle(ev); err != nil {
			return unreadable{fmt.Errorf("watching %s: %w", w.resource.name, err)}
		}
		if err := w.resumed(ctx); err != nil {
			return err
		}
		w.seen = time.Now()
	}
}

// stopped notes until when a watch that stopped brought everything. Where the
// server or its host ended it, that is a moment ago; where it was given up
// because nothing came any more, that is the last document.
func (w *watcher) stopped(err error) {
	prompt := errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) ||
		errors.Is(err, syscall.ECONNRESET) || strings.Contains(err.Error(), "received from peer")
	if before := time.Now().Add(-margin); prompt && before.After(w.seen) {
		w.seen = before
	}
}

// refused treats an ERROR event, after which a watch is over.
func (w *watcher) refused(err error) error {
	if isGone(err) || apierrors.IsInternalError(err) {
		return w.expired(err)
	}
	return err
}

// handle records one event.
func (w *watcher) handle(ev event) error {
	if ev.Type == "BOOKMARK" {
		return w.bookmark(ev.Object)
	}
	rows, _, err := decodeTable(ev.Object, &w.columns)
	if err != nil {
		return err
	}
	for _, r := range rows {
		d, err := w.resource.decode(r)
		if err != nil {
			return err
		}
		if ev.Type == "DELETED" {
			w.remove(d)
		} else {
			w.keep(d)
		}
		w.version = d.version
		w.versions.reach(d.version)
	}
	return nil
}

// bookmark takes the resource version of a bookmark, which a server sends as
// a table or as a bare object.
func (w *watcher) bookmark(document []byte) error {
	type meta struct {
		Metadata struct {
			ResourceVersion string `json:"resourceVersion"`
		} `json:"metadata"`
	}
	var b struct {
		meta
		Rows []struct {
			Object meta `json:"object"`
		} `json:"rows"`
	}
	if err := json.Unmarshal(document, &b); err != nil {
		return fmt.Errorf("reading a bookmark: %w", err)
	}
	version := b.Metadata.ResourceVersion
	for _, r := range b.Rows {
		version = r.Object.Metadata.ResourceVersion
	}
	if version != "" {
		w.version = version
		w.versions.reach(version)
	}
	return nil
}

// list reads everything as it is now, and records what is new or changed and
// what vanished. A list after the first one is a gap, which is closed when all of
// that is recorded.
func (w *watcher) list(ctx context.Context) error {
	document, err := w.resource.list(ctx, w.c.client, w.c.options.Namespace)
	if err != nil {
		return err
	}
	rows, version, err := decodeTable(document, &w.columns)
	if err != nil {
		return unreadable{fmt.Errorf("listing %s: %w", w.resource.name, err)}
	}
	now := make(map[string]bool, len(rows))
	all := make([]decoded, 0, len(rows))
	for _, r := range rows {
		d, err := w.resource.decode(r)
		if err != nil {
			return unreadable{fmt.Errorf("listing %s: %w", w.resource.name, err)}
		}
		now[d.uid] = true
		all = append(all, d)
	}
	w.lost()
	for uid, d := range w.known {
		if !now[uid] {
			w.remove(d)
		}
	}
	for _, d := range all {
		if w.known[d.uid].version != d.version {
			w.keep(d)
		}
	}
	w.version, w.seen = version, time.Now()
	w.versions.reach(version)
	if w.open {
		w.gap(-1, w.reason+"; listed again, what changed in between was not seen")
		w.failed = 0
	}
	return nil
}

// keep records an object's state.
func (w *watcher) keep(d decoded) {
	w.known[d.uid] = d
	w.add(d.record)
	w.versions.set(d.uid, d.version)
	w.c.files.keep(d.record)
}

// remove records that an object is gone.
func (w *watcher) remove(d decoded) {
	delete(w.known, d.uid)
	defer w.versions.remove(d.uid) // once it is reported
	w.c.files.keep(d.record)
	w.c.files.forget(d.uid)
	switch d.record.Type {
	case collectors.TypePod:
		d.record.Type = collectors.TypePodGone
	case collectors.TypeJob:
		d.record.Type = collectors.TypeJobGone
	case collectors.TypeEvent:
		return // an event that expires did happen
	default:
		d.record.Type = collectors.TypeObjectGone
	}
	w.add(d.record)
}

// add puts a record of an object into the sink. Its time is that of its
// arrival.
func (w *watcher) add(r collectors.Record) {
	r.Time, r.Precision, r.Source = time.Now(), time.Second, collectors.SourceAPI
	w.c.sink.Add(r)
}

// gap declares that something may be missing, or late, since seen, or since
// when it was declared that nothing is seen.
func (w *watcher) gap(count int, reason string) {
	if w.blind.IsZero() {
		w.blind = w.seen
	}
	w.declare(time.Now(), count, reason)
	w.blind = time.Time{}
	w.versions.isAway(false)
}

// declare records a gap since blind; one without an end goes on.
func (w *watcher) declare(to time.Time, count int, reason string) {
	w.tell(w.blind, to, count, reason)
}
