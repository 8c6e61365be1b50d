package mutate

import (
	"slices"
	"testing"
	"time"

	"github.com/kind-lab/lab/collectors"
)

// TestEachRule breaks every rule in a copy of a small journal that breaks none.
func TestEachRule(t *testing.T) {
	tests := []struct {
		rule  string
		apply func(d *draft, job, bare *pod)
	}{
		{"end before start", func(d *draft, job, _ *pod) { d.move(job.container("app").runs[0].exit, -9*time.Second, time.Time{}) }},
		{"line outside its run", func(d *draft, job, _ *pod) {
			d.move(job.container("app").runs[0].lines[0], -2*time.Second, time.Time{})
		}},
		{"runs overlap", func(d *draft, _, bare *pod) { d.move(bare.container("crash").runs[0].exit, 2*time.Second, time.Time{}) }},
		{"before its pod", func(d *draft, job, _ *pod) { d.slide(job, job.container("proxy"), 0, false, -2*time.Second) }},
		{"init order", func(d *draft, job, _ *pod) { d.slide(job, job.container("proxy"), 0, false, 3*time.Second) }},
		{"sidecar not restarted", func(d *draft, job, _ *pod) { d.slide(job, job.container("proxy"), 0, true, -10*time.Second) }},
		{"ready without running", func(d *draft, job, _ *pod) {
			d.eachPod(job, func(now *collectors.Pod) { now.Containers[1].Ready = true })
		}},
		{"phase against containers", func(d *draft, job, _ *pod) { d.setPhase(job, succeeded, failed) }},
		{"phase went back", func(d *draft, _, bare *pod) { d.setPhase(bare, running, pending, 3) }},
		{"gone before its end", func(d *draft, job, _ *pod) {
			r := d.h.records[job.records[0]]
			r.Type, r.Pod, r.Time = collectors.TypePodGone, nil, at(12)
			d.add(r, at(12))
		}},
		{"Job against its pods", func(d *draft, job, _ *pod) { d.setExit(job, job.container("app"), 0, 0, completed); d.failJob() }},
		{"cause after effect", func(d *draft, job, _ *pod) {
			e := &d.entries[job.container("app").runs[0].exit]
			e.arrival = e.arrival.Add(-2 * time.Second)
			e.record.Received = e.arrival
		}},
	}
	tried := map[string]bool{}
	for _, tt := range tests {
		t.Run(tt.rule, func(t *testing.T) {
			tried[tt.rule] = true
			h := newPlace().history
			d := newDraft(h)
			tt.apply(d, h.pods[0], h.pods[1])
			rule := ruleOf(t, tt.rule)
			if found := rule.broken(h); len(found) > 0 {
				t.Errorf("the journal breaks it: %q", found)
			}
			if found := rule.broken(newHistory(begin, d.records())); len(found) == 0 {
				t.Error("the copy does not break it")
			}
		})
	}
	for _, r := range Rules() {
		if !tried[r.Name] {
			t.Errorf("no test of the rule %q", r.Name)
		}
	}
}

// setPhase gives states of a pod, those with these numbers or all, another phase.
func (d *draft) setPhase(p *pod, from, to string, only ...int) {
	for n, i := range p.records {
		if now := *d.entries[i].record.Pod; now.Phase == from && (len(only) == 0 || slices.Contains(only, n)) {
			now.Phase = to
			d.entries[i].record.Pod = &now
		}
	}
}

// failJob lets the Job fail although its pod succeeded.
func (d *draft) failJob() {
	for i := range d.h.records {
		if r := &d.entries[i].record; r.Job != nil && r.Job.Conditions[complete] == "True" {
			now := *r.Job
			now.Conditions = map[string]string{jobFailed: "True"}
			r.Job = &now
		}
	}
}

func ruleOf(t *testing.T, name string) Rule {
	t.Helper()
	for _, r := range Rules() {
		if r.Name == name {
			return r
		}
	}
	t.Fatalf("no rule %q", name)
	return Rule{}
}
