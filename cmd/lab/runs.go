package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/kind-lab/lab/labs/journal"
	"github.com/kind-lab/lab/labs/replay"
)

// lastRun is the name of the newest run.
const lastRun = "last"

// runsRoot is where the runs of this folder are recorded.
const runsRoot = ".lab/runs"

// runFolder finds the folder of the run of that ID, of that folder, or of the
// newest where it is lastRun.
func runFolder(run string) (string, error) {
	if run != lastRun {
		for _, dir := range []string{run, filepath.Join(runsRoot, run)} {
			if _, err := os.Stat(filepath.Join(dir, journal.File)); err == nil {
				return dir, nil
			}
		}
		return "", usage("no run %s: name a run's folder, a file that `lab pack` wrote, or an ID below %s%s", run, runsRoot, didYouMean("", run, runNames()))
	}
	names := runNames()
	if len(names) == 0 {
		return "", usage("there are no runs below %s yet: `lab run SCENARIO` records one", runsRoot)
	}
	return filepath.Join(runsRoot, names[0]), nil
}

// runNames lists the runs below runsRoot, the newest first: their names are in
// the order of their starts. What is no run's folder is not among them.
func runNames() []string {
	entries, err := os.ReadDir(runsRoot)
	if err != nil {
		return nil // as on a machine without a run
	}
	var names []string
	for _, entry := range slices.Backward(entries) {
		if _, err := os.Stat(filepath.Join(runsRoot, entry.Name(), journal.File)); err == nil {
			names = append(names, entry.Name())
		}
	}
	return names
}

// openRecording opens a run, or an archive of one. remove is to be called when
// it is no longer needed.
func openRecording(run string) (recording *replay.Recording, remove func(), err error) {
	if info, err := os.Stat(run); err == nil && info.Mode().IsRegular() {
		recording, away, err := replay.OpenArchive(run)
		if err != nil {
			return nil, nil, usage("%v", err)
		}
		locate(recording, run)
		return recording, func() { _ = away() }, nil // a temporary folder that stays harms nobody
	}
	dir, err := runFolder(run)
	if err != nil {
		return nil, nil, err
	}
	recording, err = replay.Open(dir)
	if err != nil {
		return nil, nil, broken(fmt.Errorf("opening the run %s: %w", run, err))
	}
	locate(recording, dir)
	return recording, func() {}, nil
}

// locate says in the report where the recording is now: it may have been moved, or
// packed, since.
func locate(recording *replay.Recording, path string) {
	if recording.Report != nil {
		recording.Report.Folder = path
	}
}

// isRun says whether an argument names a recorded run and no scenario.
func isRun(arg string) bool {
	if info, err := os.Stat(arg); err == nil && info.Mode().IsRegular() {
		return !strings.HasSuffix(arg, ".hcl") && !strings.HasSuffix(arg, ".hcl.json")
	}
	_, err := runFolder(arg)
	return arg == lastRun || err == nil
}

// noReport says why a run has no report, and what to do.
func noReport(dir string) error {
	id := filepath.Base(dir)
	if alive, err := journal.Alive(dir); err == nil && alive {
		return usage("run %s has not ended and has no report yet. To judge what was recorded so far: lab replay %s", id, id)
	}
	return usage("run %s was cut off and has no report. To judge what was recorded: lab replay %s", id, id)
}

// nothingOf says that a run has nothing of what was chosen.
func nothingOf(recording *replay.Recording) error {
	return usage("run %s has nothing of these scenarios and clusters; it has: %s", filepath.Base(recording.Dir), strings.Join(recording.Keys(), ", "))
}
