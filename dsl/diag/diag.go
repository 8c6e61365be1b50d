// Package diag is the format of everything that lab reports about a place in a
// scenario: a mistake, a warning, an expectation that failed. Its JSON form is
// authoritative; the text is rendered from it.
package diag

// The severities of diagnostics.
const (
	SeverityError   = "error"
	SeverityWarning = "warning"
)

// Diagnostic is one message about a place in a scenario.
type Diagnostic struct {
	Severity string `json:"severity"`
	// Summary names the problem in a few words. Detail says what was found, what
	// was expected and what to do.
	Summary string `json:"summary"`
	Detail  string `json:"detail,omitempty"`
	Range   *Range `json:"range,omitempty"`
	// Snippet is the source around the place.
	Snippet *Snippet `json:"snippet,omitempty"`
}

// Range is a place in a file.
type Range struct {
	Filename string `json:"filename"`
	Start    Pos    `json:"start"`
	End      Pos    `json:"end"`
}

// Pos is a position in a file: line and column from 1, byte from 0.
type Pos struct {
	Line   int `json:"line"`
	Column int `json:"column"`
	Byte   int `json:"byte"`
}

// Snippet is the source that a diagnostic is about.
type Snippet struct {
	// Context is what encloses it, such as `scenario "classic"`.
	Context string `json:"context,omitempty"`
	// Code is the source line, or lines; StartLine is its first line's
	// number.
	Code      string `json:"code"`
	StartLine int    `json:"start_line"`
	// HighlightStart and HighlightEnd are byte offsets in Code.
	HighlightStart int `json:"highlight_start"`
	HighlightEnd   int `json:"highlight_end"`
	// Values are the references in the expression with their values, such as
	// `var.x is 3`.
	Values []Value `json:"values,omitempty"`
}

// Value is a reference in an expression with its value.
type Value struct {
	Reference string `json:"reference"`
	// Statement completes the sentence that begins with the reference, such
	// as `is 3` or `is not known yet`.
	Statement string `json:"statement"`
}
