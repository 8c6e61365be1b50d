package main

import (
	"context"
	"errors"
	"flag"
	"os"
	"syscall"
	"time"
)

// limits bound a batch in time.
type limits struct {
	// until is when the last lab may begin, and stop when the labs that still
	// run are stopped; zero for no limit.
	until, stop time.Time
	// grace is how long a lab that is stopped may take to clean up. Then it is
	// killed, and its reaper cleans up.
	grace time.Duration
}

// errTimeIsUp is the cause of an end by limits.stop.
var errTimeIsUp = errors.New("the time is up")

// define makes the flags of the limits.
func (l *limits) define(flags *flag.FlagSet) {
	flags.TextVar(&l.until, "until", time.Time{}, "begin no lab after this time, such as 2026-01-02T15:04:05Z; what is left then is left out")
	flags.TextVar(&l.stop, "stop", time.Time{}, "stop the labs that still run at this time, which is a failure")
	flags.DurationVar(&l.grace, "grace", 90*time.Second, "how long a lab that is stopped may take to clean up before it is killed")
}

// bound is the context in which labs run.
func (l limits) bound(ctx context.Context) (context.Context, context.CancelFunc) {
	if l.stop.IsZero() {
		return context.WithCancel(ctx)
	}
	return context.WithDeadlineCause(ctx, l.stop, errTimeIsUp)
}

// late says why no lab may begin now; empty if one may.
func (l limits) late() string {
	for _, limit := range []time.Time{l.until, l.stop} {
		if !limit.IsZero() && !time.Now().Before(limit) {
			return "no time: no lab begins after " + clock(limit)
		}
	}
	return ""
}

// stopped says why a lab was stopped.
func (l limits) stopped() string { return "it had not ended by " + clock(l.stop) }

func clock(t time.Time) string { return t.Local().Format(time.TimeOnly) }

// end ends a lab when ctx is done, and returns when the lab has ended. An
// interrupt reaches the lab as well, since it is of the same process group; a
// termination and the end of the time are passed on. A lab that does not end
// within the grace period is asked again, which makes it destroy its clusters
// without collecting, and is then killed.
func (l limits) end(ctx context.Context, lab *os.Process, ended <-chan struct{}) {
	select {
	case <-ctx.Done():
	case <-ended:
		return
	}
	if cause := context.Cause(ctx); !errors.Is(cause, errTerminated) && !errors.Is(cause, errTimeIsUp) {
		<-ended
		return
	}
	for _, s := range []os.Signal{syscall.SIGTERM, syscall.SIGTERM, os.Kill} {
		_ = lab.Signal(s) // it may have ended since
		select {
		case <-time.After(l.grace / 2):
		case <-ended:
			return
		}
	}
}
