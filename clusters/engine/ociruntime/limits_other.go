//go:build !linux

package ociruntime

import (
	"errors"
	"fmt"
)

// Containers are Linux's; elsewhere they run in a virtual machine, which has
// a runtime of its own.

// ReadLimits returns an error everywhere but on Linux.
func ReadLimits(string) (Limits, error) {
	return Limits{}, fmt.Errorf("reading what this host gives to containers: %w", errors.ErrUnsupported)
}

func become(path string, _, _ []string) error {
	return fmt.Errorf("becoming %s: %w", path, errors.ErrUnsupported)
}
