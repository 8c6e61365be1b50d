package forms

import (
	"encoding/json"
	"encoding/xml"
	"strings"
	"testing"

	"github.com/kind-lab/lab/labs/expect"
	"github.com/kind-lab/lab/labs/report"
	"github.com/kind-lab/lab/labs/report/document"
	"github.com/kind-lab/lab/labs/report/internal/reporttest"
	"github.com/kind-lab/lab/labs/report/layout"
)

// calledBy is a report in which everything that has a name or says something has
// this one.
func calledBy(name string) report.Report {
	return report.Report{
		ID: "r", File: name, Clusters: []report.Cluster{{Name: name, Version: "1.29.1", Error: name}}, Errors: []string{name},
		Skipped: []report.SkippedCluster{{Name: name, Reason: name}},
		Runs: []report.ScenarioRun{{Scenario: name, Description: name, Cluster: name, StartedAt: reporttest.Begun, FinishedAt: reporttest.At(1), Steps: []report.Step{
			{Name: name, Verb: "expect", Status: expect.Pass, Detail: name}, {Name: name, Verb: "apply", Status: expect.Fail, Detail: name},
			{Name: name, Verb: "expect", Status: expect.Error, Detail: name}, {Name: name, Verb: "expect", Status: expect.Skip, Detail: name},
		}}},
	}
}

// TestJUnitKeepsNames holds that any name can be read from the XML again, clean.
func TestJUnitKeepsNames(t *testing.T) {
	type outcome struct {
		Message string `xml:"message,attr"`
		Body    string `xml:",chardata"`
	}
	type testCase struct {
		Name    string   `xml:"name,attr"`
		Class   string   `xml:"classname,attr"`
		Failure *outcome `xml:"failure"`
		Error   *outcome `xml:"error"`
		Out     string   `xml:"system-out"`
	}
	for _, name := range reporttest.HostileTexts {
		var got struct {
			Name   string `xml:"name,attr"`
			Suites []struct {
				Name  string     `xml:"name,attr"`
				Cases []testCase `xml:"testcase"`
			} `xml:"testsuite"`
		}
		if err := xml.Unmarshal(written(t, "junit", calledBy(name)), &got); err != nil {
			t.Fatalf("%q: %v", name, err)
		}
		line, block := layout.Clean(name), layout.Block(name)
		cases := got.Suites[0].Cases
		for what, pair := range map[string][2]string{
			"suite": {got.Suites[0].Name, layout.Clean(name + " on " + name)}, "class": {cases[0].Class, layout.Clean(name + "." + name)},
			"expectation": {cases[0].Name, line}, "step": {cases[1].Name, layout.Clean("apply " + name)}, "output": {cases[0].Out, block},
			"message": {cases[1].Failure.Message, line}, "body": {cases[1].Failure.Body, block}, "error": {cases[2].Error.Body, block},
		} {
			if pair[0] != pair[1] {
				t.Errorf("%q: the %s is %q, want %q", name, what, pair[0], pair[1])
			}
		}
	}
}

// TestTheJSONFormKeepsNames holds that any clean name can be read from the JSON
// again.
func TestTheJSONFormKeepsNames(t *testing.T) {
	for _, name := range reporttest.HostileTexts {
		want := layout.CleanLines(name)
		d := document.NewCleaner(nil).Document(document.Document{Report: calledBy(name)})
		var got document.Document
		if err := json.Unmarshal(written(t, "json", d.Report), &got); err != nil {
			t.Fatalf("%q: %v", name, err)
		}
		run := got.Report.Runs[0]
		for what, text := range map[string]string{"scenario": run.Scenario, "step": run.Steps[0].Name, "detail": run.Steps[1].Detail, "error": got.Report.Errors[0], "file": got.Report.File} {
			if text != want {
				t.Errorf("%q: the %s is %q, want %q", name, what, text, want)
			}
		}
	}
}

// TestThePageHasTheElementsOfAnyNames holds that the page of hostile names has as
// many elements of each kind as that of plain ones.
func TestThePageHasTheElementsOfAnyNames(t *testing.T) {
	count := func(name string) map[string]int {
		page := string(written(t, "html", calledBy(name)))
		out := map[string]int{}
		for _, tag := range []string{"<script", "<img", "<a ", "<b>", "<h1", "<h2", "<details", "</details", "<table", "<tr", "<td", "<pre", "<!--", "<style"} {
			out[tag] = strings.Count(page, tag)
		}
		return out
	}
	want := count("x")
	for _, name := range reporttest.HostileTexts {
		if strings.TrimSpace(layout.Clean(name)) == "" {
			continue // what says nothing has no place on the page
		}
		for tag, n := range count(name) {
			if n != want[tag] {
				t.Errorf("%q: %d %q, want %d", name, n, tag, want[tag])
			}
		}
	}
}

// TestTheTextHasTheLinesOfAnyName holds that a name without line ends gets no
// lines of its own, wherever it stands.
func TestTheTextHasTheLinesOfAnyName(t *testing.T) {
	lines := func(name string) int { return strings.Count(string(written(t, "text", calledBy(name))), "\n") }
	want := lines("xxxxxxxx")
	for _, name := range []string{"<script>", "| a | b |", "\x1b[2J12345678", "a\u2028b\u2029c", "\u202eabcdefg", "`*_#", "1. items"} {
		if got := lines(name); got != want {
			t.Errorf("%q: %d lines, want %d", name, got, want)
		}
	}
}
