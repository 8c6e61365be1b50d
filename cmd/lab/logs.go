package main

import (
	"context"
	"slices"

	"github.com/spf13/cobra"

	"github.com/kind-lab/lab/collectors"
	"github.com/kind-lab/lab/labs/report"
)

func (a *app) logsCommand() *cobra.Command {
	var f recordFlags
	var container string
	var tail int
	var times bool
	cmd := &cobra.Command{
		Use: "logs RUN", Short: "Print what the containers of a run wrote",
		Long: `Prints the log lines that a run recorded, of all its containers, first to last:
the pod, the container and the line, as stern does. What was lost is said in its
place. RUN is a run's ID, its folder, "last" for the newest, or a file that
` + "`lab pack`" + ` wrote; with -f a run that still goes on is followed.

At a terminal, control sequences in the lines are left out, so that no container
can write over what others wrote; elsewhere the lines are as they were written.`,
		Example: "  lab logs last -c main -since 10s\n  lab logs -f last",
		Args:    oneRun, ValidArgsFunction: completeRun,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.logs(cmd.Context(), args[0], f, container, tail, times)
		},
	}
	f.add(cmd)
	cmd.Flags().StringVarP(&container, "container", "c", "", "only containers of this name")
	cmd.Flags().IntVar(&tail, "tail", -1, "only so many of the last lines of each container")
	cmd.Flags().BoolVar(&times, "timestamps", false, "the time before each line, in UTC, when the runtime read it")
	return cmd
}

func (a *app) logs(ctx context.Context, run string, f recordFlags, container string, tail int, times bool) error {
	r, err := openRecords(run, f)
	if err != nil {
		return err
	}
	defer r.close()
	ctx, stop := untilInterrupted(ctx)
	defer stop()
	keep := func(rec collectors.Record) bool {
		if container != "" && rec.Container != container {
			return false
		}
		return rec.Type == collectors.TypeLog && rec.Log != nil || rec.Type == collectors.TypeGap && rec.Source == collectors.SourceLog && rec.Gap != nil
	}
	opts := a.observationOptions(a.stdout, r.several)
	opts.Times = times
	line := func(o report.Observation) string { return report.LogLine(o, opts) }
	if r.following() {
		return a.printEach(r.all(ctx), f.json, keep, line)
	}
	found, err := r.sorted(ctx, keep)
	if err != nil {
		return err
	}
	if tail >= 0 {
		found = lastOfEach(found, tail)
	}
	return a.printEach(each(found), f.json, keep, line)
}

// lastOfEach keeps the last n lines of each container, and gaps.
func lastOfEach(lines []report.Observation, n int) []report.Observation {
	type key struct{ scenario, cluster, uid, pod, container string }
	seen := map[key]int{}
	var kept []report.Observation
	for _, o := range slices.Backward(lines) {
		k := key{o.Scenario, o.Cluster, o.Record.Object.UID, o.Record.Object.Name, o.Record.Container}
		if o.Record.Log != nil {
			if seen[k]++; seen[k] > n {
				continue
			}
		}
		kept = append(kept, o)
	}
	slices.Reverse(kept)
	return kept
}
