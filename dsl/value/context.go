package value

import (
	"fmt"
	"maps"
	"slices"
	"sort"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"
)

// context builds the values of the roots, with those objects in them that expr
// refers to.
func (e *evaluation) context(expr hcl.Expression) (*hcl.EvalContext, hcl.Diagnostics) {
	refs := expr.Variables()
	noteConditions(e.keys, expr, refs)
	convert := &converter{schema: e.schema, e: e, logs: e.logs, keys: e.keys, jobs: jobAttributes(refs), cache: e.scope.Cache}
	locals, diags := e.localsFor(refs)
	roots := map[string]cty.Value{
		"var": orEmpty(e.scope.Vars), "local": locals,
		"path":   cty.ObjectVal(map[string]cty.Value{"scenario": cty.StringVal(e.scope.PathScenario)}),
		"target": convert.targetValue(e.scope.Target),
	}
	for _, root := range []string{"pod", "job", "step"} {
		objects := map[string]cty.Value{}
		for _, name := range e.namesOf(root, refs) {
			objects[name] = convert.object(e.scope, root, name)
		}
		roots[root] = e.wholeRoot(root, expr, refs, cty.ObjectVal(objects))
	}
	for _, root := range e.kindRootsIn(refs) {
		roots[root] = e.kindRoot(root, expr, refs)
	}
	for name, v := range e.scope.Extra {
		roots[name] = v
	}
	ctx := &hcl.EvalContext{Variables: roots, Functions: e.functions}
	own := map[string]function.Function{}
	for _, call := range callsOf(expr, "object", "helm", "kustomize") {
		switch _, made := own[call.Name]; {
		case made:
		case call.Name == "object":
			own["object"] = e.objectFunction(pathsBelow(expr))
		default:
			maps.Copy(own, e.renderFunctions(roots["target"]))
		}
	}
	if len(own) > 0 {
		ctx = ctx.NewChild()
		ctx.Variables, ctx.Functions = map[string]cty.Value{}, own
	}
	return ctx, diags
}

// versionIn is the version of Kubernetes of the root target.
func versionIn(target cty.Value) cty.Value {
	if ty := target.Type(); !target.IsKnown() || !ty.IsObjectType() || !ty.HasAttribute("kubernetes") {
		return cty.UnknownVal(cty.String)
	}
	return target.GetAttr("kubernetes")
}

// rootStream is the stream that tells which objects there are below a root.
func rootStream(root string) Stream {
	switch root {
	case "pod":
		return PodStream
	case "job":
		return JobStream
	case "step":
		return StepStream
	}
	kind, _ := KindOf(root)
	return ObjectStream(kind.Kind)
}

// wholeRoot is the value of a root; where an expression refers to all of its
// objects, with the mark that there may be others. One that is computed may be
// an object that was not observed.
func (e *evaluation) wholeRoot(root string, expr hcl.Expression, refs []hcl.Traversal, v cty.Value) cty.Value {
	whole := -computedIn(expr, root)
	for _, ref := range refs {
		if _, named := stepName(ref, 1); ref.RootName() == root && !named {
			whole++
		}
	}
	stream := rootStream(root)
	if why := e.scope.Missed[stream]; why != "" {
		v = v.Mark(missedMark{why})
	}
	if whole <= 0 {
		return v
	}
	return lacking(v, e.scope.Missed[stream], Read{Stream: stream})
}

// missedMark marks a root below which there may have been objects that were not
// observed.
type missedMark struct{ why string }

// computedIn counts the objects below a root whose names are computed.
func computedIn(expr hcl.Expression, root string) int {
	n := 0
	if native, ok := expr.(hclsyntax.Expression); ok {
		_ = hclsyntax.VisitAll(native, func(node hclsyntax.Node) hcl.Diagnostics {
			if index, ok := node.(*hclsyntax.IndexExpr); ok {
				if of, ok := index.Collection.(*computedRoot); ok && of.root == root {
					n++
				}
			}
			return nil
		}) // the function returns no diagnostics
	}
	return n
}

// kindRootsIn are the roots of kinds that refs begin with.
func (e *evaluation) kindRootsIn(refs []hcl.Traversal) []string {
	var roots []string
	for _, ref := range refs {
		if _, ok := KindOf(ref.RootName()); ok && !slices.Contains(roots, ref.RootName()) {
			roots = append(roots, ref.RootName())
		}
	}
	return roots
}

