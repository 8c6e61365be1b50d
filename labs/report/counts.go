package report

import (
	"time"

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
		if cluster.Broken() {
			c.BrokenClusters++
		}
	}
	for _, run := range r.Runs {
		c.Status = max(c.Status, run.Status)
		for _, s := range run.Steps {
			c.Status = max(c.Status, s.Status)
			if s.Expects() {
				c.Expectations.Add(s.Status)
			} else {
				c.Steps.Add(s.Status)
				if r.Unstarted(run) && s.Status >= expect.Error {
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

// ExitCode is the exit code that says how a run ended: ExitFail if an expectation
// failed, ExitError if something could not be decided or done, which outweighs
// ExitFail, ExitInterrupted if somebody stopped the run, and ExitPass otherwise.
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
