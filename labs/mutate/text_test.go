package mutate

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kind-lab/lab/labs/expect"
	"github.com/kind-lab/lab/labs/report/layout"
)

// expectation is one that is decided on v129.
func expectation(name string, by, errorBy *Mutant) Expectation {
	e := Expectation{Name: name, Verb: "expect", File: "labs/x/scenario.hcl", Line: 7, Decided: []string{"v129"}, By: by, ErrorBy: errorBy, Survived: by == nil}
	if by != nil {
		e.Failed = 1
	}
	if errorBy != nil {
		e.Errors = 2
	}
	if e.Survived {
		e.Hint = "a hint for " + name
	}
	return e
}

// sampleResult has an expectation of each kind.
func sampleResult() Result {
	m := &Mutant{Kind: "exit-code", Cluster: "v129", Change: "main exits 1 and not 0"}
	undecided := expectation("undecided", nil, nil)
	undecided.Decided, undecided.Survived = []string{}, false
	return Result{Version: Version, Candidates: 90, Made: 20, Dropped: 5, Noticed: 3,
		Rules: []Rule{{Name: "order", Why: "A container starts before it ends."}, {Name: "unused", Why: "Nothing was dropped by it."}},
		Scenarios: []Scenario{{Name: "native", Clusters: []string{"v128", "v129"},
			Kinds: []KindCount{{Kind: "exit-code", Candidates: 30, Made: 20, Noticed: 3, Dropped: map[string]int{"order": 4, "a-rule": 1}},
				{Kind: "oom", Candidates: 0}, {Kind: "signal", Candidates: 60}},
			Expectations: []Expectation{expectation("broken", m, nil), expectation("survivor", nil, nil), expectation("weak", nil, m), undecided},
			Unnoticed:    []Mutant{*m},
		}}}
}

// plainText is a result as text, in lines of words.
func plainText(t *testing.T, r Result) string {
	t.Helper()
	var b bytes.Buffer
	if err := WriteText(&b, r, layout.Style{Width: 300, ASCII: true}); err != nil {
		t.Fatal(err)
	}
	var lines []string
	for line := range strings.Lines(b.String()) {
		lines = append(lines, strings.Join(strings.Fields(line), " "))
	}
	return strings.Join(lines, "\n")
}

func TestAResultAsText(t *testing.T) {
	got := plainText(t, sampleResult())
	for _, want := range []string{
		"Scenario native on v128, v129", "exit-code 30 20 5 3 a-rule 1, order 4", "Nothing to change for: oom.",
		"Not made, because --max limits their number: signal.", "x expect survivor scenario.hcl:7 a hint for survivor",
		"x expect weak scenario.hcl:7 2, the first on v129: main exits 1 and not 0", "exit-code v129 main exits 1 and not 0",
		"order 4 A container starts before it ends.", "1 of 3 expectations were broken by a change; 2 passed after all of them; 1 of these became an Error.",
		"20 of 90 possible changes were made: 5 were dropped by a rule, 3 were noticed, 12 were not.",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in\n%s", want, got)
		}
	}
	for _, not := range []string{"expect broken", "expect undecided", "a hint for weak", "Nothing was dropped by it."} {
		if strings.Contains(got, not) {
			t.Errorf("%q is in\n%s", not, got)
		}
	}
}

// TestWhatIsNotThereIsNotTold holds that a part of a result that is empty has no
// heading.
func TestWhatIsNotThereIsNotTold(t *testing.T) {
	headings := map[string]func(*Scenario){
		"NO CHANGE COULD BREAK": func(s *Scenario) {
			s.Expectations = slices.DeleteFunc(s.Expectations, func(e Expectation) bool { return e.Name == "survivor" })
		},
		"NEVER FAILS": func(s *Scenario) {
			s.Expectations = slices.DeleteFunc(s.Expectations, func(e Expectation) bool { return e.Name == "weak" })
		},
		"NOTHING NOTICED":    func(s *Scenario) { s.Unnoticed = nil },
		"Nothing to change":  func(s *Scenario) { s.Kinds = s.Kinds[:1] },
		"Not made, because":  func(s *Scenario) { s.Kinds = s.Kinds[:2] },
		"DROPPED BY THE":     func(s *Scenario) { s.Kinds = s.Kinds[1:] },
		"WHAT KUBERNETES":    func(s *Scenario) { s.Kinds[0].Dropped = nil },
		"became an Error":    func(s *Scenario) { s.Expectations = s.Expectations[:2] },
		"passed after all o": func(s *Scenario) { s.Expectations = s.Expectations[:1] },
	}
	for heading, without := range headings {
		r := sampleResult()
		if !strings.Contains(plainText(t, r), heading) {
			t.Errorf("%q is never printed", heading)
		}
		without(&r.Scenarios[0])
		if got := plainText(t, r); strings.Contains(got, heading) {
			t.Errorf("%q is printed for nothing:\n%s", heading, got)
		}
	}
}

