package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/kind-lab/lab/labs/mutate"
	"github.com/kind-lab/lab/labs/report/layout"
)

// mutateFlags are those of `lab mutate`.
type mutateFlags struct {
	replayFlags
	max  int
	seed uint64
}

func (a *app) mutateCommand() *cobra.Command {
	var f mutateFlags
	cmd := &cobra.Command{
		Use: "mutate [RUN] [SCENARIO]", Short: "Find expectations that pass whatever happens, by changing a recorded run",
		Long: `Makes changed copies of what a run recorded: an end before instead of after
another one, a time shifted by a grace period, another exit code or signal, one
restart more or less, a line, a STATUS or an event missing, a condition flipped,
two containers exchanged, a step rejected that was accepted, and others. Copies
that no Kubernetes could have produced are dropped, each by a rule that has a
name. Each of the others is judged again, without a cluster: by the scenario as
it was, of which the run kept a copy, or by SCENARIO.

It prints, for each scenario and kind of change, how many copies were made,
dropped and noticed; then the expectations that no change could break, which
prove nothing; then changes that nothing noticed, each of which is a question
that the scenario does not ask. Expectations, invariants and waits count alike.
One counts as broken if a change made it fail, or pass where it failed, on any
cluster of the run. One that a change only made an Error is not broken: it is
printed apart, as one that never fails.

RUN is a run's ID, its folder, or a file that ` + "`lab pack`" + ` wrote; without it, it
is the last run. The first copies are made for each expectation: those that
change what it read before it was decided. The rest of --max is spread over all
kinds. The same run, --max and --seed make the same copies.

JSON has version, candidates, made, dropped and noticed, kinds and rules with
what they mean, and scenarios, each with kinds, expectations and unnoticed. Of
an expectation, by is the first change that broke it, error_by the first that
made it an Error, and survived says that none broke it. New fields may be added;
the version is raised when existing ones change. The exit code is 1 if an
expectation survived, those that became an Error included, and 0 if none did.`,
		Example: "  lab mutate\n  lab mutate changed.hcl --scenario native --max 2000",
		Args:    optionalRunAndScenario, ValidArgsFunction: completeRunAndScenario,
		RunE: func(cmd *cobra.Command, args []string) error {
			if f.max < 1 {
				return usage("--max %d: write how many copies to make at most, 1 or more", f.max)
			}
			return a.mutate(cmd.Context(), args, f)
		},
	}
	f.add(a, cmd, "print what became of the copies as JSON")
	cmd.Flags().IntVar(&f.max, "max", mutate.DefaultMax, "make at most `N` copies")
	cmd.Flags().Uint64Var(&f.seed, "seed", 0, "a `NUMBER` that chooses other copies, if there are more than --max")
	return cmd
}

func (a *app) mutate(ctx context.Context, args []string, f mutateFlags) error {
	c, err := a.choose(args, f.replayFlags)
	if err != nil {
		return err
	}
	defer c.remove()
	ctx, stop := untilInterrupted(ctx)
	defer stop()
	progress, clear := a.counting("changed copies judged")
	result, err := mutate.Run(ctx, c.recording, c.module, c.runs, mutate.Options{Max: f.max, Seed: f.seed, Progress: progress})
	clear()
	switch {
	case errors.Is(err, context.Canceled):
		return &exitError{code: exitInterrupted, err: errors.New("interrupted before all copies were judged")}
	case err != nil:
		return usage("%v", err)
	}
	if err := a.tellMutated(result, f.json); err != nil {
		return broken(err)
	}
	if len(result.Survivors()) > 0 {
		return silent(exitFail)
	}
	return nil
}

func (a *app) tellMutated(r mutate.Result, asJSON bool) error {
	if asJSON {
		return writeJSON(a.stdout, r)
	}
	width, _ := terminal(a.stdout)
	return mutate.WriteText(a.stdout, r, layout.Style{Color: a.color(a.stdout), Width: width})
}

// patience is for how long a command says nothing of what it does.
const patience = 2 * time.Second

// counting returns a function that says on a terminal how many of a number of
// things are done, once that takes a while, and one that clears the line.
func (a *app) counting(what string) (progress func(done, all int), clear func()) {
	if _, tty := terminal(a.stderr); !tty {
		return nil, func() {}
	}
	return countingOn(a.stderr, what, time.Now)
}

// countingOn writes a line over itself, no more often than people read.
func countingOn(w io.Writer, what string, now func() time.Time) (progress func(done, all int), clear func()) {
	began, last := now(), time.Time{}
	progress = func(done, all int) {
		at := now()
		if at.Sub(began) < patience || at.Sub(last) < 100*time.Millisecond {
			return
		}
		last = at
		fmt.Fprintf(w, "\r\x1b[K%d of at most %d %s", done, all, what)
	}
	clear = func() {
		if !last.IsZero() {
			fmt.Fprint(w, "\r\x1b[K")
		}
	}
	return progress, clear
}
