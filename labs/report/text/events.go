package text

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/kind-lab/lab/collectors"
	"github.com/kind-lab/lab/labs/report/layout"
)

// EventLine is a Kubernetes event in a line.
func EventLine(o Observation, opts ObservationOptions) string {
	c := eventCells(o)
	return strings.TrimRight(fmt.Sprintf("%s%9s  %-7s  %-20s  %s  %s", opts.where(o), c[0].Text, opts.Paint(c[1].SGR, c[1].Text), c[2].Text, c[3].Text, c[4].Text), " ")
}

func eventCells(o Observation) []layout.Cell {
	e := o.Record.Event
	sgr := ""
	if e.EventType != "Normal" {
		sgr = layout.Yellow
	}
	message := layout.Clean(e.Message)
	if e.Count > 1 {
		message += fmt.Sprintf(" (%d times)", e.Count)
	}
	return []layout.Cell{
		{Text: fmt.Sprintf("%.3f", o.At)}, {Text: layout.Clean(e.EventType), SGR: sgr}, {Text: layout.Clean(e.Reason)},
		{Text: layout.Clean(objectText(o.Record))}, {Text: message},
	}
}

// WriteEvents prints Kubernetes events in the order in which they became
// known. Of one that was reported again, with a greater count, the last is printed.
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
	g := layout.Grid{Right: []int{0}, Flexible: 4}
	head := layout.Titles("SEEN", "TYPE", "REASON", "OBJECT", "MESSAGE")
	if opts.Where {
		head = append(head, layout.Titles("IN")...)
	}
	g.Head = [][]layout.Cell{head}
	for _, o := range kept {
		row := eventCells(o)
		if opts.Where {
			row = append(row, layout.Cell{Text: layout.Clean(o.Scenario) + "/" + layout.Clean(o.Cluster), Whole: true})
		}
		g.Rows = append(g.Rows, row)
	}
	p.Grid(g)
	_, err := io.WriteString(w, p.String())
	return err
}
