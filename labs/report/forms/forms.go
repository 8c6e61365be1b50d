// Package forms is the table of the forms in which a run can be shown.
package forms

import (
	"io"
	"slices"

	"github.com/kind-lab/lab/labs/report/document"
	"github.com/kind-lab/lab/labs/report/html"
	"github.com/kind-lab/lab/labs/report/junit"
	"github.com/kind-lab/lab/labs/report/layout"
	"github.com/kind-lab/lab/labs/report/markdown"
	"github.com/kind-lab/lab/labs/report/text"
)

// Form is a form in which a run can be shown.
type Form struct {
	// Name is what `lab report --format` takes. About says in a few words whom
	// or what the form is for.
	Name, About string
	// Kept is the name of the file in which `lab run` leaves this form in the
	// run's folder; empty if it leaves none.
	Kept string
	// Write writes a document in this form. The same document and style give
	// the same bytes. The style is for forms that people read on a terminal.
	Write func(io.Writer, document.Document, layout.Style) error
}

// All are the forms, in the order in which the help names them. The first is
// the default.
func All() []Form {
	return []Form{
		{"text", "for a terminal, as a run prints it at its end", "", text.Write},
		{"html", "a page for a browser, in one file that needs no network", "report.html", plain(html.Write)},
		{"markdown", "for a pull request", "", plain(markdown.Write)},
		{"json", "everything that was recorded; `lab schema --document` describes it", "report.json", plain(document.WriteJSON)},
		// A run leaves junit.xml too, but from its report alone: also if its
		// records cannot be read.
		{"junit", "the verdicts as JUnit XML", "", plain(func(w io.Writer, d document.Document) error { return junit.Write(w, d.Report) })},
	}
}

// plain is a form that has no style.
func plain(write func(io.Writer, document.Document) error) func(io.Writer, document.Document, layout.Style) error {
	return func(w io.Writer, d document.Document, _ layout.Style) error { return write(w, d) }
}

// Names are the names of forms, in their order.
func Names(all []Form) []string {
	var names []string
	for _, f := range all {
		names = append(names, f.Name)
	}
	return names
}

// Find is the form of a name; false if there is none.
func Find(all []Form, name string) (Form, bool) {
	i := slices.IndexFunc(all, func(f Form) bool { return f.Name == name })
	if i < 0 {
		return Form{}, false
	}
	return all[i], true
}
