package schema

import (
	_ "embed"
	"fmt"
	"strings"
)

// Reference returns the language reference as Markdown: dsl/README.md.
func Reference() string {
	r := &reference{}
	r.line("# The scenario language")
	r.line("")
	r.line("<!-- Made from dsl/schema by `go test ./dsl/schema -update`. Change it there. -->")
	r.line("")
	r.line(strings.TrimSpace(introduction))
	r.line("")
	r.line(strings.TrimSpace(verdicts))
	r.line("\n## Blocks\n")
	language := Language()
	r.line("| block | where | what |\n| --- | --- | --- |")
	language.Walk(func(path []*Block, b *Block) {
		if len(path) > 0 && path[len(path)-1].Type == "finally" {
			return
		}
		r.line("| [`%s`](#%s) | %s | %s |", header(b), anchor(path, b), where(path), cell(b.Summary))
	})
	language.Walk(func(path []*Block, b *Block) {
		if len(path) == 0 || path[len(path)-1].Type != "finally" {
			r.block(path, b)
		}
	})
	r.line("\n## Values\n\n%s\n", strings.TrimSpace(values))
	for _, v := range Values() {
		r.value(v)
	}
	r.line("\n## Functions\n\nThose marked with a star are the language's own; the others are Terraform's.\n")
	r.line("| function | what |\n| --- | --- |")
	for _, f := range Functions() {
		star := ""
		if f.Own {
			star = " *"
		}
		r.line("| `%s`%s | %s |", f.Signature, star, cell(f.Doc))
	}
	return r.String()
}

type reference struct{ strings.Builder }

func (r *reference) line(format string, args ...any) {
	if len(args) == 0 {
		r.WriteString(format + "\n")
		return
	}
	fmt.Fprintf(r, format+"\n", args...)
}

// cell is a text as it may stand in a table.
func cell(s string) string { return strings.ReplaceAll(s, "|", `\|`) }

func header(b *Block) string {
	text := b.Type
	for _, label := range b.Labels {
		text += " " + strings.ToUpper(label)
	}
	return text
}

func where(path []*Block) string {
	if len(path) == 0 {
		return "the file"
	}
	return "`" + path[len(path)-1].Type + "`"
}

// title is the heading of a block: two blocks of the same type have what holds
// them in it.
func title(path []*Block, b *Block) string {
	if len(path) > 0 && (b.Type == "locals" || len(path) > 1 || path[0].Type != "scenario") {
		return path[len(path)-1].Type + " " + b.Type
	}
	return b.Type
}

func anchor(path []*Block, b *Block) string { return strings.ReplaceAll(title(path, b), " ", "-") }

func (r *reference) block(path []*Block, b *Block) {
	r.line("\n### %s\n\n%s", title(path, b), b.Summary)
	if b.Doc != "" {
		r.line("\n%s", b.Doc)
	}
	if b.Example != "" {
		r.line("\n```hcl\n%s\n```", b.Example)
	}
	if len(b.Arguments) == 0 {
		return
	}
	r.line("\n| argument | type | default | known | meaning |\n| --- | --- | --- | --- | --- |")
	for _, a := range b.Arguments {
		doc := a.Doc
		if len(a.Values) > 0 {
			doc += " One of `" + strings.Join(a.Values, "`, `") + "`."
		}
		if a.Later {
			doc += " Not in this version yet."
		}
		given := "`" + a.Default + "`"
		switch {
		case a.Required:
			given = "required"
		case a.Default == "":
			given = "–"
		}
		r.line("| `%s` | %s | %s | %s | %s |", a.Name, a.Type, given, stageWords(a.Stage), cell(doc))
	}
}

func stageWords(s Stage) string {
	switch s {
	case Begin:
		return "when the step begins"
	case Judge:
		return "at every observation"
	}
	return "before the run"
}

func (r *reference) value(v *Value) {
	r.line("\n### %s\n\n`%s` – %s", v.Name, v.Reference, v.Doc)
	if len(v.Attributes) == 0 {
		return
	}
	r.line("\n| attribute | type | what |\n| --- | --- | --- |")
	for _, a := range v.Attributes {
		r.line("| `%s` | %s | %s |", a.Name, a.Type, cell(a.Doc))
	}
}

// verdicts is the chapter "What a verdict means".
//
//go:embed verdicts.md
var verdicts string

