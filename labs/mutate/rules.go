package mutate

import (
	"fmt"
	"slices"
	"time"

	"github.com/kind-lab/lab/collectors"
)

// Rule says what no Kubernetes could have produced, so that a changed copy in
// which it is so is dropped. What the recording itself breaks is no reason to
// drop a copy of it.
type Rule struct {
	// Name is as it is printed; Why is the reason in a sentence.
	Name string `json:"name"`
	Why  string `json:"why"`
	// broken names what of a history breaks the rule, each in the same words in
	// every history.
	broken func(*history) []string
}

// Rules are all rules but Late and Same, which look at more than the records.
func Rules() []Rule {
	return []Rule{
		{"end before start", "A container ends after it started.", endBeforeStart},
		{"line outside its run", "A container writes only while it runs.", lineOutside},
		{"runs overlap", "A container is restarted only when the run before it has ended.", runsOverlap},
		{"before its pod", "The containers of a pod start after the pod was created.", beforePod},
		{"init order", "A container starts only when every init container before it is done, and every sidecar before it has started.", initOrder},
		{"sidecar not restarted", "A native sidecar that ends while a main container runs is restarted, unless the pod was deleted.", sidecarLeft},
		{"ready without running", "A container that does not run is not ready, and a pod with such a container is not Ready.", readyWithoutRunning},
		{"phase against containers", "A pod has succeeded if all its containers ended with 0, has failed if one did not or was not started before the pod was deleted, and has done neither while one runs.", phaseAgainstContainers},
		{"phase went back", "A pod that has succeeded or failed does nothing else, and one that runs is not pending again.", phaseWentBack},
		{"gone before its end", "A pod is removed when all its containers have ended.", goneBeforeEnd},
		{"Job against its pods", "A Job is complete or failed, not both; it is complete only if a pod of it succeeded, and failed only if none that succeeded is its newest.", jobAgainstPods},
		{"cause after effect", "A record arrives after what it reports has happened.", causeAfterEffect},
	}
}

// The rules that need more than the changed records.
const (
	// RuleSame drops a copy that tells nothing else than the recording.
	RuleSame = "nothing differs"
	// RuleLate drops a copy in which lab acts before it has decided what comes
	// before that in the scenario.
	RuleLate = "lab acts too early"
)

// tolerance is how much the times of two sources of one node may lie apart.
const tolerance = 500 * time.Millisecond

// eachLife calls f for every run of a container.
func (h *history) eachLife(f func(p *pod, c *container, n int, l *life)) {
	for _, p := range h.pods {
		for _, c := range p.containers {
			for n, l := range c.runs {
				f(p, c, n, l)
			}
		}
	}
}

func lifeName(p *pod, c *container, n int) string {
	return fmt.Sprintf("run %d of %s (%s)", n, p.name(c), p.object.UID)
}

func endBeforeStart(h *history) (found []string) {
	h.eachLife(func(p *pod, c *container, n int, l *life) {
		if l.start >= 0 && l.exit >= 0 && !l.ended.After(l.began) {
			found = append(found, lifeName(p, c, n))
		}
	})
	return found
}

func lineOutside(h *history) (found []string) {
	h.eachLife(func(p *pod, c *container, n int, l *life) {
		for _, i := range l.lines {
			at := h.records[i].Time
			if l.exit >= 0 && at.After(l.ended.Add(tolerance)) || l.start >= 0 && at.Before(l.began.Add(-tolerance)) {
				found = append(found, lifeName(p, c, n)+" wrote "+h.records[i].Log.Text)
			}
		}
	})
	for i := range h.records {
		r := &h.records[i]
		if r.Log == nil {
			continue
		}
		p := h.byUID[r.Object.UID]
		if p == nil {
			continue
		}
		if c := p.container(r.Container); c == nil || len(c.runs) == 0 {
			found = append(found, r.Object.Name+"/"+r.Container+" never ran and wrote "+r.Log.Text)
		}
	}
	return found
}

func runsOverlap(h *history) (found []string) {
	h.eachLife(func(p *pod, c *container, n int, l *life) {
		if n == 0 {
			return
		}
		before := c.runs[n-1]
		if before.exit < 0 && before.exited || l.start < 0 {
			return
		}
		if !before.exited || before.ended.After(l.began) {
			found = append(found, lifeName(p, c, n))
		}
	})
	return found
}

func beforePod(h *history) (found []string) {
	h.eachLife(func(p *pod, c *container, n int, l *life) {
		if len(p.records) > 0 && l.start >= 0 && l.began.Before(h.records[p.records[0]].Pod.CreatedAt) {
			found = append(found, lifeName(p, c, n))
		}
	})
	return found
}

func initOrder(h *history) (found []string) {
	for _, p := range h.pods {
		for i, before := range p.containers {
			if before.kind != collectors.KindInit && before.kind != collectors.KindSidecar {
				continue
			}
			for _, after := range p.containers[i+1:] {
				if after.kind != collectors.KindEphemeral && startsTooEarly(before, after) {
					found = append(found, p.name(after)+" before "+p.name(before))
				}
			}
		}
	}
	return found
}

// startsTooEarly says whether a container starts before the init container or
// sidecar before it lets it.
func startsTooEarly(before, after *container) bool {
	if len(after.runs) == 0 || after.runs[0].start < 0 {
		return false
	}
	at := after.runs[0].began
	if len(before.runs) == 0 {
		return true
	}
	if before.kind == collectors.KindSidecar {
		return before.runs[0].start >= 0 && before.runs[0].began.After(at)
	}
	return !slices.ContainsFunc(before.runs, func(l *life) bool {
		return l.exited && l.code == 0 && (l.exit < 0 || !l.ended.After(at))
	})
}

// sidecarLeft looks for a sidecar that stays down for longer than the kubelet's
// longest pause between restarts while a main container runs.
func sidecarLeft(h *history) (found []string) {
	for _, p := range h.pods {
		if h.deleted(p) {
			continue
		}
		var mains time.Time
		for _, c := range p.containers {
			if c.kind == collectors.KindMain && len(c.runs) > 0 && c.runs[len(c.runs)-1].ended.After(mains) {
				mains = c.runs[len(c.runs)-1].ended
			}
		}
		for _, c := range p.containers {
			if c.kind != collectors.KindSidecar || len(c.runs) == 0 {
				continue
			}
			if l := c.runs[len(c.runs)-1]; l.exit >= 0 && l.ended.Before(mains.Add(-longestPause(len(c.runs)))) {
				found = append(found, p.name(c))
			}
		}
	}
	return found
}

// longestPause is how long the kubelet waits at most before a restart of a
// container that ran so often.
func longestPause(runs int) time.Duration {
	if runs < 2 {
		return 2 * time.Second
	}
	return min(5*time.Minute, 10*time.Second<<min(runs-2, 5)) + 2*time.Second
}

func causeAfterEffect(h *history) (found []string) {
	for i := range h.records {
		r := &h.records[i]
		if h.arrivals[i].Add(tolerance).Before(r.Time) {
			found = append(found, fmt.Sprint(r.Type, r.Object, r.Container, r.Task, r.Log))
		}
	}
	return found
}
