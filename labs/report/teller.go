package report

import (
	"fmt"
	"hash/fnv"
	"strings"
	"time"

	"github.com/kind-lab/lab/collectors"
	"github.com/kind-lab/lab/labs/expect"
)

// teller turns events into lines. It remembers what it told, so as to tell
// changes only.
type teller struct {
	Style
	tty, logs, verbose bool
	clusters, scenario int
	// pods and jobs hold what was last told of each; starts when a container
	// started, by the runtime's id.
	pods   map[string][2]string
	jobs   map[string]string
	states map[string]*collectors.Pod
	starts map[string]time.Time
}

func newTeller(s Style, opts LiveOptions) teller {
	t := teller{
		Style: s, tty: opts.TTY, logs: opts.Logs, verbose: opts.Verbose,
		pods: map[string][2]string{}, jobs: map[string]string{}, states: map[string]*collectors.Pod{}, starts: map[string]time.Time{},
	}
	for _, name := range opts.Clusters {
		t.clusters = max(t.clusters, width(t.short(name)))
	}
	return t
}

func (t *teller) short(name string) string { return t.cutMiddle(clean(name), longestCluster) }

// tell are the lines that an event is worth, painted.
func (t *teller) tell(e Event) []string {
	switch e.Kind {
	case EventRecord:
		if e.Record == nil {
			return nil
		}
		return t.record(e, *e.Record)
	case EventStep, EventVerdict:
		if e.Step == nil {
			return t.said(e, "", "", e.Text)
		}
		return t.step(e, *e.Step)
	case EventError:
		return t.said(e, sgrBold+sgrRed, "error: ", e.Text)
	case EventWarning:
		return t.said(e, sgrYellow, "warning: ", e.Text)
	}
	return t.said(e, "", "", e.Text)
}

// prefix is the time, the cluster and the scenario of a line, and its width.
func (t *teller) prefix(e Event) (string, int) {
	cluster, scenario := t.short(e.Cluster), t.short(e.Scenario)
	t.clusters = max(t.clusters, width(cluster))
	t.scenario = max(t.scenario, width(scenario))
	at := padLeft(fmt.Sprintf("%.3fs", e.At.Seconds()), 9) + " "
	rest := pad(cluster, t.clusters) + " "
	if t.scenario > 0 {
		rest += pad(scenario, t.scenario) + "  "
	} else {
		rest += " "
	}
	return t.paint(sgrDim, at) + t.paint(sgrCyan, rest), width(at + rest)
}

// said are the lines of a text after a word: the first behind the prefix, the
// others below it.
func (t *teller) said(e Event, sgr, word, text string) []string {
	prefix, columns := t.prefix(e)
	all := lines(text)
	if len(all) == 0 && word == "" {
		return nil
	}
	first := ""
	if len(all) > 0 {
		first = all[0]
	}
	out := []string{strings.TrimRight(prefix+t.paint(sgr, word)+first, " ")}
	for _, line := range all[min(1, len(all)):] {
		out = append(out, strings.TrimRight(pad("", columns+2)+line, " "))
	}
	return out
}

// step tells of a step that ended, or of an expectation that was decided.
func (t *teller) step(e Event, s Step) []string {
	name, reason := strings.TrimSpace(s.Verb+" "+s.Name), s.Detail
	if isExpectation(s) {
		name = s.Name
	}
	if v := s.Verdict; v != nil {
		reason = v.Reason
		if v.Message != "" && s.Status >= expect.Fail {
			reason += "\n" + v.Message
		}
	}
	word := t.mark(s.Status) + " "
	if s.Status == expect.Skip {
		word += "skipped: "
	}
	if s.Status == expect.Error {
		word += "could not be told: "
		if !isExpectation(s) {
			word = t.mark(s.Status) + " failed: "
		}
	}
	if s.Status == expect.Fail && isExpectation(s) {
		word += "not as expected: "
	}
	if reason != "" {
		name += ": " + reason
	}
	return t.said(e, statusColor(s.Status), word, name)
}

