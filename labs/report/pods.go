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
	for _, run := range runs {
		names := make([]string, len(run.Pods))
		for i, pod := range run.Pods {
			names[i] = pod.Name
		}
		for n, title := range podTitles(names) {
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

// podTitles are pods' names without what is generated of them; those that come
// to the same are numbered.
func podTitles(names []string) []string {
	suffix := regexp.MustCompile(generated)
	titles, count := make([]string, len(names)), map[string]int{}
	for i, name := range names {
		title := suffix.ReplaceAllString(name, "-*")
		count[title]++
		if n := count[title]; n > 1 {
			title = fmt.Sprintf("%s (no. %d)", title, n)
		}
		titles[i] = title
	}
	return titles
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
	g.most = map[int]int{1: p.width() / 3}
	p.blank()
	p.grid(g)
}

// courses are the clusters that agree, and the course that they agree on.
func (p *page) courses(runs []Run, group podGroup) [][2]string {
	var order []string
	clusters := map[string][]string{}
	for _, run := range runs {
		if run.StartedAt.IsZero() {
			continue
		}
		course := "no such pod was seen"
		if i := slices.IndexFunc(group.seen, func(s seenPod) bool { return s.cluster == run.Cluster }); i >= 0 {
			course = cmp.Or(clean(strings.Join(group.seen[i].pod.Statuses, p.arrow())), "no STATUS was seen")
		}
		if clusters[course] == nil {
			order = append(order, course)
		}
		clusters[course] = append(clusters[course], p.cutMiddle(clean(run.Cluster), longestCluster))
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
	g := grid{right: []int{3, 4, 5}}
	sources := map[string]bool{}
	restarted, indent := false, ""
	for _, group := range groups {
		if len(groups) > 1 {
			g.rows = append(g.rows, []cell{{text: clean(group.title), sgr: sgrBold, whole: true}})
			indent = "  "
		}
		for _, name := range containerNames(group) {
			title := indent + clean(name)
			for _, seen := range group.seen {
				i := slices.IndexFunc(seen.pod.Containers, func(c Container) bool { return c.Name == name })
				if i < 0 {
					continue
				}
				c := seen.pod.Containers[i]
				restarted = restarted || c.Restarts > 0
				if c.Source != "" {
					sources[c.Source] = true
				}
				g.rows = append(g.rows, append([]cell{{text: title, whole: true}, {text: clean(seen.cluster), whole: true}}, containerCells(c)...))
				title = ""
			}
		}
	}
	if len(g.rows) == 0 {
		return
	}
	g.most = map[int]int{1: longestCluster}
	p.heads(&g, restarted, len(sources) > 1)
	p.blank()
	p.grid(g)
	p.sources(sources)
}

// heads puts the titles above the containers' columns and takes those away
// that say nothing.
func (p *page) heads(g *grid, restarts, sources bool) {
	var head []cell
	for _, title := range []string{"CONTAINER", "ON", "KIND", "STARTED", "ENDED", "RAN", "EXIT", "RESTARTS", "TIMES"} {
		head = append(head, cell{text: title, sgr: sgrDim})
	}
	trim := func(row []cell) []cell {
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
	for i, row := range g.rows {
		g.rows[i] = trim(row)
	}
	g.head = [][]cell{trim(head)}
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
		exit = exitText(*c.ExitCode)
		if c.StartedAt == nil {
			started = "?"
		}
	}
	return []cell{
		{text: clean(c.Kind)}, {text: started}, {text: ended}, {text: ran}, {text: exit},
		{text: fmt.Sprint(c.Restarts)}, {text: clockUnit(c.Source), sgr: sgrDim},
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
		text += "; runtime: by the node's container runtime, to the nanosecond; API: by the API server, in whole seconds."
	case runtime:
		text += ", by the node's container runtime, to the nanosecond."
	case api:
		text += ", by the API server, in whole seconds: less than a second apart is no order."
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
