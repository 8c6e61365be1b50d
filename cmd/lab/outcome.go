package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/kind-lab/lab/dsl"
	"github.com/kind-lab/lab/dsl/value"
	"github.com/kind-lab/lab/labs/replay"
	"github.com/kind-lab/lab/labs/report"
	"github.com/kind-lab/lab/labs/report/document"
	"github.com/kind-lab/lab/labs/report/forms"
	"github.com/kind-lab/lab/labs/report/layout"
	"github.com/kind-lab/lab/labs/report/markdown"
)

// stepSummary is the variable that names the file to which GitHub's runner
// takes Markdown for the page of the workflow's run.
const stepSummary = "GITHUB_STEP_SUMMARY"

// outcome makes the document of a run that has ended, and leaves what is made of
// it. What cannot be written is reported, and changes nothing else: the records are
// there. Where there is no document it is the report alone.
func (a *app) outcome(dir string, r report.Report, m *dsl.Module) document.Document {
	d, err := documentOf(dir, m)
	if err != nil {
		fmt.Fprintf(a.stderr, "lab: what the run recorded could not be read again: %v\n", err)
		return document.Document{Version: document.Version, Report: r}
	}
	for _, form := range forms.All() {
		if form.Kept == "" {
			continue
		}
		name := filepath.Join(dir, form.Kept)
		if err := writeFile(name, func(w io.Writer) error { return form.Write(w, d, layout.Style{}) }); err != nil {
			fmt.Fprintf(a.stderr, "lab: %s could not be written: %v. `lab report` can make it later.\n", name, err)
		}
	}
	if name := a.get(stepSummary); name != "" {
		if err := appendMarkdown(name, d); err != nil {
			fmt.Fprintf(a.stderr, "lab: the step's summary could not be written: %v\n", err)
		}
	}
	return d
}

func documentOf(dir string, m *dsl.Module) (document.Document, error) {
	recording, err := replay.Open(dir)
	if err != nil {
		return document.Document{}, err
	}
	return recording.Document(replay.DocumentOptions{Secrets: value.Secrets(m.Vars, m.Locals)})
}

func appendMarkdown(name string, d document.Document) error {
	file, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	return errors.Join(markdown.Write(file, d), file.Close())
}
