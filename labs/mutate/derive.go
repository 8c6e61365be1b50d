package mutate

import (
	"fmt"
	"maps"
	"slices"

	"github.com/kind-lab/lab/collectors"
)

// policy is a pod's restartPolicy, which records do not have.
type policy string

const (
	never     policy = "Never"
	onFailure policy = "OnFailure"
	always    policy = "Always"
)

// The phases of a pod.
const (
	pending   = "Pending"
	running   = "Running"
	succeeded = "Succeeded"
	failed    = "Failed"
)

// The states of a container.
const (
	waiting    = "waiting"
	runs       = "running"
	terminated = "terminated"
)

const completed = "Completed"

// policyOf is the restartPolicy with which the phases of a pod come out as they
// were recorded; Never if nothing tells them apart.
func (h *history) policyOf(p *pod) policy {
	best, most := never, -1
	for _, policy := range []policy{never, onFailure, always} {
		n := 0
		for _, i := range p.records {
			if pod := h.records[i].Pod; phaseOf(pod, policy) == pod.Phase {
				n++
			}
		}
		if n > most {
			best, most = policy, n
		}
	}
	return best
}

// derive sets what the kubelet and the API server compute of the containers'
// states: phase, conditions, STATUS and READY. What was not as computed in the
// state that it was made of stays as it was there.
func derive(was, now *collectors.Pod, policy policy) {
	if phaseOf(was, policy) == was.Phase {
		now.Phase = phaseOf(now, policy)
	}
	now.Conditions = maps.Clone(was.Conditions)
	before := conditionsOf(was)
	for name, is := range conditionsOf(now) {
		if status, has := was.Conditions[name]; has && status == before[name] {
			now.Conditions[name] = is
		}
	}
	if statusOf(was) == was.Status {
		now.Status = statusOf(now)
	}
	if readyOf(was) == was.Ready {
		now.Ready = readyOf(now)
	}
}

// phaseOf is the phase as the kubelet computes it.
func phaseOf(p *collectors.Pod, policy policy) string {
	var inits, waits, running, stopped, succeeds int
	for i := range p.Containers {
		c := &p.Containers[i]
		switch c.Kind {
		case collectors.KindInit:
			done, bad := initDone(c)
			if bad && policy == never {
				return failed
			}
			if !done {
				inits++
			}
		case collectors.KindSidecar:
			if c.State == runs {
				running++
			}
			if !sidecarUp(c) && c.State != terminated && c.Last == nil {
				inits++
			}
		case collectors.KindMain:
			countMain(c, &waits, &running, &stopped, &succeeds)
		}
	}
	switch {
	case inits > 0, waits > 0, running+stopped == 0:
		return pending
	case running > 0:
		return runningPhase
	case policy == always:
		return runningPhase
	case stopped == succeeds:
		return succeeded
	case policy == never:
		return failed
	}
	return runningPhase
}

const runningPhase = running

func countMain(c *collectors.Container, waits, running, stopped, succeeds *int) {
	switch {
	case c.State == runs:
		*running++
	case c.State == terminated:
		*stopped++
		if c.Current != nil && c.Current.ExitCode == 0 {
			*succeeds++
		}
	case c.Last != nil:
		*stopped++
	default:
		*waits++
	}
}

// initDone says whether an init container is done, and whether it failed.
func initDone(c *collectors.Container) (done, bad bool) {
	switch {
	case c.State == terminated && c.Current != nil:
		return c.Current.ExitCode == 0, c.Current.ExitCode != 0
	case c.State == waiting && c.Last != nil:
		return false, c.Last.ExitCode != 0
	}
	return false, false
}

// sidecarUp says whether what comes after a sidecar may start.
func sidecarUp(c *collectors.Container) bool { return c.Started != nil && *c.Started }

// conditionsOf are the conditions that follow from the containers' states.
func conditionsOf(p *collectors.Pod) map[string]string {
	initialized, ready := true, p.Phase != succeeded && p.Phase != failed
	for i := range p.Containers {
		c := &p.Containers[i]
		switch c.Kind {
		case collectors.KindInit:
			done, _ := initDone(c)
			initialized = initialized && done
		case collectors.KindSidecar:
			initialized = initialized && (sidecarUp(c) || c.State == terminated)
			ready = ready && c.Ready
		case collectors.KindMain:
			ready = ready && c.Ready
		}
	}
	return map[string]string{"Initialized": truth(initialized), "ContainersReady": truth(ready), "Ready": truth(ready)}
}

func truth(is bool) string {
	if is {
		return "True"
	}
	return "False"
}

// statusOf is the STATUS column as the API server computes it.
func statusOf(p *collectors.Pod) string {
	status := p.Phase
	if p.Reason != "" {
		status = p.Reason
	}
	before, initializing := initStatus(p)
	if initializing {
		status = before
	}
	if !initializing || p.Conditions["Initialized"] == "True" {
		status = mainStatus(p, status)
	}
	if !p.DeletedAt.IsZero() && p.Phase != succeeded && p.Phase != failed {
		return "Terminating"
	}
	return status
}

// initStatus is the column while init containers are to be done.
func initStatus(p *collectors.Pod) (string, bool) {
	n, all := 0, 0
	for i := range p.Containers {
		if k := p.Containers[i].Kind; k == collectors.KindInit || k == collectors.KindSidecar {
			all++
		}
	}
	for i := range p.Containers {
		c := &p.Containers[i]
		if c.Kind != collectors.KindInit && c.Kind != collectors.KindSidecar || c.State == "" {
			break
		}
		switch done, _ := initDone(c); {
		case done, c.Kind == collectors.KindSidecar && sidecarUp(c):
			n++
			continue
		case c.State == terminated:
			return "Init:" + endReason(c), true
		case c.State == waiting && c.Reason != "" && c.Reason != "PodInitializing":
			return "Init:" + c.Reason, true
		}
		return fmt.Sprintf("Init:%d/%d", n, all), true
	}
	return "", false
}

func endReason(c *collectors.Container) string {
	switch {
	case c.Reason != "":
		return c.Reason
	case c.Current == nil:
		return ""
	case c.Current.Signal != 0:
		return fmt.Sprintf("Signal:%d", c.Current.Signal)
	}
	return fmt.Sprintf("ExitCode:%d", c.Current.ExitCode)
}

// mainStatus is the column once the main containers count.
func mainStatus(p *collectors.Pod, status string) string {
	anyRuns := false
	for _, c := range slices.Backward(p.Containers) {
		if c.Kind != collectors.KindMain {
			continue
		}
		switch {
		case c.State == waiting && c.Reason != "":
			status = c.Reason
		case c.State == terminated:
			status = endReason(&c)
		case c.State == runs && c.Ready:
			anyRuns = true
		}
	}
	if status == completed && anyRuns {
		if p.Conditions["Ready"] == "True" {
			return running
		}
		return "NotReady"
	}
	return status
}

// readyOf is the READY column.
func readyOf(p *collectors.Pod) string {
	n, all := 0, 0
	_, initializing := initStatus(p)
	for i := range p.Containers {
		c := &p.Containers[i]
		switch {
		case c.Kind == collectors.KindSidecar:
			all++
			if c.Ready && sidecarUp(c) {
				n++
			}
		case c.Kind == collectors.KindMain:
			all++
			if c.Ready && c.State == runs && (!initializing || p.Conditions["Initialized"] == "True") {
				n++
			}
		}
	}
	return fmt.Sprintf("%d/%d", n, all)
}
