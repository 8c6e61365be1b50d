package compare

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/kind-lab/lab/labs/expect"
	"github.com/kind-lab/lab/labs/report/document"
	"github.com/kind-lab/lab/labs/report/internal/reporttest"
	"github.com/kind-lab/lab/labs/report/layout"
)

// compared are documents of whose comparisons the properties hold.
func compared(id string) map[string]document.Document {
	docs := map[string]document.Document{
		"three sidecars": threeSidecars(id), "a Job": jobSidecar(id), "with troubles": changed(),
		"all kinds": reporttest.Document(), "nothing": {},
	}
	for seed := range uint64(60) {
		docs[fmt.Sprintf("random %d", seed)] = randomDocument(seed)
	}
	for name, d := range docs {
		d.Report.ID = id
		docs[name] = d
	}
	return docs
}

// randomDocument is a run of one scenario on three clusters whose pods have
// anything that pods can have.
func randomDocument(seed uint64) document.Document {
	r := rand.New(rand.NewPCG(seed, 1))
	d := sampleRun("random")
	for i := range 3 {
		picture := document.Picture{Seconds: 40}
		for p := range 1 + r.IntN(2) {
			picture.Pods = append(picture.Pods, randomPod(r, fmt.Sprintf("pod-%d", p)))
		}
		if r.IntN(3) > 0 {
			job := document.ObjectPicture{Kind: "Job", Name: "job"}
			job.Conditions = append(job.Conditions, document.ConditionChange{Instant: *apiAt(3), Type: "Complete", Status: []string{"True", "False", ""}[r.IntN(3)]})
			picture.Objects = append(picture.Objects, job)
		}
		status := expect.Status(r.IntN(5))
		add(&d, "random", cluster(fmt.Sprintf("c%d", i), fmt.Sprintf("1.%d.1", 28+i)), picture,
			verdict("it holds", []string{"true", "false"}[r.IntN(2)], status))
	}
	return d
}

func randomPod(r *rand.Rand, title string) document.PodPicture {
	at := []func(float64) *document.Instant{runtimeAt, apiAt}[r.IntN(2)]
	p := document.PodPicture{Name: title, Title: title, QOS: []string{"", "Burstable", "Guaranteed"}[r.IntN(3)]}
	p.Statuses = statuses([]string{"Pending", "Running", "Completed"}[:r.IntN(4)]...)
	for i := range r.IntN(4) {
		c := document.ContainerPicture{Name: string(rune('a' + i)), Kind: []string{"", "init", "sidecar", "main"}[r.IntN(4)]}
		begin := 10 * r.Float64()
		for range r.IntN(3) {
			end := begin + 10*r.Float64()
			run := ran(c.Name, c.Kind, at, begin, end, r.IntN(3)*68).Runs[0]
			if r.IntN(5) == 0 {
				run.StartedAt = nil
			}
			if r.IntN(5) == 0 {
				run.FinishedAt, run.Exited = nil, false
			}
			c.Runs, begin = append(c.Runs, run), end+r.Float64()
		}
		p.Containers = append(p.Containers, c)
	}
	return p
}

func TestARunDoesNotDifferFromItself(t *testing.T) {
	for name, d := range compared("r1") {
		t.Run(name, func(t *testing.T) {
			again := d
			again.Report.ID = "r2"
			c := Compare([]document.Document{d, again}, Options{})
			if c.Differ() || len(c.Notes) > 0 {
				t.Errorf("got %+v, %q", c.Parts, c.Notes)
			}
			if len(c.Parts) != len(d.Report.Runs) {
				t.Errorf("%d parts for %d runs", len(c.Parts), len(d.Report.Runs))
			}
			for _, p := range c.Parts {
				if len(p.Alike) > 0 || len(p.Sides) != 2 || p.Compared != 2 && len(p.Notes) == 0 {
					t.Errorf("%s on %s: %+v", p.Scenario, p.Cluster, p)
				}
			}
		})
	}
}

// canonical are the differences of a comparison without the order in which the
// runs were given.
func canonical(c Comparison) []string {
	var out []string
	for _, p := range c.Parts {
		for _, d := range p.Differences {
			var groups []string
			for _, g := range d.Groups {
				sides := slices.Sorted(slices.Values(g.Sides))
				groups = append(groups, fmt.Sprintf("%s: %s %v", strings.Join(sides, ","), g.Text, g.Status))
			}
			slices.Sort(groups)
			out = append(out, fmt.Sprintf("%s on %s: %s %s: %s", p.Scenario, p.Cluster, d.Kind, d.Subject, strings.Join(groups, " | ")))
		}
	}
	slices.Sort(out)
	return out
}

