package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"sync"
	"syscall"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/kind-lab/lab/dsl"
	"github.com/kind-lab/lab/dsl/diag"
	"github.com/kind-lab/lab/labs/plan"
	"github.com/kind-lab/lab/labs/reaper"
	"github.com/kind-lab/lab/labs/report"
	"github.com/kind-lab/lab/labs/report/document"
	"github.com/kind-lab/lab/labs/report/live"
	"github.com/kind-lab/lab/labs/validate"
	"github.com/kind-lab/lab/labs/wiring"
)

// runFlags are the flags of `lab run`.
type runFlags struct {
	scenarioFlags
	choice
	keep     bool
	keepBad  bool
	fresh    bool
	noLogs   bool
	hostExec bool
	// skip leaves out the clusters whose versions are unavailable here.
	skip bool
	// concurrency and parallel bound how many clusters are in use, and boot, at
	// once.
	concurrency, parallel int
}

func (a *app) runCommand() *cobra.Command {
	var f runFlags
	cmd := &cobra.Command{
		Use: "run SCENARIO", Short: "Run a scenario on its clusters and judge what happened", SuggestFor: []string{"test", "start"},
		Long: `Runs a scenario on each of its clusters and judges its expectations. SCENARIO is
a file, a folder that holds a scenario.hcl, or a lab of the catalog, which
` + "`lab list`" + ` lists.

A cluster that an earlier run left idle is used if it has the same version,
feature gates and settings; otherwise one is created. At the end it is cleaned
and kept, paused, for the next run. If something was done to it that cannot be
undone, it is destroyed, and the run says why. With --fresh, clusters are
created and destroyed. ` + "`lab clusters`" + ` lists them, ` + "`lab down`" + ` removes them.
On a cluster that lab did not make (provider = "existing"), scenarios run in
namespaces of their own, which are deleted at the end.

Everything that was recorded is in .lab/runs/ID: report.html, report.json,
run.json, junit.xml, journal.jsonl, and the pods' states and logs. ` + "`lab report`" + `
prints the report again, also in other formats. If GITHUB_STEP_SUMMARY names a
file, a summary in Markdown is appended to it.

Ctrl-C stops the steps, keeps the evidence and cleans up. A second Ctrl-C skips
the evidence, a third one exits at once. If lab itself is killed, another
process cleans up.`,
		Example: `  # Run a lab of the catalog on all of its clusters
  lab run job-sidecar

  # Run it on some of them
  lab run job-sidecar --cluster v127,v128_on
  lab run job-sidecar --cluster 'v12*' --scenario native

  # Run a scenario of your own, and keep the clusters to look at
  lab run scenario.hcl --var image=busybox:1.36 --keep`,
		Args: oneScenario, ValidArgsFunction: completeScenario,
		RunE: func(cmd *cobra.Command, args []string) error { return a.run(cmd.Context(), args[0], f) },
	}
	f.scenarioFlags.add(a, cmd, "print the report as JSON on standard output, and progress on standard error")
	f.choice.add(cmd, a.inScenario)
	cmd.Flags().BoolVar(&f.keep, "keep", false, "keep the clusters, with what the scenarios made on them")
	cmd.Flags().BoolVar(&f.keepBad, "keep-on-failure", false, "keep the clusters on which something was not as expected")
	f.addConduct(cmd)
	addSkip(cmd, &f.skip)
	return cmd
}

// addConduct adds the flags of every command that runs a scenario.
func (f *runFlags) addConduct(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&f.fresh, "fresh", false, "create new clusters and destroy them at the end, instead of using idle ones")
	cmd.Flags().BoolVar(&f.hostExec, "allow-host-exec", false, "allow the scenario to run commands on this machine (exec with host = true); read the scenario first")
	cmd.Flags().BoolVar(&f.noLogs, "no-logs", false, "do not print the containers' logs during the run; they are recorded all the same")
	addBounds(cmd, &f.concurrency, &f.parallel)
}

func addBounds(cmd *cobra.Command, concurrency, parallel *int) {
	cmd.Flags().IntVar(concurrency, "concurrency", 0, "use at most `N` clusters at once, from boot to the last scenario (default: all)")
	addParallel(cmd, parallel)
}

func addParallel(cmd *cobra.Command, parallel *int) {
	cmd.Flags().IntVar(parallel, "parallel", 0, "boot at most `N` clusters at once (default: as many as the machine can take)")
}

