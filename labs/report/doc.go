// Package report is what a run found: the model, versioned, whose JSON form is
// run.json, its counts, and its store. The engine imports this package and none
// of those below it.
//
// Below it, from the ground up; a package imports only what is above it in this
// list:
//
//	layout    lines, columns, wrapping, colours; knows nothing of reports
//	document  what was recorded, folded into what is shown
//	text      the report on a terminal, and the words of all forms
//	live      a run while it goes on
//	junit, markdown, html, compare
//	forms     the table of the forms
//
// # Adding a form
//
// A form is a function of a document: Write(io.Writer, document.Document) error.
//
//  1. Add a package labs/report/NAME with that function. Take the words for
//     records and times from package text, and clean every text of others with
//     layout.Clean or layout.Block.
//  2. Add its row to forms.All. `lab report --format`, its help and its
//     completion read that table, and so do the tests that hold for every form:
//     the same document gives the same bytes, nothing is written that a terminal
//     would obey, secrets stay masked, a failure to write is returned.
//  3. Name it in the table of commands in the project's README; a test says so if
//     you forget.
//
// A golden test of the package itself takes its samples from
// labs/report/internal/reporttest.
//
// A property that a form needs and that a document does not have belongs to
// package document. Its JSON schema changes with it: go test
// ./labs/report/document -update.
package report