func TestToCompareTheOtherWayRoundIsTheSame(t *testing.T) {
	all := compared("r1")
	pairs := [][2]string{{"a Job", "with troubles"}, {"a Job", "three sidecars"}}
	for seed := range 59 {
		pairs = append(pairs, [2]string{fmt.Sprintf("random %d", seed), fmt.Sprintf("random %d", seed+1)})
	}
	differ := 0
	for _, pair := range pairs {
		a, b := all[pair[0]], all[pair[1]]
		b.Report.ID = "r2"
		there, back := Compare([]document.Document{a, b}, Options{}), Compare([]document.Document{b, a}, Options{})
		for _, c := range []Comparison{there, back} { // the pointers' addresses are not of interest
			for _, p := range c.Parts {
				for _, d := range p.Differences {
					for i, g := range d.Groups {
						if g.Status != nil {
							d.Groups[i].Text += " " + g.Status.String()
						}
						d.Groups[i].Status = nil
					}
				}
			}
		}
		if diff := gocmp.Diff(canonical(there), canonical(back)); diff != "" {
			t.Errorf("%s and %s (-there +back):\n%s", pair[0], pair[1], diff)
		}
		if there.Differ() {
			differ++
		}
	}
	if differ < 40 {
		t.Errorf("only %d of the pairs differ", differ)
	}
}

// TestGroupsAreDisjoint holds what Difference and Group promise.
func TestGroupsAreDisjoint(t *testing.T) {
	for name, d := range compared("r1") {
		for _, p := range Compare([]document.Document{d}, Options{}).Parts {
			for _, difference := range p.Differences {
				seen := map[string]bool{}
				if len(difference.Groups) < 2 || difference.Subject == "" || difference.Kind == "" {
					t.Errorf("%s: %+v is no difference", name, difference)
				}
				for _, g := range difference.Groups {
					if g.Text == "" || len(g.Sides) == 0 {
						t.Errorf("%s, %s: a group says nothing: %+v", name, difference.Title(), g)
					}
					if judged := difference.Kind == KindVerdict || difference.Kind == KindStep; judged != (g.Status != nil) {
						t.Errorf("%s, %s: status %v", name, difference.Title(), g.Status)
					}
					for _, s := range g.Sides {
						if seen[s] || !slices.ContainsFunc(p.Sides, func(o Side) bool { return o.Name == s }) {
							t.Errorf("%s, %s: side %s is there twice, or not of the part", name, difference.Title(), s)
						}
						seen[s] = true
					}
				}
			}
		}
	}
}

// TestKindsComeInTheirOrder holds that differences are in the order in which the
// kinds are listed.
func TestKindsComeInTheirOrder(t *testing.T) {
	listed := []Kind{KindVerdict, KindStep, KindPod, KindStatus, KindContainer, KindStarts, KindEnds, KindExit, KindRestarts, KindDuration, KindSpan, KindQOS, KindCondition}
	found := map[Kind]bool{}
	for name, d := range compared("r1") {
		for _, p := range Compare([]document.Document{d}, Options{}).Parts {
			if !slices.IsSortedFunc(p.Differences, func(a, b Difference) int {
				return cmp.Compare(slices.Index(listed, a.Kind), slices.Index(listed, b.Kind))
			}) {
				t.Errorf("%s: %+v", name, p.Differences)
			}
			for _, d := range p.Differences {
				found[d.Kind] = true
			}
		}
	}
	for _, k := range listed {
		if !found[k] {
			t.Errorf("no sample differs in %s", k)
		}
	}
}

// TestToKeepARunIsToHaveItAlone holds that Options.Keep is the same as a report
// that has no other runs.
func TestToKeepARunIsToHaveItAlone(t *testing.T) {
	keep := func(scenario, cluster string) bool {
		return scenario != "classic" && !strings.HasSuffix(cluster, "28") && cluster != "c1"
	}
	for name, d := range compared("r1") {
		alone := d
		alone.Report = d.Report.Only(keep)
		if diff := gocmp.Diff(Compare([]document.Document{alone}, Options{}), Compare([]document.Document{d}, Options{Keep: keep}), cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s (-alone +kept):\n%s", name, diff)
		}
	}
}

func TestTheJSONFormKeepsAComparison(t *testing.T) {
	for name, d := range compared("r1") {
		want := Compare([]document.Document{d}, Options{})
		data, err := json.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		var got Comparison
		if err := json.Unmarshal(data, &got); err != nil {
			t.Fatal(err)
		}
		if diff := gocmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		for _, list := range []string{"runs", "parts", "differences", "groups", "sides"} {
			if bytes.Contains(data, []byte(`"`+list+`":null`)) {
				t.Errorf("%s: %s is null, and not a list", name, list)
			}
		}
	}
}

// TestBothFormsSayHowMuchDiffers holds that the closing line of both is the same
// and counts what is there.
func TestBothFormsSayHowMuchDiffers(t *testing.T) {
	for name, d := range compared("r1") {
		c := Compare([]document.Document{d}, Options{})
		var text, markdown bytes.Buffer
		if err := errors.Join(WriteText(&text, c, layout.Style{Width: 400}), WriteMarkdown(&markdown, c)); err != nil {
			t.Fatal(err)
		}
		summary := c.summary()
		if !strings.Contains(text.String(), summary) || !strings.Contains(markdown.String(), "**"+escaped(summary)+"**") {
			t.Errorf("%s: one of the forms lacks %q", name, summary)
		}
		n := 0
		for _, p := range c.Parts {
			n += len(p.Differences)
		}
		if got := strings.HasPrefix(summary, fmt.Sprintf("%d difference", n)); got != (n > 0) {
			t.Errorf("%s: %d differences, and it says %q", name, n, summary)
		}
	}
}
