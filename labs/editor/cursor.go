package editor

import (
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/kind-lab/lab/dsl/schema"
)

// cursor is where a place in a source is: in which blocks, and in which
// argument's expression. It is found from the tokens before it, so that it is
// known while the source cannot be parsed.
type cursor struct {
	frames []frame
	// argument is the argument whose expression the place is in; empty between
	// arguments.
	argument string
	// quoted says that the place is in the literal text of a string.
	quoted bool
	// line is what is written on the line in front of the place, where it is
	// between arguments.
	line []string
}

// frame is a block around a place.
type frame struct {
	kind, label string
	// written are the arguments and blocks before the place.
	written map[string]bool
}

// cursorAt finds where a byte offset is.
func cursorAt(content string, offset int) cursor {
	tokens, _ := hclsyntax.LexConfig([]byte(content[:offset]), "", hcl.InitialPos) // what is odd about them does not matter
	r := &reader{c: cursor{frames: []frame{{written: map[string]bool{}}}}}
	for _, token := range tokens {
		if token.Range.Start.Byte >= offset && token.Type != hclsyntax.TokenOQuote {
			break
		}
		r.token(token)
	}
	return r.c
}

// reader follows tokens.
type reader struct {
	c cursor
	// depth counts the brackets in an expression; quotes the strings.
	depth, quotes int
	label         string
}

func (r *reader) token(t hclsyntax.Token) {
	if r.c.argument != "" {
		r.expression(t)
		return
	}
	switch t.Type {
	case hclsyntax.TokenIdent, hclsyntax.TokenQuotedLit:
		if len(r.c.line) == 1 {
			r.label = string(t.Bytes)
		}
		r.c.line = append(r.c.line, string(t.Bytes))
	case hclsyntax.TokenEqual:
		if len(r.c.line) > 0 {
			r.c.argument, r.depth, r.quotes = r.c.line[0], 0, 0
			r.top().written[r.c.argument] = true
		}
	case hclsyntax.TokenOBrace:
		if len(r.c.line) > 0 {
			r.top().written[r.c.line[0]] = true
			r.c.frames = append(r.c.frames, frame{kind: r.c.line[0], label: r.label, written: map[string]bool{}})
		} else {
			r.c.frames = append(r.c.frames, frame{written: map[string]bool{}})
		}
		r.c.line, r.label = nil, ""
	case hclsyntax.TokenCBrace:
		r.pop()
	case hclsyntax.TokenNewline, hclsyntax.TokenComment:
		r.c.line, r.label = nil, ""
	}
}

func (r *reader) top() *frame { return &r.c.frames[len(r.c.frames)-1] }

func (r *reader) pop() {
	if len(r.c.frames) > 1 {
		r.c.frames = r.c.frames[:len(r.c.frames)-1]
	}
	r.c.line, r.label = nil, ""
}

func (r *reader) expression(t hclsyntax.Token) {
	switch t.Type {
	case hclsyntax.TokenOQuote, hclsyntax.TokenOHeredoc:
		r.quotes++
		r.c.quoted = true
	case hclsyntax.TokenCQuote, hclsyntax.TokenCHeredoc:
		r.quotes--
		r.c.quoted = false
	case hclsyntax.TokenTemplateInterp, hclsyntax.TokenTemplateControl:
		r.depth++
		r.c.quoted = false
	case hclsyntax.TokenTemplateSeqEnd:
		r.depth--
		r.c.quoted = r.quotes > 0
	case hclsyntax.TokenOBrace, hclsyntax.TokenOBrack, hclsyntax.TokenOParen:
		r.depth++
	case hclsyntax.TokenCBrace:
		if r.depth <= 0 { // of a block on one line
			r.end()
			r.pop()
			return
		}
		r.depth--
	case hclsyntax.TokenCBrack, hclsyntax.TokenCParen:
		r.depth--
	case hclsyntax.TokenNewline:
		if r.depth <= 0 {
			r.end()
		}
	}
}

func (r *reader) end() {
	r.c.argument, r.c.quoted, r.c.line, r.label = "", false, nil, ""
}

// block is the block of a language that the place is in; nil where it is in none
// that there is.
func (c cursor) block(language *schema.Block) *schema.Block {
	b := language
	for _, f := range c.frames[1:] {
		switch {
		case b == nil:
			return nil
		case f.kind == "dynamic":
			b = b.Block(f.label)
		case f.kind == "content":
		default:
			b = b.Block(f.kind)
		}
	}
	return b
}

// scenario is the name of the scenario around the place; empty outside.
func (c cursor) scenario() string {
	for _, f := range c.frames {
		if f.kind == "scenario" {
			return f.label
		}
	}
	return ""
}

// reference is the reference that ends at an offset, as far as it is written:
// `pod.web.container["main"].ex`; and where it begins.
func reference(content string, offset int) (string, int) {
	start := offset
	for start > 0 {
		c := content[start-1]
		switch {
		case isName(c) || c == '.':
			start--
		case c == ']':
			open := strings.LastIndexByte(content[:start-1], '[')
			if open < 0 || strings.ContainsAny(content[open:start], "\n(") {
				return content[start:offset], start
			}
			start = open
		default:
			return content[start:offset], start
		}
	}
	return content[start:offset], start
}

func isName(c byte) bool {
	return c == '_' || c == '-' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}

// segments takes a reference apart: names, and indices without their brackets
// and quotes.
func segments(ref string) []string {
	var parts []string
	for ref != "" {
		switch ref[0] {
		case '.':
			ref = ref[1:]
			if ref == "" {
				parts = append(parts, "")
			}
		case '[':
			inner, rest, ok := strings.Cut(ref[1:], "]")
			if !ok {
				return append(parts, strings.Trim(inner, `"`))
			}
			parts, ref = append(parts, strings.Trim(inner, `"`)), rest
			continue
		default:
			i := strings.IndexAny(ref, ".[")
			if i < 0 {
				return append(parts, ref)
			}
			parts, ref = append(parts, ref[:i]), ref[i:]
			if ref == "." {
				return append(parts, "")
			}
		}
	}
	return parts
}

// reached follows segments after a root through the attributes of values. It
// returns the value that the next segment is an attribute of; nil where that
// is none.
func reached(parts []string) *schema.Value {
	v := schema.ValueOf(parts[0])
	if v == nil || !v.Root {
		return nil
	}
	rest := parts[1:]
	if named(parts[0]) {
		if len(rest) == 0 {
			return nil
		}
		rest = rest[1:]
	}
	for i := 0; i < len(rest) && v != nil; i++ {
		a := v.Attribute(rest[i])
		if a == nil {
			return nil
		}
		v = a.Below()
		if strings.Contains(a.Type, "(") { // a list or a map: the next is its key
			i++
		}
	}
	return v
}

// named says whether names of objects follow a root.
func named(root string) bool {
	switch root {
	case "var", "local", "matrix", "each", "path", "cluster", "target":
		return false
	}
	return true
}
