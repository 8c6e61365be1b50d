package text

import (
	"fmt"
	"time"

	"github.com/kind-lab/lab/collectors"
	"github.com/kind-lab/lab/labs/report"
)

// Clocks says how far a cluster's clocks were from this machine's, in a
// sentence without an end.
func Clocks(c *report.Clocks) string {
	if c.Unknown {
		return "a clock of the cluster could not be measured: the order of steps and of what happened on its nodes is unknown"
	}
	text := fmt.Sprintf("the cluster's clock was %s s to %s s ahead of this machine's", offset(c.Low), offset(c.High))
	if c.Low < 0 && c.High <= 0 {
		text = fmt.Sprintf("the cluster's clock was %s s to %s s behind this machine's", offset(-c.High), offset(-c.Low))
	}
	if c.Jumps > 0 {
		text += fmt.Sprintf(", one of the two was changed or stopped (%s)", times(c.Jumps))
	}
	return text + ": the order of steps and of what happened on its nodes is not known more precisely"
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

// offset is a number of seconds, to the millisecond.
func offset(d time.Duration) string { return fmt.Sprintf("%.3f", d.Seconds()) }

// clockText says what a measurement of a clock found.
func clockText(c *collectors.Clock) string {
	of := "the API server's clock"
	if c.Node != "" {
		of = "the clock of node " + c.Node
	}
	text := fmt.Sprintf("%s is %s s ahead of this machine's, within %s", of, offset(c.Offset), c.Uncertainty.Round(time.Microsecond))
	switch {
	case c.Unknown:
		text = of + " could not be measured"
	case c.Same && c.Uncertainty == 0:
		text = of + " is this machine's own"
	}
	if c.Reason != "" {
		text += ": " + c.Reason
	}
	return text
}
