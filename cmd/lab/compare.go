package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kind-lab/lab/dsl"
	"github.com/kind-lab/lab/labs/plan"
	"github.com/kind-lab/lab/labs/replay"
	"github.com/kind-lab/lab/labs/report"
	"github.com/kind-lab/lab/labs/report/compare"
	"github.com/kind-lab/lab/labs/report/html"
	"github.com/kind-lab/lab/labs/validate"
)

// compareFlags are those of `lab compare`. The clusters and scenarios of
// runFlags choose what of a recorded run is compared, too.
type compareFlags struct {
	runFlags
	kubernetes []string
	format     string
	output     string
	exitCode   bool
}

func (a *app) compareCommand() *cobra.Command {
	var f compareFlags
	cmd := &cobra.Command{
		Use: "compare SCENARIO | RUN [RUN ...]", Short: "Say in what Kubernetes versions differ, or runs that were recorded",
		Long: `Compares what happened: verdicts, the course of STATUS, the order in which
containers started and ended, exit codes, restarts, how long they ran, and the
conditions of Jobs. It also says where clusters came out alike although they are
of other minor versions or feature gates.

With a SCENARIO (a file, a folder, or a lab of the catalog) it is run as by
` + "`lab run`" + ` and its clusters are compared: those that it names, or with -kubernetes
one of each version, as 1.28, 1.28.15 or 1.28+SidecarContainers-OtherGate. A
cluster that the scenario has of that version and those gates is taken; another
one is made as the first cluster of each scenario is, but for its version and
its gates.

With one RUN (an ID, a folder, "last", or a file of ` + "`lab pack`" + `) its clusters are
compared; with several, the runs with one another, on each cluster. Clusters are
found again by name, or else by version and gates; runs that have no cluster in
common are compared all with all.

What sources cannot order has no order. Ends less than a second apart count as
one; lengths differ where they do by more than a second and by more than a
fifth.

Text, HTML and Markdown are for people: HTML is a page with what happened on one
axis, Markdown is for a pull request. JSON has version,
runs, parts (each with its sides, differences and alike) and notes; what is added
to it later does not change what is there, and the version is raised where that
cannot be kept. The exit code is that of ` + "`lab run`" + ` where a scenario was run and 0
else, also where there are differences; with -exit-code they make it 1.`,
		Example: `  lab compare job-sidecar --kubernetes 1.27,1.28,1.28+SidecarContainers,1.29
  lab compare last
  lab compare -format markdown -o comparison.md 20250304-100000.250-k3x9p2 last`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return nil
			}
			return usage(`want a scenario to run, or runs to compare: their IDs, their folders, "last", or files of lab pack`)
		},
		ValidArgsFunction: completeCompared,
		RunE: func(cmd *cobra.Command, args []string) error {
			if !slices.Contains(compareFormats(), f.format) {
				return usage("-format %s: there is %s", f.format, strings.Join(compareFormats(), ", "))
			}
			return a.compare(cmd.Context(), args, f)
		},
	}
	f.addValues(cmd)
	addChoice(cmd, &f.clusters, &f.scenarios)
	flags := cmd.Flags()
	flags.StringSliceVar(&f.kubernetes, "kubernetes", nil, "run on clusters of these versions instead of the scenario's own: 1.28, 1.28.15, 1.28+GATE-GATE (repeatable, or with commas)")
	flags.StringVar(&f.format, "format", "text", "how to write it: "+strings.Join(compareFormats(), ", "))
	flags.StringVarP(&f.output, "output", "o", "", "write it to this file instead of standard output")
	flags.BoolVar(&f.exitCode, "exit-code", false, "end with exit code 1 where there is a difference")
	flags.BoolVar(&f.fresh, "fresh", false, "make new clusters and destroy them at the end, instead of using those that wait")
	flags.BoolVar(&f.hostExec, "allow-host-exec", false, "let the scenario run commands on this machine (exec with host = true); read it before")
	flags.BoolVar(&f.noLogs, "no-logs", false, "do not show the containers' logs while the scenario runs")
	addBounds(cmd, &f.concurrency, &f.parallel)
	// The flag is there, which is the only way for this to fail.
	_ = cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(compareFormats(), cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

func compareFormats() []string { return []string{"text", "html", "markdown", "json"} }

// compare is `lab compare`.
func (a *app) compare(ctx context.Context, args []string, f compareFlags) error {
	var docs []report.Document
	var err error
	code := exitPass
	if len(args) > 1 || isRun(args[0]) {
		docs, err = a.recordedDocuments(args, f)
	} else {
		docs, code, err = a.runToCompare(ctx, args[0], f)
	}
	if err != nil {
		return err
	}
	c := compare.Compare(docs, compare.Options{})
	if len(c.Parts) == 0 && len(c.Notes) == 0 && code == exitPass {
		return usage("there is nothing to compare: no scenario ran on two clusters. Name another run to compare this one with")
	}
	if err := a.writeCompared(docs, c, f); err != nil {
		return broken(err)
	}
	if code == exitPass && f.exitCode && c.Differ() {
		code = exitFail
	}
	return silent(code)
}

// isRun says whether an argument names a recorded run and no scenario.
func isRun(arg string) bool {
	if info, err := os.Stat(arg); err == nil && info.Mode().IsRegular() {
		return !strings.HasSuffix(arg, ".hcl") && !strings.HasSuffix(arg, ".hcl.json")
	}
	_, err := runFolder(arg)
	return arg == lastRun || err == nil
}

// recordedDocuments are the documents of runs that were recorded.
func (a *app) recordedDocuments(runs []string, f compareFlags) ([]report.Document, error) {
	if len(f.kubernetes) > 0 {
		return nil, usage("-kubernetes is for a scenario to run, and %s names a run; lab compare SCENARIO -kubernetes %s", runs[0], strings.Join(f.kubernetes, ","))
	}
	var docs []report.Document
	for _, run := range runs {
		if !isRun(run) {
			return nil, usage("%s is no recorded run. Several runs are compared with one another; a scenario is run by: lab compare SCENARIO", run)
		}
		recording, remove, err := openRecording(run)
		if err != nil {
			return nil, err
		}
		doc, err := a.documentOf(recording, f.scenarioFlags, f.wanted)
		remove()
		if err != nil {
			return nil, err
		}
		if len(doc.Report.Runs) == 0 {
			return nil, usage("run %s has nothing of that scenario and cluster; it has: %v", run, recording.Keys())
		}
		docs = append(docs, doc)
	}
	return docs, nil
}

// wanted says whether a scenario on a cluster is among those that are chosen.
func (f compareFlags) wanted(scenario, cluster string) bool {
	is := func(asked []string, same func(string) bool) bool {
		return len(asked) == 0 || slices.ContainsFunc(asked, same)
	}
	run := replay.Run{Scenario: scenario, Cluster: cluster}
	return is(f.scenarios, func(name string) bool { return run.Is(name, "") }) && is(f.clusters, func(name string) bool { return run.Is("", name) })
}

// runToCompare runs a scenario. It tells on standard error how that goes, and
// what did not come out as expected.
func (a *app) runToCompare(ctx context.Context, arg string, f compareFlags) ([]report.Document, int, error) {
	m, err := a.loadOn(arg, f)
	if err != nil {
		return nil, 0, err
	}
	if err := comparable(m, f); err != nil {
		return nil, 0, err
	}
	ctx, signals := a.signals(ctx)
	defer signals.stop()
	doc, err := a.perform(ctx, m, f.runFlags, signals, a.stderr)
	if err != nil {
		return nil, 0, err
	}
	code := report.ExitCode(doc.Report)
	if code != exitPass {
		width, _ := terminal(a.stderr)
		if err := report.WriteText(a.stderr, doc.Report, report.Style{Color: a.color(a.stderr), Width: width}); err != nil {
			return nil, 0, broken(err)
		}
	} else {
		fmt.Fprintf(a.stderr, "Everything that was recorded is in %s\n\n", doc.Report.Folder)
	}
	return []report.Document{doc}, code, nil
}

// loadOn loads a scenario, on the versions that are asked for.
func (a *app) loadOn(arg string, f compareFlags) (*dsl.Module, error) {
	m, problems, err := a.load(arg, f.scenarioFlags)
	if err != nil {
		return nil, err
	}
	if a.tell(a.stderr, problems) {
		return nil, silent(exitUsage)
	}
	if len(f.kubernetes) == 0 {
		return m, nil
	}
	if m, err = plan.OnVersions(m, f.kubernetes); err != nil {
		return nil, usage("-kubernetes: %v", err)
	}
	problems = validate.Check(m)
	for i := range problems { // what is asked for on the command line is written in no file
		if r := problems[i].Range; r != nil && r.Filename == "" {
			problems[i].Range, problems[i].Snippet = nil, nil
		}
	}
	if a.tell(a.stderr, problems) {
		return nil, silent(exitUsage)
	}
	return m, nil
}

// comparable says where a run would leave nothing to compare.
func comparable(m *dsl.Module, f compareFlags) error {
	runs, problems := plan.Choose(m, plan.Options{Clusters: f.clusters, Scenarios: f.scenarios})
	count := map[string]int{}
	for _, r := range runs {
		if count[r.Scenario]++; count[r.Scenario] > 1 {
			return nil
		}
	}
	if len(runs) == 0 || problems.HasErrors() {
		return nil // planning says what is wrong
	}
	return usage("there is nothing to compare: no scenario runs on two clusters. Name versions to run on, such as -kubernetes 1.28,1.29")
}

// writeCompared writes a comparison as the flags want it.
func (a *app) writeCompared(docs []report.Document, c compare.Comparison, f compareFlags) error {
	if f.output == "" {
		return a.writeComparison(a.stdout, docs, c, f.format)
	}
	file, err := os.Create(f.output)
	if err != nil {
		return fmt.Errorf("writing the comparison: %w", err)
	}
	return errors.Join(a.writeComparison(file, docs, c, f.format), file.Close())
}

func (a *app) writeComparison(w io.Writer, docs []report.Document, c compare.Comparison, format string) error {
	switch format {
	case "html":
		return html.Write(w, compare.Merge(docs))
	case "markdown":
		return compare.WriteMarkdown(w, c)
	case "json":
		return writeJSON(w, c)
	}
	width, _ := terminal(w)
	return compare.WriteText(w, c, report.Style{Color: a.color(w), Width: width})
}

// completeCompared offers scenarios and runs, and after the first runs alone.
func completeCompared(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	runs, _ := completeRun(cmd, nil, typed)
	if len(args) > 0 {
		return runs, cobra.ShellCompDirectiveKeepOrder
	}
	labs, _ := completeScenario(cmd, nil, typed)
	return append(labs, runs...), cobra.ShellCompDirectiveKeepOrder
}
