package logs

import (
	"context"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
	typedv1 "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/rest"
)

// newClient returns the client that stern and Reconcile use: without a limit
// of its own on the rate of requests, which would make one container wait for
// another, and without an overall timeout, which would end followed logs.
func (c *Collector) newClient(config *rest.Config) (kubernetes.Interface, error) {
	own := rest.CopyConfig(config)
	own.QPS, own.Timeout = -1, 0
	own.WarningHandlerWithContext = warnings{warn: c.options.Warn}
	own.Wrap(c.streams.wrap)
	set, err := kubernetes.NewForConfig(own)
	if err != nil {
		return nil, err
	}
	return client{Interface: set, c: c}, nil
}

// warnings passes the API server's Warning headers on.
type warnings struct{ warn func(string) }

// HandleWarningHeaderWithContext passes a warning on.
func (w warnings) HandleWarningHeaderWithContext(_ context.Context, code int, _ string, text string) {
	if code == 299 && text != "" {
		w.warn("the API server warns: " + text)
	}
}

// client shows the collector each pod before stern sees it.
type client struct {
	kubernetes.Interface
	c *Collector
}

// CoreV1 returns the core API with watched pods shown to the collector.
func (k client) CoreV1() typedv1.CoreV1Interface {
	return core{CoreV1Interface: k.Interface.CoreV1(), c: k.c}
}

type core struct {
	typedv1.CoreV1Interface
	c *Collector
}

// Pods returns the pods' API with watched pods shown to the collector.
func (k core) Pods(namespace string) typedv1.PodInterface {
	return podsAPI{PodInterface: k.CoreV1Interface.Pods(namespace), c: k.c}
}

type podsAPI struct {
	typedv1.PodInterface
	c *Collector
}

// Watch opens a watch whose pods the collector sees first.
func (k podsAPI) Watch(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
	w, err := k.PodInterface.Watch(ctx, options)
	if err != nil {
		k.c.watchFailed(err)
		k.c.unwatched(ctx)
		return nil, err
	}
	t := &tee{incoming: w, result: make(chan watch.Event), stop: make(chan struct{})}
	t.Stop = sync.OnceFunc(func() { close(t.stop); w.Stop() })
	sees := sync.OnceFunc(func() { k.c.rewatched(ctx) })
	go func() {
		// One that ends at once is how the client tells of some failures.
		proven := time.AfterFunc(provenAfter, sees)
		t.run(func(e watch.Event) { sees(); k.c.watched(ctx, e) })
		proven.Stop()
		k.c.unwatched(ctx)
	}()
	k.c.isReady()
	return teeWatch{t}, nil
}

// tee hands each event to a function before it hands it on.
type tee struct {
	incoming watch.Interface
	result   chan watch.Event
	stop     chan struct{}
	Stop     func()
}

type teeWatch struct{ t *tee }

// Stop ends the watch.
func (w teeWatch) Stop() { w.t.Stop() }

// ResultChan returns the events.
func (w teeWatch) ResultChan() <-chan watch.Event { return w.t.result }

func (t *tee) run(see func(watch.Event)) {
	defer close(t.result)
	for e := range t.incoming.ResultChan() {
		see(e)
		select {
		case t.result <- e:
		case <-t.stop:
			return
		}
	}
}

// watched takes an event of stern's watch.
func (c *Collector) watched(ctx context.Context, e watch.Event) {
	p, isPod := e.Object.(*corev1.Pod)
	if !isPod {
		return
	}
	c.watching.sees()
	for _, prev := range c.book.observe(p, e.Type == watch.Deleted) {
		if c.display != nil {
			continue
		}
		c.streams.spawn(ctx, func() {
			// Where it fails, Reconcile tries again, and declares what is missing
			// unless the run was followed to its end.
			err := c.readPrevious(ctx, prev.container, prev.number)
			c.book.note(prev.container, prev.number, func(r *run) { r.why = err })
		})
	}
}
