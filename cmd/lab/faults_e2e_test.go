//go:build e2e

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kind-lab/lab/labs/expect"
	"github.com/kind-lab/lab/labs/replay"
	"github.com/kind-lab/lab/labs/report"
)

// TestNoFaultMakesAWrongVerdict breaks the cluster in the middle of what is
// judged. What is true must not fail and what is false must not pass, whatever
// breaks; where nothing does nothing may be an error.
func TestNoFaultMakesAWrongVerdict(t *testing.T) {
	t.Parallel()
	scenario, err := filepath.Abs("testdata/faults")
	if err != nil {
		t.Fatal(err)
	}
	// What breaks the node and what breaks the API server: two clusters' work.
	for name, titles := range map[string][]string{
		"node":      {"fault[fault=containerd]", "fault[fault=containerd-killed]", "fault[fault=kubelet]", "fault[fault=paused]", "hang[what=containerd]"},
		"apiserver": {"fault[fault=none]", "fault[fault=apiserver-5s]", "fault[fault=apiserver-30s]", "hang[what=kube-apiserver]"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			cmd := asProgram(t, dir, "run", "--no-logs", "--allow-host-exec", "--scenario", strings.Join(titles, ","), scenario)
			cmd.Stdout, cmd.Stderr = os.Stderr, os.Stderr
			_ = cmd.Run() // what is false makes it fail
			r := theReport(t, dir)
			if len(r.Runs) != len(titles) {
				t.Errorf("%d faults were tried, not %d", len(r.Runs), len(titles))
			}
			for _, run := range r.Runs {
				t.Log(tried(t, run))
			}
			replayedAlike(t, r.Folder)
		})
	}
}

// tried holds the verdicts of a fault to what is true, and sums them up.
func tried(t *testing.T, run report.ScenarioRun) string {
	t.Helper()
	count := map[expect.Status]int{}
	var errors []string
	for _, s := range run.Steps {
		kind, _, judged := strings.Cut(s.Name, ": ")
		if !judged {
			if s.Status != expect.Pass {
				t.Errorf("%s: %s %q: %s: %s", run.Scenario, s.Verb, s.Name, s.Status, s.Detail)
			}
			continue
		}
		right := map[string]expect.Status{"true": expect.Pass, "false": expect.Fail}[kind]
		count[s.Status]++
		switch {
		case s.Status == expect.Error:
			errors = append(errors, fmt.Sprintf("%s: %s", s.Name, s.Detail))
			if strings.Contains(run.Scenario, "none") {
				t.Errorf("%s: %q is an error though nothing broke: %s", run.Scenario, s.Name, s.Detail)
			}
		case s.Status != right:
			t.Errorf("%s: %q is wrong: %s: %s", run.Scenario, s.Name, s.Status, s.Detail)
		}
	}
	return fmt.Sprintf("%s: %d pass, %d fail, %d could not be decided\n  %s", run.Scenario,
		count[expect.Pass], count[expect.Fail], count[expect.Error], strings.Join(errors, "\n  "))
}

// replayedAlike judges a run again and holds it to what it found.
func replayedAlike(t *testing.T, dir string) {
	t.Helper()
	rec, err := replay.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	a := &app{stdin: strings.NewReader(""), stdout: os.Stderr, stderr: os.Stderr, env: os.LookupEnv, open: openParts}
	flags := scenarioFlags{clusterSets: rec.ClusterSets}
	if rec.Given != "" {
		flags.varFiles = []string{rec.Given}
	}
	m, problems, err := a.load(rec.Source, flags)
	if err != nil || problems.HasErrors() {
		t.Fatal(err, problems)
	}
	for _, run := range rec.Runs {
		out, err := rec.Judge(m, run)
		if err != nil {
			t.Fatal(err)
		}
		differences, _ := rec.Differences(out)
		for _, d := range differences {
			t.Errorf("replayed, %s: %q was %s and is %s: %s", run.Key, d.Step, d.Before, d.Now, d.Reason)
		}
	}
}
