package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/kind-lab/lab/collectors"
	"github.com/kind-lab/lab/labs/journal"
	"github.com/kind-lab/lab/labs/report"
)

func (a *app) showCommand() *cobra.Command {
	var records string
	var asJSON, logs bool
	cmd := &cobra.Command{
		Use: "show [RUN]", Short: "Show a run that was recorded: its report, or its records first to last",
		Long: `Show prints the report of a run, the newest one where none is named. RUN is the
run's ID or its folder. With -records it prints what was recorded of one
scenario on one cluster, in the order in which it happened, each with the time's
source and precision.`,
		Example: `  lab show
  lab show -records native/v129`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			dir, err := runFolder(args)
			if err != nil {
				return err
			}
			if records != "" {
				return a.showRecords(dir, records, logs, asJSON)
			}
			r, err := report.Load(filepath.Join(dir, report.FileName))
			if errors.Is(err, fs.ErrNotExist) {
				return noReport(dir)
			}
			if err != nil {
				return broken(err)
			}
			if asJSON {
				return writeJSON(a.stdout, r)
			}
			width, _ := terminal(a.stdout)
			return report.WriteText(a.stdout, r, report.Style{Color: a.color(a.stdout), Width: width})
		},
	}
	cmd.Flags().StringVar(&records, "records", "", "print the records of SCENARIO/CLUSTER instead")
	cmd.Flags().BoolVar(&logs, "logs", false, "with -records: log lines too")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print as JSON")
	return cmd
}

// noReport says of a run without a report why, and what can be had of it.
func noReport(dir string) error {
	id := filepath.Base(dir)
	if alive, err := journal.Alive(dir); err == nil && alive {
		return usage("run %s still goes on and has no report yet. What was recorded so far: lab replay %s", id, id)
	}
	return usage("run %s was cut off and has no report. What it recorded can be judged all the same: lab replay %s", id, id)
}

// runFolder finds the folder of the named run, or of the newest.
func runFolder(args []string) (string, error) {
	root := filepath.Join(".lab", "runs")
	if len(args) == 1 {
		for _, dir := range []string{args[0], filepath.Join(root, args[0])} {
			if _, err := os.Stat(filepath.Join(dir, journal.File)); err == nil {
				return dir, nil
			}
		}
		return "", usage("no run %s: neither a run's folder nor an ID below %s", args[0], root)
	}
	entries, err := os.ReadDir(root)
	if err != nil || len(entries) == 0 {
		return "", usage("there are no runs below %s yet: `lab run SCENARIO` makes one", root)
	}
	return filepath.Join(root, entries[len(entries)-1].Name()), nil
}

func (a *app) showRecords(dir, run string, logs, asJSON bool) error {
	var begin time.Time
	var records []collectors.Record
	var runs []string
	for e, err := range journal.Entries(dir) {
		if err != nil {
			return broken(err)
		}
		if e.Begin != nil {
			runs = append(runs, e.Run)
		}
		switch {
		case e.Run != run:
		case e.Begin != nil:
			begin = *e.Begin
		case e.Record != nil && (logs || e.Record.Type != collectors.TypeLog):
			records = append(records, *e.Record)
		}
	}
	if !slices.Contains(runs, run) {
		return usage("run %s has no records of %q; it has: %s", filepath.Base(dir), run, strings.Join(runs, ", "))
	}
	collectors.Sort(records)
	if asJSON {
		return writeJSON(a.stdout, records)
	}
	if err := report.WriteRecords(a.stdout, records, begin); err != nil {
		return fmt.Errorf("printing the records: %w", err)
	}
	return nil
}
