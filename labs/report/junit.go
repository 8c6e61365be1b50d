package report

import (
	"cmp"
	"encoding/xml"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/kind-lab/lab/labs/expect"
)

type junitReport struct {
	XMLName xml.Name `xml:"testsuites"`
	Name    string   `xml:"name,attr"`
	junitCounts
	Suites []junitSuite `xml:"testsuite"`
}

// junitCounts are what a suite and all suites together have; the schema lets
// suites alone count what was skipped.
type junitCounts struct {
	Tests    int    `xml:"tests,attr"`
	Failures int    `xml:"failures,attr"`
	Errors   int    `xml:"errors,attr"`
	Time     string `xml:"time,attr"`
}

type junitSuite struct {
	Name string `xml:"name,attr"`
	junitCounts
	Skipped    int              `xml:"skipped,attr"`
	Timestamp  string           `xml:"timestamp,attr,omitempty"`
	Properties *junitProperties `xml:"properties"`
	Cases      []junitCase      `xml:"testcase"`
}

type junitProperties struct {
	All []junitProperty `xml:"property"`
}

type junitProperty struct {
	Name  string `xml:"name,attr"`
	Value string `xml:"value,attr"`
}

type junitCase struct {
	Name    string        `xml:"name,attr"`
	Class   string        `xml:"classname,attr"`
	Time    string        `xml:"time,attr"`
	Failure *junitOutcome `xml:"failure"`
	Error   *junitOutcome `xml:"error"`
	Skipped *junitOutcome `xml:"skipped"`
	Out     string        `xml:"system-out,omitempty"`
}

type junitOutcome struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr,omitempty"`
	Body    string `xml:",chardata"`
}

// WriteJUnit writes the report as JUnit's XML: a test suite for each scenario
// on each cluster, a test case for each expectation and step, and a suite
// "lab" for failures that belong to none. What the evidence contradicts is a
// failure, as is a step that the API server refused or took against what was
// expected; what could not be told or done is an error. The XML is valid
// whatever the report holds: control characters are left out.
func WriteJUnit(w io.Writer, r Report) error {
	out := junitReport{Name: clean(cmp.Or(r.File, "lab"))}
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
	out.Time = junitTime(Summary(r).Elapsed.Seconds())
	data, err := xml.MarshalIndent(out, "", "  ")
	if err != nil {
		return fmt.Errorf("writing JUnit's XML: %w", err)
	}
	if _, err := fmt.Fprintf(w, "%s%s\n", xml.Header, data); err != nil {
		return fmt.Errorf("writing JUnit's XML: %w", err)
	}
	return nil
}

func runSuite(r Report, run Run) junitSuite {
	cluster := clusterOf(r, run.Cluster)
	s := junitSuite{Name: clean(run.Scenario + " on " + run.Cluster), Properties: properties(r, run, cluster)}
	s.Time = junitTime(run.FinishedAt.Sub(run.StartedAt).Seconds())
	if !run.StartedAt.IsZero() {
		s.Timestamp = run.StartedAt.UTC().Format(time.RFC3339)
	}
	class := clean(run.Scenario + "." + run.Cluster)
	for _, step := range run.Steps {
		s.add(stepCase(class, step, run.StartedAt), step.Status)
	}
	return s
}

func (s *junitSuite) add(c junitCase, status expect.Status) {
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

func stepCase(class string, step Step, begin time.Time) junitCase {
	c := junitCase{Name: clean(step.Verb + " " + step.Name), Class: class, Time: junitTime(step.EndedAt - step.BeganAt)}
	reason, body, kind := step.Detail, step.Detail, step.Verb
	if v := step.Verdict; v != nil {
		reason, body = v.Reason, evidenceText(*v, begin)
		if v.Message != "" {
			reason += ": " + v.Message
		}
	}
	if isExpectation(step) {
		c.Name, kind = clean(step.Name), "expectation"
	}
	outcome := &junitOutcome{Message: clean(reason), Type: kind, Body: block(body)}
	switch {
	case step.Status >= expect.Error:
		c.Error = outcome
	case step.Status == expect.Fail:
		c.Failure = outcome
	case step.Status == expect.Pass:
		c.Out = block(body)
	default:
		c.Skipped = &junitOutcome{Message: clean(reason)}
	}
	return c
}

// ownSuite tells of clusters that could not be used and of failures that
// belong to no run.
func ownSuite(r Report) junitSuite {
	s := junitSuite{Name: "lab"}
	s.Time = junitTime(0)
	add := func(name, kind, text string) {
		first, _, _ := strings.Cut(text, "\n")
		s.add(junitCase{Name: clean(name), Class: "lab", Time: junitTime(0),
			Error: &junitOutcome{Message: clean(first), Type: kind, Body: block(text)}}, expect.Error)
	}
	for _, c := range r.Clusters {
		if broken(c) {
			add("cluster "+c.Name, "cluster", cmp.Or(c.Error, "the cluster could not be used"))
		}
	}
	for _, c := range r.Skipped {
		s.add(junitCase{Name: clean("cluster " + c.Name), Class: "lab", Time: junitTime(0),
			Skipped: &junitOutcome{Message: clean("left out: " + c.Reason)}}, expect.Skip)
	}
	for i, text := range r.Errors {
		add(fmt.Sprintf("failure %d outside the scenarios", i+1), "lab", text)
	}
	if r.Interrupted {
		add("interrupted", "interrupted", "somebody stopped the run before its end")
	}
	return s
}

func properties(r Report, run Run, c Cluster) *junitProperties {
	var gates []string
	for _, name := range slices.Sorted(maps.Keys(c.FeatureGates)) {
		gates = append(gates, fmt.Sprintf("%s=%t", name, c.FeatureGates[name]))
	}
	p := &junitProperties{}
	for _, pair := range [][2]string{
		{"lab.run", r.ID}, {"lab.version", r.LabVersion}, {"lab.folder", r.Folder}, {"cluster", run.Cluster},
		{"namespace", run.Namespace}, {"kubernetes", c.Version}, {"kubernetes.asked", c.Kubernetes},
		{"feature_gates", strings.Join(gates, ",")}, {"node_image", c.Image}, {"node_image.source", c.ImageSource},
	} {
		if pair[1] != "" {
			p.All = append(p.All, junitProperty{Name: pair[0], Value: clean(pair[1])})
		}
	}
	return p
}

// block is a text of several lines as an element's content.
func block(text string) string { return strings.Join(lines(text), "\n") }

func junitTime(seconds float64) string { return fmt.Sprintf("%.3f", max(0, seconds)) }

// evidenceText is a verdict with its evidence as it is printed, without
// colours.
func evidenceText(v expect.Verdict, begin time.Time) string {
	p := newPage(Style{})
	p.verdict(v, true, begin)
	return p.String()
}

// clusterOf is the report's cluster of a name; one that is not there has its
// name only.
func clusterOf(r Report, name string) Cluster {
	for _, c := range r.Clusters {
		if c.Name == name {
			return c
		}
	}
	return Cluster{Name: name}
}
