package main

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/kind-lab/lab/dsl"
	"github.com/kind-lab/lab/labs/replay"
	"github.com/kind-lab/lab/labs/report"
)

// replayFlags are those of `lab replay`.
type replayFlags struct {
	scenarioFlags
	scenario, cluster string
}

func (a *app) replayCommand() *cobra.Command {
	var f replayFlags
	cmd := &cobra.Command{
		Use: "replay RUN [SCENARIO]", Short: "Judge a recorded run again, with no cluster",
		Long: `Judges what a run recorded again, in milliseconds and with no cluster: by the
scenario as it was, of which the run kept a copy, or by SCENARIO, which may have
changed since. RUN is a run's ID, its folder, "last" for the newest, or a
file that ` + "`lab pack`" + ` wrote.

Expectations, invariants and waits are decided anew; what other steps did is
taken from the recording. Variables have the values that they had in the run;
with SCENARIO those that are given here. Sensitive values are never kept: give
them again, with -var or in the environment.

It prints the report, and which verdicts differ from those of the run. The exit
code is as that of a run.`,
		Example: "  lab replay last\n  lab replay last changed.hcl",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 || len(args) > 2 {
				return usage("want a run, and a scenario where it is not the run's own; got %d arguments", len(args))
			}
			return nil
		},
		ValidArgsFunction: func(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
			if len(args) == 0 {
				return completeRun(cmd, args, typed)
			}
			return completeScenario(cmd, args[1:], typed)
		},
		RunE: func(_ *cobra.Command, args []string) error { return a.replay(args, f) },
	}
	f.add(cmd, "print the report and the differences as JSON")
	cmd.Flags().StringVar(&f.scenario, "scenario", "", "only this scenario")
	cmd.Flags().StringVar(&f.cluster, "cluster", "", "only this cluster")
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
	if len(args) == 2 {
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
	return a.tellReplayed(out, time.Since(began), f.json)
}

// chosen is a recording that is to be judged again, with the module to judge it by
// and where that is from, and the runs that are asked for.
type chosen struct {
	recording *replay.Recording
	module    *dsl.Module
	source    string
	runs      []replay.Run
	// remove is to be called when it is not needed any more.
	remove func()
}

// choose opens the recording that the first argument names, and loads the
// scenario that the second one names, or the recording's own.
func (a *app) choose(args []string, f replayFlags) (c *chosen, err error) {
	recording, remove, err := openRecording(args[0])
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			remove()
		}
	}()
	source, told, err := f.source(args, recording)
	if err != nil {
		return nil, err
	}
	m, problems, err := a.load(source, *told)
	if err != nil {
		return nil, err
	}
	if problems.HasErrors() {
		a.tell(a.stderr, problems)
		return nil, silent(exitUsage)
	}
	found := recording.Find(f.scenario, f.cluster)
	if len(found) == 0 {
		return nil, usage("run %s has nothing of that scenario and cluster; it has: %v", args[0], recording.Keys())
	}
	return &chosen{recording: recording, module: m, source: source, runs: found, remove: remove}, nil
}

// source is the scenario to judge by, with the flags to load it: the one that
// is named, the run's own copy, or the one that the run was of.
func (f replayFlags) source(args []string, recording *replay.Recording) (string, *scenarioFlags, error) {
	flags := f.scenarioFlags
	switch {
	case len(args) == 2:
		return args[1], &flags, nil
	case recording.Source == "" && recording.File == "":
		return "", nil, usage("the run %s was cut off and does not say of which scenario it is: name the scenario", args[0])
	case recording.Source == "":
		return recording.File, &flags, nil
	}
	if recording.Given != "" {
		flags.varFiles = append([]string{recording.Given}, flags.varFiles...)
	}
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
	if err := report.WriteText(a.stdout, out.Report, report.Style{Color: a.color(a.stdout), Width: width}); err != nil {
		return err
	}
	for _, d := range out.Differences {
		fmt.Fprintf(a.stdout, "%s on %s: %q was %s, and is %s now: %s\n", d.Scenario, d.Cluster, d.Step, d.Before, d.Now, d.Reason)
	}
	fmt.Fprintf(a.stdout, "Replayed in %s: %d steps and expectations came out as before, %d did not.\n", took.Round(time.Millisecond), out.Same, len(out.Differences))
	return silent(report.ExitCode(out.Report))
}
