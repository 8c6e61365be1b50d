package text

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kind-lab/lab/collectors"
)

// PodText says how a pod is, and what of its containers changed since before;
// all of them if there is no before.
func PodText(before, now *collectors.Pod) string {
	text := StatusText(now.Status, now.Ready)
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
		changed = append(changed, "is being deleted")
	}
	if len(changed) == 0 {
		return text
	}
	return text + ": " + strings.Join(changed, ", ")
}

// StatusText is a pod's STATUS with its READY in brackets.
func StatusText(status, ready string) string {
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
		text = "exited " + ExitText(c.Current.ExitCode)
	}
	if c.Reason != "" && c.Reason != "Completed" && c.Reason != "Error" {
		text += " (" + c.Reason + ")"
	}
	if c.Restarts > 0 {
		text += ", " + Plural(c.Restarts, "restart")
	}
	return text
}

// JobText counts a Job's pods and names its true conditions.
func JobText(j *collectors.Job) string {
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
