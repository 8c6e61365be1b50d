// Package html writes a document as one page that works offline and from disk:
// nothing is loaded, from nowhere. What was recorded is text on it and nothing
// else, whatever it says.
package html

import (
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"io/fs"
	"strings"
	"time"

	"github.com/kind-lab/lab/labs/report"
	"github.com/kind-lab/lab/labs/report/document"
	"github.com/kind-lab/lab/labs/report/text"
)

//go:embed assets
var assets embed.FS

// page is what the template shows.
type page struct {
	Title, Headline, Status, Mark string
	// Policy is the content security policy: nothing may be loaded, and only
	// the page's own style and program apply.
	Policy    string
	Style     template.CSS
	Script    template.JS
	Data      template.JS
	About     about
	Scenarios []scenario
	Sources   []source
	// Errors and Skipped are what failed and what was left out as a whole.
	Errors, Skipped []string
}

// Write writes the page. The same document gives the same bytes.
func Write(w io.Writer, d document.Document) error {
	style, err := joined("assets/*.css")
	if err != nil {
		return err
	}
	program, err := joined("assets/*.js")
	if err != nil {
		return err
	}
	program = "(() => {\n\"use strict\";\n" + program + "})();\n"
	scenarios, evidence := scenariosOf(d)
	drawn, err := dataOf(d, evidence)
	if err != nil {
		return err
	}
	packed, err := encode(drawn)
	if err != nil {
		return err
	}
	t, err := template.ParseFS(assets, "assets/*.tmpl")
	if err != nil {
		return fmt.Errorf("reading the page's template: %w", err)
	}
	r := d.Report
	p := page{
		Title: titleOfPage(r), Headline: show(text.Headline(r)), Status: statusOf(r).String(), Mark: mark(statusOf(r)),
		Policy: policy(style, program), Style: template.CSS(style), Script: template.JS(program), Data: template.JS(`"` + packed + `"`),
		About: aboutOf(d), Scenarios: scenarios, Sources: sourcesOf(d, scenarios),
	}
	for _, text := range r.Errors {
		p.Errors = append(p.Errors, show(text))
	}
	for _, c := range r.Skipped {
		p.Skipped = append(p.Skipped, show(c.Name+" ("+c.Kubernetes+") was left out: "+c.Reason))
	}
	if err := t.ExecuteTemplate(w, "page.tmpl", p); err != nil {
		return fmt.Errorf("writing the page: %w", err)
	}
	return nil
}

// joined is the text of all embedded files of a pattern, in their order.
func joined(pattern string) (string, error) {
	names, err := fs.Glob(assets, pattern)
	if err != nil {
		return "", fmt.Errorf("the page's files %s: %w", pattern, err)
	}
	var b strings.Builder
	for _, name := range names {
		text, err := assets.ReadFile(name)
		if err != nil {
			return "", fmt.Errorf("the page's file %s: %w", name, err)
		}
		b.Write(text)
	}
	return b.String(), nil
}

func policy(style, program string) string {
	hash := func(text string) string {
		sum := sha256.Sum256([]byte(text))
		return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	}
	return "default-src 'none'; img-src data:; style-src " + hash(style) + "; script-src " + hash(program) + "; base-uri 'none'; form-action 'none'"
}

func titleOfPage(r report.Report) string {
	name := show(r.File)
	if name == "" {
		name = show(r.ID)
	}
	return name
}

// clock is a moment as people read it.
func clock(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format("2006-01-02 15:04:05 UTC")
}
