package signal

import (
	"context"

	"github.com/kind-lab/lab/dsl/action"
	"github.com/kind-lab/lab/labs/step"
)

// Request asks for a signal to a container's first process.
type Request struct {
	Namespace, Pod, Container string
	// Signal is a name, with or without SIG, or a number.
	Signal string
}

// Verb is the verb signal.
func Verb() step.Verb {
	return step.Definition[*action.Signal]{Verb: "signal", ForecastOf: forecast, PrepareOf: prepare, Saying: step.Words{Warning: step.OfAPI().Warning}}
}

func forecast(*action.Signal) step.Forecast {
	return step.Forecast{Reach: step.OnNodes, Does: "sends a signal from the container's node",
		Instead: "node_access lets it. A container with a shell can send it to itself: exec with command = [\"sh\", \"-c\", \"kill -TERM 1\"]."}
}

func prepare(a *step.Arguments, d *action.Signal) step.Prepared {
	in := Request{Namespace: a.Namespace, Pod: a.Required("pod", d.Pod), Container: a.Required("container", d.Container), Signal: a.Text("signal", d.Signal)}
	return step.Prepared{Do: func(ctx context.Context, on step.Cluster) (step.Result, error) { return New(on).Do(ctx, in) }}
}
