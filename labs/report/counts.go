package report

import (
	"time"

	"github.com/kind-lab/lab/dsl"
	"github.com/kind-lab/lab/labs/expect"
)

// Tally counts things by their status.
type Tally struct {
	Pending int `json:"pending"`
	Skip    int `json:"skip"`
	Pass    int `json:"pass"`
	Fail    int `json:"fail"`
	Error   int `json:"error"`
}

// Add counts one more of a status; one that is not known counts as an error.
func (t *Tally) Add(s expect.Status) {
	switch s {
	case expect.Pending:
		t.Pending++
	case expect.Skip:
		t.Skip++
	case expect.Pass:
		t.Pass++
	case expect.Fail:
		t.Fail++
	default:
		t.Error++
	}
}

// Total is how many were counted.
func (t Tally) Total() int { return t.Pending + t.Skip + t.Pass + t.Fail + t.Error }

// Counts is a report in figures.
type Counts struct {
	// Status is the greatest status of the report and all its parts.
	Status expect.Status `json:"status"`
	// Expectations and Steps count each once for each cluster that it was to
	// be decided or done on; Steps leaves the expectations out.
	Expectations Tally `json:"expectations"`
	Steps        Tally `json:"steps"`
	// Unstarted is how many of Steps are an error because their cluster could
	// not be used.
	Unstarted int `json:"unstarted"`
	Clusters  int `json:"clusters"`
	// BrokenClusters is how many of them could not be used.
	BrokenClusters int           `json:"broken_clusters"`
	Errors         int           `json:"errors"`
	Elapsed        time.Duration `json:"elapsed"`
}

// Summary counts what a report holds. A report whose FinishedAt is not set has
// no Elapsed.
func Summary(r Report) Counts {
	c := Counts{Status: r.Status, Clusters: len(r.Clusters), Errors: len(r.Errors)}
	if r.FinishedAt.After(r.StartedAt) {
		c.Elapsed = r.FinishedAt.Sub(r.StartedAt)
	}
	for _, cluster := range r.Clusters {
		c.Status = max(c.Status, cluster.Status)
		if broken(cluster) {
			c.BrokenClusters++
		}
	}
	for _, run := range r.Runs {
		c.Status = max(c.Status, run.Status)
		for _, s := range run.Steps {
			c.Status = max(c.Status, s.Status)
			if isExpectation(s) {
				c.Expectations.Add(s.Status)
			} else {
				c.Steps.Add(s.Status)
				if unstarted(r, run) && s.Status >= expect.Error {
					c.Unstarted++
				}
			}
		}
	}
	if len(r.Errors) > 0 || c.BrokenClusters > 0 {
		c.Status = max(c.Status, expect.Error)
	}
	return c
}

// The exit codes of `lab run`.
const (
	ExitPass        = 0
	ExitFail        = 1
	ExitError       = 3
	ExitInterrupted = 130
)

// ExitCode is the exit code that tells how a run ended: ExitFail where
// evidence contradicts an expectation, ExitError where something could not be
// told or done, which outweighs it, ExitInterrupted where somebody stopped it,
// and ExitPass else.
func ExitCode(r Report) int {
	if r.Interrupted {
		return ExitInterrupted
	}
	switch status := Summary(r).Status; {
	case status <= expect.Pass:
		return ExitPass
	case status == expect.Fail:
		return ExitFail
	}
	return ExitError
}

func isExpectation(s Step) bool {
	return s.Verdict != nil || s.Verb == dsl.VerbExpect || s.Verb == dsl.VerbInvariant
}

func broken(c Cluster) bool { return c.Error != "" || c.Status >= expect.Error }

// unstarted says that a run did not begin because its cluster could not be
// used.
func unstarted(r Report, run Run) bool {
	return run.StartedAt.IsZero() && broken(clusterOf(r, run.Cluster))
}
