package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/kind-lab/lab/collectors"
)

// Observation is a record with where it belongs. As JSON it is what `lab logs`,
// `lab events` and `lab timeline` print, one on a line.
type Observation struct {
	Scenario string `json:"scenario"`
	Cluster  string `json:"cluster"`
	// At is the record's time in seconds since the scenario's run began.
	At     float64           `json:"at"`
	Record collectors.Record `json:"record"`
}

// ObservationOptions say how observations are written.
type ObservationOptions struct {
	Style
	// Where writes the scenario and the cluster before each.
	Where bool
	// Times writes the time before each log line.
	Times bool
	// Raw leaves the text of log lines as it was written. For a terminal it
	// must not be set.
	Raw bool
}

// LogLine is a log line as stern shows it, or a gap of logs: the pod, the
// container, and what it wrote.
func LogLine(o Observation, opts ObservationOptions) string {
	r := o.Record
	before := opts.where(o)
	if opts.Times {
		before += r.Time.UTC().Format("2006-01-02T15:04:05.000000000Z") + " "
	}
	if r.Log == nil {
		return before + opts.paint(sgrYellow, clean(opts.sign("… ", "... ")+gapText(r)))
	}
	text := r.Log.Text
	if !opts.Raw {
		text = clean(text)
	}
	if r.Log.Cut {
		text += opts.sign(" … (cut)", " ... (cut)")
	}
	name := clean(r.Object.Name) + opts.sign(" › ", " > ") + clean(r.Container)
	return before + opts.paint(containerColor(r), name) + " " + text
}

func (opts ObservationOptions) where(o Observation) string {
	if !opts.Where {
		return ""
	}
	return opts.paint(sgrDim, clean(o.Scenario)+"/"+clean(o.Cluster)) + " "
}

// RecordLine is any record in a line: seconds since the run began, how finely
// they are known, the source, and what happened.
func RecordLine(o Observation, opts ObservationOptions) string {
	r := o.Record
	return fmt.Sprintf("%s%14s  %s  %-7s  %s", opts.where(o), since(r, r.Time.Add(-time.Duration(o.At*float64(time.Second)))),
		opts.paint(sgrDim, fmt.Sprintf("%-3s", within(r.Precision))), clean(string(r.Source)), clean(describe(r)))
}

// EventLine is a Kubernetes event in a line.
func EventLine(o Observation, opts ObservationOptions) string {
	c := eventCells(o)
	return strings.TrimRight(fmt.Sprintf("%s%9s  %-7s  %-20s  %s  %s", opts.where(o), c[0].text, opts.paint(c[1].sgr, c[1].text), c[2].text, c[3].text, c[4].text), " ")
}

func eventCells(o Observation) []cell {
	e := o.Record.Event
	sgr := ""
	if e.EventType != "Normal" {
		sgr = sgrYellow
	}
	message := clean(e.Message)
	if e.Count > 1 {
		message += fmt.Sprintf(" (%d times)", e.Count)
	}
	return []cell{
		{text: fmt.Sprintf("%.3f", o.At)}, {text: clean(e.EventType), sgr: sgr}, {text: clean(e.Reason)},
		{text: clean(objectText(o.Record))}, {text: message},
	}
}

