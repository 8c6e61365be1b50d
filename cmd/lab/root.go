package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/kind-lab/lab/labs/report/html"
	"github.com/kind-lab/lab/labs/world"
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
	// open reaches what runs need of the world; tests put fakes here.
	open func(context.Context, *app) (*world.World, error)
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
	a := &app{stdin: stdin, stdout: stdout, stderr: stderr, env: env, open: openWorld}
	return a.main(ctx, args[1:])
}

func (a *app) main(ctx context.Context, args []string) int {
	root := a.root()
	root.SetArgs(longFlags(args))
	root.SetIn(a.stdin)
	root.SetOut(a.stdout)
	root.SetErr(a.stderr)
	err := root.ExecuteContext(ctx)
	if err == nil {
		return exitPass
	}
	var exit *exitError
	if !errors.As(err, &exit) {
		exit = &exitError{code: exitUsage, err: fmt.Errorf("%w\nRun `lab help` to see what there is", err)}
	}
	if exit.err != nil {
		fmt.Fprintf(a.stderr, "lab: %v\n", exit.err)
	}
	return exit.code
}

func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "lab",
		Short: "Run scenarios on Kubernetes clusters of their own and judge what happened",
		Long: `lab makes kind clusters of the Kubernetes versions and feature gates that a
scenario names, applies the experiment, records what really happened to every
container, and judges expectations about start, order, termination and
completion, side by side.

Flags may be written with one dash or two. Exit codes: 0 as expected, 1 not as
expected, 2 the scenario or the command line is wrong, 3 something that is
needed is missing or broke, 130 interrupted.`,
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.CompletionOptions.HiddenDefaultCmd = false
	root.AddCommand(a.runCommand(), a.planCommand(), a.validateCommand(), a.formatCommand(), a.listCommand(), a.showCommand(), a.reportCommand(), a.openCommand(html.Write), a.compareCommand(),
		a.logsCommand(), a.eventsCommand(), a.timelineCommand(),
		a.explainCommand(), a.schemaCommand(), a.consoleCommand(), a.lspCommand(), a.replayCommand(), a.mutateCommand(), a.packCommand(),
		a.doctorCommand(), a.engineCommand(), a.imageCommand(), a.upCommand(), a.downCommand(), a.lsCommand(), a.pauseCommand(), a.resumeCommand(), a.gcCommand(), a.versionCommand(), a.reapCommand())
	return root
}

// longFlag is a long flag written with one dash, as Terraform's are.
var longFlag = regexp.MustCompile(`^-[a-z][a-z-]+(=.*)?$`)

// longFlags gives long flags their second dash.
func longFlags(args []string) []string {
	out := make([]string, len(args))
	for i, arg := range args {
		if arg == "--" {
			copy(out[i:], args[i:])
			break
		}
		if longFlag.MatchString(arg) {
			arg = "-" + arg
		}
		out[i] = arg
	}
	return out
}

// get returns an environment variable; empty where it is not set.
func (a *app) get(name string) string {
	value, _ := a.env(name)
	return value
}

// terminal says whether w is a terminal, and how wide; 0 where it is not.
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
