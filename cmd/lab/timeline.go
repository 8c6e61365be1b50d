package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kind-lab/lab/collectors"
	"github.com/kind-lab/lab/labs/replay"
	"github.com/kind-lab/lab/labs/report/layout"
	"github.com/kind-lab/lab/labs/report/text"
)

func (a *app) timelineCommand() *cobra.Command {
	var f recordFlags
	var logs bool
	var sources []string
	cmd := &cobra.Command{
		Use: "timeline [RUN]", Short: "Print what happened in a run, in order",
		Long: `Prints what a run recorded, in the order in which it happened: the seconds since
the scenario began, the precision of that time, the source, and what happened;
then the start and end of every container. Next to a time of the container
runtime is the API's time of the same event. RUN is a run's ID, its folder, or a
file that ` + "`lab pack`" + ` wrote; without it, it is the last run. With -f, a run that
has not ended is followed, in the order in which its records arrive.

The order of two lines proves nothing if one of their times is known only to the
second.`,
		Example: "  lab timeline --scenario native --cluster v129\n  lab timeline --source runtime --json\n  lab timeline -f",
		Args:    optionalRun, ValidArgsFunction: completeRun,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.timeline(cmd.Context(), runOf(args), f, logs, sources)
		},
	}
	f.add(cmd)
	cmd.Flags().BoolVar(&logs, "logs", false, "print log lines, too")
	cmd.Flags().StringSliceVar(&sources, "source", nil, "only records of these `SOURCES`: "+strings.Join(sourceNames(), ", ")+" (repeatable, comma-separated)")
	completeFlag(cmd, "source", func(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
		return nextOf(typed, sourceNames()), cobra.ShellCompDirectiveNoFileComp
	})
	return cmd
}

// sourceNames are the sources of records.
func sourceNames() []string {
	var names []string
	for _, s := range []collectors.Source{collectors.SourceAPI, collectors.SourceRuntime, collectors.SourceKernel, collectors.SourceLog, collectors.SourceLab} {
		names = append(names, string(s))
	}
	return names
}

func (a *app) timeline(ctx context.Context, run string, f recordFlags, logs bool, sources []string) error {
	for _, s := range sources {
		if !slices.Contains(sourceNames(), s) {
			return usage("there is no source %q; the sources are %s%s", s, strings.Join(sourceNames(), ", "), didYouMean("", s, sourceNames()))
		}
	}
	r, err := openRecords(run, f)
	if err != nil {
		return err
	}
	defer r.close()
	ctx, stop := untilInterrupted(ctx)
	defer stop()
	filter := replay.Filter{Content: replay.AllButLogLines}
	if logs {
		filter.Content = replay.Everything
	}
	for _, s := range sources {
		filter.Sources = append(filter.Sources, collectors.Source(s))
	}
	keep := included(filter)
	opts := a.observationOptions(a.stdout, r.several)
	if r.following() {
		return a.printEach(r.all(ctx), f.json, keep, func(o text.Observation) string { return text.RecordLine(o, opts) })
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
func (a *app) writeTimelines(r *recorded, found []text.Observation, style layout.Style) error {
	for i, run := range r.recording.Find(r.flags.scenarios, r.flags.clusters) {
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
		if err := text.WriteRecords(a.stdout, records, run.Begin); err != nil {
			return broken(err)
		}
		timeline, err := r.recording.Timeline(run, -1)
		if err != nil {
			return broken(err)
		}
		var runs strings.Builder
		if err := text.WriteContainerRuns(&runs, timeline, r.flags.pod, style); err != nil {
			return broken(err)
		}
		if runs.Len() > 0 {
			fmt.Fprintf(a.stdout, "\n%s", runs.String())
		}
	}
	return nil
}
