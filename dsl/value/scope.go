package value

import (
	"fmt"
	"io/fs"
	"slices"
	"sort"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"
)

// Scope is everything that an expression may refer to at one moment. Its zero
// value knows nothing: every reference to something observed is unknown in it.
// A Scope may be used by several goroutines as long as nobody changes it.
type Scope struct {
	// Vars and Locals are the values of the roots var and local: objects, as
	// in dsl.Module. The zero Value is an empty object.
	Vars, Locals cty.Value
	// ScenarioLocals are the scenario's own locals, evaluated when they are
	// referred to.
	ScenarioLocals map[string]hcl.Expression
	// Target is the cluster that the scenario runs on.
	Target *Target
	// Pods, Jobs and Steps are by name; one that is missing was not observed
	// yet.
	Pods  map[string]*Pod
	Jobs  map[string]*Job
	Steps map[string]*Step
	// Objects are those of other kinds; one that is missing was not observed
	// yet.
	Objects map[ObjectKey]*Object
	// Extra are further roots by name: matrix, each, and the iterators of
	// dynamic blocks.
	Extra map[string]cty.Value
	// Cache is where values are kept from one Scope to the next; nil where
	// they are not.
	Cache *Cache
	// Dir is the folder below which file() and its like read; nil where they
	// may not be used.
	Dir fs.FS
	// PathScenario is path.scenario.
	PathScenario string
	// Missed says of a stream why objects that were not observed may have been
	// there; it has nothing of a stream that missed nothing.
	Missed map[Stream]string
	// Shared is what scopes of the same Dir and PathScenario have in common;
	// nil makes it anew for each evaluation, which is slow where there are
	// many.
	Shared *Shared
}

// Shared is what does not depend on what was observed: the types of values
// and the functions. It may be used by several goroutines.
type Shared struct {
	schema    *schema
	functions map[string]function.Function
}

// NewShared makes what scopes have in common that read below dir, which
// path.scenario names.
func NewShared(dir fs.FS, pathScenario string) *Shared {
	return &Shared{schema: newSchema(), functions: functions(dir, pathScenario)}
}

// Roots returns the names that may begin a reference in a scenario's
// expressions, sorted.
func Roots() []string {
	roots := []string{"job", "local", "path", "pod", "step", "target", "var"}
	roots = append(roots, kindRoots()...)
	sort.Strings(roots)
	return roots
}

// namesObjects says whether names of objects follow a root.
func namesObjects(root string) bool {
	_, ofKind := KindOf(root)
	return root == "pod" || root == "job" || root == "step" || ofKind
}

// Eval evaluates an expression that was prepared (see Prepare; those of a
// dsl.Module are). The result carries no marks. It is unknown, in whole or in
// part, where it depends on what was not observed yet or on an order of times
// that their precision cannot tell.
func (s *Scope) Eval(expr hcl.Expression) (cty.Value, hcl.Diagnostics) {
	v, diags := s.EvalMarked(expr)
	v, _ = v.UnmarkDeep()
	return v, diags
}

// EvalMarked is Eval whose result keeps its marks, among them Sensitive.
func (s *Scope) EvalMarked(expr hcl.Expression) (cty.Value, hcl.Diagnostics) {
	v, _, diags := s.evaluate(expr)
	return v, diags
}

// Find is Eval, with what the value rests on.
func (s *Scope) Find(expr hcl.Expression) (Finding, hcl.Diagnostics) {
	v, e, diags := s.evaluate(expr)
	return e.finding(v), diags
}

// evaluate evaluates without logs, which may be long, and once more with them
// where the value depends on them.
func (s *Scope) evaluate(expr hcl.Expression) (cty.Value, *evaluation, hcl.Diagnostics) {
	e := s.evaluation()
	v, diags := e.eval(expr)
	if !e.lacksLogs(v) {
		return v, e, diags
	}
	e = s.evaluation()
	e.logs = true
	v, diags = e.eval(expr)
	return v, e, diags
}

