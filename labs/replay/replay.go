// Package replay reads back what a run recorded: which scenarios ran on which
// clusters, and what was known of each at any moment, so that expressions can
// be evaluated again without a cluster.
package replay

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/kind-lab/lab/collectors"
	"github.com/kind-lab/lab/labs/journal"
	"github.com/kind-lab/lab/labs/report"
)

// Recording is what a run left in its folder.
type Recording struct {
	// Dir is the run's folder.
	Dir string
	// Runs are the scenarios on their clusters, in the order in which they
	// began.
	Runs []Run
	// Report is what the run found; nil where it did not come to that, because
	// it was cut off or still goes on.
	Report *report.Report
	// File is the scenario as it was named when it ran; empty where that is
	// not known. Source is the copy of it that the run kept, a folder or a
	// file, and Given the values of its variables, a file; empty where it has
	// none. Host is what ran it, such as "linux/amd64"; empty where that is not
	// known.
	File, Source, Given, Host string

	// lines is what the log lines cost in a document.
	lines report.LineTally
}

// Run is one scenario on one cluster.
type Run struct {
	// Key is its name in the journal, SCENARIO/CLUSTER.
	Key string
	// Scenario is the scenario's title, with the row of its matrix if it has
	// one; Cluster is the cluster's name.
	Scenario, Cluster string
	// Begin is when its times count from, and End when its last record was
	// received; Begin where there is none.
	Begin, End time.Time
	// Records counts its records.
	Records int
	// On is what the journal says of where it ran; nil in old journals.
	On *journal.Bench
}

// Elapsed is the time from the run's begin to its last record.
func (r Run) Elapsed() time.Duration { return r.End.Sub(r.Begin) }

// Open reads what a run's folder holds. A journal that was cut off is read up
// to there. The errors are those of reading, among them report.ErrVersion.
func Open(dir string) (*Recording, error) {
	rec := &Recording{Dir: dir, lines: report.LineTally{}}
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
			run := Run{Key: e.Run, Begin: *e.Begin, End: *e.Begin, On: e.On}
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

// Find returns the runs of a scenario on a cluster; an empty name stands for
// any. A name may be written without its quotes, and a scenario's or cluster's
// without what is in brackets after it.
func (rec *Recording) Find(scenario, cluster string) []Run {
	var found []Run
	for _, r := range rec.Runs {
		if r.Is(scenario, cluster) {
			found = append(found, r)
		}
	}
	return found
}

// Is says whether the run is of that scenario on that cluster, as Find takes
// their names.
func (r Run) Is(scenario, cluster string) bool {
	return named(r.Scenario, scenario) && named(r.Cluster, cluster)
}

func named(name, asked string) bool {
	short, _, _ := strings.Cut(name, "[")
	return asked == "" || slices.Contains([]string{name, strings.ReplaceAll(name, `"`, ""), short}, asked)
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
func (rec *Recording) Timeline(run Run, at time.Duration) (*collectors.Timeline, error) {
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
