package markdown

import (
	"bytes"
	"fmt"
	"html"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/kind-lab/lab/labs/expect"
	"github.com/kind-lab/lab/labs/report"
	"github.com/kind-lab/lab/labs/report/document"
	"github.com/kind-lab/lab/labs/report/internal/reporttest"
	"github.com/kind-lab/lab/labs/report/layout"
)

// called is a document in which the scenario, its cluster, its steps, and all
// that went wrong have this name.
func called(name string) document.Document {
	return document.Document{
		Reproduce: document.Reproduce{Command: "lab run " + name, Host: name},
		Report: report.Report{
			ID: name, File: name, LabVersion: name, Errors: []string{name}, Status: expect.Error,
			Clusters: []report.Cluster{{Name: name, Version: "1.29.1"}, {Name: name + " too", Version: "1.29.1", Status: expect.Error, Error: name}},
			Skipped:  []report.SkippedCluster{{Name: name, Reason: name}},
			Runs: []report.ScenarioRun{{Scenario: name, Description: "about " + name, Cluster: name, StartedAt: reporttest.Begun, FinishedAt: reporttest.At(1), Steps: []report.Step{
				{Name: name, Verb: "expect", Status: expect.Pass}, {Name: name, Verb: "apply", Status: expect.Fail, Detail: name},
				{Name: name + " later", Verb: "expect", Status: expect.Error, Detail: name},
			}}},
		},
	}
}

func markdownOf(t *testing.T, d document.Document) string {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, d); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// names that mean something in Markdown, in HTML or to GitHub.
var names = map[string]string{
	"a plain name": "web", "backticks": "`web` ```", "a fence": "```\nweb\n```", "a longer fence": "`````", "pipes": "a | b || c", "an escaped pipe": `a \| b`,
	"a picture": ":tada:", "pictures with a colon in common": ":a:b:c:", "an element": "<b>web</b>", "the end of the fold": "</summary></details><h1>", "an entity": "&lt;b&gt;",
	"lines": "web\n# heading\n\n| a |", "returns": "web\r\n---", "a comment": "<!-- web", "a link": "[web](javascript:x)", "an image": "![web](x)", "an address": "https://x.y/z",
	"a person": "@somebody", "an issue": "#12", "emphasis": "*web* _web_ **web** ~~web~~", "a list": "- web", "an ordered list": "1. web", "a quote": "> web",
	"a rule": "---", "a heading's line": "===", "an indented line": "    web", "a backslash at the end": `web\`, "a formula": "$x$", "wide letters": "東京",
	"a row of a matrix": `native[image="a|b", n=1]`,
}

// TestNoNameBreaksOut holds that a document has the same elements whatever its
// names are.
func TestNoNameBreaksOut(t *testing.T) {
	elements := func(name string) string {
		return strings.Join(tags.FindAllString(rendered(t, markdownOf(t, called(name))), -1), "\n")
	}
	plain := elements("plain")
	for what, name := range names {
		t.Run(what, func(t *testing.T) {
			if got := elements(name); got != plain {
				t.Errorf("%q makes other elements than a plain name:\n%s\nwant:\n%s", name, got, plain)
			}
		})
	}
}

// TestNamesAreShownAsTheyAre looks for a name in each place, as a browser shows
// the page, and for what GitHub would make of it.
func TestNamesAreShownAsTheyAre(t *testing.T) {
	places := map[string]*regexp.Regexp{
		"title": regexp.MustCompile(`<h2>⚠️ (.*) Error</h2>`), "scenario": regexp.MustCompile(`<h3>(.*)</h3>`), "about": regexp.MustCompile(`<p>about (.*)</p>`),
		"cluster": regexp.MustCompile(`<th>(.*?)<br>`), "expectation": regexp.MustCompile(`<td>(.*?) later</td>`), "step": regexp.MustCompile(`<td>apply (.*?)</td>`),
		"fold": regexp.MustCompile(`<summary>❌ .*: apply (.*)</summary>`), "run": regexp.MustCompile(`<p>run (.*), lab `),
	}
	called := func(name string) string { return rendered(t, markdownOf(t, called(name))) }
	github := regexp.MustCompile(`:([a-z_+-][a-z0-9_+-]*|[0-9]{3,}):|@[a-z]|#[0-9]|https?://|www\.`)
	for what, name := range names {
		t.Run(what, func(t *testing.T) {
			page := called(name)
			want := strings.Join(strings.Fields(layout.Clean(name)), " ")
			for place, pattern := range places {
				found := pattern.FindStringSubmatch(page)
				if found == nil {
					t.Errorf("there is no %s in\n%s", place, page)
					continue
				}
				shown := html.UnescapeString(tags.ReplaceAllString(found[1], ""))
				if github.MatchString(shown) {
					t.Errorf("GitHub makes something of the %s: %q", place, shown)
				}
				if got := strings.Join(strings.Fields(strings.ReplaceAll(shown, "\u2060", "")), " "); got != want {
					t.Errorf("the %s is shown as %q, want %q", place, got, want)
				}
			}
		})
	}
}

// TestWhatHasNoRoomIsCounted has more than GitHub takes of one thing after the
// other.
func TestWhatHasNoRoomIsCounted(t *testing.T) {
	steps := func(n int, name, detail string, status expect.Status) document.Document {
		d := called("web")
		d.Report.Runs[0].Steps = nil
		for i := range n {
			d.Report.Runs[0].Steps = append(d.Report.Runs[0].Steps, report.Step{Name: fmt.Sprintf("%s%d", name, i), Verb: "expect", Status: status, Detail: detail})
		}
		return d
	}
	for what, test := range map[string]struct {
		d    document.Document
		says *regexp.Regexp
	}{
		"rows":              {steps(2000, strings.Repeat("x", 100), "", expect.Pass), regexp.MustCompile(`(?m)^and \d+ more rows$`)},
		"failures":          {steps(100, "x", strings.Repeat("y", 5000), expect.Fail), regexp.MustCompile("`lab report --format text` shows \\d+ things more that did not pass")},
		"a failure":         {steps(1, "x", strings.Repeat("y", 50000), expect.Fail), regexp.MustCompile("(?m)^" + strings.Repeat("y", 6000) + "\n…$")},
		"one of wide words": {steps(1, "x", "y"+strings.Repeat("東", 50000), expect.Fail), regexp.MustCompile(`(?m)^y東+\n…$`)},
		"names":             {steps(1, strings.Repeat("x", 1000), "", expect.Pass), regexp.MustCompile(`(?m)^\| x{199}… \|`)},
	} {
		t.Run(what, func(t *testing.T) {
			got := markdownOf(t, test.d)
			if !test.says.MatchString(got) {
				t.Errorf("%s is not in %d bytes: …%s", test.says, len(got), got[max(0, len(got)-500):])
			}
			if len([]rune(got)) > 65536 || !utf8.ValidString(got) {
				t.Errorf("%d characters, more than GitHub takes, or not all of them whole", len([]rune(got)))
			}
			if strings.Count(got, "<details>") != strings.Count(got, "</details>") {
				t.Error("a fold does not end")
			}
		})
	}
}

func TestMarksOfStatuses(t *testing.T) {
	for status, want := range map[expect.Status]string{expect.Pass: "✅", expect.Fail: "❌", expect.Error: "⚠️", expect.Skip: "➖", expect.Pending: "…", 99: "⚠️"} {
		if got := mark(status); got != want {
			t.Errorf("%v: %s, want %s", status, got, want)
		}
	}
}
