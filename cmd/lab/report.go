package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kind-lab/lab/labs/replay"
	"github.com/kind-lab/lab/labs/report/document"
	"github.com/kind-lab/lab/labs/report/forms"
	"github.com/kind-lab/lab/labs/report/layout"
	"github.com/kind-lab/lab/labs/report/text"
)

func (a *app) writeDocumentText(w io.Writer, d document.Document) error {
	return text.Write(w, d, a.style(w))
}

// style is how text is written to w.
func (a *app) style(w io.Writer) layout.Style {
	width, _ := terminal(w)
	return layout.Style{Color: a.color(w), Width: width}
}

// documentFlags choose what of a run a document is made of.
type documentFlags struct {
	scenarioFlags
	choice
}

func (f *documentFlags) add(a *app, cmd *cobra.Command) {
	f.addValues(a, cmd)
	f.choice.add(cmd, inRun)
}

// wanted says whether a scenario on a cluster is among those that are chosen.
func (c choice) wanted(scenario, cluster string) bool {
	return c.scenarios.Include(scenario) && c.clusters.Include(cluster)
}

// document is what is chosen of a run, or of an archive of one.
func (a *app) document(run string, f documentFlags) (document.Document, error) {
	recording, remove, err := openRecording(run)
	if err != nil {
		return document.Document{}, err
	}
	defer remove()
	return a.documentOf(recording, f.scenarioFlags, f.wanted)
}

// documentOf is what is to be kept of a recording. The flags give sensitive
// variables their values again, which are masked.
func (a *app) documentOf(recording *replay.Recording, f scenarioFlags, keep func(scenario, cluster string) bool) (document.Document, error) {
	options, err := a.options(f)
	if err != nil {
		return document.Document{}, err
	}
	secrets, unknown := recording.Secrets(options)
	if len(unknown) > 0 {
		fmt.Fprintf(a.stderr, "lab: %s: sensitive, so the run did not keep the value. If the value was written anywhere, it is masked only if you give it again: --var NAME=VALUE\n",
			strings.Join(unknown, ", "))
	}
	d, err := recording.Document(replay.DocumentOptions{Secrets: secrets, Keep: keep})
	switch {
	case errors.Is(err, replay.ErrNoReport):
		return d, noReport(recording.Dir)
	case err != nil:
		return d, broken(err)
	case len(d.Report.Runs) == 0 && len(recording.Report.Runs) > 0:
		return d, nothingOf(recording)
	}
	return d, nil
}

func (a *app) reportCommand() *cobra.Command { return a.reportIn(forms.All()) }

// reportIn is `lab report` with these forms.
func (a *app) reportIn(all []forms.Form) *cobra.Command {
	var f documentFlags
	var format formatFlag
	var out string
	names := forms.Names(all)
	var about []string
	for _, x := range all {
		about = append(about, fmt.Sprintf("  %-9s %s", x.Name, x.About))
	}
	cmd := &cobra.Command{
		Use: "report [RUN]", Short: "Print the report of a run as text, HTML, Markdown, JSON or JUnit XML", SuggestFor: []string{"show", "status", "view"},
		Long: `Prints what a run found and recorded, in one of these formats:

` + strings.Join(about, "\n") + `

RUN is a run's ID, its folder, or a file that ` + "`lab pack`" + ` wrote; without it, it
is the last run. Sensitive values are masked if they are known: the defaults of
variables, and the values that are given with --var, --var-file or in the
environment.`,
		Example: `  lab report
  lab report --format markdown --cluster 'v12*'
  lab report 20250304-100000.250-k3x9p2 --json -o report.json`,
		Args: optionalRun, ValidArgsFunction: completeRun,
		RunE: func(cmd *cobra.Command, args []string) error {
			name, err := format.check(cmd, out)
			if err != nil {
				return err
			}
			d, err := a.document(runOf(args), f)
			if err != nil {
				return err
			}
			form, _ := forms.Find(all, name) // format.check has found it
			return a.output(out, func(w io.Writer) error { return form.Write(w, d, a.style(w)) })
		},
	}
	f.add(a, cmd)
	format.add(cmd, names)
	cmd.Flags().StringVarP(&out, "output", "o", "-", "write to this `FILE`; - is standard output")
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
	fmt.Fprintf(a.stderr, "%s was written.\n", name)
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
