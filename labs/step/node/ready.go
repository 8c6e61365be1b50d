package node

import (
	"context"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
)

const (
	// again is how long to wait before the API server is asked again, and
	// answer how long it may take to answer.
	again  = 250 * time.Millisecond
	answer = 5 * time.Second
)

// ready asks the API server until it says that it is ready.
func (o *Operator) ready(ctx context.Context) error {
	var last error
	err := wait.PollUntilContextCancel(ctx, again, true, func(ctx context.Context) (bool, error) {
		asking, done := context.WithTimeout(ctx, answer)
		defer done()
		if err := o.client.Discovery().RESTClient().Get().AbsPath("/readyz").Do(asking).Error(); err != nil {
			if ctx.Err() == nil || last == nil {
				last = err
			}
			return false, nil
		}
		return true, nil
	})
	if err != nil {
		return fmt.Errorf("waiting until the API server answers: %w (the last attempt: %w)", ctx.Err(), last)
	}
	return nil
}
