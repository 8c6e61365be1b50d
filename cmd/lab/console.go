package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/kind-lab/lab/dsl"
	"github.com/kind-lab/lab/dsl/diag"
	"github.com/kind-lab/lab/labs/console"
	"github.com/kind-lab/lab/labs/replay"
)

// consoleFlags are those of `lab console`.
type consoleFlags struct {
	scenarioFlags
	run, scenario, cluster string
	at                     time.Duration
}

func (a *app) consoleCommand() *cobra.Command {
	var f consoleFlags
	cmd := &cobra.Command{
		Use: "console SCENARIO", Short: "Evaluate expressions over a scenario, or over what a run of it recorded",
		Long: `Evaluates expressions of the scenario language, one a line, from standard input
or typed at a terminal (Tab completes, :help helps), and prints their values.

Without -run it is over what is known before anything runs: variables, locals,
functions, and with -cluster and -scenario what is known of those; what would be
observed is printed as (not observed). With -run it is over what a run recorded,
at its end or at the time that -at says: a run's ID, its folder, or "last" for
the newest.

The exit code is 2 where an expression on standard input could not be evaluated.`,
		Example: `  lab console job-sidecar
  lab console -run last -scenario native -cluster v129 job-sidecar
  echo 'job.myapp.pod.statuses' | lab console -run last -scenario native -cluster v129 -at 12.5s job-sidecar`,
		Args: oneScenario, ValidArgsFunction: completeScenario,
		RunE: func(cmd *cobra.Command, args []string) error {
			if !cmd.Flags().Changed("at") {
				f.at = -1
			} else if f.run == "" || f.at < 0 {
				return usage("-at is a time after the begin of a recorded run, such as 12.5s: name the run with -run")
			}
			return a.console(args[0], f)
		},
	}
	cmd.Flags().StringArrayVar(&f.vars, "var", nil, "set a variable of the scenario: -var NAME=VALUE (repeatable)")
	cmd.Flags().StringArrayVar(&f.varFiles, "var-file", nil, "set variables from a file of NAME = VALUE lines (repeatable)")
	cmd.Flags().StringVar(&f.run, "run", "", "evaluate over what this run recorded: its ID, its folder, or last")
	cmd.Flags().StringVar(&f.scenario, "scenario", "", "the scenario, where there are several")
	cmd.Flags().StringVar(&f.cluster, "cluster", "", "the cluster, where there are several")
	cmd.Flags().DurationVar(&f.at, "at", 0, "with -run: what was known that long after the scenario's begin, such as 12.5s (default: at its end)")
	_ = cmd.RegisterFlagCompletionFunc("run", completeRun) // fails only where there is no such flag
	return cmd
}

func (a *app) console(arg string, f consoleFlags) error {
	m, problems, err := a.load(arg, f.scenarioFlags)
	if err != nil {
		return err
	}
	if problems.HasErrors() { // warnings are for who runs it
		a.tell(a.stderr, problems)
		return silent(exitUsage)
	}
	look, view, about, remove, err := lookingAt(m, f)
	if err != nil {
		return err
	}
	defer remove()
	width, _ := terminal(a.stdout)
	c := console.New(view)
	c.Look, c.Width, c.Style = look, width, diag.Style{Color: a.color(a.stdout), Width: width}
	if file, ok := a.stdin.(*os.File); ok && term.IsTerminal(int(file.Fd())) {
		fmt.Fprintf(a.stdout, "%s. :help helps, Ctrl-D ends.\n", about)
		return a.interactive(c, file)
	}
	wrong, err := c.Run(a.stdin, a.stdout)
	switch {
	case err != nil:
		return usage("reading the expressions: %v", err)
	case wrong > 0:
		return silent(exitUsage)
	}
	return nil
}

// interactive talks with a person.
func (a *app) interactive(c *console.Console, in *os.File) error {
	before, err := term.MakeRaw(int(in.Fd()))
	if err != nil {
		return broken(fmt.Errorf("setting up the terminal: %w", err))
	}
	err = c.Interactive(struct {
		io.Reader
		io.Writer
	}{in, a.stdout})
	if back := term.Restore(int(in.Fd()), before); back != nil && err == nil {
		err = fmt.Errorf("setting the terminal back: %w", back)
	}
	if err != nil {
		return broken(err)
	}
	return nil
}

// lookAt is what was known at a time of a recorded run.
type lookAt func(time.Duration) (*replay.View, error)

// lookingAt is what is evaluated over, how to see it at other times, which is
// nil where no run is looked at, and what it is in a few words. remove is to be
// called when it is no longer needed.
func lookingAt(m *dsl.Module, f consoleFlags) (look lookAt, view *replay.View, about string, remove func(), err error) {
	if f.run == "" {
		view, err := beforehand(m, f)
		return nil, view, "Before anything runs", func() {}, err
	}
	recording, remove, err := openRecording(f.run)
	if err != nil {
		return nil, nil, "", nil, err
	}
	look, view, about, err = moments(m, recording, f)
	if err != nil {
		remove()
		return nil, nil, "", nil, err
	}
	return look, view, about, remove, nil
}

// moments is how to see the one run of a recording that is asked for.
func moments(m *dsl.Module, recording *replay.Recording, f consoleFlags) (lookAt, *replay.View, string, error) {
	found := recording.Find(f.scenario, f.cluster)
	switch {
	case len(found) == 0:
		return nil, nil, "", usage("run %s has nothing of that scenario and cluster; it has: %s", f.run, strings.Join(recording.Keys(), ", "))
	case len(found) > 1:
		return nil, nil, "", usage("say which with -scenario and -cluster; run %s has: %s", f.run, strings.Join(recording.Keys(), ", "))
	}
	look := func(at time.Duration) (*replay.View, error) { return recording.At(m, found[0], at) }
	view, err := look(f.at)
	if err != nil {
		return nil, nil, "", usage("%v", err)
	}
	about := fmt.Sprintf("%s of run %s: %d records in %s", found[0].Key, filepath.Base(recording.Dir), found[0].Records, found[0].Elapsed().Round(time.Millisecond))
	return look, view, about, nil
}

// beforehand is what is known before anything runs.
func beforehand(m *dsl.Module, f consoleFlags) (*replay.View, error) {
	var scenario *dsl.Scenario
	var titles []string
	for _, s := range m.Scenarios {
		titles = append(titles, s.Title())
		if s.Title() == f.scenario || len(m.Scenarios) == 1 && f.scenario == "" {
			scenario = s
		}
	}
	if scenario == nil && f.scenario != "" {
		return nil, usage("no scenario %q in %s; it has: %s", f.scenario, m.Path, strings.Join(titles, ", "))
	}
	var cluster *dsl.Cluster
	var names []string
	for _, c := range m.Clusters {
		names = append(names, c.Name)
		if c.Name == f.cluster || len(m.Clusters) == 1 && f.cluster == "" {
			cluster = c
		}
	}
	if cluster == nil && f.cluster != "" {
		return nil, usage("no cluster %q in %s; it has: %s", f.cluster, m.Path, strings.Join(names, ", "))
	}
	return replay.Before(m, scenario, cluster), nil
}
