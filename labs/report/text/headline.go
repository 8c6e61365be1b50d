package text

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/kind-lab/lab/labs/expect"
	"github.com/kind-lab/lab/labs/report"
	"github.com/kind-lab/lab/labs/report/layout"
)

// Headline says in a sentence how a run went, the gravest first.
func Headline(r report.Report) string {
	word, rest := Outcome(r)
	return word + " " + rest
}

// Outcome is the Headline in two parts: its first word with the mark behind it,
// such as "Pass!", and the rest, which counts.
func Outcome(r report.Report) (word, rest string) {
	c := report.Summary(r)
	word = "Nothing decided:"
	switch {
	case r.Interrupted:
		word = "Interrupted:"
	case c.Status >= expect.Error:
		word = "Error:"
	case c.Status == expect.Fail:
		word = "Fail:"
	case c.Status == expect.Pass:
		word = "Pass!"
	}
	return word, tallyText(r, c)
}

// outcomeColor is the colour of the Outcome's word.
func outcomeColor(r report.Report) string {
	if r.Interrupted {
		return layout.Yellow
	}
	return layout.StatusColor(report.Summary(r).Status)
}

// tallyText is the closing line after its first word, the gravest first.
func tallyText(r report.Report, c report.Counts) string {
	e := c.Expectations
	var parts []string
	add := func(n int, format, what string) {
		if n > 0 {
			parts = append(parts, fmt.Sprintf(format, Plural(n, what)))
		}
	}
	add(c.BrokenClusters, "%s could not be used", "cluster")
	add(c.Errors, "%s outside the scenarios", "failure")
	add(c.Steps.Fail+c.Steps.Error-c.Unstarted, "%s failed", "step")
	add(e.Fail, "%s failed", "expectation")
	add(e.Error, "%s could not be decided", "expectation")
	add(e.Pass, "%s passed", "expectation")
	if c.Status == expect.Pass && e.Total() == 0 {
		add(c.Steps.Pass, "%s done, no expectations", "step")
	}
	for _, of := range []struct {
		n    int
		what string
	}{{e.Skip, "skipped"}, {e.Pending, "not decided"}} {
		if of.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", of.n, of.what))
		}
	}
	text := cmp.Or(sameNoun(parts), "no expectations") + fmt.Sprintf(", on %s", Plural(c.Clusters, "cluster"))
	if n := len(r.Skipped); n > 0 {
		text += fmt.Sprintf(" (%d left out)", n)
	}
	if c.Elapsed > 0 {
		text += " in " + Elapsed(c.Elapsed)
	}
	return text + "."
}

// sameNoun joins parts and names the expectations only once.
func sameNoun(parts []string) string {
	named := false
	for i, part := range parts {
		if !strings.Contains(part, " expectation") {
			continue
		}
		if named {
			part = strings.Replace(part, " expectations", "", 1)
			parts[i] = strings.Replace(part, " expectation", "", 1)
		}
		named = true
	}
	return strings.Join(parts, ", ")
}
