package text

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/kind-lab/lab/collectors"
	"github.com/kind-lab/lab/labs/report"
	"github.com/kind-lab/lab/labs/report/document"
	"github.com/kind-lab/lab/labs/report/layout"
)

// seenPod is what a pod went through on a cluster.
type seenPod struct {
	cluster string
	pod     report.Pod
}

// podGroup are the pods of all clusters that are the same one of the scenario.
type podGroup struct {
	title string
	seen  []seenPod
}

// podGroups finds the pods of one cluster again on the others: by the name
// without what is generated of it, and among those of a name by their order.
func podGroups(runs []report.ScenarioRun) []podGroup {
	var groups []podGroup
	for _, run := range runs {
		names := make([]string, len(run.Pods))
		for i, pod := range run.Pods {
			names[i] = pod.Name
		}
		for n, title := range document.PodTitles(names) {
			pod := run.Pods[n]
			i := slices.IndexFunc(groups, func(g podGroup) bool { return g.title == title })
			if i < 0 {
				i = len(groups)
				groups = append(groups, podGroup{title: title})
			}
			groups[i].seen = append(groups[i].seen, seenPod{run.Cluster, pod})
		}
	}
	return groups
}

// mostPods bounds how many pods of a scenario are written; run.json has all.
const mostPods = 12

func (p *page) pods(runs []report.ScenarioRun) {
	groups := podGroups(runs)
	if len(groups) == 0 {
		return
	}
	p.statuses(runs, groups[:min(len(groups), mostPods)])
	p.containers(groups[:min(len(groups), mostPods)])
	if more := len(groups) - mostPods; more > 0 {
		p.Line(p.Paint(layout.Dim, fmt.Sprintf("and %s more, which run.json has", Plural(more, "pod"))))
	}
}

// statuses writes each pod's STATUS in its course, clusters that agree on one
// row.
func (p *page) statuses(runs []report.ScenarioRun, groups []podGroup) {
	g := layout.Grid{Flexible: 2, Head: [][]layout.Cell{layout.Titles("POD", "ON", "STATUS")}}
	for _, group := range groups {
		name := layout.Cell{Text: p.CutMiddle(layout.Clean(group.title), p.Columns()/3), SGR: layout.Bold}
		for _, same := range p.courses(runs, group) {
			g.Rows = append(g.Rows, []layout.Cell{name, {Text: same[0]}, {Text: same[1]}})
			name = layout.Cell{}
		}
	}
	g.Most = map[int]int{1: p.Columns() / 3}
	p.Blank()
	p.Grid(g)
}

// courses are the clusters that agree, and the course that they agree on.
func (p *page) courses(runs []report.ScenarioRun, group podGroup) [][2]string {
	var order []string
	clusters := map[string][]string{}
	for _, run := range runs {
		if run.StartedAt.IsZero() {
			continue
		}
		course := "no such pod was seen"
		if i := slices.IndexFunc(group.seen, func(s seenPod) bool { return s.cluster == run.Cluster }); i >= 0 {
			course = cmp.Or(layout.Clean(strings.Join(group.seen[i].pod.Statuses, p.Arrow())), "no STATUS was seen")
		}
		if clusters[course] == nil {
			order = append(order, course)
		}
		clusters[course] = append(clusters[course], p.CutMiddle(layout.Clean(run.Cluster), layout.LongestName))
	}
	var out [][2]string
	for _, course := range order {
		on := strings.Join(clusters[course], ", ")
		if len(order) == 1 && len(runs) > 1 && len(clusters[course]) == len(runs) {
			on = fmt.Sprintf("all %d", len(runs))
		}
		out = append(out, [2]string{on, course})
	}
	return out
}

// containers writes when each container started and ended, a row for each
// cluster.
func (p *page) containers(groups []podGroup) {
	g := layout.Grid{Right: []int{3, 4, 5}}
	sources := map[string]bool{}
	restarted, indent := false, ""
	for _, group := range groups {
		if len(groups) > 1 {
			g.Rows = append(g.Rows, []layout.Cell{{Text: layout.Clean(group.title), SGR: layout.Bold, Whole: true}})
			indent = "  "
		}
		for _, name := range containerNames(group) {
			title := indent + layout.Clean(name)
			for _, seen := range group.seen {
				i := slices.IndexFunc(seen.pod.Containers, func(c report.Container) bool { return c.Name == name })
				if i < 0 {
					continue
				}
				c := seen.pod.Containers[i]
				restarted = restarted || c.Restarts > 0
				if c.Source != "" {
					sources[c.Source] = true
				}
				g.Rows = append(g.Rows, append([]layout.Cell{{Text: title, Whole: true}, {Text: layout.Clean(seen.cluster), Whole: true}}, containerCells(c)...))
				title = ""
			}
		}
	}
	if len(g.Rows) == 0 {
		return
	}
	g.Most = map[int]int{1: layout.LongestName}
	p.heads(&g, restarted, len(sources) > 1)
	p.Blank()
	p.Grid(g)
	p.sources(sources)
}

// heads puts the titles above the containers' columns and takes those away
// that say nothing.
func (p *page) heads(g *layout.Grid, restarts, sources bool) {
	head := layout.Titles("CONTAINER", "ON", "KIND", "STARTED", "ENDED", "RAN", "EXIT", "RESTARTS", "TIMES")
	trim := func(row []layout.Cell) []layout.Cell {
		if len(row) < len(head) {
			return row
		}
		out := row[:7:7]
		if restarts {
			out = append(out, row[7])
		}
		if sources {
			out = append(out, row[8])
		}
		return out
	}
	for i, row := range g.Rows {
		g.Rows[i] = trim(row)
	}
	g.Head = [][]layout.Cell{trim(head)}
}

func containerNames(group podGroup) []string {
	var names []string
	for _, seen := range group.seen {
		for _, c := range seen.pod.Containers {
			if !slices.Contains(names, c.Name) {
				names = append(names, c.Name)
			}
		}
	}
	return names
}

// containerCells are a container's cells from its kind on.
func containerCells(c report.Container) []layout.Cell {
	started, ended, ran, exit := "never", "", "", ""
	if c.StartedAt != nil {
		started, ended = clock(*c.StartedAt, c.Source), "running"
	}
	if c.FinishedAt != nil {
		ended = clock(*c.FinishedAt, c.Source)
	} else if c.ExitCode != nil {
		ended = "?"
	}
	if c.StartedAt != nil && c.FinishedAt != nil {
		ran = clock(*c.FinishedAt-*c.StartedAt, c.Source)
	}
	if c.ExitCode != nil {
		exit = ExitText(*c.ExitCode)
		if c.StartedAt == nil {
			started = "?"
		}
	}
	return []layout.Cell{
		{Text: layout.Clean(c.Kind)}, {Text: started}, {Text: ended}, {Text: ran}, {Text: exit},
		{Text: fmt.Sprint(c.Restarts)}, {Text: clockUnit(c.Source), SGR: layout.Dim},
	}
}

// sources says what the times are.
func (p *page) sources(seen map[string]bool) {
	text := "Seconds since the scenario began"
	switch runtime, api := seen[string(collectors.SourceRuntime)], seen[string(collectors.SourceAPI)]; {
	case runtime && api:
		text += "; runtime: by the node's container runtime, to the nanosecond; API: by the API server, in whole seconds."
	case runtime:
		text += ", by the node's container runtime, to the nanosecond."
	case api:
		text += ", by the API server, in whole seconds: times less than a second apart have no known order."
	default:
		return
	}
	p.Note(text)
}