func (t *teller) record(e Event, r collectors.Record) []string {
	id := e.Cluster + "/" + key(r)
	switch {
	case r.Type == collectors.TypeLog && r.Log != nil:
		return t.log(e, r)
	case r.Type == collectors.TypePod && r.Pod != nil:
		return t.pod(e, id, r)
	case r.Type == collectors.TypePodGone:
		delete(t.pods, id)
		delete(t.states, id)
		return t.said(e, "", "pod "+clean(r.Object.Name)+"  ", "gone")
	case r.Type == collectors.TypeJob && r.Job != nil:
		text := jobText(r.Job)
		if t.jobs[id] == text {
			return nil
		}
		t.jobs[id] = text
		return t.said(e, "", "job "+clean(r.Object.Name)+"  ", text)
	case r.Task != nil:
		return t.task(e, r)
	case r.Type == collectors.TypeGap && r.Gap != nil:
		return t.said(e, sgrYellow, "gap: ", gapText(r))
	case r.Type == collectors.TypeStep, r.Type == collectors.TypeStepBegin:
		return nil // EventStep and EventProgress tell it
	case r.Type == collectors.TypeClock && !t.verbose:
		return nil // where it matters a warning tells it
	case r.Type == collectors.TypeObject && !t.verbose, r.Event != nil && r.Event.EventType == "Normal" && !t.verbose:
		return nil // that something changed, or went as it should, is worth a record and no line
	case r.Event != nil && r.Event.EventType != "Normal":
		return t.said(e, sgrYellow, "", describe(r))
	}
	return t.said(e, "", "", describe(r))
}

// pod tells what changed of a pod's STATUS and READY.
func (t *teller) pod(e Event, id string, r collectors.Record) []string {
	now := [2]string{clean(r.Pod.Status), clean(r.Pod.Ready)}
	before, known := t.pods[id]
	t.pods[id] = now
	word := "pod " + clean(r.Object.Name) + "  "
	if t.verbose {
		last := t.states[id]
		t.states[id] = r.Pod
		return t.said(e, "", word, podText(last, r.Pod))
	}
	arrow := t.arrow()
	switch {
	case !known:
		return t.said(e, "", word, statusText(now[0], now[1]))
	case before == now:
		return nil
	case before[0] == now[0]:
		return t.said(e, "", word, statusText(now[0], before[1]+arrow+now[1]))
	}
	return t.said(e, "", word, before[0]+arrow+statusText(now[0], now[1]))
}

// task tells of a container that the runtime started or saw end.
func (t *teller) task(e Event, r collectors.Record) []string {
	id := e.Cluster + "/" + r.Task.ID
	word := "container " + clean(r.Object.Name+"/"+r.Container) + "  "
	at := " at " + clockTime(r)
	switch r.Type {
	case collectors.TypeTaskStart:
		t.starts[id] = r.Time
		return t.said(e, "", word, "started"+at)
	case collectors.TypeTaskOOM:
		return t.said(e, sgrYellow, word, "ran out of memory"+at+": the kernel killed in it")
	}
	text := "exited " + exitText(r.Task.ExitCode) + at
	if began, ok := t.starts[id]; ok {
		text += ", ran " + r.Time.Sub(began).Round(time.Microsecond).String()
		delete(t.starts, id)
	}
	sgr := ""
	if r.Task.ExitCode != 0 {
		sgr = sgrYellow
	}
	return t.said(e, sgr, word, text)
}

// log tells a container's line in the container's colour.
func (t *teller) log(e Event, r collectors.Record) []string {
	if !t.logs {
		return nil
	}
	prefix, columns := t.prefix(e)
	name := clean(r.Object.Name+"/"+r.Container) + t.sign(" │ ", " | ")
	text := clean(r.Log.Text)
	if r.Log.Cut {
		text += t.sign(" …", " ...")
	}
	if t.tty {
		text = t.cut(text, max(20, t.width()-columns-width(name)))
	}
	return []string{strings.TrimRight(prefix+t.paint(containerColor(r), name)+text, " ")}
}

// containerColor is the colour in which stern shows the container, or one that
// follows from its name.
func containerColor(r collectors.Record) string {
	if c := r.Log.Color; strings.HasPrefix(c, "\x1b[") && strings.Trim(c[2:], "0123456789;") == "m" {
		return c
	}
	hash := fnv.New32a()
	hash.Write([]byte(r.Container)) // never fails
	palette := []string{"\x1b[36m", "\x1b[32m", "\x1b[35m", "\x1b[33m", "\x1b[34m", "\x1b[96m", "\x1b[92m", "\x1b[95m"}
	return palette[hash.Sum32()%uint32(len(palette))]
}

// clockTime is a record's time of day in UTC, as finely as it is worth
// reading.
func clockTime(r collectors.Record) string {
	if r.Precision >= time.Second {
		return r.Time.UTC().Format("15:04:05Z")
	}
	return r.Time.UTC().Format("15:04:05.000000Z")
}