const introduction = `
A scenario file says which clusters to make, what to do on them, and what is expected to happen. It is HCL 2: the native syntax in files that end in
` + "`.hcl`" + `, JSON in those that end in ` + "`.hcl.json`" + `. Where this page is silent, it is as in Terraform. ` + "`lab explain`" + ` says the same in a
terminal, ` + "`lab schema -json`" + ` to a program, ` + "`lab lsp`" + ` to an editor.

A scenario's steps are done in the order they are written. An expression is evaluated at one of three times: before the run (variables, locals, the
matrix), when its step begins (all that was observed by then), or at every observation until the verdict.

### Truth

What was not observed yet is *unknown*, and a condition over it is unknown too: an expectation waits for it until its deadline, and then names what never
came. What is known to be absent is null, such as the start of a container that did not start before its pod was over: ` + "`== null`" + ` tells it. What did not
happen is neither before nor after anything: ` + "`<`" + `, ` + "`ordered`" + ` and arithmetic with it are unknown, so that such a condition is not met.

` + "`&&`" + ` and ` + "`||`" + ` are decided as soon as one side decides them, whatever is not known of the other; a mistake on the left side always counts, one
on the right side only where the left does not decide.

| | |
| --- | --- |
| ` + "`within`" + ` | the condition must become true in that time (eventually) |
| ` + "`hold`" + ` | from when it is first true (now, without ` + "`within`" + `) it must stay true that long (consistently) |
| neither | it must be true now, when the sources have been asked; unknown is waited for, up to 10 s |
| ` + "`outcome = false`" + ` | it is expected not to come true: with ` + "`within`" + `, not in the whole time |
| ` + "`when = false`" + ` | it is not decided at all, and it is said why |

A verdict is Pass or Fail if the evidence shows it, and Error if it does not: see [What a verdict means](#what-a-verdict-means). ` + "`alltrue`" + ` of nothing is true:
if the list may still be empty, ask for its length, too.

### Time

Times are numbers: seconds since the run began, with nanoseconds where the source has them. So ` + "`<`" + ` is "before", and a difference is a duration
(` + "`seconds(\"30s\")`" + ` is one to compare with). A time from the container runtime or a log is known to the nanosecond, one from the API to the second, one of
this machine's clock (steps) as finely as its distance from the nodes' clocks was measured. Where that does not tell the order of two times, a comparison of
them is unknown, never a guess.

### Instances

` + "`for_each`" + ` makes a cluster for each element of a map or a set of strings; ` + "`matrix`" + ` runs a scenario once for each row; a ` + "`dynamic`" + ` block makes
blocks, as in Terraform:

` + "```hcl" + `
dynamic "expect" {
  for_each = ["init-1", "init-2"]
  labels   = ["${expect.value} exits 0"]
  content {
    condition = pod.web.container[expect.value].exit_code == 0
    within    = "30s"
  }
}
` + "```" + `
`

const values = `
A reference begins with a root. Names that are no identifiers are written with an index: pod["my.pod"]. Each run has a namespace of its own, in which names
are looked up; object() reaches others.

### Types

A comparison that can never be true is refused before the run, with its line and what was probably meant. It would prove nothing: ` + "`exit_code != \"0\"`" + ` is true
of every container, since a number is never equal to a string. Refused are

| | |
| --- | --- |
| values of different types | ` + "`exit_code == \"0\"`, `signal != \"SIGKILL\"`" + ` (a signal is its number), ` + "`container.ready == \"true\"`" + ` |
| a string that an attribute can never be | ` + "`phase == \"running\"`, `contains([\"Up\"], container.state)`, `target.kubernetes == \"1.28\"`" + ` |
| a string where a number, or true or false, is needed | ` + "`target.kubernetes >= \"1.29\"`, `restarts < \"5\"`, `pod.x.ready && …`" + ` |
| an argument that a function cannot use | ` + "`semver(target.minor, \">= 1.35\")`, `logged(pod.x, \"…\")`, `contains(pod.x.status, \"Err\")`" + ` |

Also through locals, ` + "`for`, `[*]`" + `, conditionals, ` + "`dynamic`" + ` blocks and the rows of a matrix; so are the names of containers: ` + "`local.c[each.key]`" + `. Which values an
attribute can have stands in the tables below; a status and a reason can be anything. Comparisons with null, and with values that can be of any type
(` + "`object(…)`, `jsondecode(…)`" + `), are not refused. Where such a value turns out in the run to be of a type that is never equal to the other side, the
expectation is an Error and says both types: convert one with ` + "`tonumber()` or `tostring()`" + `.
`
