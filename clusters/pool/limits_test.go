package pool

import (
	"context"
	"strings"
	"testing"

	"github.com/kind-lab/lab/clusters"
)

func TestReadyPauseResumeRemove(t *testing.T) {
	h := newHost()
	p := h.pool(t, t.TempDir())
	id, _, err := p.Ready(t.Context(), clusters.Spec{Version: "1.29.1"}, []string{"busybox"}, func(string) {})
	if err != nil {
		t.Fatal(err)
	}
	check := func(when, want string) {
		t.Helper()
		if got := strings.Join(h.left(), ", "); got != want {
			t.Errorf("%s there is %q, want %q", when, got, want)
		}
	}
	check("at first", id+" running")
	if handle, _ := acquire(t, p, "1.29.1", "lab-a-v"); handle.ID != id {
		t.Errorf("leased %s", handle.ID)
	}
	if did, err := p.Pause(t.Context(), id); did || err != nil {
		t.Errorf("pausing what is in use: %t, %v", did, err)
	}
	release(t, p, "lab-a-v", "")
	check("given back", id+" running")
	for _, step := range []struct {
		do   func(context.Context, string) (bool, error)
		want string
	}{{p.Pause, id + " paused"}, {p.Resume, id + " running"}, {p.Remove, ""}} {
		if did, err := step.do(t.Context(), id); !did || err != nil {
			t.Fatalf("%t, %v", did, err)
		}
		check("then", step.want)
	}
}
