package compare

import (
	"fmt"
	"io"
	"strings"

	"github.com/kind-lab/lab/labs/report/layout"
	"github.com/kind-lab/lab/labs/report/text"
)

// WriteText writes the comparison for people: for each part its sides, then a
// row for each group of each difference, then what came out alike.
func WriteText(w io.Writer, c Comparison, style layout.Style) error {
	s := layout.NewPage(style)
	for _, p := range c.Parts {
		if p.plain() {
			continue
		}
		s.Heading(p.title())
		s.Blank()
		s.Table([]string{p.sidesTitle(), "KUBERNETES"}, sideRows(p))
		s.Blank()
		if rows := differenceRows(p, style); len(rows) > 0 {
			s.Table([]string{"DIFFERENCE", "ON", "OBSERVED"}, rows)
			s.Blank()
		}
		for _, line := range p.closing() {
			s.Text("", line)
		}
		for _, note := range p.Notes {
			s.Note(note)
		}
		if len(p.closing())+len(p.Notes) > 0 {
			s.Blank()
		}
	}
	if text := c.same(); text != "" {
		s.Text("", text)
		s.Blank()
	}
	for _, note := range c.Notes {
		s.Note(note)
	}
	s.Heading(c.summary())
	if _, err := io.WriteString(w, s.String()); err != nil {
		return fmt.Errorf("writing the comparison: %w", err)
	}
	return nil
}

// plain says that runs are compared in it and there is nothing to tell.
func (p Part) plain() bool {
	return p.Cluster != "" && len(p.Differences)+len(p.Alike)+len(p.Notes) == 0
}

// same names the parts that are plain in one sentence; empty for none.
func (c Comparison) same() string {
	var names []string
	for _, p := range c.Parts {
		if p.plain() {
			names = append(names, p.Scenario+" on "+p.Cluster)
		}
	}
	if len(names) == 0 {
		return ""
	}
	return "No difference: " + list(names) + "."
}

// title heads a part.
func (p Part) title() string {
	title := "Scenario " + p.Scenario
	if p.Cluster != "" {
		title += " on " + p.Cluster
	}
	if d := strings.TrimSpace(p.Description); d != "" {
		title += ": " + d
	}
	return title
}

func (p Part) sidesTitle() string {
	if p.Cluster != "" {
		return "RUN"
	}
	return "CLUSTER"
}

func sideRows(p Part) [][]layout.StatusCell {
	var rows [][]layout.StatusCell
	for _, s := range p.Sides {
		rows = append(rows, []layout.StatusCell{{Text: s.Name}, {Text: s.About()}})
	}
	return rows
}

func differenceRows(p Part, style layout.Style) [][]layout.StatusCell {
	var rows [][]layout.StatusCell
	for _, d := range p.Differences {
		title := d.Title()
		for _, g := range d.Groups {
			text := g.Text
			if style.ASCII {
				text = strings.ReplaceAll(text, arrow, " -> ")
			}
			rows = append(rows, []layout.StatusCell{{Text: title}, {Text: strings.Join(g.Sides, ", ")}, {Text: text, Status: g.Status}})
			title = ""
		}
	}
	return rows
}

// Title says in a few words what a difference is about.
func (d Difference) Title() string {
	switch d.Kind {
	case KindVerdict, KindStep:
		return d.Subject
	case KindPod:
		return "presence of " + d.Subject
	case KindStatus:
		return "STATUS of " + d.Subject
	case KindContainer:
		return "kind of " + d.Subject
	case KindStarts:
		return "order of starts in " + d.Subject
	case KindEnds:
		return "order of ends in " + d.Subject
	case KindExit:
		return "end of " + d.Subject
	case KindRestarts:
		return "restarts of " + d.Subject
	case KindDuration:
		return "duration of " + d.Subject
	case KindSpan:
		return "from the first end to the last in " + d.Subject
	case KindQOS:
		return "QoS of " + d.Subject
	case KindCondition:
		return "conditions of " + d.Subject
	}
	return strings.TrimSpace(string(d.Kind) + " " + d.Subject)
}

// closing are the sentences below a part's differences.
func (p Part) closing() []string {
	var out []string
	switch {
	case p.Compared < 2:
		out = append(out, "There is nothing to compare.")
	case len(p.Differences) == 0:
		out = append(out, "No difference.")
	}
	for _, a := range p.Alike {
		out = append(out, a.text(p.Sides))
	}
	return out
}

// text says that sides are alike, each with its version and gates.
func (a Alike) text(sides []Side) string {
	var names []string
	for _, s := range sides {
		for _, name := range a.Sides {
			if s.Name == name {
				names = append(names, fmt.Sprintf("%s (%s)", name, s.About()))
			}
		}
	}
	return fmt.Sprintf("The same in all comparisons, although they differ in %s: %s.", strings.Join(a.Asked, " and "), list(names))
}

func list(names []string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:len(names)-1], ", ") + " and " + names[len(names)-1]
}

// summary is the closing line.
func (c Comparison) summary() string {
	compared := 0
	for _, p := range c.Parts {
		if p.Compared > 1 {
			compared++
		}
	}
	if compared == 0 {
		return "There is nothing to compare: at least two clusters of a scenario, or two runs of it, are needed."
	}
	differences, with := 0, 0
	for _, p := range c.Parts {
		differences += len(p.Differences)
		if len(p.Differences) > 0 {
			with++
		}
	}
	if differences == 0 {
		return fmt.Sprintf("No differences in %s.", text.Plural(compared, "comparison"))
	}
	return fmt.Sprintf("%s, in %d of %s. Ends less than %g s apart count as simultaneous. Durations differ if the difference is more than %g s and more than %g %%.",
		text.Plural(differences, "difference"), with, text.Plural(compared, "comparison"), Together.Seconds(), leastSeconds, leastShare*100)
}
