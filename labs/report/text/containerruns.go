package text

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/kind-lab/lab/collectors"
	"github.com/kind-lab/lab/labs/report/layout"
)

// unbounded is the width of what is no terminal.
const unbounded = 1 << 16

// WriteContainerRuns prints each run of each container of a timeline: when it
// started and ended, by whom, how long it ran and how it ended. Only pods whose
// names begin with a prefix are printed.
func WriteContainerRuns(w io.Writer, t *collectors.Timeline, prefix string, style layout.Style) error {
	if style.Width == 0 {
		style.Width = unbounded
	}
	p := newPage(style)
	g := layout.Grid{Right: []int{4, 5, 6}, Flexible: 0}
	g.Head = [][]layout.Cell{layout.Titles("POD", "CONTAINER", "KIND", "RUN", "STARTED", "ENDED", "RAN", "EXIT", "BY")}
	for _, pod := range t.Pods() {
		if !strings.HasPrefix(pod.Object.Name, prefix) {
			continue
		}
		for _, c := range pod.Containers {
			for i, r := range c.Runs {
				g.Rows = append(g.Rows, runCells(t, pod, c, i, r))
			}
		}
	}
	if len(g.Rows) == 0 {
		return nil
	}
	p.Grid(g)
	_, err := io.WriteString(w, p.String())
	return err
}

func runCells(t *collectors.Timeline, pod *collectors.PodState, c *collectors.ContainerState, i int, r collectors.RunState) []layout.Cell {
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
		ended, exit = at(r.FinishedAt), ExitText(r.ExitCode)
		if r.Reason != "" && !slices.Contains([]string{"Completed", "Error"}, r.Reason) {
			exit += " " + layout.Clean(r.Reason)
		}
		if r.StartedAt.Known() && r.FinishedAt.Known() {
			ran = clock(r.FinishedAt.Time.Sub(r.StartedAt.Time).Seconds(), string(cmp.Or(coarser(r.StartedAt, r.FinishedAt), collectors.SourceRuntime)))
		}
	}
	by := clockUnit(string(r.StartedAt.Source))
	if r.FinishedAt.Known() && r.FinishedAt.Source != r.StartedAt.Source {
		by += ", " + clockUnit(string(r.FinishedAt.Source))
	}
	return []layout.Cell{
		{Text: layout.Clean(pod.Object.Name), Whole: true}, {Text: layout.Clean(c.Name), Whole: true}, {Text: layout.Clean(c.Kind)}, {Text: fmt.Sprint(i)},
		{Text: at(r.StartedAt)}, {Text: ended}, {Text: ran}, {Text: exit}, {Text: by, SGR: layout.Dim},
	}
}

// coarser is the source of the less precise of two moments.
func coarser(a, b collectors.Moment) collectors.Source {
	if a.Precision > b.Precision {
		return a.Source
	}
	return b.Source
}
