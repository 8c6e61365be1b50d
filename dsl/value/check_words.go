package value

import (
	"fmt"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/kind-lab/lab/dsl/internal/suggest"
)

// noun names what a value is, with its article.
func (s *shape) noun() string {
	switch categoryOf(s) {
	case aNumber:
		return "a number"
	case aText:
		return "a string"
	case aTruth:
		return "a bool"
	case aList:
		return "a list"
	case aSet:
		return "a set"
	case aNamed:
		switch {
		case s.ty().IsMapType() && s.kind == "container":
			return "a map of containers"
		case s.ty().IsMapType():
			return "a map"
		case s.kind == "event" || s.kind == objectKind:
			return "an " + s.kind
		case s.kind != "":
			return "a " + s.kind
		}
		return "an object"
	}
	return "a value"
}

// whatIs says what an operand is: `phase is a string`. side stands for one that
// is not a reference.
func whatIs(s *shape, expr hclsyntax.Expression, side string) string {
	if text := writtenAs(expr); text != "" {
		return text + " is " + s.noun()
	}
	if v := s.v; v.IsWhollyKnown() && v.Type().IsPrimitiveType() {
		return Format(v) + " is " + s.noun()
	}
	return side + " is " + s.noun()
}

// writtenAs is a reference as it is written; empty for other expressions.
func writtenAs(expr hclsyntax.Expression) string {
	if inner := wrapped(expr); inner != nil {
		return writtenAs(inner)
	}
	switch expr := expr.(type) {
	case *computedRoot:
		return writtenAs(expr.Expression)
	case *hclsyntax.ScopeTraversalExpr:
		return FormatTraversal(expr.Traversal)
	case *hclsyntax.RelativeTraversalExpr:
		if source := writtenAs(expr.Source); source != "" {
			return source + FormatTraversal(expr.Traversal)
		}
	case *hclsyntax.IndexExpr:
		if coll, key := writtenAs(expr.Collection), writtenAs(expr.Key); coll != "" && key != "" {
			return coll + "[" + key + "]"
		}
	}
	return ""
}

// lower makes a sentence's first letter small where it begins with a word of
// ours.
func lower(sentence string) string {
	for _, word := range []string{"The ", "This ", "A ", "An "} {
		if strings.HasPrefix(sentence, word) {
			return strings.ToLower(word) + sentence[len(word):]
		}
	}
	return sentence
}

// attributeIn is the attribute that a reference ends with; empty for none.
func attributeIn(expr hclsyntax.Expression) string {
	var t hcl.Traversal
	switch expr := bareOf(expr).(type) {
	case *hclsyntax.ScopeTraversalExpr:
		t = expr.Traversal
	case *hclsyntax.RelativeTraversalExpr:
		t = expr.Traversal
	}
	if len(t) == 0 {
		return ""
	}
	if last, ok := t[len(t)-1].(hcl.TraverseAttr); ok {
		return last.Name
	}
	return ""
}

// meant says what was probably meant by a comparison of two values that are
// never equal.
func (x *examiner) meant(a *shape, left hclsyntax.Expression, b *shape, right hclsyntax.Expression) string {
	if categoryOf(a) == aText && categoryOf(b) != aText {
		a, left, b, right = b, right, a, left
	}
	text, isText := b.text()
	first, second := categoryOf(a), categoryOf(b)
	switch {
	case first == aList && second != aList && second != aSet:
		return " Use contains() to check whether a list has a value."
	case second == aList && first != aList && first != aSet:
		return " Use contains() to check whether a list has a value."
	case first == aSet || second == aSet:
		return " Convert both to lists with tolist(), or to sets with toset()."
	case second != aText:
		return ""
	case first == aNumber && isText:
		return meantByText(a, left, text)
	case first == aNumber:
		return meantByNumber(a, left, b, right)
	case first == aTruth && isText && (text == "true" || text == "false"):
		return fmt.Sprintf(" Did you mean %s?", text)
	case first == aTruth && b.texts != nil && b.texts.of == "pod.ready":
		return readyHint
	}
	return ""
}

// readyHint says where the truth is that the READY column is not.
const readyHint = ` The READY column is a string such as "1/1". To check whether a pod is ready, use conditions["Ready"].`

// meantByNumber says what was meant by a number that is compared with a text
// which is not known.
func meantByNumber(number *shape, left hclsyntax.Expression, text *shape, expr hclsyntax.Expression) string {
	switch {
	case text.texts != nil && text.texts.of == "target.kubernetes" || attributeIn(expr) == "kubernetes":
		return " " + versionHint
	case number.v.IsKnown() && writtenAs(left) == "" && text.texts != nil && text.texts.of != "" && !text.texts.free:
		return fmt.Sprintf(" Did you mean \"%s\"?", Format(number.v))
	}
	return " Convert the string with tonumber(), or the number with tostring()."
}

// versionHint says how versions are compared.
const versionHint = `Compare versions with semver(target.kubernetes, ">= 1.29"), or compare target.minor, which is a number.`

