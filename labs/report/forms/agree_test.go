package forms

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/kind-lab/lab/labs/expect"
	"github.com/kind-lab/lab/labs/report"
	"github.com/kind-lab/lab/labs/report/document"
	"github.com/kind-lab/lab/labs/report/internal/reporttest"
	"github.com/kind-lab/lab/labs/report/layout"
	"github.com/kind-lab/lab/labs/report/text"
)

// anyReport is a report of any statuses of anything.
func anyReport(seed uint64) report.Report {
	r := rand.New(rand.NewPCG(seed, 7))
	out := report.Report{Version: report.ModelVersion, ID: "r", File: "s.hcl", StartedAt: reporttest.Begun, FinishedAt: reporttest.At(float64(r.IntN(90))), Interrupted: r.IntN(6) == 0}
	for i := range r.IntN(4) {
		c := report.Cluster{Name: fmt.Sprintf("c%d", i), Version: "1.29.1", Status: expect.Status(r.IntN(5))}
		if r.IntN(4) == 0 {
			c.Error = "it did not come up\nbecause of its kubelet"
		}
		out.Clusters = append(out.Clusters, c)
		for s := range r.IntN(3) {
			run := report.ScenarioRun{Scenario: fmt.Sprintf("s%d", s), Cluster: c.Name, Status: expect.Status(r.IntN(5))}
			if r.IntN(3) > 0 {
				run.StartedAt, run.FinishedAt = reporttest.Begun, reporttest.At(9)
			}
			for n := range r.IntN(6) {
				run.Steps = append(run.Steps, anyStep(r, n))
			}
			out.Runs = append(out.Runs, run)
		}
	}
	for i := range r.IntN(3) {
		out.Errors = append(out.Errors, fmt.Sprintf("failure %d", i))
		out.Skipped = append(out.Skipped, report.SkippedCluster{Name: fmt.Sprintf("left%d", i), Kubernetes: "1.99", Reason: "there is no such version"})
	}
	return out
}

func anyStep(r *rand.Rand, n int) report.Step {
	status := expect.Status(r.IntN(5))
	s := report.Step{Name: fmt.Sprintf("step %d", n), Verb: []string{"apply", "expect", "invariant", "wait"}[r.IntN(4)], Status: status, BeganAt: float64(n), EndedAt: float64(n) + 0.5, Detail: "what became of it"}
	if s.Expects() && r.IntN(2) == 0 {
		s.Verdict = &expect.Verdict{Name: s.Name, Status: status, Condition: "a == b", Reason: "because"}
	}
	return s
}

// judged are the reports of which all forms have to say the same.
func judged() map[string]report.Report {
	all := reporttest.Samples()
	for seed := range uint64(50) {
		all[fmt.Sprintf("random %d", seed)] = anyReport(seed)
	}
	return all
}

