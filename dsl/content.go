package dsl

import (
	"fmt"
	"sort"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/kind-lab/lab/dsl/internal/suggest"
	"github.com/kind-lab/lab/dsl/schema"
)

// content is the content of a block, according to the language's schema.
type content struct {
	args   map[string]*hcl.Attribute
	blocks []inner
	// meant are the arguments that misspelled ones probably mean. That they are
	// missing is not reported also.
	meant map[string]bool
}

// inner is a block in another block, with what its expressions may refer to.
type inner struct {
	*hcl.Block
	schema *schema.Block
	in     surroundings
}

// dynamic is the type of the block that generates other blocks.
const dynamic = "dynamic"

// content decodes a body according to b. It reports what b does not have, and
// what this version does not support yet. It replaces dynamic blocks with the
// blocks that they generate.
func (l *loader) content(body hcl.Body, b *schema.Block, in surroundings) content {
	var found *hcl.BodyContent
	var diags hcl.Diagnostics
	if b.Free {
		found, diags = l.free(body, b)
	} else {
		found, diags = body.Content(l.bodySchema(b))
	}
	c := content{args: map[string]*hcl.Attribute{}, meant: suggested(diags, b)}
	for _, d := range diags {
		if !c.misspelled(d) {
			l.diags = append(l.diags, d)
		}
	}
	for name, attr := range found.Attributes {
		known := b.Argument(name)
		if known != nil && known.Later {
			l.errorf(attr.NameRange, "Not supported yet", "The language defines the argument %q, but this version of lab does not support it yet.", name)
			continue
		}
		c.args[name] = attr
		if known == nil || known.Type != "type" { // a type is not an expression
			c.args[name] = l.native(attr)
		}
	}
	unique := map[string]hcl.Range{}
	for _, block := range found.Blocks {
		known := b.Block(block.Type)
		switch {
		case block.Type == dynamic:
			for _, made := range l.dynamic(block, b, in) {
				if l.only(made, unique) {
					c.blocks = append(c.blocks, made)
				}
			}
		case known.Later:
			l.errorf(block.DefRange, "Not supported yet",
				"The language defines blocks of type %q, but this version of lab does not support them yet. Remove the block to run the rest.", block.Type)
		case l.only(inner{block, known, in}, unique):
			c.blocks = append(c.blocks, inner{block, known, in})
		}
	}
	return c
}

// suggested returns the arguments of b that diagnostics suggest instead of unknown ones.
func suggested(diags hcl.Diagnostics, b *schema.Block) map[string]bool {
	var names map[string]bool
	for _, d := range diags {
		for _, a := range b.Arguments {
			if strings.Contains(d.Detail, fmt.Sprintf("Did you mean %q?", a.Name)) {
				if names == nil {
					names = map[string]bool{}
				}
				names[a.Name] = true
			}
		}
	}
	return names
}

// misspelled says whether a diagnostic misses an argument that is there, with a
// mistake in its name.
func (c content) misspelled(d *hcl.Diagnostic) bool {
	if d.Summary != "Missing required argument" && d.Summary != "Missing argument" {
		return false
	}
	for name := range c.meant {
		if strings.Contains(d.Detail, fmt.Sprintf("%q", name)) {
			return true
		}
	}
	return false
}

// only says whether there may be such a block beside those in unique, and adds
// it to them. It reports a second block of a type that occurs once.
func (l *loader) only(block inner, unique map[string]hcl.Range) bool {
	first, again := unique[block.Type]
	if again && block.schema.Unique {
		l.errorf(block.DefRange, fmt.Sprintf("Duplicate %s block", block.Type), "Only one %s block is allowed here; the first is at %s.",
			block.Type, FormatRange(first))
		return false
	}
	unique[block.Type] = block.DefRange
	return true
}

// free decodes a body that can have any argument, and b's blocks.
func (l *loader) free(body hcl.Body, b *schema.Block) (*hcl.BodyContent, hcl.Diagnostics) {
	found, rest, diags := body.PartialContent(l.bodySchema(b))
	if native, ok := body.(*hclsyntax.Body); ok {
		for _, block := range native.Blocks {
			if block.Type != dynamic && b.Block(block.Type) == nil {
				diags = append(diags, mistake(block.TypeRange, "Unsupported block type", unknownBlock(b, block.Type)))
			}
		}
		plain := *native // its JustAttributes would complain of all blocks
		plain.Blocks = nil
		rest = &plain
	}
	attrs, moreDiags := rest.JustAttributes()
	found.Attributes = attrs
	return found, append(diags, moreDiags...)
}

// of returns the blocks of a type.
func (c content) of(kind string) []inner {
	var found []inner
	for _, b := range c.blocks {
		if b.Type == kind {
			found = append(found, b)
		}
	}
	return found
}

// sortedArgs returns the arguments in the order in which they are written.
func (c content) sortedArgs() []*hcl.Attribute {
	attrs := make([]*hcl.Attribute, 0, len(c.args))
	for _, attr := range c.args {
		attrs = append(attrs, attr)
	}
	sortByPlace(attrs)
	return attrs
}

func sortByPlace(attrs []*hcl.Attribute) {
	sort.Slice(attrs, func(i, j int) bool {
		a, b := attrs[i].NameRange, attrs[j].NameRange
		if a.Filename != b.Filename {
			return a.Filename < b.Filename
		}
		return a.Start.Byte < b.Start.Byte
	})
}

// bodySchema is the schema of a block in the form that HCL needs.
func (l *loader) bodySchema(b *schema.Block) *hcl.BodySchema {
	if made := l.schemas[b]; made != nil {
		return made
	}
	made := &hcl.BodySchema{}
	for _, a := range b.Arguments {
		made.Attributes = append(made.Attributes, hcl.AttributeSchema{Name: a.Name, Required: a.Required})
	}
	for _, below := range b.Blocks {
		made.Blocks = append(made.Blocks, hcl.BlockHeaderSchema{Type: below.Type, LabelNames: below.Labels})
	}
	if len(b.Blocks) > 0 && b.Type != "" {
		made.Blocks = append(made.Blocks, hcl.BlockHeaderSchema{Type: dynamic, LabelNames: []string{"type"}})
	}
	l.schemas[b] = made
	return made
}

// unknownBlock says that b cannot have blocks of a type.
func unknownBlock(b *schema.Block, kind string) string {
	var names []string
	for _, below := range b.Blocks {
		names = append(names, below.Type)
	}
	return fmt.Sprintf("Blocks of type %q are not expected here.%s", kind, suggest.Sentence(kind, names))
}
