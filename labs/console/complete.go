package console

import (
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/kind-lab/lab/dsl"
	"github.com/kind-lab/lab/dsl/schema"
	"github.com/kind-lab/lab/dsl/value"
)

// Complete returns what the word that ends a line may become, sorted, and
// where the word begins, in bytes: roots and functions for a first word, names
// and attributes after a dot or a bracket.
func (c *Console) Complete(line string) (words []string, start int) {
	start, inside := begin(line)
	if inside {
		return nil, start
	}
	word := line[start:]
	if strings.HasPrefix(line, ":") && start <= 1 {
		return matching([]string{":at", ":explain", ":help", ":names", ":quit", ":refs"}, line), 0
	}
	dot, open, closed := strings.LastIndexByte(word, '.'), strings.LastIndex(word, `["`), strings.LastIndex(word, `"]`)
	switch {
	case open > closed:
		var keys []string
		for _, name := range c.below(word[:open]) {
			keys = append(keys, `["`+name+`"]`)
		}
		return matching(keys, word[open:]), start + open
	case dot > closed:
		var names []string
		for _, name := range c.below(word[:dot]) {
			if hclsyntax.ValidIdentifier(name) {
				names = append(names, name)
			}
		}
		return matching(names, word[dot+1:]), start + dot + 1
	case closed >= 0:
		return nil, start
	}
	return matching(c.first(), word), start
}

// first are the words that an expression may begin with.
func (c *Console) first() []string {
	words := value.Roots()
	for root := range c.values.Extra {
		words = append(words, root)
	}
	for _, f := range schema.Functions() {
		words = append(words, f.Name+"(")
	}
	slices.Sort(words)
	return slices.Compact(words)
}

// begin is where the reference that ends a line begins, its indices included,
// and whether the line ends inside of a string.
func begin(line string) (start int, quoted bool) {
	inside := false
	for i := 0; i < len(line); i++ {
		rest := line[i:]
		switch {
		case inside && strings.HasPrefix(rest, `["`):
			end := strings.Index(rest[2:], `"]`)
			if end < 0 {
				return start, false
			}
			i += 2 + end + 1
		case inside && numbered(rest) > 0:
			i += numbered(rest)
		case rest[0] == '"':
			end := strings.IndexByte(rest[1:], '"')
			if end < 0 {
				return len(line), true
			}
			i, inside = i+1+end, false
		case !word(rest[0]):
			inside = false
		case !inside:
			start, inside = i, true
		}
	}
	if !inside {
		start = len(line)
	}
	return start, false
}

func word(c byte) bool {
	return c == '.' || c == '_' || c == '-' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}

// below are the names of what is below a reference: those observed, or else
// those that the language has.
func (c *Console) below(reference string) []string {
	expr, diags := dsl.ParseExpression([]byte(reference), source, hcl.InitialPos)
	if diags.HasErrors() {
		return nil
	}
	v, diags := c.values.EvalMarked(expr)
	if diags.HasErrors() || v.HasMark(value.Sensitive) {
		return nil
	}
	v, _ = v.Unmark()
	ty := v.Type()
	switch {
	case ty.IsObjectType() && len(ty.AttributeTypes()) > 0:
		return slices.Sorted(maps.Keys(ty.AttributeTypes()))
	case ty.IsMapType() && v.IsKnown() && !v.IsNull():
		return slices.Sorted(maps.Keys(v.AsValueMap()))
	case ty == cty.DynamicPseudoType:
		return described(reference)
	}
	return nil
}

// described are the attributes of a root's objects as the language has them,
// for those that were not observed.
func described(reference string) []string {
	parts := strings.Split(reference, ".")
	if len(parts) != 2 {
		return nil
	}
	root := schema.ValueOf(parts[0])
	if root == nil {
		return nil
	}
	var names []string
	for _, a := range root.Attributes {
		names = append(names, a.Name)
	}
	slices.Sort(names)
	return names
}

// matching are the words that begin with a prefix.
func matching(words []string, prefix string) []string {
	var found []string
	for _, w := range words {
		if strings.HasPrefix(w, prefix) {
			found = append(found, w)
		}
	}
	return found
}

// common is the longest prefix that all words have.
func common(words []string) string {
	if len(words) == 0 {
		return ""
	}
	prefix := words[0]
	for _, w := range words[1:] {
		for !strings.HasPrefix(w, prefix) {
			prefix = prefix[:len(prefix)-1]
		}
	}
	return prefix
}

// numbered is where an index such as [12] that begins a text ends; 0 if none
// does.
func numbered(text string) int {
	end := strings.IndexByte(text, ']')
	if text[0] != '[' || end < 2 || strings.Trim(text[1:end], "0123456789") != "" {
		return 0
	}
	return end
}
