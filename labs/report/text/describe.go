package text

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/kind-lab/lab/collectors"
)

func objectText(r collectors.Record) string {
	return strings.ToLower(r.Object.Kind) + " " + r.Object.Name
}

// Describe says what a record tells, in a line.
func Describe(r collectors.Record) string {
	container := r.Object.Name + "/" + r.Container
	switch {
	case r.Type == collectors.TypePod && r.Pod != nil:
		return "pod " + r.Object.Name + " " + PodText(nil, r.Pod)
	case r.Type == collectors.TypePodGone:
		return "pod " + r.Object.Name + " is gone"
	case r.Type == collectors.TypeJob && r.Job != nil:
		return "job " + r.Object.Name + " " + JobText(r.Job)
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
		return "container " + container + " exited " + ExitText(r.Task.ExitCode)
	case r.Type == collectors.TypeTaskOOM:
		return "container " + container + " ran out of memory: the kernel killed a process in it"
	case r.Type == collectors.TypeLog && r.Log != nil:
		return "log " + container + ": " + r.Log.Text
	case r.Type == collectors.TypeGap && r.Gap != nil:
		return "gap: " + GapText(r)
	case r.Type == collectors.TypeClock && r.Clock != nil:
		return clockText(r.Clock)
	case r.Type == collectors.TypeStepBegin && r.Step != nil:
		return stepName(r.Step) + " begins"
	case r.Type == collectors.TypeStep && r.Step != nil:
		return stepText(r.Step)
	}
	return strings.TrimSpace(string(r.Type) + " " + r.Object.Name)
}

// GapText says what a source did not see.
func GapText(r collectors.Record) string {
	what := "anything"
	switch {
	case r.Object.Name != "":
		what = strings.Trim(r.Object.Name+"/"+r.Container, "/")
	case r.Object.Kind != "":
		what = "any " + r.Object.Kind
	}
	text := fmt.Sprintf("%s has not seen %s since then", r.Source, what)
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

// ObjectKey tells objects of a kind apart.
func ObjectKey(o collectors.Object) string { return o.Namespace + "/" + o.Name + "/" + o.UID }
