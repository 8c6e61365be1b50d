package verbs_test

import (
	"bytes"
	"context"
	"strings"

	"github.com/kind-lab/lab/collectors"
	"github.com/kind-lab/lab/labs/step"
	"github.com/kind-lab/lab/labs/step/failure"
)

// fakeStep is what labs/step/fake would have.
func fakeStep() step.Verb {
	return step.Definition[*Fake]{Verb: "fake", ForecastOf: fakeForecast, PrepareOf: fakePrepare, Saying: step.Words{Accepted: "it was greeted: "}}
}

func fakeForecast(*Fake) step.Forecast {
	return step.Forecast{Reach: step.OwnNodes, Does: "greets from a node", Instead: "Greet with exec."}
}

func fakePrepare(a *step.Arguments, d *Fake) step.Prepared {
	greeting, pod := a.Required("greeting", d.Greeting), a.Text("pod", d.Pod)
	if d.Loud {
		greeting = strings.ToUpper(greeting)
	}
	return step.Prepared{Irreversible: "a pod was greeted", Do: func(ctx context.Context, on step.Cluster) (step.Result, error) {
		var out step.Result
		if pod == "" {
			return out, failure.New("nobody is there")
		}
		var said bytes.Buffer
		err := on.Nodes.NodeExec(ctx, on.NodeNames()[0], nil, &said, nil, "echo", greeting)
		out.Did(collectors.Object{Kind: "Pod", Namespace: a.Namespace, Name: pod}, "heard "+strings.TrimSpace(said.String()))
		return out, err
	}}
}
