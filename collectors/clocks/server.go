package clocks

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"
)

// Server asks the API server of config for its time: that of the Date of its
// answer.
func Server(config *rest.Config) (func(ctx context.Context) (time.Time, error), error) {
	client, err := rest.HTTPClientFor(config)
	if err != nil {
		return nil, fmt.Errorf("preparing a client that asks for the time: %w", err)
	}
	base, _, err := rest.DefaultServerURL(config.Host, config.APIPath, schema.GroupVersion{}, rest.IsConfigTransportTLS(*config))
	if err != nil {
		return nil, fmt.Errorf("preparing a client that asks for the time: %w", err)
	}
	address := base.JoinPath("version").String()
	return func(ctx context.Context) (time.Time, error) {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
		if err != nil {
			return time.Time{}, err
		}
		answer, err := client.Do(request)
		if err != nil {
			return time.Time{}, err
		}
		if err := answer.Body.Close(); err != nil {
			return time.Time{}, err
		}
		at, err := http.ParseTime(answer.Header.Get("Date"))
		if err != nil {
			return time.Time{}, fmt.Errorf("%w: the answer's Date is %q", errClock, answer.Header.Get("Date"))
		}
		return at, nil
	}, nil
}
