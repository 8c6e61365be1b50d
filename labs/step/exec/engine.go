package exec

import (
	"errors"
	"strings"

	"github.com/kind-lab/lab/labs/step/failure"
)

// notStarted is how container runtimes say that a command could not be
// started, such as for a program that is not there.
var notStarted = [...]string{"OCI runtime exec failed", "failed to exec in container", "error executing command in container"}

// unstarted says whether a text tells that a command could not be started.
func unstarted(text string) bool {
	for _, phrase := range notStarted {
		if strings.Contains(text, phrase) {
			return true
		}
	}
	return false
}

// byEngine says what the failure of the engine's client means that ran a
// command in a node which runs: the client ends with the command's own exit
// code, with 125 where the engine failed, and with 126 or 127, and nothing but
// a word of the runtime, where the command could not be started. Docker has that
// word on standard output.
func byEngine(err error, stdout, stderr string) error {
	var exit interface{ ExitCode() int }
	if !errors.As(err, &exit) || exit.ExitCode() < 0 || exit.ExitCode() == 125 {
		return err
	}
	if code := exit.ExitCode(); code == 126 || code == 127 {
		for _, said := range []string{stdout, stderr} {
			if unstarted(said) {
				return failure.New("the command could not be started: %s", strings.TrimSpace(said))
			}
		}
	}
	return ended(exit.ExitCode())
}
