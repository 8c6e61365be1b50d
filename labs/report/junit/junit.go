// Package junit writes a report as JUnit's XML.
package junit

import (
	"cmp"
	"encoding/xml"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/kind-lab/lab/clusters"
	"github.com/kind-lab/lab/labs/expect"
	"github.com/kind-lab/lab/labs/report"
	"github.com/kind-lab/lab/labs/report/layout"
	"github.com/kind-lab/lab/labs/report/text"
)

// Write writes the report as JUnit's XML: a test suite for each scenario
// on each cluster, a test case for each expectation and step, and a suite
// "lab" for failures that belong to none. An expectation that failed is a
// failure, and so is a step that the API server unexpectedly rejected or accepted;
// what could not be decided or done is an error. The XML is valid
// whatever the report holds: control characters are left out.
func Write(w io.Writer, r report.Report) error {
	out := suites{Name: layout.Clean(cmp.Or(r.File, "lab"))}
	for _, run := range r.Runs {
		out.Suites = append(out.Suites, runSuite(r, run))
	}
	if s := ownSuite(r); len(s.Cases) > 0 {
		out.Suites = append(out.Suites, s)
	}
	for _, s := range out.Suites {
		out.Tests += s.Tests
		out.Failures += s.Failures
		out.Errors += s.Errors
	}
	out.Time = seconds(report.Summary(r).Elapsed.Seconds())
	data, err := xml.MarshalIndent(out, "", "  ")
	if err != nil {
		return fmt.Errorf("writing JUnit's XML: %w", err)
	}
	if _, err := fmt.Fprintf(w, "%s%s\n", xml.Header, data); err != nil {
		return fmt.Errorf("writing JUnit's XML: %w", err)
	}
	return nil
}

func runSuite(r report.Report, run report.ScenarioRun) suite {
	cluster := r.Cluster(run.Cluster)
	s := suite{Name: layout.Clean(run.Scenario + " on " + run.Cluster), Properties: properties(r, run, cluster)}
	s.Time = seconds(run.FinishedAt.Sub(run.StartedAt).Seconds())
	if !run.StartedAt.IsZero() {
		s.Timestamp = run.StartedAt.UTC().Format(time.RFC3339)
	}
	class := layout.Clean(run.Scenario + "." + run.Cluster)
	for _, step := range run.Steps {
		s.add(stepCase(class, step, run.StartedAt), step.Status)
	}
	return s
}

func (s *suite) add(c testCase, status expect.Status) {
	s.Cases = append(s.Cases, c)
	s.Tests++
	switch {
	case status >= expect.Error:
		s.Errors++
	case status == expect.Fail:
		s.Failures++
	case status != expect.Pass:
		s.Skipped++
	}
}

func stepCase(class string, step report.Step, begin time.Time) testCase {
	c := testCase{Name: layout.Clean(step.Verb + " " + step.Name), Class: class, Time: seconds(step.EndedAt - step.BeganAt)}
	reason, body, kind := step.Detail, step.Detail, step.Verb
	if v := step.Verdict; v != nil {
		reason, body = v.Reason, text.Evidence(*v, begin)
		if v.Message != "" {
			reason += ": " + v.Message
		}
	}
	if step.Expects() {
		c.Name, kind = layout.Clean(step.Name), "expectation"
	}
	result := &outcome{Message: layout.Clean(reason), Type: kind, Body: layout.Block(body)}
	switch {
	case step.Status >= expect.Error:
		c.Error = result
	case step.Status == expect.Fail:
		c.Failure = result
	case step.Status == expect.Pass:
		c.Out = layout.Block(body)
	default:
		c.Skipped = &outcome{Message: layout.Clean(reason)}
	}
	return c
}

// ownSuite tells of clusters that could not be used and of failures that
// belong to no run.
func ownSuite(r report.Report) suite {
	s := suite{Name: "lab"}
	s.Time = seconds(0)
	add := func(name, kind, text string) {
		first, _, _ := strings.Cut(text, "\n")
		s.add(testCase{Name: layout.Clean(name), Class: "lab", Time: seconds(0),
			Error: &outcome{Message: layout.Clean(first), Type: kind, Body: layout.Block(text)}}, expect.Error)
	}
	for _, c := range r.Clusters {
		if c.Broken() {
			add("cluster "+c.Name, "cluster", cmp.Or(c.Error, "the cluster could not be used"))
		}
	}
	for _, c := range r.Skipped {
		s.add(testCase{Name: layout.Clean("cluster " + c.Name), Class: "lab", Time: seconds(0),
			Skipped: &outcome{Message: layout.Clean("left out: " + c.Reason)}}, expect.Skip)
	}
	for i, text := range r.Errors {
		add(fmt.Sprintf("failure %d outside the scenarios", i+1), "lab", text)
	}
	if r.Interrupted {
		add("interrupted", "interrupted", "the run was interrupted before its end")
	}
	return s
}

func properties(r report.Report, run report.ScenarioRun, c report.Cluster) *propertyList {
	p := &propertyList{}
	for _, pair := range [][2]string{
		{"lab.run", r.ID}, {"lab.version", r.LabVersion}, {"lab.folder", r.Folder}, {"cluster", run.Cluster},
		{"namespace", run.Namespace}, {"kubernetes", c.Version}, {"kubernetes.asked", c.Kubernetes},
		{"feature_gates", clusters.FeatureGates(c.FeatureGates).String()}, {"node_image", c.Image}, {"node_image.source", c.ImageSource},
	} {
		if pair[1] != "" {
			p.All = append(p.All, property{Name: pair[0], Value: layout.Clean(pair[1])})
		}
	}
	return p
}

func seconds(s float64) string { return fmt.Sprintf("%.3f", max(0, s)) }
