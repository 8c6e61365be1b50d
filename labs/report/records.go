package report

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/kind-lab/lab/collectors"
)

// WriteRecords prints records in the order of collectors.Sort, one on a line:
// the seconds since begin, how finely they are known, the source, and what
// happened. Beside a time of the container runtime stands the API's for the
// same, where a record has it. Control characters of log lines are not
// written.
func WriteRecords(w io.Writer, records []collectors.Record, begin time.Time) error {
	p := newPage(Style{})
	records = slices.Clone(records)
	collectors.Sort(records)
	p.records("", records, func(r collectors.Record) string { return since(r, begin) }, true)
	if _, err := io.WriteString(w, p.String()); err != nil {
		return fmt.Errorf("writing the records: %w", err)
	}
	return nil
}

// records writes a line for each record, whole where it is asked for, else
// within the page.
func (p *page) records(indent string, records []collectors.Record, at func(collectors.Record) string, whole bool) {
	api := apiTimes(records)
	g := grid{indent: indent, flexible: 3, right: []int{0}}
	if whole {
		g.flexible = 4 // none
		g.head = [][]cell{{{text: "TIME"}, {text: "WITHIN"}, {text: "SOURCE"}, {text: "WHAT"}}}
	}
	pods := map[string]*collectors.Pod{}
	for _, r := range records {
		text := describe(r)
		if r.Pod != nil && r.Type == collectors.TypePod {
			text = "pod " + r.Object.Name + " " + podText(pods[key(r)], r.Pod)
			pods[key(r)] = r.Pod
		}
		if t := api(r); !t.IsZero() {
			shown := r
			shown.Time, shown.Precision = t, time.Second
			text += "  [API: " + at(shown) + ", within 1s]"
		}
		g.rows = append(g.rows, []cell{{text: at(r)}, {text: within(r.Precision), sgr: sgrDim}, {text: clean(string(r.Source))}, {text: clean(text)}})
	}
	p.grid(g)
}

func key(r collectors.Record) string {
	return r.Object.Namespace + "/" + r.Object.Name + "/" + r.Object.UID
}

// since is a record's time in seconds, with the digits that its precision
// gives it.
func since(r collectors.Record, begin time.Time) string {
	digits := 0
	for unit := time.Second; unit > max(r.Precision, time.Nanosecond) && digits < 9; unit /= 10 {
		digits++
	}
	if r.Precision >= time.Second {
		digits = 3 // when the change was received, or the begin's own fraction
	}
	return fmt.Sprintf("%.*f", digits, r.Time.Sub(begin).Seconds())
}

func within(d time.Duration) string {
	if d <= 0 {
		return "?"
	}
	return d.String()
}

// apiTimes finds what the API says of the same start or end as a record of the
// runtime; the zero time where it says nothing.
func apiTimes(records []collectors.Record) func(collectors.Record) time.Time {
	runs := map[string]collectors.Run{}
	for _, r := range records {
		if r.Pod == nil {
			continue
		}
		for _, c := range r.Pod.Containers {
			for _, run := range []*collectors.Run{c.Last, c.Current} {
				if run != nil && run.ID != "" {
					runs[run.ID] = *run
				}
			}
		}
	}
	return func(r collectors.Record) time.Time {
		if r.Task == nil {
			return time.Time{}
		}
		switch run := runs[r.Task.ID]; r.Type {
		case collectors.TypeTaskStart:
			return run.StartedAt
		case collectors.TypeTaskExit:
			return run.FinishedAt
		}
		return time.Time{}
	}
}

func objectText(r collectors.Record) string {
	return strings.ToLower(r.Object.Kind) + " " + r.Object.Name
}

