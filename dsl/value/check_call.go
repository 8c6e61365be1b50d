package value

import (
	"fmt"

	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"
	"github.com/zclconf/go-cty/cty/function"
)

// call examines a function's arguments and result.
func (x *examiner) call(call *hclsyntax.FunctionCallExpr, in *bindings) *shape {
	args := make([]*shape, len(call.Args))
	mayFail := call.Name == "try" || call.Name == "can"
	if mayFail {
		x.unreached++
	}
	for i, arg := range call.Args {
		args[i] = x.shapeOf(arg, in)
	}
	if mayFail {
		x.unreached--
	}
	fn, known := x.functions[call.Name]
	if !known && call.Name != "object" {
		return anything()
	}
	if !call.ExpandFinal && !x.ownRule(call, args) && known {
		x.convertible(call, args, fn)
	}
	if result := x.passes(call, args); result != nil {
		return result
	}
	return x.calls(call, args, fn)
}

// ownRule reports arguments that a function does not accept, if it knows more
// than that their type is wrong. It says whether it reported one.
func (x *examiner) ownRule(call *hclsyntax.FunctionCallExpr, args []*shape) bool {
	before := len(x.diags)
	switch call.Name {
	case "semver":
		x.semverArguments(call, args)
	case "logged", "log_time", "overlaps":
		for i := range args {
			if i == 0 || call.Name == "overlaps" {
				x.mustBeContainer(call, i, args[i])
			}
		}
	case "seconds":
		if len(args) == 1 && categoryOf(args[0]) == aNumber {
			x.wrongArgument(call, 0, args[0], `The argument must be a string with a duration, such as seconds("90s"). Compare a number of seconds, or a difference of times, without seconds().`)
		}
	case "contains", "index":
		x.memberArguments(call, args)
	case "length":
		if len(args) == 1 && (categoryOf(args[0]) == aNumber || categoryOf(args[0]) == aTruth) {
			x.wrongArgument(call, 0, args[0], "The argument must be a list, a map or a string.")
		}
	case "abs", "ceil", "floor", "max", "min", "precision":
		for i, arg := range args {
			if !call.ExpandFinal || i < len(args)-1 {
				x.mustBeNumber(arg, call.Args[i])
			}
		}
	case "ordered", "sum":
		if len(args) == 1 {
			x.mustHold(call, args[0], (*shape).mayBeNumber, "numbers, such as times")
		}
	case "alltrue", "anytrue":
		if len(args) == 1 {
			x.mustHold(call, args[0], (*shape).mayBeTruth, "conditions, each true or false")
		}
	}
	return len(x.diags) > before
}

// wrongArgument reports an argument of the wrong type.
func (x *examiner) wrongArgument(call *hclsyntax.FunctionCallExpr, i int, given *shape, wants string) {
	x.tell(call.Args[i].Range(), "Invalid function argument", fmt.Sprintf("%s, which %s() cannot use. %s",
		whatIs(given, call.Args[i], "This"), call.Name, wants))
}

func (x *examiner) semverArguments(call *hclsyntax.FunctionCallExpr, args []*shape) {
	if len(args) != 2 {
		return
	}
	switch version, constraint := args[0], args[1]; {
	case version.isNull() || categoryOf(version) == someValue:
	case categoryOf(version) != aText || version.texts != nil && version.texts.all != nil && version.texts.of != "":
		hint := `It compares a version that is a string, such as target.kubernetes.`
		if attributeIn(call.Args[0]) == "minor" {
			hint = "Did you mean target.kubernetes? You can also compare the minor version: target.minor >= 29."
		}
		x.wrongArgument(call, 0, version, hint)
	case categoryOf(constraint) == aNumber:
		x.wrongArgument(call, 1, constraint, `A constraint must be a string, such as ">= 1.30", because the number 1.30 equals 1.3.`)
	}
}

