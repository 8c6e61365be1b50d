package main

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// serve listens on all routes. The function that it returns ends that; open
// connections stay.
func (s *server) serve(ctx context.Context, routes []route) (func(), error) {
	ctx, cancel := context.WithCancel(ctx)
	var group sync.WaitGroup
	var listeners []net.Listener
	stop := func() {
		cancel()
		for _, l := range listeners {
			l.Close()
		}
		group.Wait()
	}
	for _, r := range routes {
		l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", r.listen)
		if err != nil {
			stop()
			return func() {}, fmt.Errorf("listening: %w", err)
		}
		listeners = append(listeners, l)
		b := newBalancer(r, s.say)
		if r.health != "" {
			for _, one := range b.backends {
				group.Go(func() { b.watch(ctx, one) })
			}
		}
		group.Go(func() { b.accept(l) })
		s.say(fmt.Sprintf("%s leads to %v", r.listen, r.backends))
	}
	return stop, nil
}

// backend is one that connections go to.
type backend struct {
	address string
	healthy atomic.Bool
}

type balancer struct {
	route    route
	backends []*backend
	next     atomic.Uint64
	say      func(string)
}

func newBalancer(r route, say func(string)) *balancer {
	b := &balancer{route: r, say: say}
	for _, address := range r.backends {
		b.backends = append(b.backends, &backend{address: address})
	}
	return b
}

// order are the backends in the order in which to try them for a connection:
// the healthy ones by turns, and where there are none all, of which one may be
// just starting.
func (b *balancer) order() []*backend {
	var found []*backend
	for _, one := range b.backends {
		if one.healthy.Load() {
			found = append(found, one)
		}
	}
	if len(found) == 0 {
		found = slices.Clone(b.backends)
	}
	turn := int(b.next.Add(1) % uint64(len(found)))
	return append(found[turn:], found[:turn]...)
}

func (b *balancer) accept(l net.Listener) {
	for {
		c, err := l.Accept()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil { // too many open files, as it may be
			time.Sleep(50 * time.Millisecond)
			continue
		}
		go b.carry(c)
	}
}

// carry joins a connection with a backend until both have ended.
func (b *balancer) carry(client net.Conn) {
	defer client.Close()
	var to net.Conn
	for _, one := range b.order() {
		c, err := net.DialTimeout("tcp", one.address, b.route.connect)
		if err == nil {
			to = c
			break
		}
	}
	if to == nil {
		return
	}
	defer to.Close()
	var group sync.WaitGroup
	for _, pair := range [][2]net.Conn{{client, to}, {to, client}} {
		group.Go(func() {
			_, err := io.Copy(pair[0], pair[1])
			if half, ok := pair[0].(*net.TCPConn); ok && err == nil {
				_ = half.CloseWrite() // it may have gone meanwhile
				return
			}
			client.Close()
			to.Close()
		})
	}
	group.Wait()
}

// watch asks one backend how it is, until ctx ends.
func (b *balancer) watch(ctx context.Context, one *backend) {
	client := &http.Client{Timeout: b.route.timeout, Transport: &http.Transport{
		TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, DisableKeepAlives: true, //nolint:gosec // as kind configures it
	}}
	failed := 0
	for {
		if err := ask(ctx, client, "https://"+one.address+b.route.health); err == nil {
			failed = 0
			if !one.healthy.Swap(true) {
				b.say(one.address + " is healthy")
			}
		} else if failed++; failed >= b.route.failures && ctx.Err() == nil && one.healthy.Swap(false) {
			b.say(fmt.Sprintf("%s is not healthy: %v", one.address, err))
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(b.route.interval):
		}
	}
}

func ask(ctx context.Context, client *http.Client, url string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	resp, err := client.Do(req)
	if err != nil {
		return err
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return errors.New(resp.Status)
	}
	return nil
}
