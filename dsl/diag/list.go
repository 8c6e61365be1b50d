package diag

import (
	"fmt"
	"sort"
	"strings"
)

// List is a list of diagnostics.
type List []Diagnostic

// HasErrors says whether the list has an error.
func (l List) HasErrors() bool {
	for _, d := range l {
		if d.Severity == SeverityError {
			return true
		}
	}
	return false
}

// Sort sorts the list by place. Diagnostics without a place come first. The order
// of diagnostics at the same place does not change.
func (l List) Sort() {
	sort.SliceStable(l, func(i, j int) bool {
		a, b := l[i].Range, l[j].Range
		switch {
		case a == nil || b == nil:
			return a == nil && b != nil
		case a.Filename != b.Filename:
			return a.Filename < b.Filename
		default:
			return a.Start.Byte < b.Start.Byte
		}
	})
}

// Error has each diagnostic on its own line, without snippets.
func (l List) Error() string {
	lines := make([]string, 0, len(l))
	for _, d := range l {
		lines = append(lines, d.String())
	}
	return strings.Join(lines, "\n")
}

// String is the diagnostic on one line: the place, the summary and the detail.
func (d Diagnostic) String() string {
	var b strings.Builder
	if d.Range != nil {
		fmt.Fprintf(&b, "%s:%d,%d: ", d.Range.Filename, d.Range.Start.Line, d.Range.Start.Column)
	}
	b.WriteString(d.Summary)
	if d.Detail != "" {
		b.WriteString("; " + d.Detail)
	}
	return b.String()
}
