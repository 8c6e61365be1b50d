package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kind-lab/lab/labs/replay"
	"github.com/kind-lab/lab/labs/report"
	"github.com/kind-lab/lab/labs/report/html"
)

// outputFormat is a form in which a run is told of.
type outputFormat struct {
	name, about string
	write       func(io.Writer, report.Document) error
}

// outputFormats are those of `lab report`, text first.
func (a *app) outputFormats() []outputFormat {
	return []outputFormat{
		{"text", "for people, as a run prints it at its end", a.writeDocumentText},
		{"html", "a page to look at, in one file that needs no network", html.Write},
		{"markdown", "for a pull request", report.WriteMarkdown},
		{"json", "everything as data; `lab schema -document` says what it holds", writeDocumentJSON},
		{"junit", "the verdicts as JUnit's XML", func(w io.Writer, d report.Document) error { return report.WriteJUnit(w, d.Report) }},
	}
}

func (a *app) writeDocumentText(w io.Writer, d report.Document) error {
	width, _ := terminal(w)
	return report.WriteDocumentText(w, d, report.Style{Color: a.color(w), Width: width})
}

func writeDocumentJSON(w io.Writer, d report.Document) error { return writeJSON(w, d) }

// documentFlags choose what of a run a document is made of.
type documentFlags struct {
	scenarioFlags
	scenarios []string
	cluster   string
}

func (f *documentFlags) add(cmd *cobra.Command) {
	f.addValues(cmd)
	cmd.Flags().StringSliceVar(&f.scenarios, "scenario", nil, "only these scenarios (repeatable, or with commas)")
	cmd.Flags().StringVar(&f.cluster, "cluster", "", "only clusters whose whole name this regular expression matches, such as 'v12[89]'")
}

// keep says what is chosen of a run.
func (f *documentFlags) keep() (func(scenario, cluster string) bool, error) {
	match, err := regexp.Compile("^(?:" + cmp.Or(f.cluster, ".*") + ")$")
	if err != nil {
		return nil, usage("-cluster: %v", err)
	}
	return func(scenario, cluster string) bool {
		named := func(name string) bool { return replay.Run{Scenario: scenario}.Is(name, "") }
		return (len(f.scenarios) == 0 || slices.ContainsFunc(f.scenarios, named)) && match.MatchString(strings.ReplaceAll(cluster, `"`, ""))
	}, nil
}

// document is what is chosen of a run, or of an archive of one.
func (a *app) document(run string, f documentFlags) (report.Document, error) {
	keep, err := f.keep()
	if err != nil {
		return report.Document{}, err
	}
	recording, remove, err := openRecording(run)
	if err != nil {
		return report.Document{}, err
	}
	defer remove()
	return a.documentOf(recording, f.scenarioFlags, keep)
}

// documentOf is what is to be kept of a recording. The flags give sensitive
// variables their values again, which are masked.
func (a *app) documentOf(recording *replay.Recording, f scenarioFlags, keep func(scenario, cluster string) bool) (report.Document, error) {
	options, err := a.options(f)
	if err != nil {
		return report.Document{}, err
	}
	secrets, unknown := recording.Secrets(options)
	if len(unknown) > 0 {
		fmt.Fprintf(a.stderr, "lab: %s: sensitive, so the run did not keep what it had been given. Should it have been written anywhere, it is masked only where you give it again: -var NAME=VALUE\n",
			strings.Join(unknown, ", "))
	}
	d, err := recording.Document(replay.DocumentOptions{Secrets: secrets, Keep: keep})
	switch {
	case errors.Is(err, replay.ErrNoReport):
		return d, noReport(recording.Dir)
	case err != nil:
		return d, broken(err)
	case len(d.Report.Runs) == 0 && len(recording.Report.Runs) > 0:
		return d, usage("run %s has nothing of that scenario and cluster; it has: %s", filepath.Base(recording.Dir), strings.Join(recording.Keys(), ", "))
	}
	return d, nil
}

func (a *app) reportCommand() *cobra.Command {
	var f documentFlags
	var format, out string
	formats := a.outputFormats()
	var names, about []string
	for _, x := range formats {
		names = append(names, x.name)
		about = append(about, fmt.Sprintf("  %-9s %s", x.name, x.about))
	}
	cmd := &cobra.Command{
		Use: "report RUN", Short: "Tell of a recorded run: as text, a page, Markdown, JSON or JUnit's XML",
		Long: `Prints what a run found and recorded, in one of these forms:

` + strings.Join(about, "\n") + `

RUN is a run's ID, its folder, "last" for the newest, or a file that ` + "`lab pack`" + `
wrote. Sensitive values are masked as far as they are known: the defaults of
variables, and what is given here with -var, -var-file or in the environment.`,
		Example: "  lab report last\n  lab report last -format markdown -cluster 'v12[89]'\n  lab report last -format json -o report.json",
		Args:    oneRun, ValidArgsFunction: completeRun,
		RunE: func(_ *cobra.Command, args []string) error {
			i := slices.IndexFunc(formats, func(x outputFormat) bool { return x.name == format })
			if i < 0 {
				return usage("there is no format %q; the formats are %s", format, strings.Join(names, ", "))
			}
			d, err := a.document(args[0], f)
			if err != nil {
				return err
			}
			return a.output(out, func(w io.Writer) error { return formats[i].write(w, d) })
		},
	}
	f.add(cmd)
	cmd.Flags().StringVar(&format, "format", "text", "one of "+strings.Join(names, ", "))
	cmd.Flags().StringVarP(&out, "output", "o", "-", "the file to write; - for standard output")
	// The flag is there, which is the only way for this to fail.
	_ = cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(names, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// output writes to a file, whole or not at all, or to standard output.
func (a *app) output(name string, write func(io.Writer) error) error {
	if name == "-" {
		if err := write(a.stdout); err != nil {
			return broken(err)
		}
		return nil
	}
	if err := writeFile(name, write); err != nil {
		return broken(fmt.Errorf("writing %s: %w", name, err))
	}
	fmt.Fprintf(a.stderr, "%s is written.\n", name)
	return nil
}

// writeFile makes a file anew, for its owner alone, whole or not at all.
func writeFile(name string, write func(io.Writer) error) (err error) {
	temporary, err := os.CreateTemp(filepath.Dir(name), "."+filepath.Base(name)+".*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(temporary.Name()))
		}
	}()
	if err := errors.Join(write(temporary), temporary.Close()); err != nil {
		return err
	}
	return os.Rename(temporary.Name(), name)
}
