package mutate

import (
	"fmt"
	"slices"

	"github.com/kind-lab/lab/collectors"
)

// overShown is the first minor version of Kubernetes in which the STATUS column of
// a deleted pod that has succeeded or failed says so; before, it is Terminating as
// that of every deleted pod.
const overShown = 31

// statusOf is the STATUS column as the API server computes it.
func (p *pod) statusOf(now *collectors.Pod) string {
	status := now.Phase
	if now.Reason != "" {
		status = now.Reason
	}
	before, initializing := initStatus(now)
	if initializing {
		status = before
	}
	if !initializing || now.Conditions["Initialized"] == "True" {
		status = mainStatus(now, status)
	}
	if !now.DeletedAt.IsZero() && (!isFinal(now.Phase) || p.minor > 0 && p.minor < overShown) {
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
