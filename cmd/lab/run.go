package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"sync"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/kind-lab/lab/dsl/diag"
	"github.com/kind-lab/lab/labs/plan"
	"github.com/kind-lab/lab/labs/reaper"
	"github.com/kind-lab/lab/labs/world"

	"github.com/kind-lab/lab/labs/report"
)

// runFlags are the flags of `lab run`.
type runFlags struct {
	scenarioFlags
	clusters  []string
	scenarios []string
	keep      bool
	keepBad   bool
	fresh     bool
	noLogs    bool
	hostExec  bool
	parallel  int
}

func (a *app) runCommand() *cobra.Command {
	var f runFlags
	cmd := &cobra.Command{
		Use: "run SCENARIO", Short: "Run a scenario on its clusters and judge what happened",
		Long: `Run makes the clusters that the scenario names, or takes such that wait from
an earlier run, runs it on each, judges its expectations, and deletes what it
made. SCENARIO is a file, a folder that holds a scenario.hcl, or the name of a
lab in the catalog (` + "`lab list`" + `).

A cluster is cleaned and kept, paused, for the next run, where all that was
done to it can be undone; otherwise it is destroyed, and that is said. -fresh
makes new clusters and destroys them. ` + "`lab ls`" + ` lists what waits, ` + "`lab down`" + `
removes it. On a cluster that exists already (provider = "existing") scenarios
run in namespaces of their own; it is neither cleaned beyond those nor destroyed.

Everything recorded lies in .lab/runs/ID: run.json, junit.xml, journal.jsonl,
and for each cluster and scenario the pods' states and the logs.

Ctrl-C stops the steps, keeps the evidence and destroys the clusters; a second
one skips the evidence, a third one leaves at once. Should lab itself be killed,
a process that waits for that removes what it made.`,
		Example: `  lab run job-sidecar
  lab run -cluster v128 -cluster v128_on labs/catalog/job-sidecar
  lab run -var image=busybox:1.36 scenario.hcl`,
		Args: oneScenario, ValidArgsFunction: completeScenario,
		RunE: func(cmd *cobra.Command, args []string) error { return a.run(cmd.Context(), args[0], f) },
	}
	f.add(cmd, "print the report as JSON on standard output; progress goes to standard error")
	addChoice(cmd, &f.clusters, &f.scenarios)
	cmd.Flags().BoolVar(&f.keep, "keep", false, "do not destroy the clusters at the end, nor what the scenarios made on them")
	cmd.Flags().BoolVar(&f.keepBad, "keep-on-failure", false, "do so with the clusters on which something did not come out as expected")
	cmd.Flags().BoolVar(&f.fresh, "fresh", false, "make new clusters and destroy them at the end, instead of using those that wait")
	cmd.Flags().BoolVar(&f.hostExec, "allow-host-exec", false, "let the scenario run commands on this machine (exec with host = true); read it before")
	cmd.Flags().BoolVar(&f.noLogs, "no-logs", false, "do not show the containers' logs (they are recorded all the same)")
	cmd.Flags().IntVar(&f.parallel, "parallel", 0, "how many clusters may boot at once (default: what the machine bears)")
	return cmd
}

func addChoice(cmd *cobra.Command, clusters, scenarios *[]string) {
	cmd.Flags().StringSliceVar(clusters, "cluster", nil, "only these clusters of the scenario file (repeatable, or with commas)")
	cmd.Flags().StringSliceVar(scenarios, "scenario", nil, "only these scenarios of the file (repeatable, or with commas)")
}

