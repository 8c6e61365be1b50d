package html

import (
	"fmt"
	"strings"
	"time"

	"github.com/kind-lab/lab/labs/report/document"
	"github.com/kind-lab/lab/labs/report/text"
)

// containerRow is one run of a container, in figures.
type containerRow struct {
	Pod, Container, Kind, Cluster, Run string
	Started, Ended, Ran, Exit, Source  string
}

// mostRows bounds the table of containers of a scenario; the timeline has all.
const mostRows = 500

// containersOf are the runs of all containers of some pictures.
func containersOf(d document.Document, pictures []int) []containerRow {
	var rows []containerRow
	for _, i := range pictures {
		if i >= len(d.Pictures) {
			continue
		}
		for _, pod := range d.Pictures[i].Pods {
			for _, c := range pod.Containers {
				rows = append(rows, runsOf(d.Pictures[i], pod, c)...)
			}
		}
	}
	return rows[:min(len(rows), mostRows)]
}

func runsOf(p document.Picture, pod document.PodPicture, c document.ContainerPicture) []containerRow {
	base := containerRow{Pod: show(pod.Title), Container: show(c.Name), Kind: show(c.Kind), Cluster: show(p.Cluster)}
	if len(c.Runs) == 0 {
		base.Started = "never"
		return []containerRow{base}
	}
	var rows []containerRow
	for n, run := range c.Runs {
		row := base
		if len(c.Runs) > 1 {
			row.Run = fmt.Sprint(n + 1)
		}
		row.Started, row.Ended = instant(run.StartedAt), instant(run.FinishedAt)
		if run.StartedAt != nil {
			row.Source = sourceOf(*run.StartedAt)
		}
		if run.StartedAt == nil {
			row.Started = "not seen"
		}
		switch {
		case run.Exited:
			row.Exit = exit(run)
		case run.FinishedAt == nil:
			row.Ended = "running"
		}
		if run.StartedAt != nil && run.FinishedAt != nil {
			coarser := *run.StartedAt
			coarser.Precision = max(coarser.Precision, run.FinishedAt.Precision)
			coarser.At = run.FinishedAt.At - run.StartedAt.At
			row.Ran = instant(&coarser)
		}
		rows = append(rows, row)
	}
	return rows
}

// exit says how a run of a container ended.
func exit(run document.RunPicture) string {
	text := fmt.Sprint(run.ExitCode)
	if run.Signal != 0 {
		text += fmt.Sprintf(" signal %d", run.Signal)
	}
	if reason := show(run.Reason); reason != "" && reason != "Completed" && reason != "Error" {
		text += " " + reason
	}
	if run.OOM && run.Reason != "OOMKilled" {
		text += " out of memory"
	}
	return text
}

// instant is a time in seconds with at most the digits that its precision
// gives it.
func instant(i *document.Instant) string {
	if i == nil {
		return ""
	}
	if i.Precision >= time.Second {
		return fmt.Sprintf("~%.0f", i.At)
	}
	return fmt.Sprintf("%.3f", i.At)
}

func sourceOf(i document.Instant) string {
	return strings.TrimSpace(show(i.Source) + ", within " + text.Within(i.Precision))
}
