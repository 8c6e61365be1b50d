package main

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kind-lab/lab/labs/catalog"
)

// noArguments is for commands that take none.
func noArguments(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return usage("%s takes no arguments; got %s\nRun `%s --help` for its usage", cmd.CommandPath(), quoted(args), cmd.CommandPath())
}

// oneScenario is for commands that read a scenario.
func oneScenario(cmd *cobra.Command, args []string) error {
	if len(args) == 1 {
		return nil
	}
	example := "job-sidecar"
	if _, err := os.Stat("scenario.hcl"); err == nil && len(args) == 0 {
		example = "." // the scenario of this folder
	}
	return usage("%s needs one scenario: a file, a folder, or a lab of the catalog (`lab list` lists them), such as: %s %s%s",
		cmd.CommandPath(), cmd.CommandPath(), example, got(args))
}

// optionalRun is for commands that look at one run, the last one if none is
// named.
func optionalRun(cmd *cobra.Command, args []string) error {
	if len(args) <= 1 {
		return nil
	}
	return usage("%s looks at one run: its ID, its folder, a file that `lab pack` wrote, or none for the last run%s", cmd.CommandPath(), got(args))
}

// runOf is the run that optionalRun allowed.
func runOf(args []string) string {
	if len(args) == 0 {
		return lastRun
	}
	return args[0]
}

// optionalRunAndScenario is for commands that judge a run again.
func optionalRunAndScenario(cmd *cobra.Command, args []string) error {
	if len(args) <= 2 {
		return nil
	}
	return usage("%s takes a run and a scenario to judge it by, both optional%s", cmd.CommandPath(), got(args))
}

// runAndScenario are what optionalRunAndScenario allowed; the scenario is empty
// for the run's own. One argument is a run, or else a scenario for the last run.
func runAndScenario(args []string) (run, scenario string, err error) {
	switch {
	case len(args) == 2:
		return args[0], args[1], nil
	case len(args) == 0 || isRun(args[0]):
		return runOf(args), "", nil
	case isScenario(args[0]):
		return lastRun, args[0], nil
	}
	return "", "", usage("%s is neither a run (a folder, a file that `lab pack` wrote, or an ID below %s) nor a scenario (a file, a folder, or a lab that `lab list` lists)", args[0], runsRoot)
}

// isScenario reports whether an argument names a scenario that is there.
func isScenario(arg string) bool {
	if _, err := os.Stat(arg); err == nil {
		return true
	}
	names, err := catalog.Names()
	return err == nil && slices.Contains(names, arg)
}

// unknownCommand says that a command has no such subcommand, and names the one
// that was probably meant.
func unknownCommand(cmd *cobra.Command, name string) error {
	var names []string
	hint := ""
	for _, c := range cmd.Commands() {
		if slices.Contains(c.SuggestFor, name) {
			hint = fmt.Sprintf("; did you mean `%s`?", c.CommandPath())
		}
		if c.IsAvailableCommand() {
			names = append(names, c.Name())
		}
	}
	if word := similar(name, names); hint == "" && word != "" {
		hint = fmt.Sprintf("; did you mean `%s %s`?", cmd.CommandPath(), word)
	}
	return usage("unknown command %q for %q%s\nRun `%s --help` to list the commands", name, cmd.CommandPath(), hint, cmd.CommandPath())
}

func got(args []string) string {
	if len(args) == 0 {
		return ""
	}
	return "\nGot: " + quoted(args)
}

func quoted(args []string) string {
	list := make([]string, len(args))
	for i, arg := range args {
		list[i] = fmt.Sprintf("%q", arg)
	}
	return strings.Join(list, ", ")
}
