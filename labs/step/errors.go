package step

import (
	"fmt"
	"strings"

	"github.com/kind-lab/lab/collectors"
)

// Refusal is an error that says that what a step asked for was understood and
// did not come about: what expect_error is about. Any other error of a step
// says that it could not be told.
type Refusal interface {
	error
	// Refusal is what step.NAME.error holds.
	Refusal() string
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

// RefusedError is the API server's refusal of an object.
type RefusedError struct {
	Object collectors.Object
	// Code is the HTTP status, Reason the API's, such as "BadRequest".
	Code   int
	Reason string
	// Message is what the API server said.
	Message string
}

// Error names the object and what the API server said.
func (e *RefusedError) Error() string {
	return fmt.Sprintf("the API server refused %s %q (%d %s): %s", e.Object.Kind, e.Object.Name, e.Code, e.Reason, e.Message)
}

// Refusal is what the API server said.
func (e *RefusedError) Refusal() string { return e.Message }

// FailedError is a step that was begun and did not come to its end: an object
// that did not go in time, a container that does not run.
type FailedError struct {
	// Message says in a sentence what was found and, where it can be said,
	// what to do.
	Message string
	// Err is the cause, if there is one beside that.
	Err error
}

// Failed returns a FailedError with a message as of fmt.Sprintf.
func Failed(format string, args ...any) *FailedError {
	return &FailedError{Message: fmt.Sprintf(format, args...)}
}

// Error is the message and the cause.
func (e *FailedError) Error() string {
	if e.Err == nil {
		return e.Message
	}
	return fmt.Sprintf("%s: %v", e.Message, e.Err)
}

// Refusal is the same as Error.
func (e *FailedError) Refusal() string { return e.Error() }

// Unwrap returns the cause.
func (e *FailedError) Unwrap() error { return e.Err }

// ExitError is a command that ended with an exit code other than 0.
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

// Refusal is the same as Error.
func (e *ExitError) Refusal() string { return e.Error() }

var (
	_ Refusal = (*RefusedError)(nil)
	_ Refusal = (*FailedError)(nil)
	_ Refusal = (*ExitError)(nil)
)
