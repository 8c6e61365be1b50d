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
	"github.com/kind-lab/lab/labs/selection"
)

// consoleFlags are those of `lab console`.
type consoleFlags struct {
	scenarioFlags
	choice
	run string
	at  time.Duration
}

func (a *app) consoleCommand() *cobra.Command {
	var f consoleFlags
	cmd := &cobra.Command{
		Use: "console [SCENARIO]", Short: "Evaluate expressions over a scenario, or over a recorded run",
		Long: `Evaluates expressions of the scenario language, one per line, typed on a
terminal (Tab completes, :help helps) or from standard input, and prints their
values.

Without --run they are evaluated over what is known before a run: variables,
locals, functions, and what is known of the --cluster and --scenario; what a run
would observe is printed as (not observed). With --run they are evaluated over
what a run recorded, until its end or until --at. SCENARIO may then be left out:
the run kept a copy of its scenario.

The exit code is 2 if an expression from standard input could not be evaluated.`,
		Example: `  lab console job-sidecar
  lab console --run last --scenario native --cluster v129
  echo 'job.myapp.complete' | lab console --run last --cluster v129 --at 12.5s`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 && f.run != "" {
				return nil
			}
			return oneScenario(cmd, args)
		},
		ValidArgsFunction: completeScenario,
		RunE: func(cmd *cobra.Command, args []string) error {
			if !cmd.Flags().Changed("at") {
				f.at = -1
			} else if f.run == "" || f.at < 0 {
				return usage("--at is a time after the start of a scenario, such as 12.5s, in a recorded run: name the run with --run")
			}
			return a.console(args, f)
		},
	}
	f.addValues(a, cmd)
	cmd.Flags().StringVar(&f.run, "run", "", "evaluate over this recorded `RUN`: its ID, its folder, a file that lab pack wrote, or last")
	f.choice.add(cmd, func(cmd *cobra.Command, args []string) (clusters, scenarios []string) {
		if f.run != "" {
			return inRun(cmd, []string{f.run})
		}
		return a.inScenario(cmd, args)
	})
	cmd.Flags().DurationVar(&f.at, "at", 0, "with --run: evaluate over what was known this `DURATION` after the scenario began, such as 12.5s (default: at its end)")
	completeFlag(cmd, "run", func(cmd *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
		return completeRun(cmd, nil, typed)
	})
	return cmd
}

func (a *app) console(args []string, f consoleFlags) error {
	l, err := a.lookingAt(args, f)
	if err != nil {
		return err
	}
	defer l.remove()
	width, _ := terminal(a.stdout)
	c := console.New(l.view)
	c.Look, c.Width, c.Style = l.look, width, diag.Style{Color: a.color(a.stdout), Width: width}
	if file, ok := a.stdin.(*os.File); ok && term.IsTerminal(int(file.Fd())) {
		fmt.Fprintf(a.stdout, "%s. :help helps, Ctrl-D ends.\n", l.about)
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

// looked is what expressions are evaluated over.
type looked struct {
	view *replay.View
	// look is how to see it at other times; nil without a run.
	look lookAt
	// about says in a few words what it is.
	about string
	// remove is to be called when it is no longer needed.
	remove func()
}

// lookingAt opens what expressions are evaluated over.
func (a *app) lookingAt(args []string, f consoleFlags) (l looked, err error) {
	l.remove = func() {}
	source, values := strings.Join(args, ""), &f.scenarioFlags
	var recording *replay.Recording
	if f.run != "" {
		if recording, l.remove, err = openRecording(f.run); err != nil {
			return looked{}, err
		}
		defer func() {
			if err != nil {
				l.remove()
			}
		}()
		if source, values, err = f.source(source, recording); err != nil {
			return l, err
		}
	}
	m, problems, err := a.load(source, *values)
	if err != nil {
		return l, err
	}
	if problems.HasErrors() { // warnings are for who runs it
		a.tell(a.stderr, problems)
		return l, silent(exitUsage)
	}
	if recording == nil {
		l.about = "Before a run"
		l.view, err = beforehand(m, f.choice)
		return l, err
	}
	return l, l.open(m, recording, f)
}

// open takes the one scenario on one cluster of a recording that is chosen.
func (l *looked) open(m *dsl.Module, recording *replay.Recording, f consoleFlags) error {
	found := recording.Find(f.scenarios, f.clusters)
	switch {
	case len(found) == 0:
		return nothingOf(recording)
	case len(found) > 1:
		return usage("choose one with --scenario and --cluster; run %s has: %s", f.run, strings.Join(recording.Keys(), ", "))
	}
	l.look = func(at time.Duration) (*replay.View, error) { return recording.At(m, found[0], at) }
	view, err := l.look(f.at)
	if err != nil {
		return usage("%v", err)
	}
	l.view = view
	l.about = fmt.Sprintf("%s of run %s: %d records in %s", found[0].Key, filepath.Base(recording.Dir), found[0].Records, found[0].Elapsed().Round(time.Millisecond))
	return nil
}

// beforehand is what is known before anything runs: of the scenario and the
// cluster that are chosen, or that are the only ones.
func beforehand(m *dsl.Module, only choice) (*replay.View, error) {
	var titles, names []string
	for _, s := range m.Scenarios {
		titles = append(titles, s.Title())
	}
	for _, c := range m.Clusters {
		names = append(names, c.Name)
	}
	s, err := theOne("scenario", m.Path, only.scenarios, titles)
	if err != nil {
		return nil, err
	}
	c, err := theOne("cluster", m.Path, only.clusters, names)
	if err != nil {
		return nil, err
	}
	var scenario *dsl.Scenario
	if s >= 0 {
		scenario = m.Scenarios[s]
	}
	var cluster *dsl.Cluster
	if c >= 0 {
		cluster = m.Clusters[c]
	}
	return replay.Before(m, scenario, cluster), nil
}

// theOne is the index of the one name that is chosen; -1 if nothing was asked
// for and there are several.
func theOne(what, path string, asked selection.Names, names []string) (int, error) {
	var found []int
	for i, name := range names {
		if asked.Include(name) {
			found = append(found, i)
		}
	}
	switch {
	case len(found) == 1:
		return found[0], nil
	case len(asked) == 0:
		return -1, nil
	case len(found) == 0:
		return -1, usage("no %s %s in %s; it has: %s", what, strings.Join(asked, ", "), path, strings.Join(names, ", "))
	}
	return -1, usage("choose one %s of %s: --%s %s means %d of them", what, path, what, strings.Join(asked, ","), len(found))
}