// lacksLogs says whether a value is unknown since logs were not at hand.
func (e *evaluation) lacksLogs(v cty.Value) bool {
	if e.logs || !e.withheld {
		return false
	}
	plain, marks := v.UnmarkDeep()
	if plain.IsWhollyKnown() {
		return false
	}
	read := false
	for m := range marks {
		switch m := m.(type) {
		case logMark:
			if m.withheld {
				return true
			}
		case Read:
			read = true
		}
	}
	return !read
}

// asksForLogs says whether a value depends on logs.
func (s *Scope) asksForLogs(expr hcl.Expression) bool {
	_, e, _ := s.evaluate(expr)
	return e.logs
}

// explaining is an evaluation of the parts of an expression.
func (s *Scope) explaining(expr hcl.Expression) *evaluation {
	e := s.evaluation()
	e.logs = s.asksForLogs(expr)
	return e
}

// EvalEach is EvalMarked, and also looks up each reference of the expression by
// itself, so that one which the operators around it would leave unevaluated is
// looked up too. The second diagnostics are those of such references; one that
// skip says is left out.
func (s *Scope) EvalEach(expr hcl.Expression, skip func(hcl.Traversal) bool) (v cty.Value, diags, ofRefs hcl.Diagnostics) {
	e := s.evaluation()
	e.logs = true
	ctx, diags := e.context(expr)
	if diags.HasErrors() {
		return cty.DynamicVal, diags, nil
	}
	for _, ref := range expr.Variables() {
		if skip(ref) {
			continue
		}
		alone := &hclsyntax.ScopeTraversalExpr{Traversal: ref, SrcRange: ref.SourceRange()}
		_, found := alone.Value(ctx)
		ofRefs = append(ofRefs, found...)
	}
	v, found := expr.Value(ctx)
	e.redact(e.schema.improve(ofRefs))
	e.redact(e.schema.improve(found))
	return v, append(diags, found...), ofRefs
}

// Context returns what an expression is evaluated in: for who must evaluate
// parts of it.
func (s *Scope) Context(expr hcl.Expression) (*hcl.EvalContext, hcl.Diagnostics) {
	e := s.evaluation()
	e.logs = true
	return e.context(expr)
}

// Logic is the truth of a condition.
type Logic int

// The values of Logic.
const (
	// Undecided depends on what was not observed yet.
	Undecided Logic = iota
	False
	True
)

// String is "true", "false" or "not known yet".
func (l Logic) String() string {
	switch l {
	case True:
		return "true"
	case False:
		return "false"
	default:
		return "not known yet"
	}
}

// Truth returns the truth of a condition's value; an error where the value is
// neither true nor false nor unknown.
func Truth(v cty.Value) (Logic, error) {
	v, _ = v.Unmark()
	switch {
	case v == cty.NilVal:
		return Undecided, fmt.Errorf("a condition must be true or false: this has no value")
	case v.IsNull():
		return Undecided, fmt.Errorf("a condition must be true or false: this is null, that is, there is no such value")
	case v.Type() != cty.Bool && v.Type() != cty.DynamicPseudoType:
		return Undecided, fmt.Errorf("a condition must be true or false: this is %s, %s", article(v.Type()), Format(v))
	case !v.IsKnown():
		return Undecided, nil
	case v.True():
		return True, nil
	default:
		return False, nil
	}
}

// evaluation is the work of evaluating one expression with all that it refers
// to.
type evaluation struct {
	scope  *Scope
	schema *schema
	// locals are the scenario's locals evaluated so far; busy are those being
	// evaluated.
	locals map[string]cty.Value
	busy   map[string]bool
	// keys are the conditions that were asked for so far; see converter.
	keys      map[string]bool
	functions map[string]function.Function
	// logs says whether logs are at hand; withheld that one is not.
	logs, withheld bool
	touched        touches
}

