package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kind-lab/lab/collectors"
	"github.com/kind-lab/lab/labs/report"
)

func (a *app) eventsCommand() *cobra.Command {
	var f recordFlags
	cmd := &cobra.Command{
		Use: "events RUN [KIND/NAME]", Short: "Print the Kubernetes events of a run",
		Long: `Prints the Kubernetes events that a run recorded, with the seconds since its
scenario began at which each became known, of all objects or of one. RUN is a
run's ID, its folder, "last" for the newest, or a file that ` + "`lab pack`" + ` wrote;
with -f a run that still goes on is followed.

Events are hints: Kubernetes leaves some out, and tells some before their time.
What happened when is in ` + "`lab timeline`" + `.`,
		Example: "  lab events last\n  lab events last pod/myapp",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 1 || len(args) == 2 {
				return nil
			}
			return usage("want a run, and an object such as pod/myapp where only its events are wanted; got %d arguments", len(args))
		},
		ValidArgsFunction: completeRun,
		RunE: func(cmd *cobra.Command, args []string) error {
			object := ""
			if len(args) == 2 {
				object = args[1]
			}
			return a.events(cmd.Context(), args[0], object, f)
		},
	}
	f.add(cmd)
	return cmd
}

func (a *app) events(ctx context.Context, run, object string, f recordFlags) error {
	kind, name, both := strings.Cut(object, "/")
	if object != "" && (!both || kind == "" || name == "") {
		return usage("%q is no object: write its kind and its name, such as pod/myapp", object)
	}
	r, err := openRecords(run, f)
	if err != nil {
		return err
	}
	defer r.close()
	ctx, stop := untilInterrupted(ctx)
	defer stop()
	keep := func(rec collectors.Record) bool {
		return rec.Type == collectors.TypeEvent && rec.Event != nil &&
			(object == "" || strings.EqualFold(rec.Object.Kind, kind) && rec.Object.Name == name)
	}
	opts := a.observationOptions(a.stdout, r.several)
	if r.following() {
		return a.printEach(r.all(ctx), f.json, keep, func(o report.Observation) string { return report.EventLine(o, opts) })
	}
	found, err := r.sorted(ctx, keep)
	if err != nil {
		return err
	}
	if f.json {
		return a.printEach(each(found), true, keep, nil)
	}
	if len(found) == 0 {
		fmt.Fprintln(a.stderr, "No events were recorded.")
		return nil
	}
	return report.WriteEvents(a.stdout, found, opts)
}
