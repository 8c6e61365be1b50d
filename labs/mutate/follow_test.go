package mutate

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/kind-lab/lab/collectors"
)

var (
	webPod  = collectors.Object{Kind: "Pod", Namespace: "ns", Name: "web", UID: "w1"}
	initKin = collectors.KindInit
)

// webWorld has a pod with an init container, a sidecar and a main container, which
// ends with 0 if done is true.
func webWorld(restarts policy, done bool) *history {
	s := &script{}
	s.pod(0.5, webPod, nil, restarts, waits("setup", initKin), waits("proxy", sidecar), waits("app", mainKind))
	s.add(0.6, collectors.Record{Source: collectors.SourceAPI, Type: collectors.TypeObject, Object: webPod,
		Content: &collectors.Content{APIVersion: "v1", JSON: json.RawMessage(`{"kind":"Pod","metadata":{"name":"web","uid":"w1"}}`)}})
	s.task(1, collectors.TypeTaskStart, webPod, "setup", "S", 0)
	s.pod(1.2, webPod, nil, restarts, up("setup", initKin, "S", 1), waits("proxy", sidecar), waits("app", mainKind))
	s.task(2, collectors.TypeTaskExit, webPod, "setup", "S", 0)
	setUp := ended("setup", initKin, "S", 1, 2, 0)
	s.pod(2.2, webPod, nil, restarts, setUp, waits("proxy", sidecar), waits("app", mainKind))
	s.task(2.5, collectors.TypeTaskStart, webPod, "proxy", "P", 0)
	s.task(3, collectors.TypeTaskStart, webPod, "app", "A", 0)
	s.pod(3.2, webPod, nil, restarts, setUp, up("proxy", sidecar, "P", 2), up("app", mainKind, "A", 3))
	s.line(4, webPod, "app", 0, "begins")
	s.step(5, "exec", "look", collectors.Step{ExitCode: new(int)})
	s.line(12, webPod, "app", 0, "works")
	if done {
		s.task(20, collectors.TypeTaskExit, webPod, "app", "A", 0)
		s.pod(20.2, webPod, nil, restarts, setUp, up("proxy", sidecar, "P", 2), ended("app", mainKind, "A", 3, 20, 0))
		s.task(21, collectors.TypeTaskExit, webPod, "proxy", "P", sigterm)
		s.pod(21.2, webPod, nil, restarts, setUp, ended("proxy", sidecar, "P", 2, 21, sigterm), ended("app", mainKind, "A", 3, 20, 0))
	}
	s.add(30, collectors.Record{Source: "future", Type: "asked"})
	for i := range s.records {
		s.records[i].Seq = uint64(i + 1)
	}
	h := newHistory(begin, s.records)
	h.know(known{policies: map[object]policy{{"Pod", "web"}: restarts}})
	return h
}

// after is the history after a change, which must break no rule.
func after(t *testing.T, h *history, change func(*draft)) *history {
	t.Helper()
	d := newDraft(h)
	change(d)
	changed := newHistory(begin, d.records())
	for _, r := range Rules() {
		if found := r.broken(changed); len(found) > 0 {
			t.Errorf("it breaks the rule %q: %q", r.Name, found)
		}
	}
	return changed
}

// fail lets the first run of a container end with 1.
func (d *draft) fail(p *pod, c *container) {
	(&place{history: d.h}).setCode(p, c, 0, 1, "").apply(d)
}

// following are ends of containers that come out otherwise, and what follows.
var following = []struct {
	name   string
	policy policy
	done   bool
	change func(d *draft, p *pod)
	want   map[string]string
}{
	{"an init container that fails ends a pod that restarts nothing", never, true, func(d *draft, p *pod) {
		d.fail(p, p.container("setup"))
	}, map[string]string{
		"web": "Failed Init:Error 0/2", "web/setup": "terminated ready=false restarts=0 [1.00-2.00 1 Error oom=false]",
		"web/proxy": "waiting ready=false restarts=0", "web/app": "waiting ready=false restarts=0",
	}},
	{"one that fails in another pod is tried again", always, false, func(d *draft, p *pod) {
		d.fail(p, p.container("setup"))
	}, map[string]string{
		"web": "Pending Init:0/2 0/2", "web/setup": "running ready=false restarts=1 [1.00-2.00 1 Error oom=false] [3.00]",
		"web/proxy": "waiting ready=false restarts=0", "web/app": "waiting ready=false restarts=0",
	}},
	{"a main container that fails is restarted if the policy says so", onFailure, true, func(d *draft, p *pod) {
		d.fail(p, p.container("app"))
	}, map[string]string{
		"web": "Running Running 2/2", "web/app": "running ready=true restarts=1 [3.00-20.00 1 Error oom=false] [21.00]",
		"web/proxy": "running ready=true restarts=0 [2.50]",
	}},
	{"a sidecar runs for as long as a main container", never, true, func(d *draft, p *pod) {
		d.cut(p, p.container("app"), 0, true)
		d.follow(p, p.container("app"), 0)
	}, map[string]string{
		"web": "Running Running 2/2", "web/app": "running ready=true restarts=0 [3.00]", "web/proxy": "running ready=true restarts=0 [2.50]",
	}},
	{"a sidecar ends after a main container that takes longer", never, true, func(d *draft, p *pod) {
		d.slide(p, p.container("app"), 0, true, 6*time.Second)
		d.followSidecars(p)
	}, map[string]string{
		"web": "Succeeded Completed 0/2", "web/app": "terminated ready=false restarts=0 [3.00-26.00 0 Completed oom=false]",
		"web/proxy": "terminated ready=false restarts=0 [2.50-26.30 143 Error oom=false]",
	}},
	{"a sidecar ends when the pod is over", never, false, func(d *draft, p *pod) {
		d.finish(p, p.container("app"), 0, at(15), 0)
		d.follow(p, p.container("app"), 0)
	}, map[string]string{
		"web": "Succeeded Completed 0/2", "web/app": "terminated ready=false restarts=0 [3.00-15.00 0 Completed oom=false]",
		"web/proxy": "terminated ready=false restarts=0 [2.50-15.30 137 Error oom=false]",
	}},
	{"a sidecar that ends before that is restarted", never, false, func(d *draft, p *pod) {
		d.finish(p, p.container("proxy"), 0, at(15), 1)
		d.follow(p, p.container("proxy"), 0)
	}, map[string]string{"web": "Running Running 2/2", "web/proxy": "running ready=true restarts=1 [2.50-15.00 1 Error oom=false] [16.00]"}},
}

