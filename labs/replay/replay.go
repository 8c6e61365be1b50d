// Package replay reads back what a run recorded: which scenarios ran on which
// clusters, and what was known of each at any moment, so that expressions can
// be evaluated again without a cluster.
package replay

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/kind-lab/lab/collectors"
	"github.com/kind-lab/lab/dsl/schema"
	"github.com/kind-lab/lab/dsl/value"
	"github.com/kind-lab/lab/labs/journal"
	"github.com/kind-lab/lab/labs/report"
	"github.com/kind-lab/lab/labs/report/document"
	"github.com/kind-lab/lab/labs/selection"
)

// Recording is what a run left in its folder.
type Recording struct {
	// Dir is the run's folder.
	Dir string
	// Runs are the scenarios on their clusters, in the order in which they
	// began.
	Runs []ScenarioRun
	// Report is what the run found; nil if there is none, because
	// the run was cut off or is still in progress.
	Report *report.Report
	// File is the scenario as it was named when it ran; empty if that is
	// not known. Source is the copy of it that the run kept, a folder or a
	// file, and Given the values of its variables, a file; empty if it has
	// none. Host is what ran it, such as "linux/amd64"; empty if that is not
	// known.
	File, Source, Given, Host string
	// ClusterSets are the sets of clusters that the scenario took by name, as
	// they were when it ran. They are what Source is to be loaded with; never
	// nil.
	ClusterSets []schema.ClusterSet
	// Rendered is what the charts and kustomizations of Source were rendered to.
	Rendered []value.Rendering

	// lines is what the log lines cost in a document.
	lines document.LineTally
}

// ScenarioRun is one scenario on one cluster, as it was recorded.
type ScenarioRun struct {
	// Key is its name in the journal, SCENARIO/CLUSTER.
	Key string
	// Scenario is the scenario's title, with the row of its matrix if it has
	// one; Cluster is the cluster's name.
	Scenario, Cluster string
	// Begin is when its times count from, and End when its last record was
	// received; Begin if there is none.
	Begin, End time.Time
	// Records counts its records.
	Records int
	// On is what the journal says of where it ran; nil in old journals.
	On *journal.Origin
}

// Elapsed is the time from the run's begin to its last record.
func (r ScenarioRun) Elapsed() time.Duration { return r.End.Sub(r.Begin) }

// Open reads what a run's folder holds. A journal that was cut off is read up
// to there. The errors are those of reading, among them report.ErrVersion.
func Open(dir string) (*Recording, error) {
	rec := &Recording{Dir: dir, lines: document.LineTally{}}
	found, err := report.Load(filepath.Join(dir, report.FileName))
	switch {
	case err == nil:
		rec.Report = &found
	case !errors.Is(err, fs.ErrNotExist):
		return nil, err
	}
	if err := rec.index(); err != nil {
		return nil, err
	}
	if rec.File == "" && rec.Report != nil {
		rec.File = rec.Report.File
	}
	rec.Source, rec.Given = kept(dir)
	rec.ClusterSets = []schema.ClusterSet{}
	err = errors.Join(readGiven(dir, journal.ClusterSetsFile, &rec.ClusterSets), readGiven(dir, journal.RenderedFile, &rec.Rendered))
	if err != nil {
		return nil, err
	}
	return rec, nil
}

// kept finds the copy of the scenario in a run's folder: the file where there is
// one alone, which need not be called scenario.hcl.
func kept(dir string) (source, given string) {
	folder := filepath.Join(dir, journal.ScenarioFolder)
	entries, err := os.ReadDir(folder)
	if err != nil {
		return "", ""
	}
	var sources []string
	for _, e := range entries {
		name := filepath.Join(folder, e.Name())
		switch {
		case e.Name() == journal.GivenFile:
			given = name
		case strings.HasSuffix(name, ".hcl"), strings.HasSuffix(name, ".hcl.json"):
			sources = append(sources, name)
		}
	}
	switch len(sources) {
	case 0:
		return "", ""
	case 1:
		return sources[0], given
	}
	return folder, given
}

