package main

import (
	"strconv"
	"strings"

	"github.com/spf13/cobra"
)

// The groups of commands in the help.
const (
	groupRun      = "run"
	groupAuthor   = "author"
	groupLook     = "look"
	groupClusters = "clusters"
	groupMachine  = "machine"
)

func groups() []*cobra.Group {
	return []*cobra.Group{
		{ID: groupRun, Title: "Run scenarios:"},
		{ID: groupAuthor, Title: "Write scenarios:"},
		{ID: groupLook, Title: "Look at recorded runs:"},
		{ID: groupClusters, Title: "Manage clusters:"},
		{ID: groupMachine, Title: "Set up this machine:"},
	}
}

// usageTemplate is cobra's, but that flags are wrapped to a width and a command
// that only holds others is not shown as one that runs.
const usageTemplate = `Usage:{{if .HasAvailableSubCommands}}
  {{.CommandPath}} COMMAND{{else}}
  {{.UseLine}}{{end}}{{if .HasExample}}

Examples:
{{.Example}}{{end}}{{if .HasAvailableSubCommands}}{{$cmds := .Commands}}{{range $group := .Groups}}

{{.Title}}{{range $cmds}}{{if and (eq .GroupID $group.ID) .IsAvailableCommand}}
  {{rpad .Name .NamePadding}} {{.Short}}{{end}}{{end}}{{end}}{{if not .Groups}}

Commands:{{range $cmds}}{{if .IsAvailableCommand}}
  {{rpad .Name .NamePadding}} {{.Short}}{{end}}{{end}}{{end}}{{end}}{{if .HasAvailableLocalFlags}}

Flags:
{{.LocalFlags.FlagUsagesWrapped WIDTH | trimTrailingWhitespaces}}{{end}}{{if .HasAvailableSubCommands}}

Run ` + "`{{.CommandPath}} COMMAND --help`" + ` for more about a command.{{end}}
`

// setHelp makes the help of all commands grouped and as wide as the terminal.
func (a *app) setHelp(root *cobra.Command) {
	root.AddGroup(groups()...)
	root.SetUsageTemplate(strings.Replace(usageTemplate, "WIDTH", strconv.Itoa(a.textWidth()), 1))
	root.SetVersionTemplate("{{.Name}} {{.Version}}\n")
	root.SetHelpCommand(helpCommand())
	root.SetCompletionCommandGroupID(groupMachine)
}

// helpCommand prints the help of a command. Unlike cobra's it fails if there is
// no such command.
func helpCommand() *cobra.Command {
	return &cobra.Command{
		Use: "help [COMMAND]", Short: "Print the help of a command", GroupID: groupMachine,
		Long:    "Prints the help of a command, as its flag --help does.",
		Example: "  lab help run\n  lab help image build",
		RunE: func(cmd *cobra.Command, args []string) error {
			found, rest, err := cmd.Root().Find(args)
			if err != nil || len(rest) > 0 {
				if found == nil || len(rest) == 0 {
					found, rest = cmd.Root(), args
				}
				return unknownCommand(found, rest[0])
			}
			found.InitDefaultHelpFlag()
			found.InitDefaultVersionFlag()
			return found.Help()
		},
		ValidArgsFunction: func(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
			found, _, err := cmd.Root().Find(args)
			if err != nil {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			var names []string
			for _, sub := range found.Commands() {
				if sub.IsAvailableCommand() && strings.HasPrefix(sub.Name(), typed) {
					names = append(names, cobra.CompletionWithDesc(sub.Name(), sub.Short))
				}
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
	}
}

// holder is a command that only holds others.
func holder(name, short string, commands ...*cobra.Command) *cobra.Command {
	cmd := &cobra.Command{
		Use: name, Short: short, Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(commands...)
	return cmd
}
