package console

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"golang.org/x/term"
)

// Prompt is what a person is asked with.
const Prompt = "> "

// Interactive evaluates the lines that a person types at a terminal, which is
// in raw mode, with history (arrows) and completion (Tab), until Ctrl-D, Ctrl-C
// or `:quit`.
func (c *Console) Interactive(terminal io.ReadWriter) error {
	t := term.NewTerminal(terminal, Prompt)
	if c.Width > 0 {
		if err := t.SetSize(c.Width, 24); err != nil {
			return fmt.Errorf("setting up the terminal: %w", err)
		}
	}
	t.AutoCompleteCallback = func(line string, pos int, key rune) (string, int, bool) {
		if key != '\t' {
			return "", 0, false
		}
		return c.tab(t, line, pos)
	}
	for {
		line, err := t.ReadLine()
		if errors.Is(err, io.EOF) {
			_, err = fmt.Fprintln(t)
			return err
		}
		if err != nil && !errors.Is(err, term.ErrPasteIndicator) {
			return fmt.Errorf("reading from the terminal: %w", err)
		}
		if len(line) > MaxLine {
			continue
		}
		if _, err := c.Line(line, t); errors.Is(err, errQuit) {
			return nil
		} else if err != nil {
			return err
		}
	}
}

// tab completes the word before the cursor as far as it is certain; where that
// is nothing it shows what it may become.
func (c *Console) tab(out io.Writer, line string, pos int) (string, int, bool) {
	words, start := c.Complete(line[:pos])
	if len(words) == 0 {
		return line, pos, true
	}
	certain := common(words)
	if len(certain) <= pos-start && len(words) > 1 {
		fmt.Fprintln(out, strings.Join(words, "  ")) // the next read reports a terminal that is gone
		return line, pos, true
	}
	return line[:start] + certain + line[pos:], start + len(certain), true
}
