package text

import (
	"math"

	"github.com/kind-lab/lab/labs/report/document"
)

// barRow is a row: a container with its runs, in seconds since the first
// container started on its cluster.
type barRow struct {
	cluster, group, name, kind string
	runs                       []barRun
}

// barRun is a bar: one run of the container.
type barRun struct {
	// from and to are where the bar begins and ends; open says that it still
	// ran at to.
	from, to float64
	// unseen says that one of the two is not known.
	unseen, open bool
	ready, term  *float64
	code         string
	bad          bool
}

// barRowsOf are the rows of a picture: its pods' containers in their order.
func barRowsOf(x document.Picture) []barRow {
	zero := math.Inf(1)
	for _, pod := range x.Pods {
		for _, c := range pod.Containers {
			for _, r := range c.Runs {
				if r.StartedAt != nil {
					zero = min(zero, r.StartedAt.At)
				}
			}
		}
	}
	if math.IsInf(zero, 1) {
		zero = 0
	}
	var rows []barRow
	for _, pod := range x.Pods {
		group := x.Cluster
		if len(x.Pods) > 1 {
			group += "  " + pod.Title
		}
		for _, c := range pod.Containers {
			l := barRow{cluster: x.Cluster, group: group, name: c.Name, kind: c.Kind}
			for _, r := range c.Runs {
				l.runs = append(l.runs, runOf(r, zero, x.Seconds))
			}
			rows = append(rows, l)
		}
	}
	return rows
}

func runOf(r document.RunPicture, zero, end float64) barRun {
	out := barRun{to: end - zero, open: !r.Exited}
	shift := func(i *document.Instant) *float64 {
		if i == nil {
			return nil
		}
		at := max(0, i.At-zero)
		return &at
	}
	from, to := shift(r.StartedAt), shift(r.FinishedAt)
	out.ready, out.term = shift(r.ReadyAt), shift(r.KillingAt)
	if to != nil {
		out.to = *to
	}
	switch {
	case from != nil:
		out.from = *from
	default:
		out.from, out.unseen = out.to, true
	}
	if r.Exited {
		out.code, out.bad = ExitText(r.ExitCode), r.ExitCode != 0
		if to == nil {
			out.to, out.unseen = out.from, true
		}
	}
	return out
}

// bounded leaves each cluster as many of its rows as fit into so many in all.
func bounded(rows []barRow, most int) (kept []barRow, omitted int) {
	clusters := map[string]int{}
	for _, l := range rows {
		clusters[l.cluster]++
	}
	each := max(2, most/max(1, len(clusters)))
	seen := map[string]int{}
	for _, l := range rows {
		if seen[l.cluster]++; seen[l.cluster] <= each {
			kept = append(kept, l)
		} else {
			omitted++
		}
	}
	return kept, omitted
}