// WriteEvents prints Kubernetes events in the order in which they came to be
// known. Of one that was told again, with a greater count, the last is printed.
func WriteEvents(w io.Writer, events []Observation, opts ObservationOptions) error {
	type key struct {
		where, reason, message string
		object                 collectors.Object
		first                  time.Time
	}
	last := map[key]int{}
	var kept []Observation
	for _, o := range events {
		e := o.Record.Event
		k := key{o.Scenario + "/" + o.Cluster, e.Reason, e.Message, o.Record.Object, e.FirstAt}
		if i, told := last[k]; told {
			o.At = kept[i].At
			kept[i] = o
			continue
		}
		last[k] = len(kept)
		kept = append(kept, o)
	}
	p := newPage(opts.Style)
	g := grid{right: []int{0}, flexible: 4}
	head := []cell{{text: "SEEN", sgr: sgrDim}, {text: "TYPE", sgr: sgrDim}, {text: "REASON", sgr: sgrDim}, {text: "OBJECT", sgr: sgrDim}, {text: "MESSAGE", sgr: sgrDim}}
	if opts.Where {
		head, g.flexible = append(head, cell{text: "IN", sgr: sgrDim}), 4
	}
	g.head = [][]cell{head}
	for _, o := range kept {
		row := eventCells(o)
		if opts.Where {
			row = append(row, cell{text: clean(o.Scenario) + "/" + clean(o.Cluster), whole: true})
		}
		g.rows = append(g.rows, row)
	}
	p.grid(g)
	_, err := io.WriteString(w, p.String())
	return err
}

// unbounded is the width of what is no terminal.
const unbounded = 1 << 16

// WriteContainerRuns prints each run of each container of a timeline: when it
// started and ended, by whom, how long it ran and how it ended. Only pods whose
// names begin with a prefix are told of.
func WriteContainerRuns(w io.Writer, t *collectors.Timeline, prefix string, style Style) error {
	if style.Width == 0 {
		style.Width = unbounded
	}
	p := newPage(style)
	g := grid{right: []int{4, 5, 6}, flexible: 0}
	for _, name := range []string{"POD", "CONTAINER", "KIND", "RUN", "STARTED", "ENDED", "RAN", "EXIT", "BY"} {
		if len(g.head) == 0 {
			g.head = [][]cell{nil}
		}
		g.head[0] = append(g.head[0], cell{text: name, sgr: sgrDim})
	}
	for _, pod := range t.Pods() {
		if !strings.HasPrefix(pod.Object.Name, prefix) {
			continue
		}
		for _, c := range pod.Containers {
			for i, r := range c.Runs {
				g.rows = append(g.rows, runCells(t, pod, c, i, r))
			}
		}
	}
	if len(g.rows) == 0 {
		return nil
	}
	p.grid(g)
	_, err := io.WriteString(w, p.String())
	return err
}

func runCells(t *collectors.Timeline, pod *collectors.PodState, c *collectors.ContainerState, i int, r collectors.RunState) []cell {
	at := func(m collectors.Moment) string {
		if !m.Known() {
			return "?"
		}
		if m.Precision >= time.Second {
			return clock(t.Seconds(m.Time), string(m.Source))
		}
		return fmt.Sprintf("%.9f", t.Seconds(m.Time))
	}
	ended, ran, exit := "runs", "", ""
	if r.Exited {
		ended, exit = at(r.FinishedAt), exitText(r.ExitCode)
		if r.Reason != "" && !slices.Contains([]string{"Completed", "Error"}, r.Reason) {
			exit += " " + clean(r.Reason)
		}
		if r.StartedAt.Known() && r.FinishedAt.Known() {
			ran = clock(r.FinishedAt.Time.Sub(r.StartedAt.Time).Seconds(), string(cmp.Or(coarser(r.StartedAt, r.FinishedAt), collectors.SourceRuntime)))
		}
	}
	by := clockUnit(string(r.StartedAt.Source))
	if r.FinishedAt.Known() && r.FinishedAt.Source != r.StartedAt.Source {
		by += ", " + clockUnit(string(r.FinishedAt.Source))
	}
	return []cell{
		{text: clean(pod.Object.Name), whole: true}, {text: clean(c.Name), whole: true}, {text: clean(c.Kind)}, {text: fmt.Sprint(i)},
		{text: at(r.StartedAt)}, {text: ended}, {text: ran}, {text: exit}, {text: by, sgr: sgrDim},
	}
}

// coarser is the source of the less precise of two moments.
func coarser(a, b collectors.Moment) collectors.Source {
	if a.Precision > b.Precision {
		return a.Source
	}
	return b.Source
}
