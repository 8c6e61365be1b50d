package value

import (
	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"
)

// Examination is what can be said of an expression before anything is
// observed, by the types of what it looks at.
type Examination struct {
	// Diags are comparisons that can never be true, and operands and arguments
	// of a kind that they cannot have; each once.
	Diags hcl.Diagnostics
	// Reached are the objects, attributes and containers that the expression
	// names: also by a computed key that is known before the run, through the
	// scenario's locals, and through names of a for expression.
	Reached []Reached
}

// Reached is an object that an expression names, or an attribute or container
// of it.
type Reached struct {
	// Root is "pod", "job" or "step"; Name is the object's name.
	Root, Name string
	// Attribute is the attribute that is looked at, Container the name of the
	// container; at most one of them is set.
	Attribute, Container string
	// At is the whole reference, NameAt where the object is named, and
	// ContainerAt where the container is.
	At, NameAt, ContainerAt hcl.Range
}

// maxExamined bounds how many expressions one examination visits. Beyond it,
// values of any type are assumed.
const maxExamined = 20000

// maxElements bounds how many elements of a list are looked at one by one.
const maxElements = 100

// Examine looks at an expression without evaluating it: each operand and
// argument is known by its type and, where that can be told, by the texts that
// it can be. Values of any type, such as those of object(), are never refused,
// nor are comparisons with null. The expression must be prepared (see Prepare).
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

// examiner is the work of examining one expression.
type examiner struct {
	scope     *Scope
	schema    *schema
	functions map[string]function.Function
	kinds     map[string]kindShape
	// locals are the scenario's locals examined so far; busy are those being
	// examined.
	locals map[string]*shape
	busy   map[string]bool
	// muted counts the reasons why what is wrong is not told now: within a
	// local, which is checked by itself, or in a branch that is not taken.
	muted int
	// unreached counts the reasons why what is reached is not noted now.
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

// tell notes what is wrong, once.
func (x *examiner) tell(at hcl.Range, summary, detail string) {
	key := at.String() + summary + detail
	if x.muted > 0 || x.seen[key] {
		return
	}
	x.seen[key] = true
	x.diags = append(x.diags, &hcl.Diagnostic{Severity: hcl.DiagError, Summary: summary, Detail: detail, Subject: &at})
}

// reach notes an object, attribute or container that is named, once.
func (x *examiner) reach(r Reached) {
	key := "reached " + r.Root + " " + r.Name + " " + r.Attribute + " " + r.Container + r.At.String() + r.NameAt.String() + r.ContainerAt.String()
	if x.unreached > 0 || x.seen[key] {
		return
	}
	x.seen[key] = true
	x.reached = append(x.reached, r)
}

// aside examines an expression without telling what is wrong in it, nor noting
// what it reaches: it is not evaluated.
func (x *examiner) aside(expr hclsyntax.Expression, in *bindings) *shape {
	x.muted++
	x.unreached++
	defer func() { x.muted--; x.unreached-- }()
	return x.shapeOf(expr, in)
}

// local is the shape of one of the scenario's locals; anything where there is
// none of that name, or it refers to itself.
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
