//go:build !linux

package engine

import (
	"errors"
	"fmt"
)

// The engine of a host that is not Linux runs in a virtual machine, of which
// the host's own facts say nothing.

func kernelRelease() (string, error) {
	return "", fmt.Errorf("asking for the kernel's release: %w", errors.ErrUnsupported)
}

func freeBytes(path string) (int64, error) {
	return 0, fmt.Errorf("asking for the free space below %s: %w", path, errors.ErrUnsupported)
}
