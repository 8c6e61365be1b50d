// Package schema describes the scenario language: its blocks, arguments, roots
// and functions, with what each means. The decoder takes from here which
// arguments a block has; `lab explain`, `lab schema`, the language server and
// the reference in dsl/README.md say what is written here. It is data alone.
package schema

import "slices"

// Stage says when an argument is evaluated.
type Stage string

// The stages.
const (
	// Load is before anything runs: variables, locals, matrix and each are
	// known.
	Load Stage = "load"
	// Begin is when the step begins: all that was observed by then is known.
	Begin Stage = "begin"
	// Judge is at every observation until the verdict.
	Judge Stage = "judge"
)

// Block is a block of the language.
type Block struct {
	// Type is the block's keyword; empty for the file itself.
	Type string `json:"type"`
	// Labels are the names of its labels.
	Labels []string `json:"labels,omitempty"`
	// Summary is one sentence; Doc is the rest, in paragraphs, or empty.
	Summary string `json:"summary"`
	Doc     string `json:"doc,omitempty"`
	// Example is a block as it is written.
	Example string `json:"example,omitempty"`
	// Unique says that there may be one in what holds it.
	Unique bool `json:"unique,omitempty"`
	// Step says that it is a step of a scenario, done in the order written.
	Step bool `json:"step,omitempty"`
	// Free says that any argument name is allowed: locals, or axes.
	Free bool `json:"free,omitempty"`
	// Later says that the block belongs to the language but not to this
	// version.
	Later     bool       `json:"later,omitempty"`
	Arguments []Argument `json:"arguments,omitempty"`
	Blocks    []*Block   `json:"blocks,omitempty"`
}

// Argument is an argument of a block.
type Argument struct {
	Name string `json:"name"`
	// Type is as a reader writes it: "string", "duration", "list(string)",
	// "condition", "any".
	Type     string `json:"type"`
	Required bool   `json:"required,omitempty"`
	// Default is what it is where it is not written, in HCL; empty for none.
	Default string `json:"default,omitempty"`
	// Values are all that it may be; empty where that is open.
	Values []string `json:"values,omitempty"`
	Stage  Stage    `json:"stage"`
	Doc    string   `json:"doc"`
	// Later is as that of a block.
	Later bool `json:"later,omitempty"`
}

// Argument returns the argument of that name, or nil.
func (b *Block) Argument(name string) *Argument {
	i := slices.IndexFunc(b.Arguments, func(a Argument) bool { return a.Name == name })
	if i < 0 {
		return nil
	}
	return &b.Arguments[i]
}

// Block returns the block of that type directly below, or nil.
func (b *Block) Block(kind string) *Block {
	for _, inner := range b.Blocks {
		if inner.Type == kind {
			return inner
		}
	}
	return nil
}

// Names returns the names of the arguments, in their order.
func (b *Block) Names() []string {
	var names []string
	for _, a := range b.Arguments {
		names = append(names, a.Name)
	}
	return names
}

// Find returns the block at a path of types below this one, such as
// "scenario", "expect"; nil where there is none.
func (b *Block) Find(path ...string) *Block {
	for _, kind := range path {
		if b = b.Block(kind); b == nil {
			return nil
		}
	}
	return b
}

// Walk calls visit for every block below this one, parents first, with the
// blocks that hold it.
func (b *Block) Walk(visit func(path []*Block, b *Block)) { b.walk(nil, visit) }

func (b *Block) walk(path []*Block, visit func([]*Block, *Block)) {
	for _, inner := range b.Blocks {
		visit(path, inner)
		inner.walk(append(slices.Clone(path), inner), visit)
	}
}
