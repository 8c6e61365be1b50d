package compare

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kind-lab/lab/labs/expect"
	"github.com/kind-lab/lab/labs/report"
	"github.com/kind-lab/lab/labs/report/document"
	"github.com/kind-lab/lab/labs/report/internal/reporttest"
	"github.com/kind-lab/lab/labs/report/layout"
)

// changed is the job-sidecar as a later run found it: another verdict, and a
// gap on one cluster, and one cluster that could not be used.
func changed() document.Document {
	d := jobSidecar("20250305-100000-bbbbbb")
	last := &d.Report.Runs[7]
	last.Steps[2] = verdict("the Job completes", "false", expect.Fail)
	last.Status = expect.Fail
	d.Pictures[7].Pods[0].Containers[0].Runs = append(d.Pictures[7].Pods[0].Containers[0].Runs, document.RunPicture{StartedAt: runtimeAt(49)})
	d.Pictures[6].Gaps = []document.GapPicture{{From: 3, To: 4.5, Source: "runtime", Reason: "the stream ended", Lost: -1}}
	d.Report.Clusters[0].Error = "creating cluster v127: no room\nthe rest"
	for _, i := range []int{0, 4} {
		d.Report.Runs[i].StartedAt = d.Report.Runs[i].StartedAt.Add(0)
		d.Report.Runs[i] = report.ScenarioRun{Scenario: d.Report.Runs[i].Scenario, Cluster: "v127", Status: expect.Error}
	}
	return d
}

func TestWritten(t *testing.T) {
	for name, docs := range map[string][]document.Document{
		"three-sidecars": {threeSidecars("20250304-100000-aaaaaa")},
		"job-sidecar":    {jobSidecar("20250304-100000-aaaaaa")},
		"two-runs":       {jobSidecar("20250304-100000-aaaaaa"), changed()},
	} {
		t.Run(name, func(t *testing.T) {
			c := Compare(docs, Options{})
			var text, ascii, markdown bytes.Buffer
			err := errors.Join(WriteText(&text, c, layout.Style{Width: 110}), WriteMarkdown(&markdown, c),
				WriteText(&ascii, c, layout.Style{Width: 70, ASCII: true, Color: true}))
			data, jsonErr := json.MarshalIndent(c, "", "  ")
			if err = errors.Join(err, jsonErr); err != nil {
				t.Fatal(err)
			}
			reporttest.Golden(t, name+".txt", text.Bytes())
			reporttest.Golden(t, name+"-ascii.txt", ascii.Bytes())
			reporttest.Golden(t, name+".md", markdown.Bytes())
			reporttest.Golden(t, name+".json", append(data, '\n'))
		})
	}
}

// texts are a comparison's differences of a kind, "group | group".
func textsOf(c Comparison, kind Kind) []string {
	var out []string
	for _, p := range c.Parts {
		for _, d := range p.Differences {
			if d.Kind != kind {
				continue
			}
			var groups []string
			for _, g := range d.Groups {
				groups = append(groups, strings.Join(g.Sides, ",")+": "+g.Text)
			}
			out = append(out, strings.Join(groups, " | "))
		}
	}
	return out
}

// twoSides compares two pictures on clusters of other versions.
func twoSides(a, b document.Picture) Comparison {
	d := sampleRun("r")
	add(&d, "s", cluster("a", "1.28.1"), a)
	add(&d, "s", cluster("b", "1.29.1"), b)
	return Compare([]document.Document{d}, Options{})
}

func TestOrder(t *testing.T) {
	for name, c := range map[string]struct {
		a, b document.Picture
		want []string
	}{
		"one after another and together": {stopping(runtimeAt, 15.06, 15.01, 15.12), stopping(runtimeAt, 25.3, 20.2, 15.1), []string{
			"a: main → a, b, c together (within 0.11 s) | b: one after another: main → c → b → a (sidecars in the reverse order of their starts)"}},
		"close ends in another order": {stopping(runtimeAt, 15.06, 15.01, 15.12), stopping(runtimeAt, 15.01, 15.12, 15.06), nil},
		"about a second apart":        {stopping(runtimeAt, 15, 15.95, 16.9), stopping(runtimeAt, 15, 16.05, 17.1), nil},
		"opposite, a second apart": {stopping(runtimeAt, 15, 17, 19), stopping(runtimeAt, 19, 17, 15), []string{
			"a: one after another: main → a → b → c | b: one after another: main → c → b → a (sidecars in the reverse order of their starts)"}},
		"the API's seconds do not tell": {stopping(apiAt, 15, 15.5, 15.9), stopping(apiAt, 15.9, 15.5, 15), nil},
		"the API's seconds tell": {stopping(apiAt, 15, 15.5, 15), stopping(apiAt, 25, 20, 15), []string{
			"a: main → a, b, c in unknown order | b: one after another: main → c → b → a"}},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, textsOf(twoSides(c.a, c.b), KindEnds)); diff != "" {
				t.Errorf("ends (-want +got):\n%s", diff)
			}
		})
	}
}

