package report

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/kind-lab/lab/collectors"
)

// generated is the end that controllers give to pods' names: five characters
// of the alphabet of k8s.io/apimachinery/pkg/util/rand, for a Deployment's
// pods after the hash of their template, in the same alphabet.
const generated = `(-[bcdf-hj-np-tv-xz2456789]{6,10})?-[bcdf-hj-np-tv-xz2456789]{5}$`

// seenPod is what a pod went through on a cluster.
type seenPod struct {
	cluster string
	pod     Pod
}

// podGroup are the pods of all clusters that are the same one of the scenario.
type podGroup struct {
	title string
	seen  []seenPod
}

// podGroups finds the pods of one cluster again on the others: by the name
// without what is generated of it, and among those of a name by their order.
func podGroups(runs []Run) []podGroup {
	var groups []podGroup
	suffix := regexp.MustCompile(generated)
	for _, run := range runs {
		count := map[string]int{}
		for _, pod := range run.Pods {
			title := suffix.ReplaceAllString(pod.Name, "-*")
			count[title]++
			if n := count[title]; n > 1 {
				title = fmt.Sprintf("%s (no. %d)", title, n)
			}
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

func (p *page) pods(runs []Run) {
	groups := podGroups(runs)
	if len(groups) == 0 {
		return
	}
	p.statuses(runs, groups[:min(len(groups), mostPods)])
	p.containers(groups[:min(len(groups), mostPods)])
	if more := len(groups) - mostPods; more > 0 {
		p.line(p.paint(sgrDim, fmt.Sprintf("and %s more, which run.json has", plural(more, "pod"))))
	}
}

// statuses writes each pod's STATUS in its course, clusters that agree on one
// row.
func (p *page) statuses(runs []Run, groups []podGroup) {
	g := grid{flexible: 2, head: [][]cell{{{text: "POD", sgr: sgrDim}, {text: "ON", sgr: sgrDim}, {text: "STATUS", sgr: sgrDim}}}}
	for _, group := range groups {
		name := cell{text: p.cutMiddle(clean(group.title), p.width()/3), sgr: sgrBold}
		for _, same := range p.courses(runs, group) {
			g.rows = append(g.rows, []cell{name, {text: same[0]}, {text: same[1]}})
			name = cell{}
		}
	}
	p.blank()
	p.narrow(&g, 1)
	p.grid(g)
}

// narrow bounds a column to a third of the page.
func (p *page) narrow(g *grid, column int) {
	for _, row := range g.rows {
		if parts := wrap(row[column].text, p.width()/3); len(parts) > 1 {
			row[column].text = p.cut(row[column].text, p.width()/3)
		}
	}
}

// courses are the clusters that agree, and the course that they agree on.
func (p *page) courses(runs []Run, group podGroup) [][2]string {
	var order []string
	clusters := map[string][]string{}
	for _, run := range runs {
		course := "no such pod was seen"
		if i := slices.IndexFunc(group.seen, func(s seenPod) bool { return s.cluster == run.Cluster }); i >= 0 {
			course = cmp.Or(clean(strings.Join(group.seen[i].pod.Statuses, p.arrow())), "no STATUS was seen")
		}
		if clusters[course] == nil {
			order = append(order, course)
		}
		clusters[course] = append(clusters[course], clean(run.Cluster))
	}
	var out [][2]string
	for _, course := range order {
		on := strings.Join(clusters[course], ", ")
		if len(order) == 1 && len(runs) > 1 {
			on = fmt.Sprintf("all %d", len(runs))
		}
		out = append(out, [2]string{on, course})
	}
	return out
}

// containers writes when each container started and ended, a row for each
// cluster.
func (p *page) containers(groups []podGroup) {
	restarted, sources := false, map[string]bool{}
	g := grid{right: []int{3, 4, 5}}
	for _, group := range groups {
		for _, name := range containerNames(group) {
			title := clean(name)
			if len(groups) > 1 {
				title = clean(group.title) + "/" + title
			}
			for _, seen := range group.seen {
				i := slices.IndexFunc(seen.pod.Containers, func(c Container) bool { return c.Name == name })
				if i < 0 {
					continue
				}
				c := seen.pod.Containers[i]
				restarted = restarted || c.Restarts > 0
				sources[c.Source] = true
				g.rows = append(g.rows, append([]cell{{text: title, sgr: sgrBold}, {text: p.cutMiddle(clean(seen.cluster), longestCluster)}}, containerCells(c)...))
				title = ""
			}
		}
	}
	if len(g.rows) == 0 {
		return
	}
	titles := []string{"CONTAINER", "ON", "KIND", "STARTED", "ENDED", "RAN", "EXIT", "TIMES", "RESTARTS"}
	g.head = [][]cell{make([]cell, len(titles))}
	for i, title := range titles {
		g.head[0][i] = cell{text: title, sgr: sgrDim}
	}
	if !restarted {
		for i, row := range slices.Concat(g.head, g.rows) {
			if row = row[:len(row)-1]; i == 0 {
				g.head[0] = row
			} else {
				g.rows[i-1] = row
			}
		}
	}
	p.blank()
	p.grid(g)
	p.sources(sources)
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
func containerCells(c Container) []cell {
	started, ended, ran, exit := "never", "", "", ""
	if c.StartedAt != nil {
		started, ended = clock(*c.StartedAt, c.Source), "runs"
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
		exit = exitText(*c.ExitCode)
		if c.StartedAt == nil {
			started = "?"
		}
	}
	return []cell{
		{text: clean(c.Kind)}, {text: started}, {text: ended}, {text: ran}, {text: exit},
		{text: clockUnit(c.Source), sgr: sgrDim}, {text: fmt.Sprint(c.Restarts)},
	}
}

// clock is a number of seconds as finely as its source knows it: to the
// millisecond, or whole with a mark.
func clock(seconds float64, source string) string {
	if source == string(collectors.SourceAPI) {
		return fmt.Sprintf("~%.0f", seconds)
	}
	return fmt.Sprintf("%.3f", seconds)
}

func clockUnit(source string) string {
	switch collectors.Source(source) {
	case collectors.SourceRuntime:
		return "runtime"
	case collectors.SourceAPI:
		return "API"
	}
	return clean(source)
}

// sources says what the times are.
func (p *page) sources(seen map[string]bool) {
	text := "Seconds since the scenario began"
	switch runtime, api := seen[string(collectors.SourceRuntime)], seen[string(collectors.SourceAPI)]; {
	case runtime && api:
		text += "; runtime: by the node's container runtime, which knows them to the nanosecond; API: by the API server, which keeps whole seconds."
	case runtime:
		text += ", by the node's container runtime, which knows them to the nanosecond."
	case api:
		text += ", by the API server, which keeps whole seconds: less than a second apart is no order."
	default:
		return
	}
	for _, line := range wrap(text, p.width()) {
		p.line(p.paint(sgrDim, line))
	}
}

// signalName names the signals that containers are ended with, or end
// themselves with.
func signalName(number int) string {
	names := [...]string{1: "SIGHUP", 2: "SIGINT", 3: "SIGQUIT", 6: "SIGABRT", 9: "SIGKILL", 11: "SIGSEGV", 13: "SIGPIPE", 15: "SIGTERM"}
	if number < 0 || number >= len(names) {
		return ""
	}
	return names[number]
}

// exitText is an exit code, and the signal that it stands for.
func exitText(code int) string {
	if name := signalName(code - 128); name != "" {
		return fmt.Sprintf("%d %s", code, name)
	}
	return fmt.Sprint(code)
}
