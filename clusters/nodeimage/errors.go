package nodeimage

import (
	"errors"
	"fmt"
	"strings"
)

var (
	// ErrNoImage says that an image is not in the engine, cannot be pulled
	// and cannot be built here. The error is a *NoImageError.
	ErrNoImage = errors.New("image cannot be had")
	// ErrNoVersion says that no release of Kubernetes that a constraint
	// allows can be had. The error is a *NoVersionError.
	ErrNoVersion = errors.New("no such Kubernetes version can be had")
	// ErrOtherVersion says that an image is not of the version asked for, or
	// does not say of which it is.
	ErrOtherVersion = errors.New("node image does not fit")
	// ErrNoSpace says that a disk is full, or too full to begin.
	ErrNoSpace = errors.New("not enough disk space")
	// ErrCannotBuild says that this machine cannot build images at all; the
	// error's text says what it lacks.
	ErrCannotBuild = errors.New("this machine cannot build images")
)

// NoImageError is an ErrNoImage that names the image and what was tried.
type NoImageError struct {
	// Image is the reference that was asked for.
	Image string
	// Registry is what the registry answered, in one line.
	Registry string
	// Build is why it cannot be built here, in one line.
	Build string
}

// Error says what was tried and what to do.
func (e *NoImageError) Error() string {
	return fmt.Sprintf("image %s cannot be had: pulling it failed (%s), and it cannot be built here (%s); load it into the engine, or name an image that is there",
		e.Image, e.Registry, e.Build)
}

// Is makes it an ErrNoImage.
func (e *NoImageError) Is(target error) bool { return target == ErrNoImage }

// NoVersionError is an ErrNoVersion that says what was asked for and what is
// known instead.
type NoVersionError struct {
	// Constraint is what was asked for.
	Constraint string
	// Newest is the newest version that is known, such as "1.37.0".
	Newest string
	// Tried are the candidates with the reason why each cannot be had.
	Tried []string
}

// Error says what was tried and what the newest known version is.
func (e *NoVersionError) Error() string {
	text := fmt.Sprintf("no Kubernetes version that matches %q can be had: no image is in the container engine or the registry, and no modules to build one of", e.Constraint)
	if len(e.Tried) > 0 {
		text += " (" + strings.Join(e.Tried, "; ") + ")"
	}
	return text + fmt.Sprintf("; the newest version known is %s", e.Newest)
}

// Is makes it an ErrNoVersion.
func (e *NoVersionError) Is(target error) bool { return target == ErrNoVersion }

// MissingToolError is an ErrCannotBuild that names a command which is not on
// the PATH.
type MissingToolError struct {
	Tool string
}

// Error says what to install.
func (e *MissingToolError) Error() string {
	return fmt.Sprintf("%q is not on the PATH: %s", e.Tool, installHint(e.Tool))
}

// Is makes it an ErrCannotBuild.
func (e *MissingToolError) Is(target error) bool { return target == ErrCannotBuild }

// installHint says how to get a command.
func installHint(tool string) string {
	switch tool {
	case "go":
		return "install the Go toolchain, or pull the node image where a registry can be reached"
	case "debootstrap", "apt-get", "dpkg-deb":
		return "install it as root (on Debian and Ubuntu: apt-get install debootstrap), or pull the node image where a registry can be reached"
	default:
		return "install it"
	}
}