func TestManyUnnoticedChangesAreSampled(t *testing.T) {
	r := sampleResult()
	r.Scenarios[0].Unnoticed = nil
	for i := range 40 {
		r.Scenarios[0].Unnoticed = append(r.Scenarios[0].Unnoticed, Mutant{Kind: "oom", Cluster: "v129", Change: fmt.Sprintf("change %d.", i)})
	}
	got := plainText(t, r)
	if n := strings.Count(got, "oom v129 change"); n != shownUnnoticed || !strings.Contains(got, fmt.Sprintf("and %d more, which --json prints", 40-shownUnnoticed)) {
		t.Errorf("%d are shown:\n%s", n, got)
	}
}

// TestSamplesAreOfAllKinds holds that the kinds take turns, and that the order
// stays as it was.
func TestSamplesAreOfAllKinds(t *testing.T) {
	var all []Mutant
	for i := range 9 {
		all = append(all, Mutant{Kind: "a", Change: fmt.Sprint("a", i)})
	}
	for _, name := range []string{"b0", "b1", "c0"} {
		all = append(all, Mutant{Kind: name[:1], Change: name})
	}
	for most, want := range map[int]string{0: "", 1: "a0", 3: "a0 b0 c0", 5: "a0 a1 b0 b1 c0", 7: "a0 a1 a2 a3 b0 b1 c0", 99: "a0 a1 a2 a3 a4 a5 a6 a7 a8 b0 b1 c0"} {
		var got []string
		for _, m := range spreadOut(all, most) {
			got = append(got, m.Change)
		}
		if text := strings.Join(got, " "); text != want {
			t.Errorf("%d: %q, want %q", most, text, want)
		}
	}
}

func TestSurvivorsAreByScenario(t *testing.T) {
	r := sampleResult()
	r.Scenarios = append(r.Scenarios, Scenario{Name: "classic", Expectations: []Expectation{expectation("broken", &Mutant{}, nil)}})
	got := map[string][]string{}
	for scenario, all := range r.Survivors() {
		for _, e := range all {
			got[scenario] = append(got[scenario], e.Name)
		}
	}
	if diff := cmp.Diff(map[string][]string{"native": {"survivor", "weak"}}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestWhatBreaksAnExpectation goes over all pairs of verdicts: only what passes and
// fails breaks.
func TestWhatBreaksAnExpectation(t *testing.T) {
	for was := expect.Pending; was <= expect.Error; was++ {
		for now := expect.Pending; now <= expect.Error; now++ {
			want := now == expect.Fail && was != expect.Fail || was == expect.Fail && now == expect.Pass
			if got := breaks(was, now); got != want {
				t.Errorf("%s to %s: %t", was, now, got)
			}
		}
		if breaks(was, expect.Error) || breaks(was, was) {
			t.Errorf("%s is broken by an error or by itself", was)
		}
	}
}

// hinted are the words by which a hint is known.
var hinted = map[string]string{"cluster": "depends only on the cluster", "ways": "in several ways", "bound": "far from the observed", "not": "what does not happen", "object": "no change affects", "none": "No change to what it reads"}

func TestHints(t *testing.T) {
	for condition, want := range map[string]string{
		`target.minor >= 29`:                         "cluster",
		`var.native && pod.web.phase == "Running"`:   "cluster",
		`matrix.image != ""`:                         "cluster",
		`pod.web.ready == "1/1" || job.x.complete`:   "ways",
		`anytrue([pod.web.gone])`:                    "ways",
		`try(pod.web.ip, "") == ""`:                  "ways",
		`pod.web.container["m"].restarts < 3`:        "bound",
		`pod.web.finished_at - 3 >= 2`:               "bound",
		`pod.web.phase != "Failed"`:                  "not",
		`!job.x.complete`:                            "not",
		`object("ConfigMap/x").data.a == "b"`:        "object",
		`job.x.complete`:                             "none",
		``:                                           "none",
		`mytarget == 1`:                              "none",
		`length({ for k, v in pods : k => v }) == 2`: "none",
		`length({ for k, v in pods : k => v }) > 2`:  "bound",
	} {
		if got := hintFor(condition); !strings.Contains(got, hinted[want]) {
			t.Errorf("%s: %q, want the hint %q", condition, got, want)
		}
	}
}
