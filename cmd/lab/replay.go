package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/kind-lab/lab/dsl"
	"github.com/kind-lab/lab/labs/replay"
	"github.com/kind-lab/lab/labs/report"
	"github.com/kind-lab/lab/labs/report/document"
	"github.com/kind-lab/lab/labs/report/layout"
	"github.com/kind-lab/lab/labs/report/text"
)

// replayFlags are those of `lab replay`.
type replayFlags struct {
	scenarioFlags
	choice
}

func (f *replayFlags) add(a *app, cmd *cobra.Command, jsonText string) {
	f.scenarioFlags.add(a, cmd, jsonText)
	f.choice.add(cmd, func(cmd *cobra.Command, args []string) (clusters, scenarios []string) {
		if len(args) > 0 && !isRun(args[0]) {
			args = nil
		}
		return inRun(cmd, args)
	})
}

func (a *app) replayCommand() *cobra.Command {
	var f replayFlags
	cmd := &cobra.Command{
		Use: "replay [RUN] [SCENARIO]", Short: "Judge a run again, without a cluster", SuggestFor: []string{"judge"},
		Long: `Judges again what a run recorded, in milliseconds and without a cluster: by the
scenario as it was, of which the run kept a copy, or by SCENARIO, which may have
changed since. RUN is a run's ID, its folder, or a file that ` + "`lab pack`" + ` wrote;
without it, it is the last run.

Expectations, invariants and waits are decided again; what other steps did is
taken from the recording. Variables have the values that they had in the run;
with SCENARIO, those that are given here. The values of sensitive variables are
never recorded: give them again, with --var or in the environment.

It prints the report, and which verdicts differ from those of the run. The exit
codes are those of ` + "`lab run`" + `.`,
		Example: `  # Judge the last run again
  lab replay

  # Judge it by a scenario that has changed since
  lab replay changed.hcl

  # Judge a run that somebody sent
  lab replay run.lab.tgz --cluster v129`,
		Args: optionalRunAndScenario, ValidArgsFunction: completeRunAndScenario,
		RunE: func(_ *cobra.Command, args []string) error { return a.replay(args, f) },
	}
	f.add(a, cmd, "print the report and the differences as JSON")
	return cmd
}

// replayed is the JSON form of `lab replay`.
type replayed struct {
	Version     int                 `json:"version"`
	Report      report.Report       `json:"report"`
	Same        int                 `json:"same"`
	Differences []replay.Difference `json:"differences"`
}

func (a *app) replay(args []string, f replayFlags) error {
	c, err := a.choose(args, f)
	if err != nil {
		return err
	}
	defer c.remove()
	began := time.Now()
	out := replayed{Version: 1, Differences: []replay.Difference{}}
	if c.recording.Report != nil {
		out.Report = *c.recording.Report
	}
	if c.other {
		out.Report.File = c.source
	}
	out.Report.Runs, out.Report.Status = nil, 0
	for _, run := range c.runs {
		judged, err := c.recording.Judge(c.module, run)
		if err != nil {
			return usage("%v", err)
		}
		differences, same := c.recording.Differences(judged)
		out.Report.Runs = append(out.Report.Runs, judged)
		out.Report.Status = max(out.Report.Status, judged.Status)
		out.Differences, out.Same = append(out.Differences, differences...), out.Same+same
	}
	out.Report.Clusters = slices.DeleteFunc(slices.Clone(out.Report.Clusters), func(c report.Cluster) bool { return !f.clusters.Include(c.Name) })
	return a.tellReplayed(out, time.Since(began), f.json)
}

// chosen is a recording that is to be judged again, with the module to judge it by
// and where that is from, and the runs that are asked for.
type chosen struct {
	recording *replay.Recording
	module    *dsl.Module
	source    string
	// other says that the scenario is not the run's own.
	other bool
	runs  []replay.ScenarioRun
	// remove is to be called when it is not needed any more.
	remove func()
}

// choose opens the recording that the arguments name, and loads the scenario
// that they name, or the recording's own.
func (a *app) choose(args []string, f replayFlags) (c *chosen, err error) {
	run, scenario, err := runAndScenario(args)
	if err != nil {
		return nil, err
	}
	recording, remove, err := openRecording(run)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			remove()
		}
	}()
	source, values, err := f.source(scenario, recording)
	if err != nil {
		return nil, err
	}
	m, problems, err := a.load(source, *values)
	if err != nil {
		return nil, err
	}
	if problems.HasErrors() {
		a.tell(a.stderr, problems)
		return nil, silent(exitUsage)
	}
	found := recording.Find(f.scenarios, f.clusters)
	if len(found) == 0 {
		return nil, nothingOf(recording)
	}
	return &chosen{recording: recording, module: m, source: source, other: scenario != "", runs: found, remove: remove}, nil
}

// source is the scenario to judge by, with the flags to load it: the one that
// is named, the run's own copy, or the one that the run was of.
func (f scenarioFlags) source(named string, recording *replay.Recording) (string, *scenarioFlags, error) {
	flags := f
	switch {
	case named != "":
		return named, &flags, nil
	case recording.Source == "" && recording.File == "":
		return "", nil, usage("the run %s was cut off and does not say which scenario it ran: name the scenario", filepath.Base(recording.Dir))
	case recording.Source == "":
		return recording.File, &flags, nil
	}
	if recording.Given != "" {
		flags.varFiles = append([]string{recording.Given}, flags.varFiles...)
	}
	flags.clusterSets, flags.rendered = recording.ClusterSets, recording.Rendered
	return recording.Source, &flags, nil
}

func (a *app) tellReplayed(out replayed, took time.Duration, asJSON bool) error {
	if asJSON {
		if err := writeJSON(a.stdout, out); err != nil {
			return err
		}
		return silent(report.ExitCode(out.Report))
	}
	width, _ := terminal(a.stdout)
	if err := text.Write(a.stdout, document.Document{Report: out.Report}, layout.Style{Color: a.color(a.stdout), Width: width}); err != nil {
		return err
	}
	for _, d := range out.Differences {
		fmt.Fprintf(a.stdout, "%s on %s: %q was %s, and is %s now: %s\n", d.Scenario, d.Cluster, d.Step, d.Before, d.Now, d.Reason)
	}
	fmt.Fprintf(a.stdout, "Replayed in %s: %s came out as before, %d did not.\n", took.Round(time.Millisecond), stepsAndExpectations(out.Same), len(out.Differences))
	return silent(report.ExitCode(out.Report))
}

func stepsAndExpectations(n int) string {
	if n == 1 {
		return "1 step or expectation"
	}
	return fmt.Sprintf("%d steps and expectations", n)
}
