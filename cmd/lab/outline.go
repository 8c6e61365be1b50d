package main

import (
	"archive/tar"
	"compress/gzip"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/kind-lab/lab/collectors"
	"github.com/kind-lab/lab/labs/journal"
	"github.com/kind-lab/lab/labs/report"
	"github.com/kind-lab/lab/labs/selection"
)

// outline is what completion needs of a recorded run: names. It reads the run's
// report, or without one as much of its journal as time allows.
type outline struct {
	Runs []outlineRun `json:"runs"`
}

// outlineRun is one scenario on one cluster.
type outlineRun struct {
	Scenario string `json:"scenario"`
	Cluster  string `json:"cluster"`
	Pods     []struct {
		Name       string `json:"name"`
		Containers []struct {
			Name string `json:"name"`
		} `json:"containers"`
	} `json:"pods"`
	// pods and containers are from the journal.
	pods, containers []string
}

// outlineTime bounds how long completion reads.
const outlineTime = 300 * time.Millisecond

// outlineOf reads the outline of a run, or of an archive of one. What cannot be
// read is not in it.
func outlineOf(run string) outline {
	until := time.Now().Add(outlineTime)
	if info, err := os.Stat(run); err == nil && info.Mode().IsRegular() {
		return outlineOfArchive(run, until)
	}
	dir, err := runFolder(run)
	if err != nil {
		return outline{}
	}
	var o outline
	if text, err := os.ReadFile(filepath.Join(dir, report.FileName)); err == nil && json.Unmarshal(text, &o) == nil {
		return o
	}
	file, err := os.Open(filepath.Join(dir, journal.File))
	if err != nil {
		return outline{}
	}
	defer file.Close()
	return outlineOfJournal(file, until)
}

// outlineOfArchive takes the report from an archive, which follows the journal.
func outlineOfArchive(name string, until time.Time) outline {
	file, err := os.Open(name)
	if err != nil {
		return outline{}
	}
	defer file.Close()
	zipped, err := gzip.NewReader(file)
	if err != nil {
		return outline{}
	}
	var o outline
	for in := tar.NewReader(zipped); time.Now().Before(until); {
		header, err := in.Next()
		switch {
		case err != nil:
			return o
		case header.Name == journal.File:
			o = outlineOfJournal(in, until)
		case header.Name == report.FileName:
			var whole outline
			if text, err := io.ReadAll(in); err == nil && json.Unmarshal(text, &whole) == nil {
				return whole
			}
		}
	}
	return o
}

func outlineOfJournal(r io.Reader, until time.Time) outline {
	var o outline
	at := map[string]int{}
	for e, err := range journal.Decode(r) {
		if err != nil || time.Now().After(until) {
			return o
		}
		if e.Begin != nil && e.On != nil {
			at[e.Run] = len(o.Runs)
			o.Runs = append(o.Runs, outlineRun{Scenario: e.On.Scenario, Cluster: e.On.Cluster})
		}
		if i, ok := at[e.Run]; ok && e.Record != nil {
			o.Runs[i].add(*e.Record)
		}
	}
	return o
}

func (r *outlineRun) add(rec collectors.Record) {
	if rec.Object.Kind == "Pod" && rec.Object.Name != "" {
		r.pods = addName(r.pods, rec.Object.Name)
	}
	if rec.Container != "" {
		r.containers = addName(r.containers, rec.Container)
	}
}

// addName adds a name to sorted ones, unless it is there.
func addName(names []string, name string) []string {
	i, there := slices.BinarySearch(names, name)
	if there {
		return names
	}
	return slices.Insert(names, i, name)
}

// names are what all runs of the outline have, sorted.
func (o outline) names(of func(outlineRun) []string) []string {
	var all []string
	for _, r := range o.Runs {
		for _, name := range of(r) {
			all = addName(all, name)
		}
	}
	return all
}

func (r outlineRun) podNames() []string {
	names := slices.Clone(r.pods)
	for _, p := range r.Pods {
		names = append(names, p.Name)
	}
	return names
}

func (r outlineRun) containerNames() []string {
	names := slices.Clone(r.containers)
	for _, p := range r.Pods {
		for _, c := range p.Containers {
			names = append(names, c.Name)
		}
	}
	return names
}

// inRun are the clusters and scenarios of the run that the first argument names,
// or of the last run.
func inRun(_ *cobra.Command, args []string) (clusters, scenarios []string) {
	o := outlineOf(runOf(args))
	clusters = o.names(func(r outlineRun) []string { return []string{selection.Unquoted(r.Cluster)} })
	scenarios = o.names(func(r outlineRun) []string { return []string{selection.Unquoted(r.Scenario)} })
	return clusters, scenarios
}

// completeOfRun offers names of the run that the first argument names, or of the
// last run.
func completeOfRun(of func(outlineRun) []string) cobra.CompletionFunc {
	return func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		return outlineOf(runOf(args)).names(of), cobra.ShellCompDirectiveNoFileComp
	}
}
