package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kind-lab/lab/labs/replay"
	"github.com/kind-lab/lab/labs/report/text"
)

func (a *app) eventsCommand() *cobra.Command {
	var f recordFlags
	var object string
	cmd := &cobra.Command{
		Use: "events [RUN]", Short: "Print the Kubernetes events of a run",
		Long: `Prints the Kubernetes events that a run recorded, with the seconds after the
start of the scenario at which each became known. RUN is a run's ID, its folder,
or a file that ` + "`lab pack`" + ` wrote; without it, it is the last run. With -f, a run
that has not ended is followed.

Events are hints: Kubernetes leaves some out, and reports some before they
happen. ` + "`lab timeline`" + ` prints what happened when.`,
		Example: "  lab events\n  lab events --for pod/myapp --cluster v129",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 2 && strings.Contains(args[1], "/") {
				return usage("to print the events of one object only: lab events %s --for %s", args[0], args[1])
			}
			return optionalRun(cmd, args)
		},
		ValidArgsFunction: completeRun,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.events(cmd.Context(), runOf(args), object, f)
		},
	}
	f.add(cmd)
	cmd.Flags().StringVar(&object, "for", "", "only events of this object: `KIND/NAME`, such as pod/myapp")
	completeFlag(cmd, "for", completeOfRun(func(r outlineRun) []string {
		names := r.podNames()
		for i := range names {
			names[i] = "pod/" + names[i]
		}
		return names
	}))
	return cmd
}

func (a *app) events(ctx context.Context, run, object string, f recordFlags) error {
	kind, name, both := strings.Cut(object, "/")
	if object != "" && (!both || kind == "" || name == "") {
		return usage("--for %s: write the kind and the name of an object, such as --for pod/myapp", object)
	}
	r, err := openRecords(run, f)
	if err != nil {
		return err
	}
	defer r.close()
	ctx, stop := untilInterrupted(ctx)
	defer stop()
	keep := included(replay.Filter{Content: replay.Events, Kind: kind, Name: name})
	opts := a.observationOptions(a.stdout, r.several)
	if r.following() {
		return a.printEach(r.all(ctx), f.json, keep, func(o text.Observation) string { return text.EventLine(o, opts) })
	}
	found, err := r.sorted(ctx, keep)
	if err != nil {
		return err
	}
	if f.json {
		return a.printEach(each(found), true, keep, nil)
	}
	if len(found) == 0 {
		of := ""
		if object != "" {
			of = " of " + object
		}
		fmt.Fprintf(a.stderr, "No events%s were recorded.\n", of)
		return nil
	}
	return text.WriteEvents(a.stdout, found, opts)
}
