// Package retry spaces the attempts of observers, which never give up while
// they observe.
package retry

import (
	"context"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
)

// Default is 200 ms doubling to 2 s, with jitter. Its Steps are for who bounds
// the attempts of a first connection.
func Default(steps int) wait.Backoff {
	return wait.Backoff{Duration: 200 * time.Millisecond, Factor: 2, Jitter: 0.2, Steps: steps, Cap: 2 * time.Second}
}

// Pause lets the next pause of a back-off pass, or returns when ctx ends. The
// back-off never ends: its longest pause is repeated.
func Pause(ctx context.Context, b *wait.Backoff) { Sleep(ctx, Next(b)) }

// Next is how long the next pause of a back-off is, which never ends.
func Next(b *wait.Backoff) time.Duration {
	b.Steps = max(b.Steps, 2)
	return b.Step()
}

// Sleep lets time pass, or returns when ctx ends.
func Sleep(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}