// readGiven reads what a run's scenario was given beside its files, a JSON list. A run
// from before there was such a thing has none.
func readGiven[T any](dir, file string, list *[]T) error {
	data, err := os.ReadFile(filepath.Join(dir, journal.ScenarioFolder, file))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		err = json.Unmarshal(data, list)
	}
	if err != nil {
		return fmt.Errorf("reading %s, which the run kept: %w", file, err)
	}
	return nil
}

// index finds the runs in the journal.
func (rec *Recording) index() error {
	at := map[string]int{}
	for e, err := range journal.Entries(rec.Dir) {
		if err != nil {
			return err
		}
		if e.Head != nil {
			rec.File, rec.Host = e.Head.File, e.Head.Host
		}
		if e.Begin != nil {
			run := ScenarioRun{Key: e.Run, Begin: *e.Begin, End: *e.Begin, On: e.On}
			run.Scenario, run.Cluster = rec.names(e)
			at[e.Run] = len(rec.Runs)
			rec.Runs = append(rec.Runs, run)
			continue
		}
		i, begun := at[e.Run]
		if e.Record == nil || !begun {
			continue
		}
		r := &rec.Runs[i]
		r.Records++
		rec.lines.Add(e.Run, *e.Record)
		if received(*e.Record).After(r.End) {
			r.End = received(*e.Record)
		}
	}
	return nil
}

// received is when a record was known.
func received(r collectors.Record) time.Time {
	if r.Received.IsZero() {
		return r.Time
	}
	return r.Received
}

// names are the scenario and the cluster of a run that begins: as the journal
// says; in an old one as the report has them.
func (rec *Recording) names(e journal.Entry) (scenario, cluster string) {
	if e.On != nil {
		return e.On.Scenario, e.On.Cluster
	}
	if rec.Report != nil {
		for _, r := range rec.Report.Runs {
			if r.Scenario+"/"+r.Cluster == e.Run {
				return r.Scenario, r.Cluster
			}
		}
	}
	return split(e.Run)
}

// split takes a key apart at its last slash that is in no brackets and no
// quotes: `native[image="a/b"]/all["1.28"]`.
func split(key string) (scenario, cluster string) {
	cut, depth, quoted := -1, 0, false
	for i := range len(key) {
		switch c := key[i]; {
		case c == '"' && (i == 0 || key[i-1] != '\\'):
			quoted = !quoted
		case quoted:
		case c == '[':
			depth++
		case c == ']':
			depth--
		case c == '/' && depth == 0:
			cut = i
		}
	}
	if cut < 0 {
		cut = strings.LastIndexByte(key, '/')
	}
	if cut < 0 {
		return key, ""
	}
	return key[:cut], key[cut+1:]
}

// Find returns the runs of these scenarios on these clusters.
func (rec *Recording) Find(scenarios, clusters selection.Names) []ScenarioRun {
	var found []ScenarioRun
	for _, r := range rec.Runs {
		if scenarios.Include(r.Scenario) && clusters.Include(r.Cluster) {
			found = append(found, r)
		}
	}
	return found
}

// Keys are the keys of the runs.
func (rec *Recording) Keys() []string {
	var keys []string
	for _, r := range rec.Runs {
		keys = append(keys, r.Key)
	}
	return keys
}

// Timeline folds what was known of a run at a time after its begin; all that
// was recorded where the time is negative.
func (rec *Recording) Timeline(run ScenarioRun, at time.Duration) (*collectors.Timeline, error) {
	timeline := collectors.NewTimeline(run.Begin)
	begun := false
	for e, err := range journal.Entries(rec.Dir) {
		if err != nil {
			return nil, fmt.Errorf("reading the records of %s: %w", run.Key, err)
		}
		if e.Run != run.Key {
			continue
		}
		begun = begun || e.Begin != nil
		if e.Record != nil && begun && (at < 0 || !received(*e.Record).After(run.Begin.Add(at))) {
			timeline.Add(*e.Record)
		}
	}
	return timeline, nil
}
