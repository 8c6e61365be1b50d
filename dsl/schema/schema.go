// Package schema describes the scenario language: its blocks, arguments, roots
// and functions, with their documentation. The decoder uses it to know
// which arguments a block has. `lab explain`, `lab schema`, the language server
// and the reference in dsl/README.md show its documentation. It is only data.
package schema

import "slices"

// Stage says when an argument is evaluated.
type Stage string

// The stages.
const (
	// Load is before the run: variables, locals, matrix and each are known.
	Load Stage = "load"
	// Begin is when the step begins: everything observed by then is known.
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
	// Summary is one line; Doc has the rest, in paragraphs, or is empty.
	Summary string `json:"summary"`
	Doc     string `json:"doc,omitempty"`
	// Example is a block of this type.
	Example string `json:"example,omitempty"`
	// Unique says that the block may occur only once in its parent.
	Unique bool `json:"unique,omitempty"`
	// Step says that it is a step of a scenario.
	Step bool `json:"step,omitempty"`
	// Verdict says that the step has a verdict, and is therefore not allowed in
	// finally.
	Verdict bool `json:"-"`
	// Free says that any argument name is allowed: locals, or axes.
	Free bool `json:"free,omitempty"`
	// Later says that the language defines the block, but this version does not
	// support it yet.
	Later     bool       `json:"later,omitempty"`
	Arguments []Argument `json:"arguments,omitempty"`
	Blocks    []*Block   `json:"blocks,omitempty"`
}

// Argument is an argument of a block.
type Argument struct {
	Name string `json:"name"`
	// Type is the type as the documentation writes it: "string", "duration", "list(string)",
	// "condition", "any".
	Type     string `json:"type"`
	Required bool   `json:"required,omitempty"`
	// Default is the value if the argument is omitted, in HCL; empty for none.
	Default string `json:"default,omitempty"`
	// Values are all possible values; empty if any value is possible.
	Values []string `json:"values,omitempty"`
	Stage  Stage    `json:"stage"`
	Doc    string   `json:"doc"`
	// Provider is the one provider of clusters that has it; empty for all.
	Provider string `json:"provider,omitempty"`
	// Path says that it names a file, from the scenario's folder.
	Path bool `json:"path,omitempty"`
	// Later has the same meaning as for a block.
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
// "scenario", "expect"; nil if there is none.
func (b *Block) Find(path ...string) *Block {
	for _, kind := range path {
		if b = b.Block(kind); b == nil {
			return nil
		}
	}
	return b
}

// Walk calls visit for every block below this one, parents first, with the
// blocks that contain it.
func (b *Block) Walk(visit func(path []*Block, b *Block)) { b.walk(nil, visit) }

func (b *Block) walk(path []*Block, visit func([]*Block, *Block)) {
	for _, inner := range b.Blocks {
		visit(path, inner)
		inner.walk(append(slices.Clone(path), inner), visit)
	}
}
