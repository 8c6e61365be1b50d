package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

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
		return "", usage("no run %s: neither a run's folder nor an ID below %s", run, runsRoot)
	}
	names := runNames()
	if len(names) == 0 {
		return "", usage("there are no runs below %s yet: `lab run SCENARIO` makes one", runsRoot)
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
	return recording, func() {}, nil
}

// oneRun checks the arguments of a command that looks at a run.
func oneRun(_ *cobra.Command, args []string) error {
	if len(args) == 1 {
		return nil
	}
	return usage(`want one run: its ID, its folder, "last", or a file of lab pack; got %d arguments`, len(args))
}

// completeRun offers the runs that were recorded, the newest first, and files.
func completeRun(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return append([]string{lastRun}, runNames()...), cobra.ShellCompDirectiveKeepOrder
}
