package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/kind-lab/lab/dsl/action"
	"github.com/kind-lab/lab/labs/report/html"
	"github.com/kind-lab/lab/labs/wiring"
)

// The exit codes. They are part of the command line's promise.
const (
	exitPass        = 0
	exitFail        = 1
	exitUsage       = 2
	exitBroken      = 3
	exitInterrupted = 130
)

// app is one invocation of the program.
type app struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	env            func(string) (string, bool)
	// open reaches what runs need; tests put fakes here.
	open func(context.Context, *app) (*wiring.Parts, error)
	// verbs are those of the language; the zero value has all.
	verbs action.Table
}

// exitError ends the program with a code. Its text, where it has one, is
// printed.
type exitError struct {
	code int
	err  error
}

func (e *exitError) Error() string {
	if e.err == nil {
		return fmt.Sprintf("exit code %d", e.code)
	}
	return e.err.Error()
}

func (e *exitError) Unwrap() error { return e.err }

// usage is a mistake in the command line.
func usage(format string, args ...any) error {
	return &exitError{code: exitUsage, err: fmt.Errorf(format, args...)}
}

// broken is something that should be there and is not.
func broken(err error) error {
	return &exitError{code: exitBroken, err: err}
}

// silent ends with a code after everything was said.
func silent(code int) error {
	if code == exitPass {
		return nil
	}
	return &exitError{code: code}
}

func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer, env func(string) (string, bool)) int {
	if code, ok := runMode(args, stderr); ok {
		return code
	}
	a := &app{stdin: stdin, stdout: stdout, stderr: stderr, env: env, open: openParts}
	return a.main(ctx, args[1:])
}

func (a *app) main(ctx context.Context, args []string) int {
	root := a.root()
	root.SetArgs(args)
	root.SetIn(a.stdin)
	root.SetOut(a.stdout)
	root.SetErr(a.stderr)
	err := mistyped(root, args)
	if err == nil {
		err = root.ExecuteContext(ctx)
	}
	if err == nil {
		return exitPass
	}
	var exit *exitError
	if !errors.As(err, &exit) { // cobra's own
		exit = &exitError{code: exitUsage, err: err}
	}
	if exit.err != nil {
		fmt.Fprintf(a.stderr, "lab: %v\n", exit.err)
	}
	return exit.code
}

func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "lab",
		Short: "Run scenarios on Kubernetes clusters and judge what really happened",
		Long: `lab runs scenarios on Kubernetes clusters and judges what really happened. A
scenario names clusters by Kubernetes version and feature gates, what to apply,
and what to expect of start, order, termination and completion. lab creates the
clusters with kind, records every container's life, and prints the clusters side
by side.

Exit codes: 0 everything is as expected, 1 something is not as expected, 2 the
scenario or the command line is wrong, 3 something that lab needs is missing or
failed, 130 interrupted.`,
		Example: `  lab doctor             # can clusters run here?
  lab list               # the labs that come with lab
  lab run job-sidecar    # run one of them
  lab report             # print the report of the last run again`,
		Version:       wiring.Version(),
		Args:          noArguments,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.SetFlagErrorFunc(flagError)
	a.setHelp(root)
	add := func(group string, commands ...*cobra.Command) {
		for _, cmd := range commands {
			cmd.GroupID = group
			root.AddCommand(cmd)
		}
	}
	add(groupRun, a.runCommand(), a.planCommand(), a.compareCommand(), a.listCommand())
	add(groupAuthor, a.validateCommand(), a.formatCommand(), a.explainCommand(), a.schemaCommand(), a.consoleCommand(), a.mutateCommand(), a.lspCommand())
	add(groupLook, a.reportCommand(), a.openCommand(html.Write), a.timelineCommand(), a.logsCommand(), a.eventsCommand(), a.replayCommand(), a.packCommand())
	add(groupClusters, a.clustersCommand(), a.upCommand(), a.pauseCommand(), a.resumeCommand(), a.downCommand(), a.gcCommand())
	add(groupMachine, a.doctorCommand(), a.engineCommand(), a.imageCommand(), a.versionCommand())
	root.AddCommand(a.reapCommand())
	return root
}

// get returns an environment variable; empty if it is not set.
func (a *app) get(name string) string {
	value, _ := a.env(name)
	return value
}

// terminal says whether w is a terminal, and how wide; 0 if it is not.
func terminal(w io.Writer) (width int, ok bool) {
	file, isFile := w.(*os.File)
	if !isFile || !term.IsTerminal(int(file.Fd())) {
		return 0, false
	}
	width, _, err := term.GetSize(int(file.Fd()))
	if err != nil {
		width = 0
	}
	return width, true
}

// color says whether w is to be coloured: a terminal, and neither NO_COLOR nor
// a dumb one.
func (a *app) color(w io.Writer) bool {
	_, tty := terminal(w)
	return tty && a.get("NO_COLOR") == "" && a.get("TERM") != "dumb"
}
