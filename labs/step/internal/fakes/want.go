package fakes

import (
	"errors"
	"strings"
	"testing"

	"github.com/kind-lab/lab/labs/step/failure"
)

// WantError fails the test unless the error has the text in it.
func WantError(t *testing.T, err error, text string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), text) {
		t.Fatalf("error = %v, want %q in it", err, text)
	}
}

// WantFailure fails the test unless the error is a failure.Failure with the text in it.
func WantFailure(t *testing.T, err error, text string) {
	t.Helper()
	WantError(t, err, text)
	var refused failure.Failure
	if !errors.As(err, &refused) {
		t.Fatalf("error %v is no failure.Failure", err)
	}
}