func addSkip(cmd *cobra.Command, skip *bool) {
	cmd.Flags().BoolVar(skip, "skip-unavailable", false, "leave out clusters whose Kubernetes version is unavailable here, instead of failing")
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
	out := a.stdout
	if f.json {
		out = a.stderr
	}
	d, err := a.perform(ctx, m, f, signals, out)
	if d.Report.ID == "" { // no run began
		return err
	}
	if err := errors.Join(err, a.finish(d, f)); err != nil {
		return broken(err)
	}
	return silent(report.ExitCode(d.Report))
}

// perform plans a scenario and carries it out, and prints its progress to out. It
// returns its outcome, of which the run's folder has the files; without an
// ID if no run began.
func (a *app) perform(ctx context.Context, m *dsl.Module, f runFlags, signals *interrupts, out io.Writer) (document.Document, error) {
	parts, err := a.open(ctx, a)
	if err != nil {
		return document.Document{}, broken(err)
	}
	if f.fresh {
		parts.UseFresh()
	}
	p, problems := a.planned(func() (*plan.Plan, diag.List) {
		return plan.Build(m, plan.Options{Clusters: f.clusters, Scenarios: f.scenarios, SkipUnavailable: f.skip, Resolve: parts.Resolver(ctx), Ask: parts.Asker(ctx)})
	})
	if err := parts.WhyUnavailable(); err != nil {
		return document.Document{}, broken(err)
	}
	if a.tell(a.stderr, problems) || !f.hostExec && a.tell(a.stderr, validate.HostCommands(p)) {
		return document.Document{}, silent(exitUsage)
	}
	session, err := parts.Begin(p, f.runOptions(signals))
	if err != nil {
		return document.Document{}, broken(err)
	}
	signals.leaving(session.Dir())
	r, err := a.carryOut(ctx, p, session, f, out)
	if err = errors.Join(err, session.End(r)); err != nil {
		err = broken(err)
	}
	return a.outcome(session.Dir(), r, m), err
}

// runOptions are how the flags want the plan to be carried out.
func (f runFlags) runOptions(signals *interrupts) wiring.RunOptions {
	return wiring.RunOptions{
		Root: runsRoot, Keep: f.keep, KeepOnFailure: f.keepBad, AllowHostExec: f.hostExec,
		ShowLogs: !f.noLogs, ForceStop: signals.forceStop, Parallel: f.parallel, Concurrency: f.concurrency,
	}
}

func (a *app) carryOut(ctx context.Context, p *plan.Plan, session *wiring.Session, f runFlags, out io.Writer) (report.Report, error) {
	width, tty := terminal(out)
	var names []string
	for _, c := range p.Clusters {
		names = append(names, c.Name)
	}
	live := live.New(out, live.Options{
		TTY: tty && a.movable(), Color: a.color(out), Width: width, Size: size(out), Clusters: names, Logs: !f.noLogs})
	fmt.Fprintf(out, "lab %s, run %s, in %s\n", wiring.Version(), session.ID(), session.Dir())
	if err := p.WriteText(out); err != nil {
		return report.Report{}, err
	}
	r := session.Run(ctx, live)
	return r, live.Close()
}

// movable says whether what stands on a terminal is to be written over: not
// where a log of it is kept, as in CI, nor on one that cannot.
func (a *app) movable() bool {
	ci := a.get("CI")
	return (ci == "" || ci == "false") && a.get("TERM") != "dumb"
}

// size asks a terminal for its columns and lines, each time anew; nil where w
// is none.
func size(w io.Writer) func() (width, height int) {
	file, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(file.Fd())) {
		return nil
	}
	return func() (int, int) {
		width, height, err := term.GetSize(int(file.Fd()))
		if err != nil {
			return 0, 0
		}
		return width, height
	}
}

// finish prints the report.
func (a *app) finish(d document.Document, f runFlags) error {
	if f.json {
		return writeJSON(a.stdout, d.Report)
	}
	return a.writeDocumentText(a.stdout, d)
}

// interrupts turns signals into an orderly end: the first ends the context,
// the second closes forceStop, the third leaves.
type interrupts struct {
	forceStop chan struct{}
	cancel    context.CancelFunc
	caught    chan os.Signal
	mu        sync.Mutex
	dir       string
}

func (a *app) signals(parent context.Context) (context.Context, *interrupts) {
	ctx, cancel := context.WithCancel(parent)
	i := &interrupts{forceStop: make(chan struct{}), cancel: cancel, caught: make(chan os.Signal, 3)}
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
			fmt.Fprintln(a.stderr, "\nlab: interrupted: keeping the evidence and giving the clusters back; once more to skip the evidence")
			i.cancel()
		case 2:
			fmt.Fprintln(a.stderr, "\nlab: interrupted again: destroying the clusters now; once more to leave them there")
			close(i.forceStop)
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
