package reporttest

import "errors"

// BrokenWriter is a writer that fails with ErrFull.
type BrokenWriter struct{}

// ErrFull is what BrokenWriter returns.
var ErrFull = errors.New("no space left on device")

// Write fails.
func (BrokenWriter) Write([]byte) (int, error) { return 0, ErrFull }