// meantByText says which number was meant by a text.
func meantByText(number *shape, expr hclsyntax.Expression, text string) string {
	if n, ok := signalNumber(text); ok && attributeIn(expr) == "signal" {
		return fmt.Sprintf(" A signal is a number: SIG%s is %d. Did you mean %d?", signalName(text), n, n)
	}
	if v, err := cty.ParseNumberVal(strings.TrimSpace(text)); err == nil {
		return fmt.Sprintf(" Did you mean %s?", Format(v))
	}
	if number.v.IsKnown() && writtenAs(expr) == "" {
		return fmt.Sprintf(" Did you mean \"%s\"?", Format(number.v))
	}
	return ""
}

// tellTexts tells of texts that are never equal.
func (x *examiner) tellTexts(m *mismatch, at hcl.Range) {
	known, other := m.a.textsOf(), m.b
	if known.of == "" {
		known, other = m.b.textsOf(), m.a
	}
	given, isText := other.text()
	if !isText {
		if theirs := other.textsOf(); theirs.of == "" && len(theirs.all) > 0 {
			given, isText = theirs.all[0], true
		}
	}
	if !isText {
		x.tell(at, "Impossible comparison", fmt.Sprintf("%s, and %s: they are never equal.", known.sentence(), lower(other.textsOf().sentence())))
		return
	}
	x.tell(at, "Impossible value", fmt.Sprintf("%s, and never %s.%s", known.sentence(), quote(given), known.meant(given)))
}

// sentence says what a text can be: "A pod's phase is Pending or Running".
func (t *wording) sentence() string {
	kind, attr, _ := strings.Cut(t.of, ".")
	subject := fmt.Sprintf("A %s's %s is ", kind, attr)
	if kind == "event" {
		subject = "An event's " + attr + " is "
	}
	switch {
	case t.of == "pod.ready":
		return subject + `a string such as "1/2"`
	case t.of == "target.kubernetes":
		return `target.kubernetes is a whole version such as "1.28.15"`
	}
	all := t.all
	if len(all) == 1 {
		return subject + all[0]
	}
	return subject + strings.Join(all[:len(all)-1], ", ") + " or " + all[len(all)-1]
}

// meant says what was probably meant by a text that cannot be.
func (t *wording) meant(given string) string {
	if hint := suggest.Sentence(given, t.all); hint != "" {
		return hint
	}
	switch t.of {
	case "pod.phase":
		return " For the STATUS column of kubectl, use the pod's status."
	case "container.state":
		return " For the reason of a state, use the container's reason."
	case "container.kind":
		if strings.HasPrefix(strings.ToLower(given), "init") {
			return ` Did you mean "init"?`
		}
	case "pod.ready":
		return ` To check whether a pod is ready, use conditions["Ready"].`
	case "target.kubernetes":
		return " " + versionHint
	}
	return ""
}

// meantNumber says what was probably meant by what is no number.
func (x *examiner) meantNumber(s *shape, expr hclsyntax.Expression) string {
	text, isText := s.text()
	switch {
	case isText && s.written:
		if v, err := cty.ParseNumberVal(strings.TrimSpace(text)); err == nil {
			return fmt.Sprintf(" Did you mean %s?", Format(v))
		}
	case attributeIn(expr) == "kubernetes" || s.texts != nil && s.texts.of == "target.kubernetes":
		return " " + versionHint
	case categoryOf(s) == aList || categoryOf(s) == aNamed && s.ty().IsMapType():
		return " Did you mean length()?"
	case categoryOf(s) == aText && s.texts != nil && (s.texts.of == "pod.phase" || s.texts.of == "container.state"):
		return " Compare it with == or !=."
	}
	return ""
}

// meantTruth says what was probably meant by what is neither true nor false.
func (x *examiner) meantTruth(s *shape, expr hclsyntax.Expression) string {
	text, isText := s.text()
	switch {
	case isText && (text == "true" || text == "false"):
		return fmt.Sprintf(" Did you mean %s?", text)
	case s.texts != nil && s.texts.of == "pod.ready":
		return readyHint
	case categoryOf(s) == aNumber:
		return " Compare it with what is expected, such as == 0."
	case categoryOf(s) == aText:
		return " Compare it with what is expected, such as == \"Running\"."
	case categoryOf(s) == aList:
		return " Did you mean alltrue() or anytrue()?"
	}
	return ""
}

// signals are the names of Linux' signals in the order of their numbers, from
// 1.
const signals = "HUP INT QUIT ILL TRAP ABRT BUS FPE KILL USR1 SEGV USR2 PIPE ALRM TERM STKFLT CHLD CONT STOP TSTP TTIN TTOU URG XCPU XFSZ VTALRM PROF WINCH IO PWR SYS"

// signalName is the name of a signal without SIG.
func signalName(text string) string { return strings.TrimPrefix(strings.ToUpper(text), "SIG") }

// signalNumber is the number of a signal by its name.
func signalNumber(text string) (int, bool) {
	for i, name := range strings.Fields(signals) {
		if name == signalName(text) {
			return i + 1, true
		}
	}
	return 0, false
}
