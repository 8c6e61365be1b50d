package live

import (
	"slices"
	"strings"
	"time"

	"github.com/kind-lab/lab/collectors"
	"github.com/kind-lab/lab/labs/expect"
	"github.com/kind-lab/lab/labs/report"
	"github.com/kind-lab/lab/labs/report/layout"
	"github.com/kind-lab/lab/labs/report/text"
)

// lane is what a cluster is doing, and what the pods of its scenario are.
type lane struct {
	name, scenario, text string
	since                time.Time
	tally                report.Tally
	failed, done         bool
	pods                 []*lanePod
}

// lanePod is what is known of a pod.
type lanePod struct {
	id, name, status, ready string
	containers              []*laneContainer
}

// laneContainer is a container in its newest run.
type laneContainer struct {
	name, kind string
	// id is the runtime's of that run and before that of the one before it;
	// over says that the runtime reported the end of the run.
	id, before string
	over       bool
	state      string
	ready      bool
	code       int
	// restarts counts the runs but the first.
	restarts int
}

// event takes in what is reported of the lane's cluster.
func (l *lane) event(e report.Event, now time.Time) {
	l.done = l.done || e.Done
	switch e.Kind {
	case report.EventProgress:
		doing, _, _ := strings.Cut(e.Text, "\n")
		if e.Scenario != l.scenario {
			l.pods = nil
		}
		if doing = layout.Clean(doing); doing != l.text || e.Scenario != l.scenario {
			l.text, l.scenario, l.since = doing, e.Scenario, now
		}
	case report.EventError:
		l.failed = true
	case report.EventStep, report.EventVerdict:
		if e.Step != nil && e.Step.Expects() {
			l.tally.Add(e.Step.Status)
		}
		if e.Step != nil {
			l.failed = l.failed || e.Step.Status >= expect.Fail
		}
	case report.EventRecord:
		if e.Record != nil && e.Scenario == l.scenario {
			l.record(*e.Record)
		}
	}
	if l.done {
		l.pods = nil
	}
}

// record takes in what was observed of a pod.
func (l *lane) record(r collectors.Record) {
	id := text.ObjectKey(r.Object)
	i := slices.IndexFunc(l.pods, func(p *lanePod) bool { return p.id == id })
	switch {
	case r.Type == collectors.TypePodGone:
		if i >= 0 {
			l.pods = slices.Delete(l.pods, i, i+1)
		}
	case r.Type == collectors.TypePod && r.Pod != nil:
		if i < 0 {
			i, l.pods = len(l.pods), append(l.pods, &lanePod{id: id, name: layout.Clean(r.Object.Name)})
		}
		l.pods[i].update(*r.Pod)
	case i >= 0 && r.Task != nil:
		l.pods[i].task(r)
	}
}

// update takes in a pod as the API shows it. What the runtime reported of the end
// of a container's run is newer.
func (p *lanePod) update(pod collectors.Pod) {
	p.status, p.ready = layout.Clean(pod.Status), layout.Clean(pod.Ready)
	for _, c := range pod.Containers {
		known := p.container(c.Name)
		known.kind, known.restarts = c.Kind, max(known.restarts, c.Restarts)
		behind := known.id != "" && (c.ID == "" || c.ID == known.before)
		if behind || known.over && c.ID == known.id && c.State != "terminated" {
			continue
		}
		known.over = known.over && c.ID == known.id
		known.state, known.ready, known.id = c.State, c.Ready, c.ID
		if c.State == "terminated" && c.Current != nil {
			known.code = c.Current.ExitCode
		}
	}
}

// task takes in a start or an end that the runtime reported.
func (p *lanePod) task(r collectors.Record) {
	if !slices.ContainsFunc(p.containers, func(c *laneContainer) bool { return c.name == r.Container }) {
		return // such as the sandbox
	}
	c := p.container(r.Container)
	switch r.Type {
	case collectors.TypeTaskStart:
		if c.over && c.id != r.Task.ID {
			c.restarts++
			c.before = c.id
		}
		c.id, c.over, c.state, c.ready = r.Task.ID, false, "running", false
	case collectors.TypeTaskExit:
		c.id, c.over, c.state, c.ready, c.code = r.Task.ID, true, "terminated", false, r.Task.ExitCode
	}
}

// container finds a container, or adds it.
func (p *lanePod) container(name string) *laneContainer {
	i := slices.IndexFunc(p.containers, func(c *laneContainer) bool { return c.name == name })
	if i < 0 {
		i, p.containers = len(p.containers), append(p.containers, &laneContainer{name: name})
	}
	return p.containers[i]
}
