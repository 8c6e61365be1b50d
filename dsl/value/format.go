package value

import (
	"math"
	"math/big"
	"strconv"
	"strings"
	"unicode"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
)

// formatLimit is the length, in runes, beyond which Format cuts.
const formatLimit = 240

// NotObserved is how Format writes a value that was not observed yet.
const NotObserved = "(not observed)"

// Format writes a value as one would in a scenario, on one line, cut after a
// few hundred characters: "a string", 3, true, null, [1, 2], {a = 1}. What was
// not observed is "(not observed)", what is sensitive "(sensitive)". It holds
// no control characters.
func Format(v cty.Value) string {
	var b strings.Builder
	format(&b, v, 0)
	s := []rune(b.String())
	if len(s) > formatLimit {
		return string(s[:formatLimit]) + "…"
	}
	return string(s)
}

func format(b *strings.Builder, v cty.Value, depth int) {
	if v == cty.NilVal {
		b.WriteString("null")
		return
	}
	if v.HasMark(Sensitive) {
		b.WriteString("(sensitive)")
		return
	}
	v, _ = v.Unmark()
	ty := v.Type()
	switch {
	case v.IsNull():
		b.WriteString("null")
	case !v.IsKnown():
		b.WriteString(NotObserved)
	case ty == cty.String:
		b.WriteString(quote(v.AsString()))
	case ty == cty.Number:
		b.WriteString(formatNumber(v.AsBigFloat()))
	case ty == cty.Bool:
		b.WriteString(strconv.FormatBool(v.True()))
	case b.Len() > 4*formatLimit || depth > 20:
		b.WriteString("…")
	case ty.IsMapType() || ty.IsObjectType():
		formatObject(b, v, depth)
	case ty.IsListType() || ty.IsSetType() || ty.IsTupleType():
		formatList(b, v, depth)
	default:
		b.WriteString(ty.FriendlyName())
	}
}

// formatObject leaves out attributes that were not observed.
func formatObject(b *strings.Builder, v cty.Value, depth int) {
	b.WriteString("{")
	sep := ""
	for it := v.ElementIterator(); it.Next(); {
		key, element := it.Element()
		if plain, _ := element.Unmark(); !plain.IsKnown() {
			continue
		}
		b.WriteString(sep)
		if name := key.AsString(); hclsyntax.ValidIdentifier(name) {
			b.WriteString(name)
		} else {
			b.WriteString(quote(name))
		}
		b.WriteString(" = ")
		format(b, element, depth+1)
		sep = ", "
	}
	b.WriteString("}")
}

func formatList(b *strings.Builder, v cty.Value, depth int) {
	b.WriteString("[")
	sep := ""
	for it := v.ElementIterator(); it.Next(); {
		_, element := it.Element()
		b.WriteString(sep)
		format(b, element, depth+1)
		sep = ", "
	}
	b.WriteString("]")
}

// formatNumber writes whole numbers in full and others with at most nine
// decimals, which is a nanosecond; smaller ones with an exponent.
func formatNumber(f *big.Float) string {
	if exp := f.MantExp(nil); exp > farBits || exp < -farBits {
		return farNumber(f)
	}
	if f.IsInt() {
		if f.MantExp(nil) > 200 {
			return f.Text('g', 10)
		}
		return f.Text('f', 0)
	}
	s := f.Text('f', 9)
	s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	if s == "0" || s == "-0" {
		return f.Text('g', 6)
	}
	return s
}

// farBits is the binary exponent beyond which a number has so many digits that
// they are not worked out.
const farBits = 1 << 14

// farNumber writes a very great or very small number by its first digits.
func farNumber(f *big.Float) string {
	mantissa := new(big.Float)
	exp := f.MantExp(mantissa)
	m, _ := mantissa.Float64()
	whole, rest := math.Modf(math.Log10(math.Abs(m)) + float64(exp)*math.Log10(2))
	digits := strconv.FormatFloat(math.Copysign(math.Pow(10, rest), m), 'g', 3, 64)
	return digits + "e" + strconv.FormatFloat(whole, 'f', 0, 64)
}

// quote writes a string as a quoted template of HCL without interpolation.
func quote(s string) string {
	if r := []rune(s); len(r) > 2*formatLimit {
		s = string(r[:2*formatLimit])
	}
	var b strings.Builder
	b.WriteByte('"')
	for i, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\r':
			b.WriteString(`\r`)
		case r == '\t':
			b.WriteString(`\t`)
		case (r == '$' || r == '%') && strings.HasPrefix(s[i+1:], "{"):
			b.WriteRune(r)
			b.WriteRune(r)
		case unicode.IsControl(r) || !unicode.IsPrint(r):
			b.WriteString(escape(r))
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

func escape(r rune) string {
	hex := strconv.FormatInt(int64(r), 16)
	if len(hex) > 4 {
		return `\U` + strings.Repeat("0", 8-len(hex)) + hex
	}
	return `\u` + strings.Repeat("0", 4-len(hex)) + hex
}

// article names a type with its article.
func article(ty cty.Type) string {
	name := ty.FriendlyName()
	if strings.ContainsRune("aeiou", rune(name[0])) {
		return "an " + name
	}
	return "a " + name
}

// FormatTraversal writes a reference as it is written in a scenario, such as
// job.myapp.pod.container["main"].exit_code.
func FormatTraversal(t hcl.Traversal) string {
	var b strings.Builder
	for _, step := range t {
		switch step := step.(type) {
		case hcl.TraverseRoot:
			b.WriteString(step.Name)
		case hcl.TraverseAttr:
			b.WriteString("." + step.Name)
		case hcl.TraverseSplat:
			b.WriteString("[*]" + FormatTraversal(step.Each))
		default:
			if key, ok := indexKey(step); ok {
				b.WriteString("[")
				format(&b, key, 0)
				b.WriteString("]")
			}
		}
	}
	return b.String()
}
