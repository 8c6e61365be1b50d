package run

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/kind-lab/lab/dsl"
	"github.com/kind-lab/lab/labs/expect"
	"github.com/kind-lab/lab/labs/step"
)

// wanted is what expect_error says.
type wanted struct {
	// refused says that the step must be refused, pattern what the refusal
	// must match; nil means anything.
	refused bool
	pattern *regexp.Regexp
	// text is expect_error as people read it.
	text string
}

// judge says what became of a step: refused, which may be what was wanted; not
// to be told; or done, as its result tells.
func (w wanted) judge(verb string, out step.Result, err error) (expect.Status, string) {
	var no step.Refusal
	switch {
	case errors.As(err, &no) && !w.refused:
		return expect.Fail, shortened(no.Error())
	case errors.As(err, &no) && w.pattern != nil && !w.pattern.MatchString(no.Refusal()):
		return expect.Fail, fmt.Sprintf("refused, but not as expected: %s does not match expect_error, %s", shortened(no.Refusal()), w.text)
	case errors.As(err, &no):
		return expect.Pass, "refused as expected: " + shortened(no.Refusal())
	case err != nil:
		return expect.Error, err.Error()
	case w.refused:
		return expect.Fail, fmt.Sprintf("expect_error is %s, but %s", w.text, accepted(verb, out))
	}
	return expect.Pass, did(verb, out)
}

// The parts of a long text that are shown, in characters: the API server may
// put a whole object between what it refuses and why.
const shownHead, shownTail = 300, 500

// shortened leaves out the middle of a long text.
func shortened(text string) string {
	runes := []rune(text)
	if len(runes) <= shownHead+shownTail {
		return text
	}
	return string(runes[:shownHead]) + " … " + string(runes[len(runes)-shownTail:])
}

func accepted(verb string, out step.Result) string {
	switch verb {
	case dsl.VerbExec:
		return "the command ended with " + did(verb, out)
	case dsl.VerbApply, dsl.VerbDelete, dsl.VerbPatch:
		return "the API server accepted " + did(verb, out)
	}
	return "it was done: " + did(verb, out)
}

// refusal is what step.NAME.error holds.
func refusal(err error) string {
	var no step.Refusal
	if errors.As(err, &no) {
		return no.Refusal()
	}
	return err.Error()
}

// did says what was done, as kubectl does: "job/myapp created".
func did(verb string, out step.Result) string {
	if verb == dsl.VerbExec && out.ExitCode != nil {
		return ended(*out.ExitCode, out.Stdout)
	}
	var done []string
	for i, o := range out.Objects {
		done = append(done, fmt.Sprintf("%s/%s %s", strings.ToLower(o.Kind), o.Name, out.Actions[i]))
	}
	return strings.Join(done, ", ")
}

// shownOutput bounds what is shown of a command's output, in characters.
const shownOutput = 80

// ended is an exit code with the first line of what the command wrote.
func ended(code int, stdout string) string {
	text := fmt.Sprintf("exit code %d", code)
	line, more, _ := strings.Cut(strings.TrimSpace(stdout), "\n")
	line = strings.TrimSpace(line)
	if line == "" {
		return text
	}
	if runes := []rune(line); len(runes) > shownOutput {
		line, more = string(runes[:shownOutput]), "more"
	}
	if more != "" {
		line += " …"
	}
	return text + ": " + line
}
