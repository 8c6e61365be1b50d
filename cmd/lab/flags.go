package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/kind-lab/lab/labs/selection"
)

// choice is what --cluster and --scenario choose. They mean the same in every
// command that has them.
type choice struct {
	clusters, scenarios selection.Names
}

// add adds both flags. Completion offers the names that from returns.
func (c *choice) add(cmd *cobra.Command, from choosable) {
	c.addClusters(cmd, from)
	cmd.Flags().Var(namesFlag{&c.scenarios}, "scenario", "only these scenarios: names or patterns such as 'native*' (repeatable, comma-separated)")
	completeFlag(cmd, "scenario", func(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
		_, scenarios := from(cmd, args)
		return nextOf(typed, scenarios), cobra.ShellCompDirectiveNoFileComp
	})
}

// addClusters adds --cluster alone.
func (c *choice) addClusters(cmd *cobra.Command, from choosable) {
	cmd.Flags().Var(namesFlag{&c.clusters}, "cluster", "only these clusters: names or patterns such as 'v12*' (repeatable, comma-separated)")
	completeFlag(cmd, "cluster", func(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
		clusters, _ := from(cmd, args)
		return nextOf(typed, clusters), cobra.ShellCompDirectiveNoFileComp
	})
}

// namesFlag is a flag for names and patterns; every use adds to them.
type namesFlag struct{ names *selection.Names }

func (f namesFlag) String() string {
	if f.names == nil {
		return ""
	}
	return strings.Join(*f.names, ",")
}

func (f namesFlag) Set(text string) error {
	*f.names = append(*f.names, selection.Split(text)...)
	return nil
}

func (namesFlag) Type() string { return "NAMES" }

// formatFlag is --format with --json, which is short for --format json.
type formatFlag struct {
	format string
	json   bool
	names  []string
}

func (f *formatFlag) add(cmd *cobra.Command, names []string) {
	f.names = names
	cmd.Flags().StringVar(&f.format, "format", names[0], "write it in this `FORMAT`: "+strings.Join(names, ", "))
	cmd.Flags().BoolVar(&f.json, "json", false, "short for --format json")
	completeFlag(cmd, "format", cobra.FixedCompletions(names, cobra.ShellCompDirectiveNoFileComp))
}

// check returns the format that is asked for. The output is the file to write,
// which is not to be mistaken for a format, as in kubectl's -o json.
func (f *formatFlag) check(cmd *cobra.Command, output string) (string, error) {
	switch {
	case slices.Contains(f.names, output):
		return "", usage("-o names the file to write; for the format write --format %s", output)
	case f.json && cmd.Flags().Changed("format") && f.format != "json":
		return "", usage("--json is short for --format json, and --format %s was given as well: use one of them", f.format)
	case f.json:
		return "json", nil
	case !slices.Contains(f.names, f.format):
		return "", usage("there is no format %q; the formats are %s%s", f.format, strings.Join(f.names, ", "), didYouMean("", f.format, f.names))
	}
	return f.format, nil
}

// mistyped returns an error for a command that there is none of, and for a long
// flag that is written with one dash, which would be read as short flags:
// -cluster as -c luster. The arguments are those of the whole command line.
func mistyped(root *cobra.Command, args []string) error {
	if len(args) > 0 && strings.HasPrefix(args[0], "__") { // a shell completes what is being typed
		return nil
	}
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd(args...)
	cmd, args, err := root.Find(args)
	if err != nil {
		return usage("%v", err)
	}
	if i := slices.IndexFunc(args, func(arg string) bool { return !strings.HasPrefix(arg, "-") }); i >= 0 && cmd.HasSubCommands() {
		if i > 0 {
			if err := misplaced(cmd, args[i-1]); err != nil {
				return err
			}
		}
		return unknownCommand(cmd, args[i])
	}
	return oneDash(cmd, args)
}

// misplaced returns an error for a flag without the command that has it: the
// flag's value would be taken for a command.
func misplaced(cmd *cobra.Command, arg string) error {
	name, _, _ := strings.Cut(strings.TrimLeft(arg, "-"), "=")
	var having []string
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() && len(name) > 1 && c.Flags().Lookup(name) != nil {
			having = append(having, c.CommandPath())
		}
	}
	if len(having) == 0 {
		return nil
	}
	which := having[0]
	if run := cmd.CommandPath() + " run"; slices.Contains(having, run) {
		which = run
	}
	return usage("--%s is a flag of a command, such as `%s --%s`", name, which, name)
}

// oneDash returns an error for a long flag of a command with one dash.
func oneDash(cmd *cobra.Command, args []string) error {
	cmd.InitDefaultHelpFlag()
	cmd.InitDefaultVersionFlag()
	for i := 0; i < len(args); i++ {
		arg := args[i]
		name, _, inline := strings.Cut(strings.TrimLeft(arg, "-"), "=")
		var flag *pflag.Flag
		switch {
		case arg == "--":
			return nil
		case strings.HasPrefix(arg, "--"):
			flag = cmd.Flags().Lookup(name)
		case strings.HasPrefix(arg, "-") && len(name) > 1 && cmd.Flags().Lookup(name) != nil:
			return usage("unknown shorthand flag -%s; did you mean --%s? Long flags have two dashes", name, name)
		case strings.HasPrefix(arg, "-") && len(arg) == 2:
			flag = cmd.Flags().ShorthandLookup(name)
		}
		if flag != nil && flag.NoOptDefVal == "" && !inline {
			i++ // the next argument is its value
		}
	}
	return nil
}

// flagError says what was wrong with a flag, and names the one that was meant.
func flagError(cmd *cobra.Command, err error) error {
	hint := ""
	var unknown *pflag.NotExistError
	if errors.As(err, &unknown) {
		var names []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if !f.Hidden {
				names = append(names, f.Name)
			}
		})
		typed := unknown.GetSpecifiedName()
		if short := unknown.GetSpecifiedShortnames(); short != "" {
			typed, _, _ = strings.Cut(short, "=")
		}
		hint = didYouMean("--", typed, names)
	}
	return usage("%v%s\nRun `%s --help` to list its flags", err, hint, cmd.CommandPath())
}

// didYouMean names what was probably meant, "; did you mean --cluster?", or is
// empty if no name is similar.
func didYouMean(prefix, typed string, names []string) string {
	if name := similar(typed, names); name != "" {
		return fmt.Sprintf("; did you mean %s%s?", prefix, name)
	}
	return ""
}
