package build

import (
	"errors"
	"fmt"
)

// ErrCannotBuild says that this machine cannot build images at all; the error's
// text says what it lacks.
var ErrCannotBuild = errors.New("this machine cannot build images")

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
