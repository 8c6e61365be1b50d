//go:build !linux

package engine

import (
	"context"
	"errors"
	"fmt"
	"syscall"
)

const reloadSignal = syscall.SIGHUP

// start is never planned here: see survey.hopeless.
func (w work) start(context.Context) error {
	return fmt.Errorf("starting dockerd: %w", errors.ErrUnsupported)
}
