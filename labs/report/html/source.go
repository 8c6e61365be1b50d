package html

import (
	"cmp"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/kind-lab/lab/labs/report/document"
)

// source is a file of the scenario, with the verdicts beside their lines.
type source struct {
	Name  string
	Lines []sourceLine
	// Open says that it is shown at once: it has verdicts beside its lines.
	Open bool
}

// sourceLine is a line; Verdicts are those of the step that begins on it.
type sourceLine struct {
	ID, Text string
	Number   int
	Verdicts []verdictLink
}

type verdictLink struct{ Evidence, Status, Mark, Cluster, Label string }

// sourcesOf are the scenario's files. It gives the scenarios' rows the line
// where each begins, and their evidence the line that it is about.
func sourcesOf(d document.Document, scenarios []scenario) []source {
	var out []source
	for i, file := range d.Sources {
		one := source{Name: show(file.Name)}
		for n, text := range strings.Split(strings.TrimRight(show(file.Text), "\n"), "\n") {
			one.Lines = append(one.Lines, sourceLine{ID: fmt.Sprintf("source-%d-%d", i, n+1), Number: n + 1, Text: text})
		}
		out = append(out, one)
	}
	for i := range out {
		if path.Ext(out[i].Name) == ".hcl" {
			verdicts(&out[i], scenarios)
		}
	}
	ranges(d, out, scenarios)
	return out
}

// verdicts puts the outcomes of steps beside the lines where they begin: where
// a block of the step's verb and name begins within the scenario's.
func verdicts(file *source, scenarios []scenario) {
	opens := regexp.MustCompile(`^\s*([a-z_]+)\s+("(?:[^"\\]|\\.)*")\s*\{`)
	current := -1
	used := map[string]bool{}
	for n := range file.Lines {
		l := &file.Lines[n]
		match := opens.FindStringSubmatch(l.Text)
		if match == nil {
			continue
		}
		name, err := strconv.Unquote(match[2])
		if err != nil {
			continue
		}
		if match[1] == "scenario" {
			current = slices.IndexFunc(scenarios, func(s scenario) bool { return s.Name == name })
			continue
		}
		if current < 0 {
			continue
		}
		rows := scenarios[current].Rows
		i := slices.IndexFunc(rows, func(r row) bool {
			return r.Source == "" && (r.Title == name && r.Kind == string(document.CellExpectation) || r.Title == match[1]+" "+name)
		})
		key := fmt.Sprint(current, "/", i)
		if i < 0 || used[key] {
			continue
		}
		used[key] = true
		beside(l, &rows[i], scenarios[current].Heads)
		file.Open = true
	}
}

func beside(l *sourceLine, r *row, heads []head) {
	r.Source, r.Line = l.ID, l.Number
	for j, c := range r.Cells {
		if c.Evidence != "" {
			l.Verdicts = append(l.Verdicts, verdictLink{Evidence: c.Evidence, Status: c.Status, Mark: c.Mark, Cluster: heads[j].Name, Label: c.Label})
		}
	}
}

// ranges gives each piece of evidence the line that its diagnostic is about,
// or else the one where its step begins.
func ranges(d document.Document, files []source, scenarios []scenario) {
	for i := range scenarios {
		s := &scenarios[i]
		places := document.Places(d.Report, d.Report.Scenarios()[i])
		at := 0
		for r := range s.Rows {
			for j, c := range s.Rows[r].Cells {
				if c.Evidence == "" {
					continue
				}
				e := &s.Evidence[at]
				at++
				e.Source = s.Rows[r].Source
				if e.Source != "" {
					e.Place = cmp.Or(e.Place, fmt.Sprintf("line %d", s.Rows[r].Line))
				}
				place := places[r][j]
				step := d.Report.Runs[place.Run].Steps[place.Step]
				if v := step.Verdict; v != nil && v.Diagnostic != nil && v.Diagnostic.Range != nil {
					e.Source = cmp.Or(lineID(files, v.Diagnostic.Range.Filename, v.Diagnostic.Range.Start.Line), e.Source)
				}
			}
		}
	}
}

// lineID finds a line of a file that may be named with a folder before it.
func lineID(files []source, name string, number int) string {
	for _, f := range files {
		if f.Name != name && !strings.HasSuffix(name, "/"+f.Name) && !strings.HasSuffix(f.Name, "/"+name) {
			continue
		}
		if number >= 1 && number <= len(f.Lines) {
			return f.Lines[number-1].ID
		}
	}
	return ""
}
