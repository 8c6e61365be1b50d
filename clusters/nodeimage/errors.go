package nodeimage

import (
	"errors"
	"fmt"
	"strings"
)

// ErrNoVersion says that no release of Kubernetes that a constraint allows is
// to be found. The error is a *NoVersionError.
var ErrNoVersion = errors.New("no such Kubernetes version is available")

// ErrOtherVersion says that an image is not of the version asked for, or does
// not say of which it is.
var ErrOtherVersion = errors.New("node image does not fit")

// NoVersionError is an ErrNoVersion that says what was asked for and what is
// known instead.
type NoVersionError struct {
	// Constraint is what was asked for.
	Constraint string
	// Newest is the newest version that is known, such as "1.37.0".
	Newest string
	// Tried are the candidates with the reason why each is not available.
	Tried []string
}

// Error says what was tried and what the newest known version is.
func (e *NoVersionError) Error() string {
	text := fmt.Sprintf("no Kubernetes version that matches %q is available: no image is in the container engine or the registry, and no modules to build one of", e.Constraint)
	if len(e.Tried) > 0 {
		text += " (" + strings.Join(e.Tried, "; ") + ")"
	}
	return text + fmt.Sprintf("; the newest version known is %s", e.Newest)
}

// Is makes it an ErrNoVersion.
func (e *NoVersionError) Is(target error) bool { return target == ErrNoVersion }
