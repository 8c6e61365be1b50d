package mutate

import (
	"maps"

	"github.com/kind-lab/lab/collectors"
)

// policy is a pod's restartPolicy, which records do not have.
type policy string

// restarts says whether a container that ended so is started again.
func (p policy) restarts(kind string, code int) bool {
	return kind == collectors.KindSidecar || p != never && code != 0 || p == always && kind == collectors.KindMain
}

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

// guessPolicy is the restartPolicy with which the phases of a pod come out as they
// were recorded; Never if nothing tells them apart.
func (h *history) guessPolicy(p *pod) policy {
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
// state that it was made of stays as it was there. A pod that had succeeded or
// failed in the state before it stays so; that may be nil.
func (p *pod) derive(last, was, now *collectors.Pod) {
	// That a pod is over the kubelet says a little after it is.
	before, after := phaseOf(was, p.policy), phaseOf(now, p.policy)
	if before == was.Phase || isFinal(before) && !isFinal(after) {
		now.Phase = after
	}
	if last != nil && isFinal(last.Phase) {
		now.Phase = last.Phase
	}
	now.Conditions = maps.Clone(was.Conditions)
	conditions := conditionsOf(was)
	for name, is := range conditionsOf(now) {
		if status, has := was.Conditions[name]; has && status == conditions[name] {
			now.Conditions[name] = is
		}
	}
	if p.statusOf(was) == was.Status {
		now.Status = p.statusOf(now)
	}
	if readyOf(was) == was.Ready {
		now.Ready = readyOf(now)
	}
}

// phaseOf is the phase as the kubelet computes it and tells it: a pod that has
// failed or succeeded is said to have only once nothing of it runs.
func phaseOf(p *collectors.Pod, policy policy) string {
	deleted := !p.DeletedAt.IsZero()
	if deleted {
		policy = never // nothing of a deleted pod is started again
	}
	n := countOf(p, policy)
	begins := n.inits > 0 && n.mains == 0 || n.waits > 0 || n.running+n.stopped == 0
	switch {
	case n.failed && n.up == 0, deleted && begins && n.up == 0 && n.ended > 0:
		return failed
	case begins:
		return pending
	case n.up > 0, policy == always:
		return running
	case n.stopped == n.succeeds:
		return succeeded
	case policy == never:
		return failed
	}
	return running
}

// isFinal says whether a pod stays in a phase.
func isFinal(phase string) bool { return phase == succeeded || phase == failed }

// count is how many of a pod's containers are how far.
type count struct {
	// up run and ended do no longer, of whatever kind; inits are to be done
	// before the main containers start.
	up, ended, inits int
	// waits, running, stopped and succeeds are main containers; sidecars count
	// as running, too. mains are those that have started.
	waits, running, stopped, succeeds, mains int
	// failed says that an init container failed for good.
	failed bool
}

func countOf(p *collectors.Pod, policy policy) count {
	var n count
	for i := range p.Containers {
		c := &p.Containers[i]
		if c.State == runs {
			n.up++
		}
		if c.State == terminated {
			n.ended++
		}
		switch c.Kind {
		case collectors.KindInit:
			done, bad := initDone(c)
			n.failed = n.failed || bad && policy == never
			if !done {
				n.inits++
			}
		case collectors.KindSidecar:
			if c.State == runs {
				n.running++
			}
			if !sidecarUp(c) && c.State != terminated && c.Last == nil {
				n.inits++
			}
		case collectors.KindMain:
			n.main(c)
		}
	}
	return n
}

func (n *count) main(c *collectors.Container) {
	switch {
	case c.State == runs:
		n.running++
	case c.State == terminated:
		n.stopped++
		if c.Current != nil && c.Current.ExitCode == 0 {
			n.succeeds++
		}
	case c.Last != nil:
		n.stopped++
	default:
		n.waits++
		return
	}
	n.mains++
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
	initialized, ready := true, !isFinal(p.Phase)
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
