package html

import (
	"fmt"
	"time"

	"github.com/kind-lab/lab/collectors"
	"github.com/kind-lab/lab/labs/expect"
	"github.com/kind-lab/lab/labs/report"
	"github.com/kind-lab/lab/labs/report/document"
	"github.com/kind-lab/lab/labs/report/text"
)

// evidence is what the page tells of a step on a cluster.
type evidence struct {
	ID, Title, Cluster, Status, Mark, Meaning string
	Reason, Message, Detail                   string
	Condition, Expected, Got, Time            string
	// Source is where the diagnostic points to, Place its words.
	Source, Place string
	References    []reference
	Records       []record
}

// reference is a value in a condition.
type reference struct{ Expression, Value, Observed string }

// record is something observed.
type record struct{ At, Within, Source, Text string }

func evidenceOf(r report.Report, place document.Place, id string, on head) evidence {
	run := r.Runs[place.Run]
	s := run.Steps[place.Step]
	e := evidence{
		ID: id, Title: show(titleOf(s)), Cluster: on.Name, Status: s.Status.String(), Mark: mark(s.Status),
		Meaning: meaning(s.Status), Detail: show(s.Detail),
		Time: fmt.Sprintf("from %.3f s to %.3f s", s.BeganAt, s.EndedAt),
	}
	if s.Verdict == nil {
		return e
	}
	v := *s.Verdict
	e.Reason, e.Message, e.Condition = show(v.Reason), show(v.Message), show(v.Condition)
	e.Detail = ""
	if s.Status != expect.Skip {
		e.Expected, e.Got = fmt.Sprint(v.Expected), show(v.Got)
	}
	e.Time = timing(v)
	if v.Diagnostic != nil {
		e.Detail = show(v.Diagnostic.Detail)
		if e.Detail == e.Reason || e.Detail == e.Reason+"." {
			e.Detail = ""
		}
		if at := v.Diagnostic.Range; at != nil {
			e.Place = fmt.Sprintf("%s, line %d", show(at.Filename), at.Start.Line)
		}
	}
	for _, ref := range v.References {
		e.References = append(e.References, reference{show(ref.Expression), show(ref.Value), show(text.Observed(ref))})
	}
	for _, rec := range v.Records {
		e.Records = append(e.Records, recordOf(rec, run.StartedAt))
	}
	return e
}

func recordOf(r collectors.Record, begin time.Time) record {
	return record{At: text.Seconds(r, begin), Within: text.Within(r.Precision), Source: show(string(r.Source)), Text: show(text.Describe(r))}
}

func timing(v expect.Verdict) string {
	text := fmt.Sprintf("looked at from %.3f s to %.3f s", v.BeganAt, v.DecidedAt)
	if v.Within > 0 {
		text += ", within " + v.Within.String()
	}
	if v.Hold > 0 {
		text += ", hold " + v.Hold.String()
	}
	return text
}
