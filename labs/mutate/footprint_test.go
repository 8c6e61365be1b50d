package mutate

import (
	"regexp"
	"testing"

	"github.com/kind-lab/lab/dsl/value"
	"github.com/kind-lab/lab/labs/expect"
)

// TestWhatAChangeConcerns asks of changes whether they are of what a condition
// read, and come before it was decided.
func TestWhatAChangeConcerns(t *testing.T) {
	life := func(container string) value.Read {
		return value.Read{Stream: value.LifeStream, Name: "batch-x1", Container: container}
	}
	log := func(pattern string) value.Read {
		return value.Read{Stream: value.LogStream, Name: "batch-x1", Container: "app", Pattern: pattern}
	}
	later, missing := "batch-x1/app ends 6 s later", `batch-x1/app does not write "works"`
	tests := []struct {
		name, kind, text string
		read             value.Read
		until            float64
		want             bool
	}{
		{"its end", KindEndMoved, later, life("app"), 18, true},
		{"decided before", KindEndMoved, later, life("app"), 9, false},
		{"another container", KindEndMoved, later, life("helper"), 18, false},
		{"all containers", KindEndMoved, later, life(""), 18, true},
		{"another pod", KindEndMoved, later, value.Read{Stream: value.LifeStream, Name: "bare"}, 18, false},
		{"READY of its pod", KindEndMoved, later, value.Read{Stream: value.PodStream, Name: "batch-x1"}, 18, true},
		{"the pods of a Job", KindEndMoved, later, value.Read{Stream: value.PodStream, Job: "batch"}, 18, true},
		{"the spec", KindEndMoved, later, value.Read{Stream: specStream, Name: "bare"}, 18, false},
		{"the line", KindLineMissing, missing, log("^works$"), 18, true},
		{"another line", KindLineMissing, missing, log("^sleeps$"), 18, false},
		{"any line", KindLineMissing, missing, log(""), 18, true},
		{"an event", KindEventMissing, `no event Scheduled of Pod bare: "to n"`, value.Read{Stream: value.EventStream, Name: "bare"}, 18, true},
		{"the kind", KindContainerKind, "batch-x1/app is of the kind sidecar", value.Read{Stream: specStream, Name: "batch-x1"}, 18, true},
		{"an object", KindObjectField, "ConfigMap settings has another value at data/a", value.Read{Stream: value.ObjectStream("ConfigMap"), Name: "settings"}, 18, true},
		{"a pod that is not there", KindPodMissing, "the pod bare is never seen", value.Read{Stream: specStream, Name: "bare"}, 18, true},
		{"another pod of its name", KindReplaced, "bare is deleted 8.1 s after the begin, and another pod with another UID takes its place",
			value.Read{Stream: specStream, Name: "bare"}, 18, true},
		{"the Job's end", KindJobOpen, "the Job batch never ends", value.Read{Stream: value.JobStream, Name: "batch"}, 18, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := newPlace()
			d := newDraft(p.history)
			for _, c := range kindOf(t, tt.kind).candidates(p) {
				if c.text == tt.text {
					c.apply(d)
				}
			}
			f := d.footprint()
			if len(f) == 0 {
				t.Fatalf("there is no change %q", tt.text)
			}
			r := reading{reads: []value.Read{tt.read}, patterns: map[string]*regexp.Regexp{}, until: at(tt.until)}
			if tt.read.Pattern != "" {
				r.patterns[tt.read.Pattern] = regexp.MustCompile(tt.read.Pattern)
			}
			if got := r.concerns(f); got != tt.want {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}

// TestNoChangeConcernsNothing tells states again as they were.
func TestNoChangeConcernsNothing(t *testing.T) {
	h := newPlace().history
	d := newDraft(h)
	for _, p := range h.pods {
		for _, c := range p.containers {
			d.restate(p, map[string][]state{c.name: d.states(p, c.name)})
		}
	}
	if f := d.footprint(); len(f) > 0 {
		t.Errorf("it concerns %v", f)
	}
}

func TestWhatBreaks(t *testing.T) {
	tests := []struct {
		was, now expect.Status
		want     bool
	}{
		{expect.Pass, expect.Fail, true}, {expect.Fail, expect.Pass, true}, {expect.Error, expect.Fail, true},
		{expect.Pass, expect.Error, false}, {expect.Fail, expect.Error, false}, {expect.Error, expect.Pass, false}, {expect.Pass, expect.Pass, false},
	}
	for _, tt := range tests {
		if got := breaks(tt.was, tt.now); got != tt.want {
			t.Errorf("%v that became %v: %v, want %v", tt.was, tt.now, got, tt.want)
		}
	}
}

// TestWhatIsTriedFirst has what a condition speaks of before the same on another
// cluster, and kinds in turn.
func TestWhatIsTriedFirst(t *testing.T) {
	s := &subject{names: map[string]bool{"web": true, "app": true}}
	var mutants [][]*mutant
	for _, kind := range []string{KindExitCode, KindRestartMore} {
		var list []*mutant
		for _, text := range []string{"web/app one", "web/app one", "web/app two", "web/other"} {
			list = append(list, &mutant{subject: s, kind: Kind{Name: kind}, change: change{text: kind + " " + text}, words: wordsOf(text), about: aboutOf(kind, text), like: text})
		}
		mutants = append(mutants, list)
	}
	w := &work{mutants: map[string][][]*mutant{"s": mutants}}
	var got []string
	for _, m := range w.queueFor("s", wordsOf("pod.web.container.app.restarts"), []*subject{s}) {
		got = append(got, m.change.text)
	}
	want := []string{
		"restart more web/app one", "restart more web/app two", "restart more web/other", "exit code web/app one", "exit code web/app two",
		"restart more web/app one", "exit code web/other", "exit code web/app one",
	}
	if len(got) != len(want) {
		t.Fatalf("%d are tried, want %d", len(got), len(want))
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("as number %d %q, want %q", i+1, got[i], want[i])
		}
	}
	for text, want := range map[string]string{"Pod web has nothing at status/containerStatuses/1/image": "image", "Pod web has another value at spec/args/0": "args"} {
		if got := aboutOf(KindObjectField, text); len(got) != 1 || got[0] != want {
			t.Errorf("%q is about %q, want %q", text, got, want)
		}
	}
}
