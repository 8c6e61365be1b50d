// Package console evaluates expressions of the scenario language, one a line,
// over what is known before a run or what a run recorded.
package console

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/hcl/v2"

	"github.com/kind-lab/lab/dsl"
	"github.com/kind-lab/lab/dsl/action"
	"github.com/kind-lab/lab/dsl/diag"
	"github.com/kind-lab/lab/dsl/schema"
	"github.com/kind-lab/lab/dsl/value"
	"github.com/kind-lab/lab/labs/replay"
)

// MaxLine bounds a line, in bytes.
const MaxLine = 64 << 10

// source is what an expression's ranges name as their file.
const source = "<console>"

// Console evaluates lines. It is not safe for concurrent use.
type Console struct {
	// Look returns what is known at a time after the run's begin, or at its
	// end where the time is negative. It is nil if no run is looked at.
	Look func(at time.Duration) (*replay.View, error)
	// Style is how diagnostics are written.
	Style diag.Style
	// Width is how wide a value on one line may be; 0 means 80.
	Width int

	values *value.Scope
	// verbs are those of the scenario's language, and sets the sets of clusters that
	// it takes.
	verbs action.Table
	sets  []schema.ClusterSet
	// lines counts those that were taken, for diagnostics.
	lines int
}

// New returns a console over what a view knows.
func New(view *replay.View) *Console {
	return &Console{values: view.Values(), verbs: view.Module().Verbs, sets: view.Module().ClusterSets}
}

// errQuit ends the console.
var errQuit = errors.New("quit")

// Run evaluates the lines of in until its end or `:quit`, and writes their
// values. It returns how many could not be evaluated; the error is one of reading
// or writing.
func (c *Console) Run(in io.Reader, out io.Writer) (wrong int, err error) {
	lines := bufio.NewScanner(in)
	lines.Buffer(make([]byte, 4096), MaxLine)
	for lines.Scan() {
		good, err := c.Line(lines.Text(), out)
		if errors.Is(err, errQuit) {
			return wrong, nil
		}
		if err != nil {
			return wrong, err
		}
		if !good {
			wrong++
		}
	}
	if errors.Is(lines.Err(), bufio.ErrTooLong) {
		return wrong + 1, fmt.Errorf("a line is longer than %d bytes", MaxLine)
	}
	return wrong, lines.Err()
}

// Line evaluates one line and writes its value, or what is wrong with it. It
// returns whether the line could be evaluated. Blank lines and comments have no
// value.
func (c *Console) Line(line string, out io.Writer) (good bool, err error) {
	line = strings.TrimSpace(line)
	c.lines++
	switch {
	case line == "" || strings.HasPrefix(line, "#") || strings.HasPrefix(line, "//"):
		return true, nil
	case line == "exit" || line == "quit":
		return true, errQuit
	case strings.HasPrefix(line, ":"):
		return c.command(line, out)
	}
	expr, ok, err := c.parse(line, out)
	if !ok || err != nil {
		return false, err
	}
	v, diags := c.values.EvalMarked(expr)
	if bad, err := c.tell(diags, line, out); bad || err != nil {
		return false, err
	}
	_, err = fmt.Fprintln(out, Format(v, c.width()))
	return true, err
}

func (c *Console) width() int {
	if c.Width > 0 {
		return c.Width
	}
	return 80
}

// parse reads an expression, and says what is wrong with one that is none.
func (c *Console) parse(line string, out io.Writer) (hcl.Expression, bool, error) {
	expr, diags := dsl.ParseExpression([]byte(line), source, hcl.Pos{Line: c.lines, Column: 1})
	bad, err := c.tell(diags, line, out)
	return expr, !bad, err
}

// tell writes diagnostics, and says whether there are errors among them.
func (c *Console) tell(diags hcl.Diagnostics, line string, out io.Writer) (bool, error) {
	if len(diags) == 0 {
		return false, nil
	}
	list := diag.FromHCL(diags, map[string]*hcl.File{source: {Bytes: []byte(line)}})
	return list.HasErrors(), diag.WriteText(out, list, c.Style)
}

const help = `An expression prints its value: job.myapp.pod.status, length(var.images).

  :names        the names: variables, and the pods, Jobs and steps observed
  :refs EXPR    what each reference in an expression stands for, and how
                precisely its time is known
  :explain NAME what something of the language means
  :at TIME      go to a time of the recorded run, such as 12.5s; without a
                time, to its end
  :quit         leave (also Ctrl-D)
`

