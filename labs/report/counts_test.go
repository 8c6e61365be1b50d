package report

import (
	"strings"
	"testing"
	"time"

	"github.com/kind-lab/lab/labs/expect"
)

func TestExitCodeAndClosingLine(t *testing.T) {
	step := func(s expect.Status) Report {
		return Report{Status: s, Runs: []Run{{Cluster: "a", Status: s, Steps: []Step{{Verb: "expect", Name: "x", Status: s}}}}, Clusters: []Cluster{{Name: "a"}}}
	}
	understated := step(expect.Fail)
	understated.Status, understated.Runs[0].Status = expect.Pass, expect.Pass
	for name, test := range map[string]struct {
		r    Report
		code int
		says string
	}{
		"nothing":                     {Report{}, 0, "Nothing decided: no expectations, on 0 clusters."},
		"all skipped":                 {step(expect.Skip), 0, "Nothing decided: 1 skipped, on 1 cluster."},
		"pass":                        {samplePass(), 0, "Pass! 37 expectations as expected, 7 skipped, on 4 clusters in 2m51s."},
		"fail":                        {sampleFail(), 1, "Fail: 1 step failed, 2 expectations not as expected, 30 as expected, 12 skipped, on 4 clusters in 2m51s."},
		"error outweighs fail":        {sampleError(), 3, "Error: 1 cluster could not be used, 1 failure outside the scenarios, 12 expectations could not be told, 28 as expected, 4 skipped, on 4 clusters in 2m51s."},
		"interrupted outweighs error": {sampleInterrupted(), 130, "Interrupted: 16 expectations could not be told, 25 as expected, 3 skipped, on 4 clusters in 52.0s."},
		"one of a kind":               {step(expect.Fail), 1, "Fail: 1 expectation not as expected, on 1 cluster."},
		"a part is worse than it":     {understated, 1, "Fail: 1 expectation not as expected, on 1 cluster."},
		"only a failure outside":      {Report{Status: expect.Pass, Errors: []string{"x"}}, 3, "Error: 1 failure outside the scenarios, on 0 clusters."},
		"only steps": {Report{Status: expect.Pass, Runs: []Run{{Steps: []Step{{Verb: "apply", Status: expect.Pass}}}}}, 0,
			"Pass! 1 step done and no expectation, on 0 clusters."},
	} {
		t.Run(name, func(t *testing.T) {
			if got := ExitCode(test.r); got != test.code {
				t.Errorf("exit code %d, want %d", got, test.code)
			}
			all := strings.Split(strings.TrimSpace(text(t, test.r, Style{Width: 300})), "\n")
			if got := all[len(all)-1]; got != test.says {
				t.Errorf("closing line:\n got %s\nwant %s", got, test.says)
			}
		})
	}
}

func TestElapsed(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0.0s", 340 * time.Millisecond: "0.3s", 59940 * time.Millisecond: "59.9s", 59960 * time.Millisecond: "1m00s",
		102 * time.Second: "1m42s", time.Hour - 100*time.Millisecond: "1h00m", 125 * time.Minute: "2h05m", -time.Second: "-1.0s",
	} {
		if got := elapsed(d); got != want {
			t.Errorf("%s: got %s, want %s", d, got, want)
		}
	}
}