func (s *Scope) evaluation() *evaluation {
	shared := s.Shared
	if shared == nil {
		shared = NewShared(s.Dir, s.PathScenario)
	}
	return &evaluation{
		scope: s, schema: shared.schema, locals: map[string]cty.Value{}, busy: map[string]bool{},
		keys: map[string]bool{}, functions: shared.functions,
	}
}

func (e *evaluation) eval(expr hcl.Expression) (cty.Value, hcl.Diagnostics) {
	ctx, diags := e.context(expr)
	if diags.HasErrors() {
		return cty.DynamicVal, diags
	}
	v, moreDiags := expr.Value(ctx)
	moreDiags = e.schema.improve(moreDiags)
	e.redact(moreDiags)
	return v, append(diags, moreDiags...)
}

// redact takes the values of sensitive variables out of diagnostics, into
// which functions may have put them. Very short ones stay: they would be found
// by chance.
func (e *evaluation) redact(diags hcl.Diagnostics) {
	if len(diags) == 0 {
		return
	}
	for _, root := range []cty.Value{orEmpty(e.scope.Vars), orEmpty(e.scope.Locals)} {
		for _, secret := range secretsIn(root, false) {
			for _, d := range diags {
				d.Detail = strings.ReplaceAll(d.Detail, secret, "(sensitive)")
			}
		}
	}
}

// secretsIn returns the strings in v that are sensitive; all of them where v
// itself is within what is.
func secretsIn(v cty.Value, within bool) []string {
	within = within || v.HasMark(Sensitive)
	v, _ = v.Unmark()
	if !v.IsKnown() || v.IsNull() {
		return nil
	}
	if v.Type() == cty.String {
		if s := v.AsString(); within && len(s) >= 4 {
			return []string{s}
		}
		return nil
	}
	var secrets []string
	if v.CanIterateElements() {
		for it := v.ElementIterator(); it.Next(); {
			_, element := it.Element()
			secrets = append(secrets, secretsIn(element, within)...)
		}
	}
	return secrets
}

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
	if len(objectCalls(expr)) > 0 {
		ctx = ctx.NewChild()
		ctx.Variables = map[string]cty.Value{}
		ctx.Functions = map[string]function.Function{"object": e.objectFunction(pathsBelow(expr))}
	}
	return ctx, diags
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

// noteConditions notes in keys the literal keys with which an expression looks
// into conditions.
func noteConditions(keys map[string]bool, expr hcl.Expression, refs []hcl.Traversal) {
	if native, ok := expr.(hclsyntax.Expression); ok {
		_ = hclsyntax.VisitAll(native, func(n hclsyntax.Node) hcl.Diagnostics {
			switch expr := n.(type) {
			case *hclsyntax.RelativeTraversalExpr:
				refs = append(refs, expr.Traversal)
			case *hclsyntax.ScopeTraversalExpr: // also those to names of a for expression
				refs = append(refs, expr.Traversal)
			}
			return nil
		}) // the function returns no diagnostics
	}
	for _, ref := range refs {
		for i := range ref {
			if name, ok := stepName(ref, i); ok && name == "conditions" {
				if key, ok := stepName(ref, i+1); ok {
					keys[key] = true
				}
			}
		}
	}
}

// stepName returns the name or the string key of a traversal's step.
func stepName(t hcl.Traversal, i int) (string, bool) {
	if i >= len(t) {
		return "", false
	}
	switch step := t[i].(type) {
	case hcl.TraverseRoot:
		return step.Name, true
	case hcl.TraverseAttr:
		return step.Name, true
	default:
		if key, ok := indexKey(step); ok && key.Type() == cty.String && key.IsKnown() && !key.IsNull() {
			return key.AsString(), true
		}
	}
	return "", false
}

func orEmpty(v cty.Value) cty.Value {
	if v == cty.NilVal {
		return cty.EmptyObjectVal
	}
	return v
}

func sortedKeys[V any](m map[string]V) []string {
	names := keys(m)
	sort.Strings(names)
	return names
}
