package kind

import (
	"errors"
	"fmt"
	"strings"
)

// ErrNoImage is the cause where an image can neither be found nor had.
var ErrNoImage = errors.New("image is not available")

// noImageError is an ErrNoImage whose text is that of its reason alone.
type noImageError struct{ error }

// Is makes it an ErrNoImage.
func (e *noImageError) Is(target error) bool { return target == ErrNoImage }

// Unwrap returns the reason.
func (e *noImageError) Unwrap() error { return e.error }

// CreateError says why a cluster did not come up.
type CreateError struct {
	// ID is the cluster's name on the host, Version the Kubernetes version.
	ID, Version string
	// Step is what was being done, such as "Starting control-plane".
	Step string
	// Reason is what went wrong, in one line.
	Reason string
	// Remedy is what to do about it, in one line; empty where it is not known.
	Remedy string
	// Evidence are the last lines of what failed.
	Evidence []string
	// Err is the error itself.
	Err error
}

// Error says what happened, why and what to do in its first line; the evidence
// follows, a line each.
func (e *CreateError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "Kubernetes %s did not come up as %s", e.Version, e.ID)
	if e.Step != "" {
		fmt.Fprintf(&b, " (%s)", e.Step)
	}
	fmt.Fprintf(&b, ": %s", e.Reason)
	if e.Remedy != "" {
		fmt.Fprintf(&b, "; %s", e.Remedy)
	}
	for _, line := range e.Evidence {
		fmt.Fprintf(&b, "\n  %s", line)
	}
	return b.String()
}

// Unwrap returns the error itself.
func (e *CreateError) Unwrap() error { return e.Err }

// NotReadyError names what a cluster's readiness waited for when it was given
// up.
type NotReadyError struct {
	// Waiting are sentences such as "node lab-x-worker: container runtime
	// network not ready".
	Waiting []string
	// Err is why it was given up.
	Err error
}

// Error names all that was waited for.
func (e *NotReadyError) Error() string {
	return fmt.Sprintf("not ready: %s (%v)", strings.Join(e.Waiting, "; "), e.Err)
}

// Unwrap returns why it was given up.
func (e *NotReadyError) Unwrap() error { return e.Err }
