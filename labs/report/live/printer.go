package live

import (
	"fmt"
	"strings"
	"time"

	"github.com/kind-lab/lab/collectors"
	"github.com/kind-lab/lab/labs/expect"
	"github.com/kind-lab/lab/labs/report"
	"github.com/kind-lab/lab/labs/report/layout"
	"github.com/kind-lab/lab/labs/report/text"
)

// printer turns events into lines. It remembers what it printed, so that it
// prints changes only.
type printer struct {
	layout.Style
	tty, logs, verbose bool
	clusters, scenario int
	// pods and jobs hold what was last printed of each; starts when a container
	// started, by the runtime's id.
	pods   map[string][2]string
	jobs   map[string]string
	states map[string]*collectors.Pod
	starts map[string]time.Time
}

func newPrinter(s layout.Style, opts Options) printer {
	p := printer{
		Style: s, tty: opts.TTY, logs: opts.Logs, verbose: opts.Verbose,
		pods: map[string][2]string{}, jobs: map[string]string{}, states: map[string]*collectors.Pod{}, starts: map[string]time.Time{},
	}
	for _, name := range opts.Clusters {
		p.clusters = max(p.clusters, layout.Width(p.short(name)))
	}
	return p
}

func (p *printer) short(name string) string {
	return p.CutMiddle(layout.Clean(name), layout.LongestName)
}

// lines are the lines that an event is worth, painted.
func (p *printer) lines(e report.Event) []string {
	switch e.Kind {
	case report.EventRecord:
		if e.Record == nil {
			return nil
		}
		return p.record(e, *e.Record)
	case report.EventStep, report.EventVerdict:
		if e.Step == nil {
			return p.said(e, "", "", e.Text)
		}
		return p.step(e, *e.Step)
	case report.EventError:
		return p.said(e, layout.Bold+layout.Red, "error: ", e.Text)
	case report.EventWarning:
		return p.said(e, layout.Yellow, "warning: ", e.Text)
	}
	return p.said(e, "", "", e.Text)
}

// prefix is the time, the cluster and the scenario of a line, and its width.
func (p *printer) prefix(e report.Event) (string, int) {
	cluster, scenario := p.short(e.Cluster), p.short(e.Scenario)
	p.clusters = max(p.clusters, layout.Width(cluster))
	p.scenario = max(p.scenario, layout.Width(scenario))
	at := layout.PadLeft(fmt.Sprintf("%.3fs", e.At.Seconds()), 9) + " "
	rest := layout.Pad(cluster, p.clusters) + " "
	if p.scenario > 0 {
		rest += layout.Pad(scenario, p.scenario) + "  "
	} else {
		rest += " "
	}
	return p.Paint(layout.Dim, at) + p.Paint(layout.Cyan, rest), layout.Width(at + rest)
}

// said are the lines of a text after a word: the first behind the prefix, the
// others below it.
func (p *printer) said(e report.Event, sgr, word, text string) []string {
	prefix, columns := p.prefix(e)
	all := layout.Lines(text)
	if len(all) == 0 && word == "" {
		return nil
	}
	first := ""
	if len(all) > 0 {
		first = all[0]
	}
	out := []string{strings.TrimRight(prefix+p.Paint(sgr, word)+first, " ")}
	for _, line := range all[min(1, len(all)):] {
		out = append(out, strings.TrimRight(layout.Pad("", columns+2)+line, " "))
	}
	return out
}

// step prints a step that ended, or of an expectation that was decided.
func (p *printer) step(e report.Event, s report.Step) []string {
	name, reason := s.Title(), s.Detail
	if v := s.Verdict; v != nil {
		reason = v.Reason
		if v.Message != "" && s.Status >= expect.Fail {
			reason += "\n" + v.Message
		}
	}
	word := p.Mark(s.Status) + " "
	if s.Status == expect.Skip {
		word += "skipped: "
	}
	if s.Status == expect.Error {
		word += "could not be decided: "
		if !s.Expects() {
			word = p.Mark(s.Status) + " failed: "
		}
	}
	if s.Status == expect.Fail && s.Expects() {
		word += "failed: "
	}
	if reason != "" {
		name += ": " + reason
	}
	return p.said(e, layout.StatusColor(s.Status), word, name)
}

