package wiring

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/kind-lab/lab/labs/reaper"
)

// reaping bounds how long a reaper tries.
const reaping = 5 * time.Minute

// Reap is the whole life of a reaper's process: it waits until the run is gone,
// which standard input's end says, and removes what it left. What it does is
// logged. open is called where there is something to remove.
func Reap(pipe io.Reader, run reaper.Invocation, log *slog.Logger, open func(context.Context) (*Parts, error)) error {
	// Whatever ends the run must not end this.
	signal.Ignore(os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	if reaper.Released(pipe) {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), reaping)
	defer cancel()
	log.Info("the run is gone and has not cleaned up")
	parts, err := open(ctx)
	if err != nil {
		return fmt.Errorf("the container engine cannot be reached: %w", err)
	}
	if err := reaper.Reap(ctx, run, parts.Destroyer, log); err != nil {
		return fmt.Errorf("something is left; `lab gc` removes it: %w", err)
	}
	log.Info("nothing is left")
	return nil
}
