package value

import (
	"fmt"
	"io/fs"
	"sort"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"
)

// Scope is everything that an expression may refer to at one moment. In the zero
// value, every reference to an observed value is unknown. Several goroutines may
// use a Scope as long as none changes it.
type Scope struct {
	// Vars and Locals are the values of the roots var and local: objects, as
	// in dsl.Module. The zero Value is an empty object.
	Vars, Locals cty.Value
	// ScenarioLocals are the scenario's own locals, evaluated when they are
	// referred to.
	ScenarioLocals map[string]hcl.Expression
	// Target is the cluster that the scenario runs on, and Namespace the namespace
	// to which objects go that name none; empty if it is unknown.
	Target    *Target
	Namespace string
	// Pods, Jobs and Steps are by name. A missing one was not observed yet.
	Pods  map[string]*Pod
	Jobs  map[string]*Job
	Steps map[string]*Step
	// Objects are objects of other kinds. A missing one was not observed yet.
	Objects map[ObjectKey]*Object
	// Extra are further roots by name: matrix, each, and the iterators of
	// dynamic blocks.
	Extra map[string]cty.Value
	// Cache keeps values from one Scope to the next; nil for no cache.
	Cache *Cache
	// Dir is the folder in which file() and similar functions read; nil if they
	// are not allowed.
	Dir fs.FS
	// PathScenario is path.scenario.
	PathScenario string
	// Missed says, by stream, why objects may exist that were not observed. It
	// has no entry for a stream that missed nothing.
	Missed map[Stream]string
	// Shared is the common part of scopes with the same Dir and PathScenario.
	// If it is nil, each evaluation makes it again, which is slow.
	Shared *Shared
}

// Shared does not depend on observations: it has the types of values and the
// functions. Several goroutines may use it.
type Shared struct {
	schema    *schema
	functions map[string]function.Function
	rendering *rendering
}

// NewShared makes what scopes have in common that read below dir, which
// path.scenario names.
func NewShared(dir fs.FS, pathScenario string) *Shared {
	files := &files{dir: dir, path: pathScenario}
	return &Shared{schema: newSchema(), functions: functions(files), rendering: &rendering{files: files}}
}

// Rendering returns the same with a renderer: each chart and each kustomization is
// rendered once for all scopes. Without one, or if it is nil, they are unknown.
func (s *Shared) Rendering(by Renderer) *Shared {
	with := *s
	with.rendering = &rendering{files: s.rendering.files, renderer: by}
	return &with
}

// Apart returns the same, without what was rendered so far: what it renders is not
// in the Renderings of s.
func (s *Shared) Apart() *Shared { return s.Rendering(s.rendering.renderer) }

func (s *Shared) names() []string { return sortedKeys(s.functions) }

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
// dsl.Module are). The result has no marks. It is unknown, in whole or in part, if it
// depends on a value that was not observed yet, or on an order of times that
// their precision does not show.
func (s *Scope) Eval(expr hcl.Expression) (cty.Value, hcl.Diagnostics) {
	v, diags := s.EvalMarked(expr)
	v, _ = v.UnmarkDeep()
	return v, diags
}

// EvalMarked is like Eval, but its result keeps its marks, such as Sensitive.
func (s *Scope) EvalMarked(expr hcl.Expression) (cty.Value, hcl.Diagnostics) {
	v, _, diags := s.evaluate(expr)
	return v, diags
}

// Find is like Eval, and also returns what the value depends on.
func (s *Scope) Find(expr hcl.Expression) (Finding, hcl.Diagnostics) {
	v, e, diags := s.evaluate(expr)
	return e.finding(v), diags
}

// evaluate evaluates without logs, which may be long, and again with logs if the
// value depends on them.
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

// lacksLogs says whether a value is unknown because logs were not loaded.
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

// Truth returns the truth of a condition's value. It is an error if the value is
// neither true nor false nor unknown.
func Truth(v cty.Value) (Logic, error) {
	given := v
	v, _ = v.Unmark()
	switch {
	case v == cty.NilVal:
		return Undecided, fmt.Errorf("a condition must be true or false: this has no value")
	case v.IsNull():
		return Undecided, fmt.Errorf("a condition must be true or false: this is null, that is, there is no such value")
	case v.Type() != cty.Bool && v.Type() != cty.DynamicPseudoType:
		return Undecided, fmt.Errorf("a condition must be true or false: this is %s, %s", article(v.Type()), Format(given))
	case !v.IsKnown():
		return Undecided, nil
	case v.True():
		return True, nil
	default:
		return False, nil
	}
}

// evaluation evaluates one expression with everything that it refers to.
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
	rendering *rendering
	// warnings are those of what was rendered.
	warnings []string
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
		keys: map[string]bool{}, functions: shared.functions, rendering: shared.rendering,
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

// redact removes the values of sensitive variables and of Secrets from diagnostics
// of functions. It keeps very short values, because they would match by chance.
func (e *evaluation) redact(diags hcl.Diagnostics) {
	if len(diags) == 0 {
		return
	}
	roots := []cty.Value{e.scope.Vars, e.scope.Locals}
	for _, v := range e.scope.Extra {
		roots = append(roots, v)
	}
	for key, o := range e.scope.Objects {
		if key.Kind == secretKind && o != nil {
			roots = append(roots, secretFields(o)...)
		}
	}
	secrets := Secrets(roots...)
	for _, d := range diags {
		d.Detail = Redact(d.Detail, secrets)
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
