package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kind-lab/lab/collectors"
	"github.com/kind-lab/lab/labs/report"
)

func (a *app) timelineCommand() *cobra.Command {
	var f recordFlags
	var logs bool
	var sources []string
	cmd := &cobra.Command{
		Use: "timeline RUN", Short: "Print what happened in a run, first to last",
		Long: `Prints what a run recorded in the order in which it happened: seconds since the
scenario began, how finely that is known, who told it, and what happened; then
every run of every container with its start and end. Beside a time of the
container runtime stands the API's for the same. RUN is a run's ID, its folder,
"last" for the newest, or a file that ` + "`lab pack`" + ` wrote; with -f a run that
still goes on is followed, in the order in which things become known.

That one line stands before another is no evidence of their order where one of
them is known to the second alone.`,
		Example: "  lab timeline last -scenario native -cluster v129\n  lab timeline last -source runtime -json",
		Args:    oneRun, ValidArgsFunction: completeRun,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.timeline(cmd.Context(), args[0], f, logs, sources)
		},
	}
	f.add(cmd)
	cmd.Flags().BoolVar(&logs, "logs", false, "log lines too")
	cmd.Flags().StringSliceVar(&sources, "source", nil, "only what these sources told: api, runtime, kernel, log, lab")
	return cmd
}

func (a *app) timeline(ctx context.Context, run string, f recordFlags, logs bool, sources []string) error {
	for _, s := range sources {
		known := []collectors.Source{collectors.SourceAPI, collectors.SourceRuntime, collectors.SourceKernel, collectors.SourceLog, collectors.SourceLab}
		if !slices.Contains(known, collectors.Source(s)) {
			return usage("there is no source %q; the sources are api, runtime, kernel, log and lab", s)
		}
	}
	r, err := openRecords(run, f)
	if err != nil {
		return err
	}
	defer r.close()
	ctx, stop := untilInterrupted(ctx)
	defer stop()
	keep := func(rec collectors.Record) bool {
		return (logs || rec.Type != collectors.TypeLog) && (len(sources) == 0 || slices.Contains(sources, string(rec.Source)))
	}
	opts := a.observationOptions(a.stdout, r.several)
	if r.following() {
		return a.printEach(r.all(ctx), f.json, keep, func(o report.Observation) string { return report.RecordLine(o, opts) })
	}
	found, err := r.sorted(ctx, keep)
	if err != nil {
		return err
	}
	if f.json {
		return a.printEach(each(found), true, keep, nil)
	}
	return a.writeTimelines(r, found, opts.Style)
}

// writeTimelines prints the records of each scenario on each cluster by itself.
func (a *app) writeTimelines(r *recorded, found []report.Observation, style report.Style) error {
	for i, run := range r.recording.Find(r.flags.scenario, r.flags.cluster) {
		var records []collectors.Record
		for _, o := range found {
			if o.Scenario == run.Scenario && o.Cluster == run.Cluster {
				records = append(records, o.Record)
			}
		}
		if r.several {
			if i > 0 {
				fmt.Fprintln(a.stdout)
			}
			fmt.Fprintf(a.stdout, "%s on %s\n", run.Scenario, run.Cluster)
		}
		if err := report.WriteRecords(a.stdout, records, run.Begin); err != nil {
			return broken(err)
		}
		timeline, err := r.recording.Timeline(run, -1)
		if err != nil {
			return broken(err)
		}
		var runs strings.Builder
		if err := report.WriteContainerRuns(&runs, timeline, r.flags.pod, style); err != nil {
			return broken(err)
		}
		if runs.Len() > 0 {
			fmt.Fprintf(a.stdout, "\n%s", runs.String())
		}
	}
	return nil
}
