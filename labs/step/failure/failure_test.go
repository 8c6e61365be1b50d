package failure

import (
	"errors"
	"strings"
	"testing"
)

func TestWhatErrorsSay(t *testing.T) {
	long := strings.Repeat("x", 3*shownStderr) + "the end"
	cause := errors.New("because")
	tests := []struct {
		name string
		err  error
		want string
	}{
		{"no words", &ExitError{Code: 3}, "exit code 3"},
		{"words", &ExitError{Code: 3, Stderr: " no such file\n"}, "exit code 3: no such file"},
		{"failed", New("pod %q is gone", "web"), `pod "web" is gone`},
		{"with a cause", &FailedError{Message: "no", Err: cause}, "no: because"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if tt.err.Error() != tt.want {
				t.Errorf("says %q, want %q", tt.err, tt.want)
			}
			var failed Failure
			if !errors.As(tt.err, &failed) || failed.Failure() != tt.want {
				t.Errorf("is no failure, or one of %q", failed.Failure())
			}
		})
	}
	if text := (&ExitError{Code: 1, Stderr: long}).Error(); len(text) > shownStderr+100 || !strings.HasSuffix(text, "the end") {
		t.Errorf("%d bytes, which end in %q", len(text), text[len(text)-10:])
	}
	if !errors.Is(&FailedError{Message: "no", Err: cause}, cause) {
		t.Error("the cause is lost")
	}
}
