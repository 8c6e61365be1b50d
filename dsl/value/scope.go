package value

import (
	"fmt"
	"io/fs"
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
