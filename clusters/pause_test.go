package clusters

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

func TestPause(t *testing.T) {
	for name, tt := range map[string]struct {
		limit, took time.Duration
		want        error
	}{
		"the whole time":         {time.Hour, time.Minute, nil},
		"until the context ends": {time.Second, time.Second, context.DeadlineExceeded},
		"a context that is over": {0, 0, context.DeadlineExceeded},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithTimeout(t.Context(), tt.limit)
				defer cancel()
				began := time.Now()
				if err := Pause(ctx, time.Minute); !errors.Is(err, tt.want) || time.Since(began) != tt.took {
					t.Errorf("%v after %v, want %v after %v", err, time.Since(began), tt.want, tt.took)
				}
			})
		})
	}
}
