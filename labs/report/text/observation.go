package text

import (
	"fmt"
	"time"

	"github.com/kind-lab/lab/collectors"
	"github.com/kind-lab/lab/labs/report/layout"
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
	layout.Style
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
		return before + opts.Paint(layout.Yellow, layout.Clean(opts.Sign("… ", "... ")+GapText(r)))
	}
	text := r.Log.Text
	if !opts.Raw {
		text = layout.Clean(text)
	}
	if r.Log.Cut {
		text += opts.Sign(" … (cut)", " ... (cut)")
	}
	name := layout.Clean(r.Object.Name) + opts.Sign(" › ", " > ") + layout.Clean(r.Container)
	return before + opts.Paint(ContainerColor(r), name) + " " + text
}

func (opts ObservationOptions) where(o Observation) string {
	if !opts.Where {
		return ""
	}
	return opts.Paint(layout.Dim, layout.Clean(o.Scenario)+"/"+layout.Clean(o.Cluster)) + " "
}

// RecordLine is any record in a line: seconds since the run began, how finely
// they are known, the source, and what happened.
func RecordLine(o Observation, opts ObservationOptions) string {
	r := o.Record
	return fmt.Sprintf("%s%14s  %s  %-7s  %s", opts.where(o), Seconds(r, r.Time.Add(-time.Duration(o.At*float64(time.Second)))),
		opts.Paint(layout.Dim, fmt.Sprintf("%-3s", Within(r.Precision))), layout.Clean(string(r.Source)), layout.Clean(Describe(r)))
}
