package value

import (
	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"
)

// Examination is what is known about an expression before anything is observed,
// from the types in it.
type Examination struct {
	// Diags are comparisons that can never be true, and operands and arguments
	// of a wrong type; each once.
	Diags hcl.Diagnostics
	// Reached are the objects, attributes and containers that the expression
	// names, also by a computed key that is known before the run, through the
	// scenario's locals, and through names of a for expression.
	Reached []Reached
}

// Reached is an object that an expression names, or an attribute or container
// of it.
type Reached struct {
	// Root is "pod", "job" or "step"; Name is the object's name.
	Root, Name string
	// Attribute is the attribute, and Container the name of the container. At
	// most one of them is set.
	Attribute, Container string
	// At is the whole reference. NameAt is the place of the object's name, and
	// ContainerAt that of the container's name.
	At, NameAt, ContainerAt hcl.Range
}

// maxExamined limits how many expressions one examination visits. Beyond it,
// values can have any type.
const maxExamined = 20000

// maxElements limits how many elements of a list are examined one by one.
const maxElements = 100

// Examine checks an expression without evaluating it. For each operand and
// argument it knows the type and, for some strings, the possible values. It never
// rejects values of any type, such as those of object(), or comparisons with
// null. The expression must be prepared (see Prepare).
func (s *Scope) Examine(expr hcl.Expression) Examination {
	native, ok := expr.(hclsyntax.Expression)
	if !ok {
		return Examination{}
	}
	e := s.evaluation()
	x := &examiner{
		scope: s, schema: e.schema, functions: e.functions, kinds: e.schema.kinds(),
		locals: map[string]*shape{}, busy: map[string]bool{}, seen: map[string]bool{},
	}
	x.shapeOf(native, nil)
	return Examination{Diags: x.diags, Reached: x.reached}
}

// examiner examines one expression.
type examiner struct {
	scope     *Scope
	schema    *schema
	functions map[string]function.Function
	kinds     map[string]kindShape
	// locals are the scenario's locals examined so far; busy are those being
	// examined.
	locals map[string]*shape
	busy   map[string]bool
	// muted counts the reasons not to report mistakes now: in a local, which is
	// checked separately, or in a branch that is not taken.
	muted int
	// unreached counts the reasons not to note names now.
	unreached int
	visited   int
	diags     hcl.Diagnostics
	reached   []Reached
	seen      map[string]bool
}

// bindings are the names that an expression itself declares, innermost first.
type bindings struct {
	outer  *bindings
	shapes map[string]*shape
	// symbol is the element of a splat.
	symbol *hclsyntax.AnonSymbolExpr
	item   *shape
}

func (n *bindings) lookup(name string) *shape {
	for ; n != nil; n = n.outer {
		if found := n.shapes[name]; found != nil {
			return found
		}
	}
	return nil
}

func (n *bindings) lookupSymbol(symbol *hclsyntax.AnonSymbolExpr) *shape {
	for ; n != nil; n = n.outer {
		if n.symbol == symbol && n.item != nil {
			return n.item
		}
	}
	return anything()
}

// tell adds a mistake, once.
func (x *examiner) tell(at hcl.Range, summary, detail string) {
	key := at.String() + summary + detail
	if x.muted > 0 || x.seen[key] {
		return
	}
	x.seen[key] = true
	x.diags = append(x.diags, &hcl.Diagnostic{Severity: hcl.DiagError, Summary: summary, Detail: detail, Subject: &at})
}

// reach adds an object, attribute or container that is named, once.
func (x *examiner) reach(r Reached) {
	key := "reached " + r.Root + " " + r.Name + " " + r.Attribute + " " + r.Container + r.At.String() + r.NameAt.String() + r.ContainerAt.String()
	if x.unreached > 0 || x.seen[key] {
		return
	}
	x.seen[key] = true
	x.reached = append(x.reached, r)
}

// aside examines an expression that is not evaluated: it reports no mistakes, and
// adds no names.
func (x *examiner) aside(expr hclsyntax.Expression, in *bindings) *shape {
	x.muted++
	x.unreached++
	defer func() { x.muted--; x.unreached-- }()
	return x.shapeOf(expr, in)
}

// local is the shape of one of the scenario's locals; anything if there is none
// of that name, or if it refers to itself.
func (x *examiner) local(name string) *shape {
	if found := x.locals[name]; found != nil {
		return found
	}
	expr, ok := x.scope.ScenarioLocals[name].(hclsyntax.Expression)
	if !ok || x.busy[name] {
		return anything()
	}
	x.busy[name] = true
	x.muted++
	found := x.shapeOf(expr, nil)
	x.muted--
	delete(x.busy, name)
	x.locals[name] = found.unwritten()
	return x.locals[name]
}

// constant is the shape of a value that is known before the run.
func constant(v cty.Value) *shape {
	if v == cty.NilVal {
		return anything()
	}
	return &shape{v: v}
}
