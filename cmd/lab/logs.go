package main

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kind-lab/lab/collectors"
	"github.com/kind-lab/lab/labs/replay"
	"github.com/kind-lab/lab/labs/report/text"
)

func (a *app) logsCommand() *cobra.Command {
	var f recordFlags
	var container string
	var tail int
	var times bool
	cmd := &cobra.Command{
		Use: "logs [RUN]", Short: "Print what the containers of a run wrote",
		Long: `Prints the log lines of all containers of a run, in the order in which they were
written: the pod, the container and the line, as stern does. Lines that were
lost are reported in their place. RUN is a run's ID, its folder, or a file that
` + "`lab pack`" + ` wrote; without it, it is the last run. With -f, a run that has not
ended is followed.

On a terminal, control sequences in the lines are left out, so that no container
can overwrite what others wrote; elsewhere the lines are printed as they were
written.`,
		Example: "  lab logs -c main --since 10s\n  lab logs -fc main\n  lab logs --cluster v129 --tail 20",
		Args:    optionalRun, ValidArgsFunction: completeRun,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.logs(cmd.Context(), runOf(args), f, container, tail, times)
		},
	}
	f.add(cmd)
	cmd.Flags().StringVarP(&container, "container", "c", "", "only containers of this `NAME`")
	cmd.Flags().IntVar(&tail, "tail", -1, "only the last `N` lines of each container; -1 for all")
	cmd.Flags().BoolVar(&times, "timestamps", false, "print before each line the time, in UTC, at which the container runtime read it")
	completeFlag(cmd, "container", completeOfRun(outlineRun.containerNames))
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
	var containers []string
	wanted := included(replay.Filter{Content: replay.LogLines, Container: container})
	keep := func(o text.Observation) bool {
		if o.Record.Type == collectors.TypeLog {
			containers = addName(containers, o.Record.Container)
		}
		return wanted(o)
	}
	opts := a.observationOptions(a.stdout, r.several)
	opts.Times = times
	line := func(o text.Observation) string { return text.LogLine(o, opts) }
	if r.following() {
		return a.printEach(r.all(ctx), f.json, keep, line)
	}
	found, err := r.sorted(ctx, keep)
	if err != nil {
		return err
	}
	if container != "" && len(containers) > 0 && !slices.Contains(containers, container) {
		return usage("no container %s wrote a line%s\nThose that did: %s", container, didYouMean("", container, containers), strings.Join(containers, ", "))
	}
	if tail >= 0 {
		found = lastOfEach(found, tail)
	}
	return a.printEach(each(found), f.json, keep, line)
}

// lastOfEach keeps the last n lines of each container, and gaps.
func lastOfEach(lines []text.Observation, n int) []text.Observation {
	tail := replay.NewTail(n)
	var kept []text.Observation
	for _, o := range slices.Backward(lines) {
		if tail.Include(o.Scenario, o.Cluster, o.Record) {
			kept = append(kept, o)
		}
	}
	slices.Reverse(kept)
	return kept
}
