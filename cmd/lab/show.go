package main

import (
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/kind-lab/lab/labs/journal"
)

func (a *app) showCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "show [RUN]", Short: "Show the report of a run that was recorded",
		Long: `Prints the report of a run, as the run did at its end. RUN is a run's ID, its
folder, "last" for the newest, which is shown where none is named, or a file that
` + "`lab pack`" + ` wrote. What was recorded is in ` + "`lab timeline`, `lab logs` and `lab events`" + `;
other forms of the report are in ` + "`lab report`" + `.`,
		Example: "  lab show",
		Args:    cobra.MaximumNArgs(1), ValidArgsFunction: completeRun,
		RunE: func(_ *cobra.Command, args []string) error {
			run := "last"
			if len(args) == 1 {
				run = args[0]
			}
			return a.show(run, asJSON)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print as JSON")
	return cmd
}

func (a *app) show(run string, asJSON bool) error {
	if !asJSON {
		d, err := a.document(run, documentFlags{})
		if err != nil {
			return err
		}
		return a.writeDocumentText(a.stdout, d)
	}
	recording, remove, err := openRecording(run)
	if err != nil {
		return err
	}
	defer remove()
	if recording.Report == nil {
		return noReport(recording.Dir)
	}
	return writeJSON(a.stdout, recording.Report)
}

// noReport says of a run without a report why, and what can be had of it.
func noReport(dir string) error {
	id := filepath.Base(dir)
	if alive, err := journal.Alive(dir); err == nil && alive {
		return usage("run %s still goes on and has no report yet. What was recorded so far: lab replay %s", id, id)
	}
	return usage("run %s was cut off and has no report. What it recorded can be judged all the same: lab replay %s", id, id)
}
