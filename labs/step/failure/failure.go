// Package failure has the errors of steps.
//
// A Failure says that what a step asked for was understood and did not come
// about: the API server rejected it (Rejection), the command failed
// (ExitError), or it could not be done to what is there (FailedError). These
// are what expect_error is about. Any other error says that the outcome is not
// known.
package failure

import (
	"fmt"
	"strings"

	"github.com/kind-lab/lab/collectors"
)

// Failure is an error of which expect_error tells whether it is expected.
type Failure interface {
	error
	// Failure is what step.NAME.error holds.
	Failure() string
}

// ManifestError is a manifest that cannot be read.
type ManifestError struct {
	Manifest string
	// Document counts from 1.
	Document int
	Err      error
}

// Error names the manifest, the document and what is wrong with it.
func (e *ManifestError) Error() string {
	return fmt.Sprintf("%s, document %d: %v", e.Manifest, e.Document, e.Err)
}

// Unwrap returns what is wrong.
func (e *ManifestError) Unwrap() error { return e.Err }

// Rejection says that the API server rejected an object.
type Rejection struct {
	Object collectors.Object
	// Code is the HTTP status, Reason the API's, such as "BadRequest".
	Code   int
	Reason string
	// Message is what the API server said.
	Message string
}

// Error names the object and what the API server said.
func (e *Rejection) Error() string {
	return fmt.Sprintf("the API server refused %s %q (%d %s): %s", e.Object.Kind, e.Object.Name, e.Code, e.Reason, e.Message)
}

// Failure is what the API server said.
func (e *Rejection) Failure() string { return e.Message }

// FailedError is a step that was begun and did not reach its end: an object
// that did not go in time, a container that does not run.
type FailedError struct {
	// Message says in a sentence what was found and, where it can be said,
	// what to do.
	Message string
	// Err is the cause, if there is one beside that.
	Err error
}

// New returns a FailedError with a message as of fmt.Sprintf.
func New(format string, args ...any) *FailedError {
	return &FailedError{Message: fmt.Sprintf(format, args...)}
}

// Error is the message and the cause.
func (e *FailedError) Error() string {
	if e.Err == nil {
		return e.Message
	}
	return fmt.Sprintf("%s: %v", e.Message, e.Err)
}

// Failure is the same as Error.
func (e *FailedError) Failure() string { return e.Error() }

// Unwrap returns the cause.
func (e *FailedError) Unwrap() error { return e.Err }

// ExitError says that a command failed: it ended with an exit code other than
// 0.
type ExitError struct {
	Code int
	// Stderr is what it wrote to standard error.
	Stderr string
}

// shownStderr bounds what an ExitError shows of standard error, in bytes.
const shownStderr = 2 << 10

// Error is the exit code and the end of standard error.
func (e *ExitError) Error() string {
	text := strings.TrimSpace(e.Stderr)
	if over := len(text) - shownStderr; over > 0 {
		text = "…" + strings.ToValidUTF8(text[over:], "")
	}
	if text == "" {
		return fmt.Sprintf("exit code %d", e.Code)
	}
	return fmt.Sprintf("exit code %d: %s", e.Code, text)
}

// Failure is the same as Error.
func (e *ExitError) Failure() string { return e.Error() }

var (
	_ Failure = (*Rejection)(nil)
	_ Failure = (*FailedError)(nil)
	_ Failure = (*ExitError)(nil)
)