func (p *printer) record(e report.Event, r collectors.Record) []string {
	id := e.Cluster + "/" + text.ObjectKey(r.Object)
	switch {
	case r.Type == collectors.TypeLog && r.Log != nil:
		return p.log(e, r)
	case r.Type == collectors.TypePod && r.Pod != nil:
		return p.pod(e, id, r)
	case r.Type == collectors.TypePodGone:
		delete(p.pods, id)
		delete(p.states, id)
		return p.said(e, "", "pod "+layout.Clean(r.Object.Name)+"  ", "gone")
	case r.Type == collectors.TypeJob && r.Job != nil:
		now := text.JobText(r.Job)
		if p.jobs[id] == now {
			return nil
		}
		p.jobs[id] = now
		return p.said(e, "", "job "+layout.Clean(r.Object.Name)+"  ", now)
	case r.Task != nil:
		return p.task(e, r)
	case r.Type == collectors.TypeGap && r.Gap != nil:
		return p.said(e, layout.Yellow, "gap: ", text.GapText(r))
	case r.Type == collectors.TypeStep, r.Type == collectors.TypeStepBegin:
		return nil // EventStep and EventProgress stand for it
	case r.Type == collectors.TypeClock && !p.verbose:
		return nil // if it matters there is a warning
	case r.Type == collectors.TypeObject && !p.verbose, r.Event != nil && r.Event.EventType == "Normal" && !p.verbose:
		return nil // that something changed, or went as it should, is worth a record and no line
	case r.Event != nil && r.Event.EventType != "Normal":
		return p.said(e, layout.Yellow, "", text.Describe(r))
	}
	return p.said(e, "", "", text.Describe(r))
}

// pod prints what changed of a pod's STATUS and READY.
func (p *printer) pod(e report.Event, id string, r collectors.Record) []string {
	now := [2]string{layout.Clean(r.Pod.Status), layout.Clean(r.Pod.Ready)}
	before, known := p.pods[id]
	p.pods[id] = now
	word := "pod " + layout.Clean(r.Object.Name) + "  "
	if p.verbose {
		last := p.states[id]
		p.states[id] = r.Pod
		return p.said(e, "", word, text.PodText(last, r.Pod))
	}
	arrow := p.Arrow()
	switch {
	case !known:
		return p.said(e, "", word, text.StatusText(now[0], now[1]))
	case before == now:
		return nil
	case before[0] == now[0]:
		return p.said(e, "", word, text.StatusText(now[0], before[1]+arrow+now[1]))
	}
	return p.said(e, "", word, before[0]+arrow+text.StatusText(now[0], now[1]))
}

// task prints the start or the end of a container, as the runtime saw it.
func (p *printer) task(e report.Event, r collectors.Record) []string {
	id := e.Cluster + "/" + r.Task.ID
	word := "container " + layout.Clean(r.Object.Name+"/"+r.Container) + "  "
	at := " at " + clockTime(r)
	switch r.Type {
	case collectors.TypeTaskStart:
		p.starts[id] = r.Time
		return p.said(e, "", word, "started"+at)
	case collectors.TypeTaskOOM:
		return p.said(e, layout.Yellow, word, "ran out of memory"+at+": the kernel killed a process in it")
	}
	ended := "exited " + text.ExitText(r.Task.ExitCode) + at
	if began, ok := p.starts[id]; ok {
		ended += ", ran " + r.Time.Sub(began).Round(time.Microsecond).String()
		delete(p.starts, id)
	}
	sgr := ""
	if r.Task.ExitCode != 0 {
		sgr = layout.Yellow
	}
	return p.said(e, sgr, word, ended)
}

// log prints a container's line in the container's colour.
func (p *printer) log(e report.Event, r collectors.Record) []string {
	if !p.logs {
		return nil
	}
	prefix, columns := p.prefix(e)
	name := layout.Clean(r.Object.Name+"/"+r.Container) + p.Sign(" │ ", " | ")
	line := layout.Clean(r.Log.Text)
	if r.Log.Cut {
		line += p.Sign(" …", " ...")
	}
	if p.tty {
		line = p.Cut(line, max(20, p.Columns()-columns-layout.Width(name)))
	}
	return []string{strings.TrimRight(prefix+p.Paint(text.ContainerColor(r), name)+line, " ")}
}

// clockTime is a record's time of day in UTC, as precisely as it is worth
// reading.
func clockTime(r collectors.Record) string {
	if r.Precision >= time.Second {
		return r.Time.UTC().Format("15:04:05Z")
	}
	return r.Time.UTC().Format("15:04:05.000000Z")
}
