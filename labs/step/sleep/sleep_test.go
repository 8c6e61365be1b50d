package sleep

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/kind-lab/lab/dsl"
	"github.com/kind-lab/lab/dsl/action"
	"github.com/kind-lab/lab/labs/step"
)

// clock stands still until it is asked for a moment, and then is there.
type clock struct {
	now   time.Time
	stuck bool
}

func (c *clock) Now() time.Time { return c.now }

func (c *clock) At(at time.Time) (<-chan time.Time, func()) {
	over := make(chan time.Time, 1)
	if !c.stuck {
		c.now = at
		over <- at
	}
	return over, func() {}
}

func prepared(t *testing.T, c *clock) step.Prepared {
	t.Helper()
	a := &step.Arguments{Step: &dsl.Step{Verb: "sleep", Action: &action.Sleep{Duration: time.Hour}}, Surroundings: step.Surroundings{Clock: c}}
	p := Verb().Prepare(a)
	if a.Err() != nil || p.Limit <= time.Hour || p.Irreversible != "" || p.Needs != nil {
		t.Fatalf("prepared %+v, %v", p, a.Err())
	}
	return p
}

func TestTimePasses(t *testing.T) {
	c := &clock{now: time.Unix(0, 0)}
	out, err := prepared(t, c).Do(t.Context(), step.Cluster{})
	if err != nil || !c.now.Equal(time.Unix(3600, 0)) || Verb().Summary(out) != "slept 1h0m0s" {
		t.Errorf("%s: %q, %v", c.now, Verb().Summary(out), err)
	}
}

func TestASleepIsInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := prepared(t, &clock{stuck: true}).Do(ctx, step.Cluster{}); !errors.Is(err, context.Canceled) {
		t.Errorf("error = %v", err)
	}
}