func TestStartsFollowThePrecision(t *testing.T) {
	with := func(at func(float64) *document.Instant, first, second float64) document.Picture {
		return document.Picture{Pods: []document.PodPicture{{Title: "p", Containers: []document.ContainerPicture{ran("x", "main", at, first, -1, 0), ran("y", "main", at, second, -1, 0)}}}}
	}
	if got := textsOf(twoSides(with(runtimeAt, 1, 1.001), with(runtimeAt, 1.001, 1)), KindStarts); len(got) != 1 || got[0] != "a: x → y | b: y → x" {
		t.Errorf("a millisecond apart by the runtime: %q", got)
	}
	if got := textsOf(twoSides(with(apiAt, 1, 1.5), with(apiAt, 1.5, 1)), KindStarts); got != nil {
		t.Errorf("less than a second apart by the API: %q", got)
	}
	if got := textsOf(twoSides(with(apiAt, 1, 1), with(runtimeAt, 1.5, 1)), KindStarts); got != nil {
		t.Errorf("no order on one side: %q", got)
	}
}

func TestLengths(t *testing.T) {
	for name, c := range map[string]struct {
		a, b length
		same bool
	}{
		"a little":                       {length{10, 0}, length{10.9, 0}, true},
		"long, and by less than a fifth": {length{100, 0}, length{119, 0}, true},
		"short, by a second":             {length{0.1, 0}, length{1, 0}, true},
		"more":                           {length{5, 0}, length{15, 0}, false},
		"as far as sources may be off":   {length{5, 2}, length{7, 1}, true},
	} {
		if got := c.a.same(c.b); got != c.same || c.b.same(c.a) != got {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestRunsAreMatched(t *testing.T) {
	one := func(id, name, version string) document.Document {
		d := sampleRun(id)
		add(&d, "s", cluster(name, version), stopping(runtimeAt, 15, 15, 15))
		return d
	}
	titles := func(docs ...document.Document) []string {
		c := Compare(docs, Options{})
		out := c.Notes
		for _, p := range c.Parts {
			names := ""
			for _, s := range p.Sides {
				names += " " + s.Name
			}
			out = append(out, p.Cluster+":"+names)
		}
		return out
	}
	for name, c := range map[string]struct{ got, want []string }{
		"by name":          {titles(one("r1", "x", "1.28.1"), one("r2", "x", "1.29.1")), []string{"x: r1 r2"}},
		"by version":       {titles(one("r1", "x", "1.28.1"), one("r2", "y", "1.28.1")), []string{"x: r1 r2"}},
		"all with all":     {titles(one("r1", "x", "1.28.1"), one("r2", "y", "1.29.1")), []string{": r1/x r2/y"}},
		"of one run alone": {titles(threeSidecars("r1"), sampleRun("r2")), []string{"three on v128_on is in r1 alone.", "three on v129 is in r1 alone."}},
		"one run twice":    {titles(one("r1", "x", "1.28.1"), one("r1", "x", "1.28.1")), []string{"x: r1 r1 (2)"}},
		"nothing to match": {titles(one("r1", "x", "1.28.1")), nil},
	} {
		if diff := cmp.Diff(c.want, c.got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestKeep(t *testing.T) {
	c := Compare([]document.Document{jobSidecar("r")}, Options{Keep: func(scenario, cluster string) bool { return scenario == "classic" && cluster != "v129" }})
	if len(c.Parts) != 1 || len(c.Parts[0].Sides) != 3 || c.Differ() {
		t.Errorf("got %+v", c.Parts)
	}
}

func TestMerge(t *testing.T) {
	a, b := threeSidecars("r1"), threeSidecars("r2")
	if diff := cmp.Diff(a, Merge([]document.Document{a})); diff != "" {
		t.Errorf("one alone is changed:\n%s", diff)
	}
	b.Report.Status, b.Report.Errors = expect.Fail, []string{"left"}
	a.Sources = []document.SourceFile{{Name: "scenario.hcl", Text: "x"}}
	m := Merge([]document.Document{a, b})
	var names []string
	for i, p := range m.Pictures {
		names = append(names, m.Report.Runs[i].Cluster, p.Cluster)
	}
	if got := strings.Join(names, " "); got != "r1/v128_on r1/v128_on r1/v129 r1/v129 r2/v128_on r2/v128_on r2/v129 r2/v129" {
		t.Errorf("clusters: %s", got)
	}
	if m.Report.Status != expect.Fail || len(m.Sources) != 0 || len(m.Report.Errors) != 1 || m.Report.Errors[0] != "r2: left" || m.Report.ID != "r1, r2" {
		t.Errorf("got %+v", m.Report)
	}
	if a.Report.Runs[0].Cluster != "v128_on" {
		t.Error("the document that was given is changed")
	}
}

func TestHostileTextIsOnlyText(t *testing.T) {
	d := sampleRun("r")
	hostile := "<script>alert(1)</script> | [x](https://evil.example) @someone #12 :tada: \x1b[2J `code` *bold*\nnext www.evil.example"
	add(&d, "s", cluster("a", "1.28.1"), document.Picture{}, verdict(hostile, "true", expect.Pass))
	add(&d, "s", cluster("b", "1.29.1"), document.Picture{}, verdict(hostile, "false", expect.Pass))
	c := Compare([]document.Document{d}, Options{})
	var markdown, text bytes.Buffer
	if err := errors.Join(WriteMarkdown(&markdown, c), WriteText(&text, c, layout.Style{})); err != nil {
		t.Fatal(err)
	}
	want := "| &#60;script&#62;alert(1)&#60;/script&#62; \\| \\[x\\](https&#58;//evil.example) &#64;someone &#35;12 &#58;tada:  \\`code\\` \\*bold\\* next www&#46;evil.example | ✅ true | ✅ false |"
	if !strings.Contains(markdown.String(), want) {
		t.Errorf("got\n%s\nwant\n%s", &markdown, want)
	}
	if strings.ContainsAny(text.String(), "\x1b") {
		t.Errorf("a control sequence: %q", &text)
	}
}
