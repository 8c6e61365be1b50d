package mutate

import (
	"fmt"
	"time"

	"github.com/kind-lab/lab/collectors"
)

func readyWithoutRunning(h *history) (found []string) {
	h.eachPodState(func(p *pod, now *collectors.Pod) {
		for i := range now.Containers {
			c := &now.Containers[i]
			if c.Ready && c.State != runs && c.Kind != collectors.KindInit {
				found = append(found, p.object.UID+" "+c.Name)
			}
			counts := c.Kind == collectors.KindMain || c.Kind == collectors.KindSidecar
			if counts && now.Conditions["Ready"] == "True" && !c.Ready {
				found = append(found, p.object.UID+" is Ready without "+c.Name)
			}
		}
	})
	return found
}

// eachPodState calls f for every state of a pod that the API reported.
func (h *history) eachPodState(f func(*pod, *collectors.Pod)) {
	for _, p := range h.pods {
		for _, i := range p.records {
			f(p, h.records[i].Pod)
		}
	}
}

func phaseAgainstContainers(h *history) (found []string) {
	h.eachPodState(func(p *pod, now *collectors.Pod) {
		if !isFinal(now.Phase) || now.Reason != "" {
			return
		}
		bad := false
		for i := range now.Containers {
			c := &now.Containers[i]
			if c.State == runs && c.Kind != collectors.KindEphemeral {
				found = append(found, fmt.Sprintf("%s %s while %s runs", p.object.UID, now.Phase, c.Name))
			}
			ends := c.Kind == collectors.KindMain || c.Kind == collectors.KindInit
			bad = bad || ends && c.Current != nil && c.State == terminated && c.Current.ExitCode != 0
			// One that was deleted before all of it has run has failed, too.
			bad = bad || ends && !now.DeletedAt.IsZero() && c.Current == nil && c.Last == nil
		}
		if bad == (now.Phase == succeeded) {
			found = append(found, fmt.Sprintf("%s %s", p.object.UID, now.Phase))
		}
	})
	return found
}

func phaseWentBack(h *history) (found []string) {
	for _, p := range h.pods {
		before := pending
		for _, i := range p.records {
			now := h.records[i].Pod.Phase
			if isFinal(before) && now != before || before == running && now == pending {
				found = append(found, fmt.Sprintf("%s %s after %s", p.object.UID, now, before))
			}
			before = now
		}
	}
	return found
}

func goneBeforeEnd(h *history) (found []string) {
	h.eachLife(func(p *pod, c *container, n int, l *life) {
		if p.gone < 0 {
			return
		}
		if !l.exited && !l.began.IsZero() || l.exit >= 0 && l.ended.After(h.arrivals[p.gone].Add(time.Second)) {
			found = append(found, lifeName(p, c, n))
		}
	})
	return found
}

// jobAgainstPods compares a Job's outcome with its pods: all of them, as a pod
// that failed may have been followed by one that succeeded.
func jobAgainstPods(h *history) (found []string) {
	for i := range h.records {
		r := &h.records[i]
		if r.Job == nil {
			continue
		}
		done, bad := r.Job.Conditions[complete] == "True", r.Job.Conditions[jobFailed] == "True"
		name := r.Object.UID
		if done && bad {
			found = append(found, name+" complete and failed")
		}
		newest := h.newestOf(r.Object.UID)
		if newest == nil || !done && !bad {
			continue
		}
		end := h.endingOf(newest)
		if done && !end.is(succeeded) {
			found = append(found, name+" complete")
		}
		if done && end.is(succeeded) && h.arrivals[i].Add(time.Second).Before(end.at) {
			found = append(found, name+" complete too early")
		}
		if bad && end.is(succeeded) {
			found = append(found, name+" failed")
		}
	}
	return found
}