func (x *examiner) mustBeContainer(call *hclsyntax.FunctionCallExpr, i int, given *shape) {
	ty := given.ty()
	if ty == cty.DynamicPseudoType && given.elem == nil || given.kind == "container" && ty.IsObjectType() || ty.Equals(x.schema.container) || given.isNull() {
		return
	}
	hint := `The argument must be a container, such as pod.NAME.container["main"].`
	switch {
	case given.kind == "log" || given.texts != nil && given.texts.of == "log.text":
		hint += " Pass the container, not its log."
	case given.kind == "container":
		hint += " For several containers, check each one: anytrue([for c in pod.NAME.containers : " + call.Name + "(c, \"...\")])."
	case given.kind == "job":
		hint += " The pod of a Job is job.NAME.pod."
	}
	x.wrongArgument(call, i, given, hint)
}

// memberArguments reports a value that a list can never have.
func (x *examiner) memberArguments(call *hclsyntax.FunctionCallExpr, args []*shape) {
	if len(args) != 2 || args[0].isNull() {
		return
	}
	list, value := args[0], args[1]
	switch categoryOf(list) {
	case aText:
		x.wrongArgument(call, 0, list, "The argument must be a list. To search in a string, use length(regexall(\"part\", text)) > 0.")
		return
	case aNumber, aTruth:
		x.wrongArgument(call, 0, list, "The argument must be a list.")
		return
	case aNamed:
		x.wrongArgument(call, 0, list, "The argument must be a list. For a map, use keys() or values().")
		return
	}
	all, complete := list.elements()
	if !complete {
		all = []entry{{value: x.element(list)}}
	}
	var types *mismatch
	wrong := 0
	for _, e := range all {
		m := x.never(value, e.value)
		switch {
		case m == nil:
		case m.texts:
			x.tellTexts(m, call.Range())
		default:
			types, wrong = m, wrong+1
		}
	}
	if types != nil && wrong == len(all) {
		x.tell(call.Range(), "Impossible comparison", fmt.Sprintf("%s, and the list has %s: they are never equal.%s",
			whatIs(types.a, call.Args[1], "The value"), elementNoun(types.b), x.meant(types.a, call.Args[1], types.b, nil)))
	}
}

// elementNoun names the type of the elements of a list.
func elementNoun(s *shape) string {
	switch categoryOf(s) {
	case aNumber:
		return "numbers"
	case aText:
		return "strings"
	case aTruth:
		return "bools"
	case aList, aSet:
		return "lists"
	}
	return "objects"
}

// mustHold reports a list with an element of the wrong type.
func (x *examiner) mustHold(call *hclsyntax.FunctionCallExpr, list *shape, may func(*shape) bool, what string) {
	if list.isNull() || categoryOf(list) != aList && categoryOf(list) != aSet {
		return
	}
	one := x.element(list)
	all, complete := list.elements()
	if !complete {
		all = []entry{{value: one}}
	}
	for _, e := range all {
		if !may(e.value) {
			x.tell(call.Args[0].Range(), "Invalid function argument", fmt.Sprintf("The list has %s, but %s() requires a list of %s.", elementNoun(e.value), call.Name, what))
			return
		}
	}
}

// convertible reports arguments that cannot be converted to the type of the
// function's parameter.
func (x *examiner) convertible(call *hclsyntax.FunctionCallExpr, args []*shape, fn function.Function) {
	params := fn.Params()
	for i, arg := range args {
		var want cty.Type
		switch rest := fn.VarParam(); {
		case i < len(params):
			want = params[i].Type
		case rest != nil:
			want = rest.Type
		default:
			return
		}
		if arg.isNull() || want.HasDynamicTypes() || want.IsCapsuleType() || categoryOf(arg) == someValue || len(arg.either) > 0 {
			continue
		}
		ty := arg.ty()
		if arg.list && !want.IsPrimitiveType() {
			continue
		}
		if convert.GetConversionUnsafe(ty, want) == nil && !ty.Equals(want) {
			x.wrongArgument(call, i, arg, fmt.Sprintf("The argument must be %s.", typed(want).noun()))
		}
	}
}
