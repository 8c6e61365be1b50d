package expect

import (
	"fmt"
	"slices"
	"time"

	"github.com/kind-lab/lab/collectors"
)

// since is from when on every record of the API had the value that a path has
// now; zero if that is not followed.
func (ev evidence) since(path []string) time.Time {
	s := parse(path)
	key := ""
	if i := slices.Index(path, "conditions"); i > 0 && i+1 < len(path) {
		key = path[i+1]
	}
	of := collectors.Object{}
	var read func(*collectors.Record) (string, bool)
	switch pods := ev.podsOf(s); {
	case s.root == rootJob && !s.pods:
		j := newestJobs(ev.s.Timeline, ev.s.Namespace)[s.name]
		if j == nil {
			return time.Time{}
		}
		of = j.Object
		read = func(r *collectors.Record) (string, bool) { return jobAttribute(r.Job, s.attr, key) }
	case len(pods) == 0:
		return time.Time{}
	default:
		of = pods[len(pods)-1].Object
		read = func(r *collectors.Record) (string, bool) { return podAttribute(r.Pod, s, key) }
	}
	return ev.lastChange(of, read)
}

// lastChange is when an object first had what its newest record has.
func (ev evidence) lastChange(of collectors.Object, read func(*collectors.Record) (string, bool)) time.Time {
	var since time.Time
	newest, found := "", false
	records, _ := ev.s.Timeline.Records()
	for i := range slices.Backward(records) {
		r := &records[i]
		if r.Object != of || r.Pod == nil && r.Job == nil {
			continue
		}
		is, ok := read(r)
		if !ok || found && is != newest {
			break
		}
		newest, found, since = is, true, r.Received
	}
	return since
}

// podAttribute reads what the API alone tells of a pod, or of its container.
func podAttribute(p *collectors.Pod, s subject, condition string) (string, bool) {
	if p == nil {
		return "", false
	}
	if s.container != "" {
		i := slices.IndexFunc(p.Containers, func(c collectors.Container) bool { return c.Name == s.container })
		if i < 0 {
			return "", false
		}
		return containerAttribute(p.Containers[i], s.attr)
	}
	switch s.attr {
	case "status":
		return p.Status, true
	case "phase":
		return p.Phase, true
	case "ready":
		return p.Ready, true
	case "reason":
		return p.Reason, true
	case "node":
		return p.Node, true
	case "ip":
		return p.IP, true
	case "conditions":
		return p.Conditions[condition], condition != ""
	}
	return "", false
}

func containerAttribute(c collectors.Container, attr string) (string, bool) {
	switch attr {
	case "state":
		return c.State, true
	case "reason":
		return c.Reason, true
	case "ready":
		return fmt.Sprint(c.Ready), true
	case "started":
		return fmt.Sprint(c.Started != nil && *c.Started), true
	case "restarts":
		return fmt.Sprint(c.Restarts), true
	}
	return "", false
}

func jobAttribute(j *collectors.Job, attr, condition string) (string, bool) {
	if j == nil {
		return "", false
	}
	switch attr {
	case "complete":
		return j.Conditions["Complete"], true
	case "failed":
		return j.Conditions["Failed"], true
	case "active":
		return fmt.Sprint(j.Active), true
	case "succeeded":
		return fmt.Sprint(j.Succeeded), true
	case "failures":
		return fmt.Sprint(j.Failed), true
	case "conditions":
		return j.Conditions[condition], condition != ""
	}
	return "", false
}

// obstacle says what a pod or container waits for, as the API tells it, or that
// it still runs; empty if nothing is known of it.
func (ev evidence) obstacle(s subject) string {
	pods := ev.podsOf(s)
	if len(pods) == 0 {
		return ""
	}
	p := pods[len(pods)-1]
	c := p.Container(s.container)
	switch {
	case c == nil:
		return fmt.Sprintf(" (STATUS of pod %s is %q)", p.Object.Name, p.Pod().Status)
	case c.State == "running":
		return ": it still runs"
	case !isStuck(c):
		return fmt.Sprintf(" (STATUS of pod %s is %q)", p.Object.Name, p.Pod().Status)
	}
	return ": " + ev.hindrance(p, c)
}

// isStuck says whether a container waits for something that does not come by
// itself.
func isStuck(c *collectors.ContainerState) bool {
	return c.State == "waiting" && c.Reason != "" && c.Reason != "ContainerCreating" && c.Reason != "PodInitializing"
}

// stuck says which containers of the pods that were read cannot start, and why;
// empty if none is known to.
func (ev evidence) stuck() string {
	var parts []string
	for _, p := range ev.pods() {
		for _, c := range p.Containers {
			if text := fmt.Sprintf("container %q of pod %s: %s", c.Name, p.Object.Name, ev.hindrance(p, c)); isStuck(c) && !slices.Contains(parts, text) {
				parts = append(parts, text)
			}
		}
	}
	return joined(parts)
}

// hindrance says why a container that is stuck does not start.
func (ev evidence) hindrance(p *collectors.PodState, c *collectors.ContainerState) string {
	reason, message := c.Reason, c.Message
	if c.Reason == "ImagePullBackOff" {
		reason, message = ev.pullError(p.Object, c.Name, reason, message)
	}
	text := "it cannot start: " + reason
	if reason == "CrashLoopBackOff" {
		text = fmt.Sprintf("it ended %d times and waits to be started again: %s", c.Restarts+1, reason)
	}
	if c.Image != "" && (c.Reason == "ImagePullBackOff" || c.Reason == "ErrImagePull" || c.Reason == "InvalidImageName") {
		text += " of " + c.Image
	}
	if message != "" {
		text += ": " + saidInOneLine(message)
	}
	return text
}

// pullError is the newest failure to pull a container's image, which says what
// the back-off after it does not: what the registry said.
func (ev evidence) pullError(pod collectors.Object, container, reason, message string) (string, string) {
	records, _ := ev.s.Timeline.Records()
	for i := range slices.Backward(records) {
		r := &records[i]
		if r.Object != pod || r.Pod == nil {
			continue
		}
		for _, c := range r.Pod.Containers {
			if c.Name == container && c.Reason == "ErrImagePull" && c.Message != "" {
				return c.Reason, c.Message
			}
		}
	}
	return reason, message
}
