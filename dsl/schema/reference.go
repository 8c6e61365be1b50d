package schema

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
)

// Reference returns the reference of a language as Markdown: dsl/README.md.
func Reference(language *Block) string {
	r := &reference{}
	r.line("# The scenario language")
	r.line("")
	r.line("<!-- Made from dsl/schema and dsl/action by `go test ./dsl/schema -update`. Change it there. -->")
	r.line("")
	r.line(strings.TrimSpace(introduction))
	r.line("")
	r.line(strings.TrimSpace(verdicts))
	r.line("\n## Blocks\n")
	r.line("| block | belongs in | description |\n| --- | --- | --- |")
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
	r.values()
	r.line("\n## Functions\n\nFunctions with a star exist only in this language. The others work as in Terraform.\n")
	r.line("| function | result |\n| --- | --- |")
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

// cell escapes a text for a cell of a table.
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

// title is the heading of a block. If several blocks have the same type, it
// includes the type of the block that contains them.
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
	r.line("\n| argument | type | default | evaluated | description |\n| --- | --- | --- | --- | --- |")
	for _, a := range b.Arguments {
		doc := a.Doc
		if len(a.Values) > 0 {
			doc += " One of `" + strings.Join(a.Values, "`, `") + "`."
		}
		if a.Later {
			doc += " This version does not support it yet."
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

// values writes a chapter for each value. The kinds of objects have the same
// attributes, and one chapter together.
func (r *reference) values() {
	var written bool
	for _, v := range Values() {
		switch {
		case !slices.Contains(objectKinds(), v.Name):
			r.value(v)
		case !written:
			written = true
			r.objects(v)
		}
	}
}

// objects writes the chapter about the kinds of objects, from any one of them.
func (r *reference) objects(v *Value) {
	r.line("\n### Objects by kind\n\n`KIND.NAME` – %s KIND is one of:\n", v.Doc)
	for _, kind := range objectKinds() {
		r.line("- `%s`", kind)
	}
	r.attributes(v)
}

func (r *reference) value(v *Value) {
	r.line("\n### %s\n\n`%s` – %s", v.Name, v.Reference, v.Doc)
	r.attributes(v)
}

func (r *reference) attributes(v *Value) {
	if len(v.Attributes) == 0 {
		return
	}
	r.line("\n| attribute | type | description |\n| --- | --- | --- |")
	for _, a := range v.Attributes {
		r.line("| `%s` | %s | %s |", a.Name, a.Type, cell(a.Doc))
	}
}

// verdicts is the chapter "What a verdict means".
//
//go:embed verdicts.md
var verdicts string

const introduction = `
A scenario file declares the clusters to create, the steps to run on them, and what you expect to happen. The language is HCL 2: files that end in ` + "`.hcl`" + ` use the
native syntax, and files that end in ` + "`.hcl.json`" + ` use JSON. The language works as in Terraform, except where this page says otherwise. The same documentation is
available in a terminal (` + "`lab explain`" + `), for programs (` + "`lab schema`" + `) and in an editor (` + "`lab lsp`" + `). To add a step verb, start with the package documentation of
` + "`dsl/action`" + `. To add a function, add it to ` + "`plainFunctions`" + ` in ` + "`dsl/value/functions.go`" + ` and to the table in ` + "`dsl/schema/functions.go`" + `: the tests of ` + "`dsl/value`" + ` name the rest.

The steps of a scenario run in the order in which they are written. Each expression is evaluated at one of three times: before the run (variables, locals, the
matrix), when its step begins (everything observed by then is known), or at every observation until the verdict.

### Truth

A value that was not observed yet is *unknown*, and so is a condition over it. An expectation waits for an unknown value until its deadline. If the value is still
unknown then, the expectation names it. A value that is known to be absent is null. For example, the start time of a container is null if its pod finished before
the container started: test this with ` + "`== null`" + `. What did not happen is neither before nor after anything: ` + "`<`" + `, ` + "`ordered`" + ` and arithmetic with it are unknown, and
such a condition is not met.

` + "`&&`" + ` and ` + "`||`" + ` are known as soon as one side decides the result, even if the other side is unknown. A mistake on the left side always counts. A mistake on the
right side counts only if the left side does not decide the result.

| argument | meaning |
| --- | --- |
| ` + "`within`" + ` | the condition must become true within that time (eventually) |
| ` + "`hold`" + ` | the condition must stay true for that long, from when it is first true; without ` + "`within`" + `, from now (consistently) |
| neither | the condition must be true now, after lab has queried the sources; lab waits for an unknown condition, up to 10 s |
| ` + "`outcome = false`" + ` | the condition is expected not to become true; with ` + "`within`" + `, not in the whole time |
| ` + "`when = false`" + ` | the expectation is skipped, and the report says why |

A verdict is Pass or Fail if the evidence proves it, and Error if it does not: see [What a verdict means](#what-a-verdict-means). ` + "`alltrue`" + ` of an empty list is
true: if the list can be empty, also check its length.

### Time

Times are numbers: seconds since the run began, with nanoseconds if the source has them. ` + "`<`" + ` means "before", and a difference is a duration: compare it with
` + "`seconds(\"30s\")`" + `. A time from the container runtime or a log is precise to the nanosecond, and a time from the API to the second. A time from this machine's clock
(steps) is as precise as the measured difference between this clock and the nodes' clocks. If the precision does not show the order of two times, a comparison of
them is unknown, never a guess.

### Instances

` + "`for_each`" + ` creates a cluster for each element of a map or a set of strings. ` + "`matrix`" + ` runs a scenario once for each row. A ` + "`dynamic`" + ` block generates
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

### Cluster sets

Usually a file declares the clusters that it needs. A reader then sees which clusters the file uses, and they change only if the file changes. Use a cluster set if many
files must run on the same clusters and change together, as the labs that come with lab do:

` + "```hcl" + `
lab {
  cluster_sets = ["standard"]
}

scenario "everywhere" {
  clusters = values(cluster)
}
` + "```" + `

The clusters of a set work as if they were declared in the file: ` + "`cluster.v129`" + `, ` + "`values(cluster)`" + `, ` + "`--cluster v129`" + ` and ` + "`target`" + ` include them. Each cluster name is
declared only once, by one set or by the file. ` + "`lab explain cluster_sets`" + ` lists the sets with their clusters. A set can change with a later version of lab. A recorded
run keeps the sets that it used, and is replayed with them.

### Charts and kustomizations

` + "`helm()`" + ` and ` + "`kustomize()`" + ` return manifests: lists of YAML documents. Use them wherever manifests go, and like any other list:

` + "```hcl" + `
scenario "shop" {
  clusters = values(cluster)

  locals {
    shop = helm("charts/shop", {
      name   = "shop"
      values = [file("values.yaml"), { replicas = 2, image = var.image }]
    })
  }

  apply "settings" { manifests = kustomize("overlays/test", { namePrefix = "test-" }) }
  apply "shop"     { manifests = [for m in local.shop : m if yamldecode(m).kind != "Ingress"] }
}
` + "```" + `

lab renders and applies: it makes no release in the cluster, and needs neither Helm nor kubectl. A chart is rendered for the version of the target. Before a run,
` + "`lab validate`" + ` renders it for each cluster of the scenario and checks the manifests. A chart or a kustomization with the same arguments is rendered once in a run, so that a random
value is the same everywhere. The run keeps the result, and is replayed with it. A result that depends on a sensitive value is not kept.

Hooks of a chart are left out with a warning. With ` + "`hooks = true`" + ` they are applied as ordinary objects: those before the installation first, those after it last. lab does not wait
for them to complete. Split the list to wait for one. Tests of a chart are never rendered, and ` + "`lookup`" + ` in a template finds nothing, as in ` + "`helm template`" + `.

Nothing is fetched: subcharts must be in the folder ` + "`charts`" + ` of the chart (` + "`helm dependency build`" + ` puts them there), and a kustomization must not name other machines.
`

const values = `
A reference begins with a root. If a name is not an identifier, write it as an index: pod["my.pod"]. Each run has its own namespace, and names refer to objects in that
namespace. Use object() for other objects.

### Types

lab rejects a comparison that can never be true before the run. The error has the line and, if possible, a suggestion. Such a comparison proves nothing:
` + "`exit_code != \"0\"`" + ` is true for every container, because a number is never equal to a string. lab rejects:

| mistake | examples |
| --- | --- |
| values of different types | ` + "`exit_code == \"0\"`" + `, ` + "`signal != \"SIGKILL\"`" + ` (a signal is a number), ` + "`container.ready == \"true\"`" + ` |
| a string that is not a possible value of the attribute | ` + "`phase == \"running\"`" + `, ` + "`contains([\"Up\"], container.state)`" + `, ` + "`target.kubernetes == \"1.28\"`" + ` |
| a string instead of a number or a boolean | ` + "`target.kubernetes >= \"1.29\"`" + `, ` + "`restarts < \"5\"`" + `, ` + "`pod.x.ready && …`" + ` |
| an argument that a function does not accept | ` + "`semver(target.minor, \">= 1.35\")`" + `, ` + "`logged(pod.x, \"…\")`" + `, ` + "`contains(pod.x.status, \"Err\")`" + ` |

lab also finds these mistakes in locals, ` + "`for`" + `, ` + "`[*]`" + `, conditionals, ` + "`dynamic`" + ` blocks and the rows of a matrix, and in the names of containers: ` + "`local.c[each.key]`" + `. The
tables below list the possible values of an attribute. A status and a reason can be any string. lab accepts comparisons with null, and with values that can be of any type
(` + "`object(…)`" + `, ` + "`jsondecode(…)`" + `). If such a value turns out during the run to be of a type that is never equal to the other side, the expectation results in an Error
that names both types. Convert one of the values with ` + "`tonumber()`" + ` or ` + "`tostring()`" + `.
`