// kindRoot is the value of a root such as deployment: its objects by name.
func (e *evaluation) kindRoot(root string, expr hcl.Expression, refs []hcl.Traversal) cty.Value {
	kind, _ := KindOf(root)
	wanted := map[string][]hcl.Traversal{}
	for _, ref := range refs {
		if name, ok := stepName(ref, 1); ok && ref.RootName() == root {
			wanted[name] = append(wanted[name], ref[2:])
		}
	}
	objects := map[string]cty.Value{}
	for _, name := range e.namesOf(root, refs) {
		objects[name] = e.observedObject(ObjectKey{kind, name}, nonEmpty(wanted[name]))
	}
	return e.wholeRoot(root, expr, refs, cty.ObjectVal(objects))
}

// nonEmpty are those paths that lead somewhere.
func nonEmpty(paths []hcl.Traversal) []hcl.Traversal {
	return slices.DeleteFunc(paths, func(t hcl.Traversal) bool { return len(t) == 0 })
}

// namesOf returns the names of the objects that refs name below root; with
// those observed where a reference is to the root as a whole.
func (e *evaluation) namesOf(root string, refs []hcl.Traversal) []string {
	names := map[string]bool{}
	for _, ref := range refs {
		if ref.RootName() != root {
			continue
		}
		if name, ok := stepName(ref, 1); ok {
			names[name] = true
		} else {
			for _, name := range e.scope.namesIn(root) {
				names[name] = true
			}
		}
	}
	sorted := make([]string, 0, len(names))
	for name := range names {
		sorted = append(sorted, name)
	}
	sort.Strings(sorted)
	return sorted
}

func (s *Scope) namesIn(root string) []string {
	switch root {
	case "pod":
		return keys(s.Pods)
	case "job":
		return keys(s.Jobs)
	case "step":
		return keys(s.Steps)
	}
	kind, _ := KindOf(root)
	var names []string
	for key := range s.Objects {
		if key.Kind == kind {
			names = append(names, key.Name)
		}
	}
	return names
}

func keys[V any](m map[string]V) []string {
	names := make([]string, 0, len(m))
	for name := range m {
		names = append(names, name)
	}
	return names
}

// localsFor returns the root local with those of the scenario's locals that
// refs name.
func (e *evaluation) localsFor(refs []hcl.Traversal) (cty.Value, hcl.Diagnostics) {
	locals := orEmpty(e.scope.Locals)
	wanted := map[string]hcl.Traversal{}
	for _, ref := range refs {
		if ref.RootName() != "local" {
			continue
		}
		if name, ok := stepName(ref, 1); !ok {
			for name := range e.scope.ScenarioLocals {
				wanted[name] = ref
			}
		} else if e.scope.ScenarioLocals[name] != nil {
			wanted[name] = ref
		}
	}
	if len(wanted) == 0 || !locals.Type().IsObjectType() || !locals.IsKnown() || locals.IsNull() {
		return locals, nil
	}
	marks := locals.Marks()
	values := map[string]cty.Value{}
	plain, _ := locals.Unmark()
	for name, v := range plain.AsValueMap() {
		values[name] = v
	}
	var diags hcl.Diagnostics
	for _, name := range sortedKeys(wanted) {
		v, moreDiags := e.local(name, wanted[name])
		diags = append(diags, moreDiags...)
		values[name] = v
	}
	return cty.ObjectVal(values).WithMarks(marks), diags
}

func (e *evaluation) local(name string, ref hcl.Traversal) (cty.Value, hcl.Diagnostics) {
	if v, ok := e.locals[name]; ok {
		return v, nil
	}
	if e.busy[name] {
		return cty.DynamicVal, hcl.Diagnostics{{
			Severity: hcl.DiagError, Summary: "Local refers to itself",
			Detail:  fmt.Sprintf("The value of local.%s depends on itself, directly or through other locals.", name),
			Subject: ref.SourceRange().Ptr(),
		}}
	}
	e.busy[name] = true
	v, diags := e.eval(e.scope.ScenarioLocals[name])
	delete(e.busy, name)
	if diags.HasErrors() {
		v = cty.DynamicVal
	}
	e.locals[name] = v
	return v, diags
}
