package wiring

import (
	"errors"
	"fmt"
	"testing"

	"github.com/kind-lab/lab/clusters/nodeimage"
	"github.com/kind-lab/lab/labs/plan"
)

func TestAnUnavailableVersionSaysWhatTheProviderSays(t *testing.T) {
	because := fmt.Errorf("a node image for Kubernetes 1.37: %w", nodeimage.ErrCannotBuild)
	var err error = unavailableError{because}
	if !errors.Is(err, plan.ErrUnavailable) || !errors.Is(err, nodeimage.ErrCannotBuild) || err.Error() != because.Error() {
		t.Errorf("%v is not what it was, or not unavailable", err)
	}
}