// TestWhatFollows ends containers otherwise. What the kubelet does then follows, so
// that no rule is broken.
func TestWhatFollows(t *testing.T) {
	for _, tt := range following {
		t.Run(tt.name, func(t *testing.T) {
			h := webWorld(tt.policy, tt.done)
			got := story(after(t, h, func(d *draft) { tt.change(d, h.pods[0]) }))
			for key, want := range tt.want {
				if got[key] != want {
					t.Errorf("%s:\n got %s\nwant %s", key, got[key], want)
				}
			}
		})
	}
}

// TestAllStartAgain kills a pod's containers and starts them again: in the same
// pod, and in another one that takes its place.
func TestAllStartAgain(t *testing.T) {
	h := webWorld(always, false)
	p := &place{history: h, others: newOthers()}
	births := func(kind string) []change { return kindOf(t, kind).candidates(p) }
	if got := births(KindAgain); len(got) != 2 {
		t.Fatalf("%d times to start again, want one after the step and one in the middle", len(got))
	}
	again := after(t, h, births(KindAgain)[0].apply)
	for key, want := range map[string]string{
		"web":           "Running Running 2/2",
		"web/setup":     "terminated ready=false restarts=1 [1.00-2.00 0 Completed oom=false] [6.50-7.50 0 Completed oom=false]",
		"web/proxy":     "running ready=true restarts=1 [2.50-5.50 137 Error oom=false] [8.00]",
		"web/app":       "running ready=true restarts=1 [3.00-5.50 137 Error oom=false] [8.50]",
		"web/app lines": "4.00 0 begins, 12.00 1 works",
	} {
		if got := story(again)[key]; got != want {
			t.Errorf("again, %s:\n got %s\nwant %s", key, got, want)
		}
	}
	other := after(t, h, births(KindReplaced)[0].apply)
	if len(other.pods) != 2 || other.pods[0].gone < 0 || other.pods[1].object.UID != "w1-other" {
		t.Fatalf("the pods are %v", other.pods)
	}
	for key, want := range map[string]string{
		"web":           "Running Running 2/2",
		"web/setup":     "terminated ready=false restarts=0 [6.50-7.50 0 Completed oom=false]",
		"web/proxy":     "running ready=true restarts=0 [8.00]",
		"web/app":       "running ready=true restarts=0 [8.50]",
		"web/app lines": "12.00 0 works",
		"web statuses":  "Init:0/2,Init:1/2,PodInitializing,Running",
		"object web":    `{"kind":"Pod","metadata":{"name":"web","uid":"w1-other"}}`,
	} {
		if got := story(other)[key]; got != want {
			t.Errorf("replaced, %s:\n got %s\nwant %s", key, got, want)
		}
	}
	if never := (&place{history: webWorld(never, false), others: newOthers()}); len(kindOf(t, KindAgain).candidates(never)) > 0 {
		t.Error("a pod that restarts nothing gets another sandbox")
	}
}

// TestAStepIsPutOff lets a step act later. What follows it does, too; what a change
// put before its new time stays.
func TestAStepIsPutOff(t *testing.T) {
	h := webWorld(always, false)
	d := newDraft(h)
	app := h.pods[0].container("app")
	d.slide(h.pods[0], app, 0, false, 3*time.Second)
	if !d.putOff(at(4.99), 5*time.Second/2, d.changed()) {
		t.Fatal("what follows from the step is unknown")
	}
	got := story(newHistory(begin, d.records()))
	if want := "running ready=true restarts=0 [6.00]"; got["web/app"] != want || !strings.HasPrefix(got["step look"], "7.50") || got["web/app lines"] != "7.00 0 begins, 17.50 0 works" {
		t.Errorf("the app is %q, want %q; the step ended at %s; the lines are %q", got["web/app"], want, got["step look"], got["web/app lines"])
	}

	d = newDraft(h)
	d.slide(h.pods[0], app, 0, false, 3*time.Second)
	changed := d.changed()
	state := d.h.records[h.pods[0].records[2]]
	d.add(state, at(5.5)) // of which nobody knows what it follows from
	if d.putOff(at(4.99), 2*time.Second, changed) {
		t.Error("what follows from the step is reported")
	}

	d = newDraft(h)
	d.stretch(at(4), time.Second, nil)
	if found := d.changed(); len(found) > 0 {
		t.Errorf("%d records are not moved together with the others", len(found))
	}
}
