package validate

import (
	"bytes"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/kind-lab/lab/dsl"
	"github.com/kind-lab/lab/dsl/value"
	"github.com/kind-lab/lab/labs/step"
)

// origin is where a manifest's text is from: an expression, and the file that
// it is the content of, as lines are numbered in; empty where it is none. rendered
// is the template of a chart that it was rendered from.
type origin struct {
	at             hcl.Range
	file, rendered string
}

// placed is an object that a step applies, with where it is.
type placed struct {
	*document
	from origin
	// on are the clusters on which it is applied; nil for all of the scenario's.
	on []*dsl.Cluster
	// step is the place of the step among the scenario's.
	step int
}

// known is what a scenario's apply steps make.
type known struct {
	objects []placed
	// open says that there may be more: a manifest cannot be read before the
	// run, or something else may make objects.
	open bool
}

// scenario checks a scenario's manifests and what its expressions refer to.
func (c *checker) scenario(s *dsl.Scenario) {
	k := &known{}
	aware := c.minds(s)
	for i, st := range s.Steps {
		f := c.verbs.Forecast(st)
		k.open = k.open || f.Unforeseen // kubectl, or what is on the node
		if f.Creates != nil {
			c.apply(s, i, st, f, k, aware)
			continue
		}
		for _, r := range f.Requests {
			if r.Manifests != nil {
				c.manifests(s, st, r.Manifests, r.Namespace, i)
			}
		}
	}
	for _, object := range k.objects {
		if !builtIn(object.apiVersion) {
			k.open = true // its controller may make anything
		}
	}
	for i, step := range append(s.Steps[:len(s.Steps):len(s.Steps)], s.Finally...) {
		c.reachable(s, step)
		if c.decided(s, step) {
			c.references(s, i, step, k)
		}
	}
}

// apply checks the manifests of a step and adds what they make.
func (c *checker) apply(s *dsl.Scenario, i int, st *dsl.Step, f step.Forecast, k *known, aware bool) {
	objects, whole := c.manifests(s, st, f.Creates, f.Namespace, i)
	k.open = k.open || !whole
	c.warned(s, st, f.Creates, f.Namespace)
	seen := map[string]placed{}
	for _, o := range objects {
		c.confined(s, o)
		k.objects = append(k.objects, o)
		key := o.kind + "/" + o.namespace + "/" + o.name
		if first, twice := seen[key]; twice && o.name != "" && sharesCluster(first.on, o.on) {
			c.warnf(c.place(o.from, o.line), "Object applied twice", "The step applies %s %q twice; the first is at line %d. The second changes the first.", o.kind, o.name, first.line)
		}
		seen[key] = o
		c.podOf(s, st, f, o, aware)
	}
}

// manifests reads the manifests of an expression as far as they are known. It
// returns false where there are others. into is the namespace of those that name
// none; nil for the run's own.
func (c *checker) manifests(s *dsl.Scenario, step *dsl.Step, expr, into hcl.Expression, i int) ([]placed, bool) {
	parts := []hcl.Expression{expr}
	if tuple, ok := expr.(*hclsyntax.TupleConsExpr); ok {
		parts = nil
		for _, e := range tuple.Exprs {
			parts = append(parts, e)
		}
	}
	var objects []placed
	whole := true
	for _, part := range parts {
		texts, ok := c.textsOf(s, step, part, into)
		whole = whole && ok
		for _, found := range texts {
			m := c.texts[found.text]
			if m == nil {
				m = readManifest(found.text)
				c.texts[found.text] = m
			}
			from := c.originOf(part, found.text)
			if m.wrong != "" {
				c.errorf(c.place(from, m.line), "Invalid manifest", "%s%s.", c.lineOf(from, m.line), m.wrong)
				whole = false
				continue
			}
			for _, d := range m.documents {
				c.document(d, from)
				objects = append(objects, placed{d.in(found.into), from, found.on, i})
			}
		}
	}
	return objects, whole
}

// originOf finds the file that a text is the content of: file("x") gives it.
func (c *checker) originOf(expr hcl.Expression, text string) origin {
	o := origin{at: expr.Range()}
	if first, _, _ := strings.Cut(text, "\n"); strings.HasPrefix(first, "# Source: ") {
		o.rendered = strings.TrimPrefix(first, "# Source: ")
	}
	call, ok := expr.(*hclsyntax.FunctionCallExpr)
	if !ok || call.Name != "file" || len(call.Args) != 1 {
		return o
	}
	scope := &value.Scope{Vars: c.module.Vars, Locals: c.module.Locals, Dir: c.module.FS, PathScenario: c.module.Dir, Shared: c.shared}
	v, diags := scope.Eval(call.Args[0])
	if diags.HasErrors() || !v.IsKnown() || v.IsNull() || v.Type() != cty.String {
		return o
	}
	name := path.Clean(strings.TrimPrefix(v.AsString(), c.module.Dir+"/"))
	shown := path.Join(c.module.Dir, name)
	if c.files[shown] == nil {
		data, err := fs.ReadFile(c.module.FS, name)
		if err != nil || string(data) != text {
			return o
		}
		c.files[shown] = &hcl.File{Bytes: data, Body: hcl.EmptyBody()}
	}
	o.file = shown
	return o
}

// place is a line of a manifest: in its file, or the expression that gives it.
func (c *checker) place(from origin, line int) hcl.Range {
	if from.file == "" {
		return from.at
	}
	data := c.files[from.file].Bytes
	start := 0
	for n := 1; n < line; n++ {
		next := bytes.IndexByte(data[start:], '\n')
		if next < 0 {
			break
		}
		start += next + 1
	}
	end := len(data)
	if next := bytes.IndexByte(data[start:], '\n'); next >= 0 {
		end = start + next
	}
	for start < end && data[start] == ' ' {
		start++
	}
	column := start - bytes.LastIndexByte(data[:start], '\n')
	return hcl.Range{
		Filename: from.file, Start: hcl.Pos{Line: line, Column: column, Byte: start},
		End: hcl.Pos{Line: line, Column: column + end - start, Byte: end},
	}
}

// lineOf names a line of a manifest that is no file.
func (c *checker) lineOf(from origin, line int) string {
	switch {
	case from.file != "":
		return ""
	case from.rendered != "":
		return fmt.Sprintf("Line %d of %s, as it is rendered: ", line-1, from.rendered) // the first is the comment
	}
	return fmt.Sprintf("Line %d of the manifest: ", line)
}

// document checks that an object has what every object has.
func (c *checker) document(d *document, from origin) {
	missing := ""
	switch {
	case d.apiVersion == "":
		missing = "apiVersion"
	case d.kind == "":
		missing = "kind"
	case d.name == "" && !d.generated:
		missing = "metadata.name"
	default:
		return
	}
	what := "The object"
	if d.kind != "" {
		what = "The " + d.kind
	}
	c.errorf(c.place(from, d.line), "Invalid manifest", "%s%s has no %s.", c.lineOf(from, d.line), what, missing)
}

// builtIn says whether an API group is Kubernetes' own and makes no objects but
// those that are known here.
func builtIn(apiVersion string) bool {
	group, _, grouped := strings.Cut(apiVersion, "/")
	if !grouped {
		return true
	}
	switch group {
	case "apps", "batch", "policy", "autoscaling", "rbac.authorization.k8s.io", "networking.k8s.io", "storage.k8s.io",
		"scheduling.k8s.io", "coordination.k8s.io", "discovery.k8s.io", "node.k8s.io":
		return true
	}
	return false
}
