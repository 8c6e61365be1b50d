package run

import (
	"errors"
	"fmt"

	"github.com/kind-lab/lab/labs/expect"
	"github.com/kind-lab/lab/labs/step"
	"github.com/kind-lab/lab/labs/step/failure"
)

// judge says what became of a step: it failed, which may be what was expected;
// it is not known what became of it; or it was done, as its result tells.
func judge(expected step.Expected, verb step.Verb, out step.Result, err error) (expect.Status, string) {
	var no failure.Failure
	switch {
	case errors.As(err, &no) && !expected.Failure:
		return expect.Fail, shortened(no.Error())
	case errors.As(err, &no) && expected.Pattern != nil && !expected.Pattern.MatchString(no.Failure()):
		return expect.Fail, fmt.Sprintf("refused, but not as expected: %s does not match expect_error, %s", shortened(no.Failure()), expected.Text)
	case errors.As(err, &no):
		return expect.Pass, "refused as expected: " + shortened(no.Failure())
	case err != nil:
		return expect.Error, err.Error()
	case expected.Failure:
		return expect.Fail, fmt.Sprintf("expect_error is %s, but %s", expected.Text, verb.Words().Accepted+verb.Summary(out))
	}
	return expect.Pass, verb.Summary(out)
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

// failed is what step.NAME.error holds.
func failed(err error) string {
	var no failure.Failure
	if errors.As(err, &no) {
		return no.Failure()
	}
	return err.Error()
}