// describe says what a record tells, in a line.
func describe(r collectors.Record) string {
	container := r.Object.Name + "/" + r.Container
	switch {
	case r.Type == collectors.TypePod && r.Pod != nil:
		return "pod " + r.Object.Name + " " + podText(nil, r.Pod)
	case r.Type == collectors.TypePodGone:
		return "pod " + r.Object.Name + " is gone"
	case r.Type == collectors.TypeJob && r.Job != nil:
		return "job " + r.Object.Name + " " + jobText(r.Job)
	case r.Type == collectors.TypeJobGone:
		return "job " + r.Object.Name + " is gone"
	case r.Type == collectors.TypeObject && r.Content != nil && r.Object.Kind == "Node":
		return objectText(r) + " " + nodeText(r.Content)
	case r.Type == collectors.TypeObject && r.Content != nil:
		return objectText(r) + " changed"
	case r.Type == collectors.TypeObjectGone:
		return objectText(r) + " is gone"
	case r.Type == collectors.TypeEvent && r.Event != nil:
		return "event of " + objectText(r) + ": " + r.Event.Reason + ": " + r.Event.Message
	case r.Type == collectors.TypeTaskStart:
		return "container " + container + " started"
	case r.Type == collectors.TypeTaskExit && r.Task != nil:
		return "container " + container + " exited " + exitText(r.Task.ExitCode)
	case r.Type == collectors.TypeTaskOOM:
		return "container " + container + " ran out of memory: the kernel killed in it"
	case r.Type == collectors.TypeLog && r.Log != nil:
		return "log " + container + ": " + r.Log.Text
	case r.Type == collectors.TypeGap && r.Gap != nil:
		return "gap: " + gapText(r)
	case r.Type == collectors.TypeClock && r.Clock != nil:
		return clockText(r.Clock)
	case r.Type == collectors.TypeStepBegin && r.Step != nil:
		return stepName(r.Step) + " begins"
	case r.Type == collectors.TypeStep && r.Step != nil:
		return stepText(r.Step)
	}
	return strings.TrimSpace(string(r.Type) + " " + r.Object.Name)
}

// podText says how a pod is, and what of its containers changed since before;
// all of them where there is no before.
func podText(before, now *collectors.Pod) string {
	text := statusText(now.Status, now.Ready)
	var changed []string
	for _, c := range now.Containers {
		is := stateText(c)
		if before != nil {
			i := slices.IndexFunc(before.Containers, func(b collectors.Container) bool { return b.Name == c.Name })
			if i >= 0 && stateText(before.Containers[i]) == is {
				continue
			}
		}
		if is != "" {
			changed = append(changed, c.Name+" "+is)
		}
	}
	if !now.DeletedAt.IsZero() && (before == nil || before.DeletedAt.IsZero()) {
		changed = append(changed, "its deletion was asked for")
	}
	if len(changed) == 0 {
		return text
	}
	return text + ": " + strings.Join(changed, ", ")
}

func statusText(status, ready string) string {
	if status == "" {
		status = "without STATUS"
	}
	if ready == "" {
		return status
	}
	return status + " (" + ready + ")"
}

// stateText is a container's state as the API shows it.
func stateText(c collectors.Container) string {
	text := c.State
	if c.State == "terminated" && c.Current != nil {
		text = "exited " + exitText(c.Current.ExitCode)
	}
	if c.Reason != "" && c.Reason != "Completed" && c.Reason != "Error" {
		text += " (" + c.Reason + ")"
	}
	if c.Restarts > 0 {
		text += ", " + plural(c.Restarts, "restart")
	}
	return text
}

func jobText(j *collectors.Job) string {
	text := fmt.Sprintf("active %d, succeeded %d, failed %d", j.Active, j.Succeeded, j.Failed)
	for _, c := range slices.Sorted(maps.Keys(j.Conditions)) {
		if j.Conditions[c] == "True" {
			text += ", " + c
			if why := j.ConditionDetails[c].Reason; why != "" {
				text += " (" + why + ")"
			}
		}
	}
	return text
}

// gapText says what a source did not see.
func gapText(r collectors.Record) string {
	what := "anything"
	switch {
	case r.Object.Name != "":
		what = strings.Trim(r.Object.Name+"/"+r.Container, "/")
	case r.Object.Kind != "":
		what = "any " + r.Object.Kind
	}
	text := fmt.Sprintf("%s does not see %s since then", r.Source, what)
	if g := r.Gap; !g.To.IsZero() {
		text = fmt.Sprintf("%s did not see %s for %s", r.Source, what, g.To.Sub(g.From).Round(time.Millisecond))
	}
	if r.Gap.Count > 0 {
		text += fmt.Sprintf(", %d lost", r.Gap.Count)
	}
	return text + ": " + r.Gap.Reason
}

func stepName(s *collectors.Step) string { return "step " + strings.TrimSpace(s.Verb+" "+s.Name) }

func stepText(s *collectors.Step) string {
	text := stepName(s)
	if s.ExitCode != nil {
		return fmt.Sprintf("%s ended with exit code %d", text, *s.ExitCode)
	}
	if s.Error != "" {
		return text + " was refused: " + s.Error
	}
	var objects []string
	for _, o := range s.Objects {
		objects = append(objects, strings.ToLower(o.Kind)+"/"+o.Name)
	}
	if len(objects) > 0 {
		return text + " did " + strings.Join(objects, ", ")
	}
	if slices.Contains([]string{"expect", "wait"}, s.Verb) {
		return text + " was decided"
	}
	return text + " was done"
}
