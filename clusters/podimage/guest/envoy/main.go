// Command envoy stands in for Envoy as the load balancer that kind puts before
// several control planes, where Envoy's image cannot be had. It understands as
// much of Envoy's configuration as kind writes: listeners and clusters in files
// that are replaced while it runs, TCP, round robin, and health checks over
// HTTPS that trust any certificate.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// look is how often the files are read.
const look = 250 * time.Millisecond

func main() {
	bootstrap := flag.String("c", "", "the bootstrap `file`, which names those of the listeners and clusters")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	s := &server{say: func(text string) { fmt.Println("envoy: " + text) }}
	if err := s.run(ctx, *bootstrap); err != nil {
		fmt.Fprintln(os.Stderr, "envoy:", err)
		os.Exit(1)
	}
}

// server balances as the files say.
type server struct {
	say  func(string)
	said string
}

// run serves until ctx ends, and follows the files meanwhile.
func (s *server) run(ctx context.Context, bootstrap string) error {
	f, err := readBootstrap(bootstrap)
	if err != nil {
		return err
	}
	var now string
	stop := func() {}
	defer func() { stop() }()
	for {
		text, err := f.read()
		if err == nil && text != now {
			var routes []route
			if routes, err = f.routes(); err == nil {
				stop()
				now = text
				stop, err = s.serve(ctx, routes)
			}
		}
		if err != nil && err.Error() != s.said {
			s.said = err.Error()
			s.say(s.said)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(look):
		}
	}
}
