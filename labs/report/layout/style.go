package layout

import "github.com/kind-lab/lab/labs/expect"

// Style says how text is written.
type Style struct {
	// Color allows ANSI colours; they never carry information alone.
	Color bool
	// Width is the number of columns to stay within; 0 means DefaultWidth, and
	// less than LeastWidth means LeastWidth.
	Width int
	// ASCII writes marks, arrows and lines with ASCII characters only. Names
	// and texts of others stay as they are.
	ASCII bool
}

// The bounds of a page's width, in columns.
const (
	DefaultWidth = 100
	LeastWidth   = 60
)

// Columns is the number of columns to stay within.
func (s Style) Columns() int {
	if s.Width == 0 {
		return DefaultWidth
	}
	return max(LeastWidth, s.Width)
}

// SGR sequences, which set a colour or bold. Dim is bright black, which more
// terminals show than faint.
const (
	Bold   = "\x1b[1m"
	Red    = "\x1b[31m"
	Green  = "\x1b[32m"
	Yellow = "\x1b[33m"
	Cyan   = "\x1b[36m"
	Dim    = "\x1b[90m"

	reset = "\x1b[0m"
)

// Paint writes text behind an SGR sequence and ends it, if the style allows
// colours.
func (s Style) Paint(sgr, text string) string {
	if !s.Color || sgr == "" || text == "" {
		return text
	}
	return sgr + text + reset
}

// Mark is the sign of a status, such as "✓".
func (s Style) Mark(status expect.Status) string {
	signs := [...]string{"…", "–", "✓", "✗", "!"}
	if s.ASCII {
		signs = [...]string{".", "-", "+", "x", "!"}
	}
	if status < 0 || int(status) >= len(signs) {
		return "?"
	}
	return signs[status]
}

// StatusColor is the SGR sequence for a status.
func StatusColor(status expect.Status) string {
	switch status {
	case expect.Pass:
		return Green
	case expect.Fail:
		return Red
	case expect.Error:
		return Yellow
	}
	return Dim
}

// Arrow is the sign between a value and the next one, with its spaces.
func (s Style) Arrow() string { return s.Sign(" → ", " -> ") }

// Sign is the sign, or its stand-in if the style is ASCII.
func (s Style) Sign(sign, ascii string) string {
	if s.ASCII {
		return ascii
	}
	return sign
}
