package mutate

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/kind-lab/lab/collectors"
)

// story is what a history tells, in a few words for each thing that a condition
// may be about.
func story(h *history) map[string]string {
	out := map[string]string{}
	timeline := fold(h)
	for _, p := range timeline.Pods() {
		name := p.Object.Name
		now := p.Pod()
		out[name] = fmt.Sprintf("%s %s %s", now.Phase, now.Status, now.Ready)
		out[name+" statuses"] = strings.Join(p.Statuses, ",")
		out[name+" conditions"] = fmt.Sprint(now.Conditions)
		out[name+" spec"] = fmt.Sprint(now.Node, " ", now.IP, " ", p.Object.UID)
		var columns []string
		for i := range h.records {
			if r := &h.records[i]; r.Pod != nil && r.Object.UID == p.Object.UID && (len(columns) == 0 || columns[len(columns)-1] != r.Pod.Ready) {
				columns = append(columns, r.Pod.Ready)
			}
		}
		out[name+" ready"] = strings.Join(columns, ",")
		for _, c := range p.Containers {
			out[name+"/"+c.Name] = containerStory(timeline, c)
			out[name+"/"+c.Name+" spec"] = c.Kind + " " + c.Image
			var lines []string
			for i := range h.records {
				if r := &h.records[i]; r.Log != nil && r.Object.UID == p.Object.UID && r.Container == c.Name {
					lines = append(lines, fmt.Sprintf("%.2f %d %s", timeline.Seconds(r.Time), r.Log.Run, r.Log.Text))
				}
			}
			out[name+"/"+c.Name+" lines"] = strings.Join(lines, ", ")
		}
	}
	for _, j := range timeline.Jobs() {
		out["job "+j.Object.Name] = fmt.Sprintf("%d %d %d %v", j.Job().Active, j.Job().Succeeded, j.Job().Failed, j.Job().Conditions)
	}
	for _, o := range timeline.Objects() {
		out["object "+o.Object.Name] = string(o.Last.Content.JSON)
	}
	for i := range h.records {
		switch r := &h.records[i]; {
		case r.Type == collectors.TypeStep:
			out["step "+r.Step.Name] = fmt.Sprintf("%.2f %q %q %q %d", timeline.Seconds(r.Step.FinishedAt), r.Step.Error, r.Step.Warnings, r.Step.Stdout, code(r.Step))
		case r.Event != nil:
			out["events"] += r.Event.Reason + " "
		case r.Type == "asked":
			out["asked"] = fmt.Sprintf("%.2f", timeline.Seconds(h.arrivals[i]))
		}
	}
	return out
}

func containerStory(timeline *collectors.Timeline, c *collectors.ContainerState) string {
	text := fmt.Sprintf("%s ready=%v restarts=%d", c.State, c.Ready, c.Restarts)
	for _, r := range c.Runs {
		text += fmt.Sprintf(" [%.2f", timeline.Seconds(r.StartedAt.Time))
		if r.Exited {
			text += fmt.Sprintf("-%.2f %d %s oom=%v", timeline.Seconds(r.FinishedAt.Time), r.ExitCode, r.Reason, r.OOM)
		}
		text += "]"
	}
	return text
}

// TestEachKind applies a change of every kind to a small journal. What it names
// is all that is reported differently.
func TestEachKind(t *testing.T) {
	tests := eachKind
	before := story(newPlace().history)
	tried := map[string]bool{}
	for _, tt := range tests {
		t.Run(tt.kind+"/"+tt.text, func(t *testing.T) {
			tried[tt.kind] = true
			after := story(changed(t, tt.kind, tt.text))
			got := map[string]string{}
			for key, is := range after {
				if before[key] != is {
					got[key] = is
				}
			}
			for key := range before {
				if _, has := after[key]; !has {
					got[key] = "-"
				}
			}
			for key, want := range tt.want {
				if got[key] != want {
					t.Errorf("%s:\n got %s\nwant %s", key, got[key], want)
				}
				delete(got, key)
			}
			for key, is := range got {
				t.Errorf("also changed, %s: %s; was %s", key, is, before[key])
			}
		})
	}
	for _, k := range Kinds() {
		if !tried[k.Name] {
			t.Errorf("no test of the kind %q", k.Name)
		}
	}
}

// TestAChangeIsMadeToACopy makes every change that there is: none changes the
// records that it was made of, and each leaves times in the order of arrival.
func TestAChangeIsMadeToACopy(t *testing.T) {
	p := newPlace()
	n := 0
	for _, k := range Kinds() {
		for _, c := range k.candidates(p) {
			d := newDraft(p.history)
			c.apply(d)
			records := d.records()
			if !slices.IsSortedFunc(records, func(a, b collectors.Record) int { return received(&a).Compare(received(&b)) }) {
				t.Errorf("%s, %s: the records are not in the order of their arrival", k.Name, c.text)
			}
			if !sameRecords(p.records, world()) {
				t.Fatalf("%s, %s: the change was made to the recording", k.Name, c.text)
			}
			n++
		}
	}
	if n < 150 {
		t.Errorf("%d changes only", n)
	}
}

// TestNoChangeIsTheSame makes a copy without a change.
func TestNoChangeIsTheSame(t *testing.T) {
	h := newPlace().history
	if !sameRecords(newDraft(h).records(), world()) {
		t.Error("a copy without a change is not the same")
	}
	d := newDraft(h)
	for _, p := range h.pods {
		for _, c := range p.containers {
			d.restate(p, map[string][]state{c.name: d.states(p, c.name)})
		}
	}
	if !sameRecords(d.records(), world()) {
		t.Error("states that are reported again unchanged are not the same")
	}
}

// TestALineThatIsWrittenOften can be missing once and altogether.
func TestALineThatIsWrittenOften(t *testing.T) {
	s := &script{records: world()}
	s.line(18, barePod, "crash", 1, "again")
	p := &place{history: newHistory(begin, s.records), others: newOthers()}
	left := map[string]string{}
	for _, c := range lineMissing(p) {
		d := newDraft(p.history)
		c.apply(d)
		left[c.text] = story(newHistory(begin, d.records()))["bare/crash lines"]
	}
	for text, want := range map[string]string{
		`bare/crash does not write "again"`: "6.00 1 again", `bare/crash never writes "again"`: "", "bare/crash writes nothing": "",
		`batch-x1/app does not write "works"`: "6.00 1 again, 18.00 1 again",
	} {
		if got, has := left[text]; got != want || !has {
			t.Errorf("%s: %q is left, want %q", text, got, want)
		}
	}
}
