package plan

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/kind-lab/lab/clusters"
)

// anyPlan is a plan of any clusters and runs.
func anyPlan(seed uint64) *Plan {
	r := rand.New(rand.NewPCG(seed, 3))
	p := &Plan{File: "scenario.hcl"}
	for i := range r.IntN(6) {
		c := Cluster{Name: fmt.Sprintf("c%d", i), Capabilities: clusters.Capabilities{UsesSlot: r.IntN(4) > 0}}
		if c.Capabilities.UsesSlot { // the others boot elsewhere, and need no image
			c.Image = Image{Ref: fmt.Sprintf("image-%d", r.IntN(3)), Estimate: time.Duration(r.IntN(400)) * time.Second}
			c.Spec.Workers = r.IntN(3)
		}
		p.Clusters = append(p.Clusters, c)
		for s := range r.IntN(4) {
			steps := []Step{{Verb: "apply", Timeout: time.Duration(r.IntN(60)) * time.Second}, {Verb: "expect", Within: time.Duration(r.IntN(90)) * time.Second, Hold: time.Duration(r.IntN(9)) * time.Second}, {Verb: "sleep", Duration: time.Duration(r.IntN(5)) * time.Second}}
			p.Runs = append(p.Runs, ScenarioRun{Scenario: fmt.Sprintf("s%d", s), Cluster: c.Name, Steps: steps[:r.IntN(4)]})
		}
	}
	return p
}

// TestEstimatesAddUp holds of any plan that no cluster is gone before its own parts
// are over, that the least is not more than the most, and that the whole is that of
// the last cluster.
func TestEstimatesAddUp(t *testing.T) {
	for seed := range uint64(300) {
		p := anyPlan(seed)
		for _, b := range []Bounds{{}, {Creates: 1, Clusters: 1}, {Creates: 2}, {Creates: 9, Clusters: 2}} {
			e := p.Estimate(b)
			if len(e.Paths) != len(p.Clusters) {
				t.Fatalf("plan %d: %d paths of %d clusters", seed, len(e.Paths), len(p.Clusters))
			}
			var last Span
			for _, path := range e.Paths {
				own := path.Boot + path.Runs.Least + destroy
				if path.Wait < 0 || path.Total.Least < own || path.Total.Least > path.Total.Most || path.Runs.Least > path.Runs.Most {
					t.Errorf("plan %d, %+v: %+v", seed, b, path)
				}
				last = Span{max(last.Least, path.Total.Least), max(last.Most, path.Total.Most)}
			}
			if e.Total != last {
				t.Errorf("plan %d, %+v: in all %v, and the last is %v", seed, b, e.Total, last)
			}
		}
	}
}

// TestImagesAreNotCountedTwice holds that clusters of one image wait for it
// together.
func TestImagesAreNotCountedTwice(t *testing.T) {
	for seed := range uint64(300) {
		seen := map[string]time.Duration{}
		p := anyPlan(seed)
		for i, path := range p.Estimate(Bounds{Creates: 3}).Paths {
			ref := p.Clusters[i].Image.Ref
			if _, again := seen[ref]; again && path.Image != 0 {
				t.Errorf("plan %d: %s is had twice", seed, ref)
			}
			seen[ref] = path.Image
		}
	}
}

// TestOneAtATimeIsTheSlowest holds that clusters one after the other take no less
// than all at once, and exactly as long as they take alone, less shared images.
func TestOneAtATimeIsTheSlowest(t *testing.T) {
	for seed := range uint64(300) {
		p := anyPlan(seed)
		one, all := p.Estimate(Bounds{Creates: 1, Clusters: 1}), p.Estimate(Bounds{Creates: 99})
		if one.Total.Least < all.Total.Least || one.Total.Most < all.Total.Most {
			t.Errorf("plan %d: %v one at a time, %v all at once", seed, one.Total, all.Total)
		}
		var sum Span
		for _, path := range one.Paths {
			took := path.Image + path.Boot + destroy
			sum = sum.plus(path.Runs).plus(Span{took, took})
		}
		if one.Total != sum {
			t.Errorf("plan %d: %v one at a time, and %v in sum", seed, one.Total, sum)
		}
	}
}

func TestSpansAsText(t *testing.T) {
	for want, s := range map[string]Span{
		"0s": {}, "5s": {5 * time.Second, 5 * time.Second}, "5s to 3m5s": {5 * time.Second, 185 * time.Second},
		"1m": {60*time.Second - 400*time.Millisecond, time.Minute}, "1m to 1h": {time.Minute, time.Hour}, "2h to 2h0m5s": {2 * time.Hour, 2*time.Hour + 5*time.Second},
	} {
		if got := s.String(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// TestAPlanOfNothingIsWritten holds that a plan without clusters or runs is one.
func TestAPlanOfNothingIsWritten(t *testing.T) {
	var b strings.Builder
	p := &Plan{File: "scenario.hcl", Skipped: []Skipped{{Name: "c", Reason: "there is no such version"}}}
	if err := p.WriteText(&b); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"scenario.hcl: 0 runs on 0 clusters", "c: left out: there is no such version"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%q is not in\n%s", want, &b)
		}
	}
	if e := p.Estimate(Bounds{}); e.Total != (Span{}) || len(e.Paths) > 0 {
		t.Errorf("it takes %+v", e)
	}
}