// written is a report in a form.
func written(t *testing.T, form string, r report.Report) []byte {
	t.Helper()
	f, ok := Find(All(), form)
	if !ok {
		t.Fatalf("there is no form %q", form)
	}
	var b bytes.Buffer
	if err := f.Write(&b, document.Document{Version: document.Version, Report: r}, layout.Style{Width: 300}); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// junitCase is what is counted of JUnit's XML.
type junitCase struct {
	Name    string    `xml:"name,attr"`
	Failure *struct{} `xml:"failure"`
	Error   *struct{} `xml:"error"`
	Skipped *struct{} `xml:"skipped"`
}

type junitCounts struct {
	Tests    int `xml:"tests,attr"`
	Failures int `xml:"failures,attr"`
	Errors   int `xml:"errors,attr"`
	Suites   []struct {
		Tests    int         `xml:"tests,attr"`
		Failures int         `xml:"failures,attr"`
		Errors   int         `xml:"errors,attr"`
		Skipped  int         `xml:"skipped,attr"`
		Cases    []junitCase `xml:"testcase"`
	} `xml:"testsuite"`
}

// TestJUnitCountsAsTheReport holds that a CI server that reads the XML counts as
// many failures, errors and skips as the report.
func TestJUnitCountsAsTheReport(t *testing.T) {
	for name, r := range judged() {
		c := report.Summary(r)
		outside := c.BrokenClusters + c.Errors
		if r.Interrupted {
			outside++
		}
		wantSkipped := c.Expectations.Skip + c.Expectations.Pending + c.Steps.Skip + c.Steps.Pending + len(r.Skipped)
		want := [4]int{c.Expectations.Total() + c.Steps.Total() + outside + len(r.Skipped), c.Expectations.Fail + c.Steps.Fail, c.Expectations.Error + c.Steps.Error + outside, wantSkipped}
		var x junitCounts
		if err := xml.Unmarshal(written(t, "junit", r), &x); err != nil {
			t.Fatal(err)
		}
		stated, held := [4]int{x.Tests, x.Failures, x.Errors}, [4]int{}
		for _, s := range x.Suites {
			stated[3] += s.Skipped
			for _, c := range s.Cases {
				held[0]++
				for i, there := range []bool{c.Failure != nil, c.Error != nil, c.Skipped != nil} {
					if there {
						held[i+1]++
					}
				}
			}
		}
		if stated != want || held != want {
			t.Errorf("%s: tests, failures, errors and skips are %v by its attributes and %v by its cases, want %v", name, stated, held, want)
		}
	}
}

// TestTheJSONFormCountsAsTheReport holds that a reader of the JSON finds the
// same figures and the same exit code.
func TestTheJSONFormCountsAsTheReport(t *testing.T) {
	for name, r := range judged() {
		var d document.Document
		if err := json.Unmarshal(written(t, "json", r), &d); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(r, d.Report, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s (-written +read):\n%s", name, diff)
		}
		if diff := cmp.Diff(report.Summary(r), report.Summary(d.Report)); diff != "" || report.ExitCode(r) != report.ExitCode(d.Report) {
			t.Errorf("%s: exit codes %d and %d, (-report +JSON):\n%s", name, report.ExitCode(r), report.ExitCode(d.Report), diff)
		}
	}
}

// TestFormsForPeopleEndAlike holds that the text and the Markdown have the same
// sentence of how it went.
func TestFormsForPeopleEndAlike(t *testing.T) {
	for name, r := range judged() {
		headline := text.Headline(r)
		if out := string(written(t, "text", r)); !strings.Contains(strings.Join(strings.Fields(out), " "), headline) {
			t.Errorf("%s: the text lacks %q", name, headline)
		}
		_, rest := text.Outcome(r)
		if out := strings.NewReplacer(`\`, "", "*", "").Replace(string(written(t, "markdown", r))); !strings.Contains(out, rest) {
			t.Errorf("%s: the Markdown lacks %q:\n%.300s", name, rest, out)
		}
	}
}

// TestTheFirstWordIsTheExitCode holds that the word of the headline and the exit
// code never contradict each other.
func TestTheFirstWordIsTheExitCode(t *testing.T) {
	words := map[string]int{"Pass!": report.ExitPass, "Nothing decided:": report.ExitPass, "Fail:": report.ExitFail, "Error:": report.ExitError, "Interrupted:": report.ExitInterrupted}
	seen := map[string]bool{}
	for name, r := range judged() {
		word, _ := text.Outcome(r)
		code, known := words[word]
		if !known || code != report.ExitCode(r) {
			t.Errorf("%s: %q with exit code %d", name, word, report.ExitCode(r))
		}
		seen[word] = true
	}
	if len(seen) < 4 {
		t.Errorf("only %v were seen", seen)
	}
}

// TestTheHeadlineCountsWhatTheReportHolds reads the figures of the sentence again.
func TestTheHeadlineCountsWhatTheReportHolds(t *testing.T) {
	for name, r := range judged() {
		c, headline := report.Summary(r), text.Headline(r)
		for what, n := range map[string]int{
			" could not be used": c.BrokenClusters, " outside the scenarios": c.Errors, " skipped": c.Expectations.Skip, " not decided": c.Expectations.Pending,
			" left out)": len(r.Skipped), " could not be decided": c.Expectations.Error, " passed": c.Expectations.Pass,
		} {
			before, _, said := strings.Cut(headline, what)
			if said != (n > 0) {
				t.Errorf("%s: %d are%s, and it says %q", name, n, what, headline)
				continue
			}
			words := strings.FieldsFunc(before, func(r rune) bool { return r == ' ' || r == ',' || r == '(' })
			if tail := strings.Join(words[max(0, len(words)-2):], " ") + " "; said && !strings.Contains(tail, fmt.Sprintf("%d ", n)) {
				t.Errorf("%s: %d are%s, and it says %q", name, n, what, headline)
			}
		}
	}
}

// TestTheSameMomentInAnotherZone holds that a form does not depend on the zone in
// which a time is given.
func TestTheSameMomentInAnotherZone(t *testing.T) {
	r := reporttest.Fail()
	moved := r
	moved.Runs = append([]report.ScenarioRun(nil), r.Runs...)
	for i := range moved.Runs {
		moved.Runs[i].StartedAt = moved.Runs[i].StartedAt.In(time.FixedZone("east", 9*3600))
	}
	for _, form := range []string{"junit", "text", "markdown"} {
		if !bytes.Equal(written(t, form, r), written(t, form, moved)) {
			t.Errorf("%s differs", form)
		}
	}
}
