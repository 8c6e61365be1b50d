package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kind-lab/lab/dsl"
	"github.com/kind-lab/lab/labs/plan"
	"github.com/kind-lab/lab/labs/report"
	"github.com/kind-lab/lab/labs/report/compare"
	"github.com/kind-lab/lab/labs/report/document"
	"github.com/kind-lab/lab/labs/report/html"
	"github.com/kind-lab/lab/labs/report/layout"
	"github.com/kind-lab/lab/labs/report/text"
	"github.com/kind-lab/lab/labs/validate"
)

// compareFlags are those of `lab compare`. The clusters and scenarios of
// runFlags choose what of a recorded run is compared, too.
type compareFlags struct {
	runFlags
	kubernetes []string
	form       formatFlag
	output     string
	exitCode   bool
}

// compareLong is the help of `lab compare`.
const compareLong = `Compares what happened: verdicts, the course of STATUS, the order in which
containers started and ended, exit codes, restarts, how long they ran, and the
conditions of Jobs. It also lists clusters that behaved alike although their
minor versions or feature gates differ.

With a SCENARIO (a file, a folder, or a lab of the catalog), it is run as by
` + "`lab run`" + `, and its clusters are compared: its own, or with --kubernetes one for
each version, written as 1.28, 1.28.15 or 1.28+SidecarContainers-OtherGate. A
cluster of the scenario with that version and those gates is used; another one
is created like the first cluster of each scenario, except for version and
gates.

With one RUN (an ID, a folder, or a file that ` + "`lab pack`" + ` wrote), the clusters of
that run are compared; without arguments, those of the last run. With several
runs, they are compared with one another, cluster by cluster. Clusters are
matched by name, or else by version and gates; runs with no cluster in common
are compared all with all.

What the sources cannot order has no order. Ends less than a second apart count
as one. Lengths differ if they differ by more than a second and by more than a
fifth.

HTML is a page that shows what happened on one axis, Markdown is for a pull
request. JSON has version, runs, parts (each with its sides, differences and
alike) and notes. New fields may be added; the version is raised when existing
ones change. The exit code is that of ` + "`lab run`" + ` if a scenario was run, and else
0, even if there are differences; with --exit-code they make it 1.`

func (a *app) compareCommand() *cobra.Command {
	var f compareFlags
	cmd := &cobra.Command{
		Use: "compare [SCENARIO | RUN...]", Short: "Compare what happened on Kubernetes versions, or in recorded runs", SuggestFor: []string{"diff"},
		Long: compareLong,
		Example: `  # Run a scenario on other versions, and compare them
  lab compare job-sidecar --kubernetes 1.27,1.28,1.28+SidecarContainers,1.29

  # Compare the clusters of the last run
  lab compare

  # Compare two runs, for a pull request
  lab compare 20250304-100000.250-k3x9p2 last --format markdown -o comparison.md`,
		ValidArgsFunction: completeCompared,
		RunE: func(cmd *cobra.Command, args []string) error {
			format, err := f.form.check(cmd, f.output)
			if err != nil {
				return err
			}
			if len(args) == 0 {
				args = []string{lastRun}
			}
			return a.compare(cmd.Context(), args, format, f)
		},
	}
	f.addValues(a, cmd)
	f.choice.add(cmd, func(cmd *cobra.Command, args []string) (clusters, scenarios []string) {
		if len(args) == 0 || isRun(args[0]) {
			return inRun(cmd, args)
		}
		return a.inScenario(cmd, args)
	})
	flags := cmd.Flags()
	flags.StringSliceVar(&f.kubernetes, "kubernetes", nil, "run on clusters of these `VERSIONS` instead of the scenario's own: 1.28, 1.28.15, 1.28+GATE-GATE (repeatable, comma-separated)")
	completeFlag(cmd, "kubernetes", completeVersions)
	f.form.add(cmd, compareFormats())
	flags.StringVarP(&f.output, "output", "o", "-", "write to this `FILE`; - is standard output")
	flags.BoolVar(&f.exitCode, "exit-code", false, "exit with 1 if there is a difference")
	f.addConduct(cmd)
	return cmd
}

func compareFormats() []string { return []string{"text", "html", "markdown", "json"} }

// compare is `lab compare`.
func (a *app) compare(ctx context.Context, args []string, format string, f compareFlags) error {
	var docs []document.Document
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
	if err := a.output(f.output, func(w io.Writer) error { return a.writeComparison(w, docs, c, format) }); err != nil {
		return err
	}
	if code == exitPass && f.exitCode && c.Differ() {
		code = exitFail
	}
	return silent(code)
}

// recordedDocuments are the documents of runs that were recorded.
func (a *app) recordedDocuments(runs []string, f compareFlags) ([]document.Document, error) {
	if len(f.kubernetes) > 0 {
		return nil, usage("--kubernetes is for a scenario to run, and %s names a run. To run a scenario: lab compare SCENARIO --kubernetes %s", runs[0], strings.Join(f.kubernetes, ","))
	}
	var docs []document.Document
	for _, run := range runs {
		if !isRun(run) {
			return nil, usage("%s is not a recorded run. Several arguments are runs that are compared with one another. To run one scenario: lab compare SCENARIO", run)
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
			return nil, nothingOf(recording)
		}
		docs = append(docs, doc)
	}
	return docs, nil
}

// runToCompare runs a scenario. It tells on standard error how that goes, and
// what did not come out as expected.
func (a *app) runToCompare(ctx context.Context, arg string, f compareFlags) ([]document.Document, int, error) {
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
		if err := text.Write(a.stderr, document.Document{Report: doc.Report}, layout.Style{Color: a.color(a.stderr), Width: width}); err != nil {
			return nil, 0, broken(err)
		}
	} else {
		fmt.Fprintf(a.stderr, "Everything that was recorded is in %s\n\n", doc.Report.Folder)
	}
	return []document.Document{doc}, code, nil
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
		return nil, usage("--kubernetes: %v", err)
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
	return usage("there is nothing to compare: no scenario runs on two clusters. Name versions to run on, such as --kubernetes 1.28,1.29")
}

func (a *app) writeComparison(w io.Writer, docs []document.Document, c compare.Comparison, format string) error {
	switch format {
	case "html":
		return html.Write(w, compare.Merge(docs))
	case "markdown":
		return compare.WriteMarkdown(w, c)
	case "json":
		return writeJSON(w, c)
	}
	width, _ := terminal(w)
	return compare.WriteText(w, c, layout.Style{Color: a.color(w), Width: width})
}

// completeCompared offers scenarios and runs, and after the first runs alone.
func completeCompared(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	runs, _ := completeRun(cmd, nil, typed)
	if len(args) > 0 {
		return without(runs, args), cobra.ShellCompDirectiveKeepOrder
	}
	labs, _ := completeScenario(cmd, nil, typed)
	return append(labs, runs...), cobra.ShellCompDirectiveKeepOrder
}
