// Package sleep lets time pass.
package sleep

import (
	"context"
	"fmt"
	"time"

	"github.com/kind-lab/lab/dsl/action"
	"github.com/kind-lab/lab/labs/step"
)

// Verb is the verb sleep.
func Verb() step.Verb {
	return step.Definition[*action.Sleep]{
		Verb: "sleep", PrepareOf: prepare, Progress: "sleeping", Traces: step.InNone,
		SummaryOf: func(out step.Result) string { return "slept " + out.Slept.String() },
	}
}

// slack is how much later than it is asked to a sleep may end.
const slack = time.Minute

func prepare(a *step.Arguments, d *action.Sleep) step.Prepared {
	clock := a.Clock
	return step.Prepared{Limit: d.Duration + slack, Do: func(ctx context.Context, _ step.Cluster) (step.Result, error) {
		over, give := clock.At(clock.Now().Add(d.Duration))
		defer give()
		select {
		case <-over:
			return step.Result{Slept: d.Duration}, nil
		case <-ctx.Done():
			return step.Result{}, fmt.Errorf("sleeping for %s: %w", d.Duration, ctx.Err())
		}
	}}
}
