package text

import (
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/kind-lab/lab/collectors"
	"github.com/kind-lab/lab/labs/report/layout"
)

// WriteRecords prints records in the order of collectors.Sort, one on a line:
// the seconds since begin, how finely they are known, the source, and what
// happened. Beside a time of the container runtime stands the API's for the
// same, where a record has it. Control characters of log lines are not
// written.
func WriteRecords(w io.Writer, records []collectors.Record, begin time.Time) error {
	p := newPage(layout.Style{})
	records = slices.Clone(records)
	collectors.Sort(records)
	p.records("", records, func(r collectors.Record) string { return Seconds(r, begin) }, true)
	if _, err := io.WriteString(w, p.String()); err != nil {
		return fmt.Errorf("writing the records: %w", err)
	}
	return nil
}

// records writes a line for each record, whole where it is asked for, else
// within the page.
func (p *page) records(indent string, records []collectors.Record, at func(collectors.Record) string, whole bool) {
	api := apiTimes(records)
	g := layout.Grid{Indent: indent, Flexible: 3, Right: []int{0}}
	if whole {
		g.Flexible = 4 // none
		g.Head = [][]layout.Cell{{{Text: "TIME"}, {Text: "WITHIN"}, {Text: "SOURCE"}, {Text: "WHAT"}}}
	}
	pods := map[string]*collectors.Pod{}
	for _, r := range records {
		text := Describe(r)
		if r.Pod != nil && r.Type == collectors.TypePod {
			text = "pod " + r.Object.Name + " " + PodText(pods[ObjectKey(r.Object)], r.Pod)
			pods[ObjectKey(r.Object)] = r.Pod
		}
		if t := api(r); !t.IsZero() {
			shown := r
			shown.Time, shown.Precision = t, time.Second
			text += "  [API: " + at(shown) + ", within 1s]"
		}
		g.Rows = append(g.Rows, []layout.Cell{{Text: at(r)}, {Text: Within(r.Precision), SGR: layout.Dim}, {Text: layout.Clean(string(r.Source))}, {Text: layout.Clean(text)}})
	}
	p.Grid(g)
}

// apiTimes finds what the API says of the same start or end as a record of the
// runtime; the zero time where it says nothing.
func apiTimes(records []collectors.Record) func(collectors.Record) time.Time {
	runs := map[string]collectors.ContainerRun{}
	for _, r := range records {
		if r.Pod == nil {
			continue
		}
		for _, c := range r.Pod.Containers {
			for _, run := range []*collectors.ContainerRun{c.Last, c.Current} {
				if run != nil && run.ID != "" {
					runs[run.ID] = *run
				}
			}
		}
	}
	return func(r collectors.Record) time.Time {
		if r.Task == nil {
			return time.Time{}
		}
		switch run := runs[r.Task.ID]; r.Type {
		case collectors.TypeTaskStart:
			return run.StartedAt
		case collectors.TypeTaskExit:
			return run.FinishedAt
		}
		return time.Time{}
	}
}
