package dsl

import (
	"fmt"
	"strings"
	"time"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"

	"github.com/kind-lab/lab/dsl/internal/suggest"
	"github.com/kind-lab/lab/dsl/schema"
	"github.com/kind-lab/lab/dsl/value"
)

// static evaluates an argument that must be known before the run. It returns
// false if the argument is omitted or invalid, and reports an invalid one.
func (l *loader) static(attr *hcl.Attribute, in surroundings, ty cty.Type) (cty.Value, bool) {
	if attr == nil {
		return cty.NilVal, false
	}
	v, ok := l.check(attr.Expr, in.static())
	if !ok {
		return cty.NilVal, false
	}
	v, _ = v.UnmarkDeep()
	return l.convert(attr, v, ty)
}

func (l *loader) convert(attr *hcl.Attribute, v cty.Value, ty cty.Type) (cty.Value, bool) {
	as, err := convert.Convert(v, ty)
	switch {
	case err != nil:
		l.errorf(attr.Expr.Range(), "Invalid value", "The argument %q must be %s: %s.", attr.Name, describe(ty), err)
		return cty.NilVal, false
	case as.IsNull() || hasNull(as):
		l.errorf(attr.Expr.Range(), "Invalid value", "The argument %q must be %s, not null.", attr.Name, describe(ty))
		return cty.NilVal, false
	case !as.IsWhollyKnown():
		return cty.NilVal, false // a variable without a value, which is reported elsewhere
	}
	return as, true
}

func hasNull(v cty.Value) bool {
	if !v.IsKnown() || !v.CanIterateElements() {
		return false
	}
	for it := v.ElementIterator(); it.Next(); {
		if _, element := it.Element(); element.IsNull() {
			return true
		}
	}
	return false
}

// describe names a type for the author of a scenario.
func describe(ty cty.Type) string {
	switch {
	case ty == cty.String:
		return "a string"
	case ty == cty.Number:
		return "a number"
	case ty == cty.Bool:
		return "true or false"
	case ty.Equals(cty.Map(cty.Bool)):
		return "an object of names with true or false, such as { SidecarContainers = true }"
	case ty.IsMapType():
		return "an object of names with strings, such as { \"v\" = \"4\" }"
	case ty.IsListType():
		return "a list of strings"
	default:
		return "a " + ty.FriendlyName()
	}
}

func (l *loader) text(attr *hcl.Attribute, in surroundings, to *string) bool {
	v, ok := l.static(attr, in, cty.String)
	if ok {
		*to = v.AsString()
	}
	return ok
}

func (l *loader) textList(attr *hcl.Attribute, in surroundings, to *[]string) {
	if v, ok := l.static(attr, in, cty.List(cty.String)); ok {
		for _, element := range v.AsValueSlice() {
			*to = append(*to, element.AsString())
		}
	}
}

func (l *loader) flag(attr *hcl.Attribute, in surroundings, to *bool) {
	if v, ok := l.static(attr, in, cty.Bool); ok {
		*to = v.True()
	}
}

func (l *loader) flags(attr *hcl.Attribute, in surroundings, to *map[string]bool) {
	if v, ok := l.static(attr, in, cty.Map(cty.Bool)); ok {
		*to = map[string]bool{}
		for name, element := range v.AsValueMap() {
			(*to)[name] = element.True()
		}
	}
}

func (l *loader) dictionary(attr *hcl.Attribute, in surroundings, to *map[string]string) {
	if v, ok := l.static(attr, in, cty.Map(cty.String)); ok {
		*to = map[string]string{}
		for name, element := range v.AsValueMap() {
			(*to)[name] = element.AsString()
		}
	}
}

// choice decodes one of the values that an argument may have, in lower case. If
// the argument is omitted, it returns the default, or nothing.
func (l *loader) choice(attr *hcl.Attribute, known *schema.Argument, in surroundings) string {
	var given string
	if attr == nil {
		return strings.Trim(known.Default, `"`)
	}
	if !l.text(attr, in, &given) {
		return ""
	}
	for _, v := range known.Values {
		if strings.EqualFold(given, v) {
			return v
		}
	}
	l.errorf(attr.Expr.Range(), "Invalid value", "The argument %q must be %s, not %s.%s",
		attr.Name, suggest.Or(suggest.Quoted(known.Values)), value.Format(cty.StringVal(given)), suggest.Sentence(given, known.Values))
	return ""
}

// count decodes a whole number that is at least least.
func (l *loader) count(attr *hcl.Attribute, in surroundings, least int, to *int) {
	if attr == nil {
		return
	}
	given, ok := l.check(attr.Expr, in.static())
	if !ok {
		return
	}
	plain, _ := given.UnmarkDeep()
	v, ok := l.convert(attr, plain, cty.Number)
	if !ok {
		return
	}
	n, _ := v.AsBigFloat().Float64()
	if !v.AsBigFloat().IsInt() || n < float64(least) || n > 1000 {
		l.errorf(attr.Expr.Range(), "Invalid number", "The argument %q must be a whole number from %d to 1000, not %s.", attr.Name, least, value.Format(given))
		return
	}
	*to = int(n)
}

// durationForm says how a duration is written.
const durationForm = `A duration is a number with a unit, such as "60s", "1m30s" or "500ms"`

// duration decodes a positive duration.
func (l *loader) duration(attr *hcl.Attribute, in surroundings, to *time.Duration) {
	if d, ok := l.durationValue(attr, in, false); ok {
		*to = d
	}
}

// durationOr decodes a positive duration, or uses the argument's default.
func (l *loader) durationOr(attr *hcl.Attribute, known *schema.Argument, in surroundings, to *time.Duration) {
	if d, err := time.ParseDuration(strings.Trim(known.Default, `"`)); err == nil {
		*to = d
	}
	l.duration(attr, in, to)
}

// durationValue decodes a duration. zero says whether it may be 0.
func (l *loader) durationValue(attr *hcl.Attribute, in surroundings, zero bool) (time.Duration, bool) {
	if attr == nil {
		return 0, false
	}
	v, ok := l.check(attr.Expr, in.static())
	if !ok {
		return 0, false
	}
	shown := value.Format(v)
	v, _ = v.UnmarkDeep()
	if !v.IsKnown() {
		return 0, false
	}
	if v.IsNull() || v.Type() != cty.String {
		hint := ""
		if v.Type() == cty.Number && !v.IsNull() {
			hint = fmt.Sprintf(" Did you mean \"%ss\"?", shown)
		}
		l.errorf(attr.Expr.Range(), "Invalid duration", "The argument %q must be a duration in quotes; this is %s. %s.%s", attr.Name, shown, durationForm, hint)
		return 0, false
	}
	d, err := time.ParseDuration(v.AsString())
	switch {
	case err != nil:
		l.errorf(attr.Expr.Range(), "Invalid duration", "%s is not a duration. %s.", shown, durationForm)
	case d < 0 && zero:
		l.errorf(attr.Expr.Range(), "Invalid duration", "The argument %q cannot be negative; it is %s.", attr.Name, shown)
	case d < 0 || d == 0 && !zero:
		l.errorf(attr.Expr.Range(), "Invalid duration", "The argument %q must be greater than 0; it is %s. Omit the argument if there is nothing to wait for.", attr.Name, shown)
	default:
		return d, true
	}
	return 0, false
}