// command does a line that begins with a colon.
func (c *Console) command(line string, out io.Writer) (good bool, err error) {
	name, rest, _ := strings.Cut(line[1:], " ")
	rest = strings.TrimSpace(rest)
	switch name {
	case "help", "h", "?":
		_, err = io.WriteString(out, help)
		return true, err
	case "quit", "q":
		return true, errQuit
	case "names":
		return true, c.names(out)
	case "refs":
		return c.refs(rest, out)
	case "explain":
		return c.explain(rest, out)
	case "at":
		return c.at(rest, out)
	}
	_, err = fmt.Fprintf(out, "there is no command %q; :help lists the commands\n", ":"+name)
	return false, err
}

// at goes to another moment.
func (c *Console) at(text string, out io.Writer) (bool, error) {
	if c.Look == nil {
		_, err := fmt.Fprintln(out, "no recorded run is loaded: start with --run RUN")
		return false, err
	}
	at := time.Duration(-1)
	if text != "" {
		parsed, err := time.ParseDuration(text)
		if err != nil || parsed < 0 {
			_, err := fmt.Fprintf(out, "%q is not a time after the begin of the run: want a time such as 12.5s\n", text)
			return false, err
		}
		at = parsed
	}
	view, err := c.Look(at)
	if err != nil {
		return false, err
	}
	c.values = view.Values()
	return true, nil
}

// names writes what can be referred to.
func (c *Console) names(out io.Writer) error {
	s := c.values
	var objects []string
	for key := range s.Objects {
		objects = append(objects, fmt.Sprintf("%s/%s", strings.ToLower(key.Kind.Kind), key.Name))
	}
	slices.Sort(objects)
	var b strings.Builder
	for _, row := range []struct {
		root  string
		names []string
	}{
		{"var", c.below("var")}, {"local", c.below("local")}, {"matrix", c.below("matrix")},
		{"pod", slices.Sorted(maps.Keys(s.Pods))}, {"job", slices.Sorted(maps.Keys(s.Jobs))},
		{"step", slices.Sorted(maps.Keys(s.Steps))}, {"others", objects},
	} {
		if len(row.names) > 0 {
			fmt.Fprintf(&b, "%-7s %s\n", row.root, strings.Join(row.names, ", "))
		}
	}
	if b.Len() == 0 {
		b.WriteString("nothing was observed, and there are no variables and locals\n")
	}
	_, err := io.WriteString(out, b.String())
	return err
}

// refs writes what the references of an expression stand for.
func (c *Console) refs(text string, out io.Writer) (bool, error) {
	expr, ok, err := c.parse(text, out)
	if !ok || err != nil {
		return false, err
	}
	var b strings.Builder
	for _, ref := range c.values.References(expr) {
		fmt.Fprintf(&b, "%s = %s", ref.Expression, ref.Value)
		if ref.Precision > 0 {
			fmt.Fprintf(&b, "  # to %s", ref.Precision)
		}
		b.WriteByte('\n')
	}
	if b.Len() == 0 {
		b.WriteString("it has no references\n")
	}
	_, err = io.WriteString(out, b.String())
	return true, err
}

// explain writes what a name of the language means, in short.
func (c *Console) explain(name string, out io.Writer) (bool, error) {
	language := c.verbs.Language()
	topics := schema.Lookup(language, name, c.sets...)
	if len(topics) == 0 {
		_, err := fmt.Fprintf(out, "nothing in the language is called %q.%s\n", name, schema.Suggest(language, name, c.sets...))
		return false, err
	}
	for _, t := range topics {
		title, doc := t.Path, ""
		switch {
		case t.Block != nil:
			doc = t.Block.Summary
		case t.Argument != nil:
			title, doc = fmt.Sprintf("%s (%s)", t.Path, t.Argument.Type), t.Argument.Doc
		case t.Value != nil:
			title, doc = t.Value.Reference, t.Value.Doc
		case t.Attribute != nil:
			title, doc = fmt.Sprintf("%s (%s)", t.Path, t.Attribute.Type), t.Attribute.Doc
		case t.Function != nil:
			title, doc = t.Function.Signature, t.Function.Doc
		case t.ClusterSet != nil:
			doc = t.ClusterSet.Doc
		}
		if _, err := fmt.Fprintf(out, "%s: %s\n", title, doc); err != nil {
			return false, err
		}
	}
	return true, nil
}