// run is `lab run`.
func (a *app) run(ctx context.Context, arg string, f runFlags) error {
	m, problems, err := a.load(arg, f.scenarioFlags)
	if err != nil {
		return err
	}
	if a.tell(a.stderr, problems) {
		return silent(exitUsage)
	}
	ctx, signals := a.signals(ctx)
	defer signals.stop()
	world, err := a.open(ctx, a)
	if err != nil {
		return broken(err)
	}
	if f.fresh {
		world.UseFresh()
	}
	p, problems := a.planned(func() (*plan.Plan, diag.List) {
		return plan.Build(m, plan.Options{Clusters: f.clusters, Scenarios: f.scenarios, Resolve: world.Resolver(ctx), Ask: world.Asker(ctx)})
	})
	if err := world.Unmet(); err != nil {
		return broken(err)
	}
	if a.tell(a.stderr, problems) {
		return silent(exitUsage)
	}
	if !f.hostExec && a.tell(a.stderr, p.HostCommands()) {
		return silent(exitUsage)
	}
	session, err := world.Begin(p, f.order(signals))
	if err != nil {
		return broken(err)
	}
	signals.leaving(session.Dir())
	r, err := a.carryOut(ctx, p, session, f)
	if err := errors.Join(err, session.End(r), a.finish(r, f)); err != nil {
		return broken(err)
	}
	return silent(report.ExitCode(r))
}

// order is how the flags want the plan to be carried out.
func (f runFlags) order(signals *interrupts) world.Order {
	return world.Order{
		Root: filepath.Join(".lab", "runs"), Keep: f.keep, KeepOnFailure: f.keepBad, AllowHostExec: f.hostExec,
		ShowLogs: !f.noLogs, Hurry: signals.hurry, Parallel: f.parallel,
	}
}

func (a *app) carryOut(ctx context.Context, p *plan.Plan, session *world.Session, f runFlags) (report.Report, error) {
	out := a.stdout
	if f.json {
		out = a.stderr
	}
	width, tty := terminal(out)
	var names []string
	for _, c := range p.Clusters {
		names = append(names, c.Name)
	}
	live := report.NewLive(out, report.LiveOptions{TTY: tty, Color: a.color(out), Width: width, Clusters: names, Logs: !f.noLogs})
	fmt.Fprintf(out, "lab %s, run %s, in %s\n", world.Version(), session.ID(), session.Dir())
	if err := p.WriteText(out); err != nil {
		return report.Report{}, err
	}
	r := session.Run(ctx, live)
	return r, live.Close()
}

// finish prints the report.
func (a *app) finish(r report.Report, f runFlags) error {
	if f.json {
		return writeJSON(a.stdout, r)
	}
	width, _ := terminal(a.stdout)
	return report.WriteText(a.stdout, r, report.Style{Color: a.color(a.stdout), Width: width})
}

// interrupts turns signals into an orderly end: the first ends the context,
// the second closes hurry, the third leaves.
type interrupts struct {
	hurry  chan struct{}
	cancel context.CancelFunc
	caught chan os.Signal
	mu     sync.Mutex
	dir    string
}

func (a *app) signals(parent context.Context) (context.Context, *interrupts) {
	ctx, cancel := context.WithCancel(parent)
	i := &interrupts{hurry: make(chan struct{}), cancel: cancel, caught: make(chan os.Signal, 3)}
	signal.Notify(i.caught, os.Interrupt, syscall.SIGTERM)
	go i.watch(a)
	return ctx, i
}

func (i *interrupts) watch(a *app) {
	n := 0
	for range i.caught {
		n++
		switch n {
		case 1:
			fmt.Fprintln(a.stderr, "\nlab: interrupted: keeping the evidence and destroying the clusters; once more to skip the evidence")
			i.cancel()
		case 2:
			fmt.Fprintln(a.stderr, "\nlab: interrupted again: destroying the clusters now; once more to leave them there")
			close(i.hurry)
		default:
			i.mu.Lock()
			fmt.Fprintf(a.stderr, "\nlab: left at once. What is there is being removed, as %s will say; should something stay, remove it with: lab gc %s\n",
				filepath.Join(i.dir, reaper.Log), filepath.Base(i.dir))
			os.Exit(exitInterrupted)
		}
	}
}

// leaving says in which run's folder the intents are.
func (i *interrupts) leaving(dir string) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.dir = dir
}

func (i *interrupts) stop() {
	signal.Stop(i.caught)
	close(i.caught)
	i.cancel()
}
