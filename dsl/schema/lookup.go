package schema

import (
	"strings"

	"github.com/kind-lab/lab/dsl/internal/suggest"
)

// Topic is what somebody can ask about: a block, an argument, a root or
// attribute, or a function. Exactly one of them is set.
type Topic struct {
	// Path is its name with what holds it: "scenario.expect.within".
	Path      string
	Block     *Block
	Argument  *Argument
	Value     *Value
	Attribute *Attribute
	Function  *Function
}

// Topics returns all topics: blocks with their arguments, values with their
// attributes, functions.
func Topics() []Topic {
	var all []Topic
	Language().Walk(func(path []*Block, b *Block) {
		var names []string
		for _, p := range append(path, b) {
			names = append(names, p.Type)
		}
		name := strings.Join(names, ".")
		all = append(all, Topic{Path: name, Block: b})
		for i := range b.Arguments {
			all = append(all, Topic{Path: name + "." + b.Arguments[i].Name, Argument: &b.Arguments[i]})
		}
	})
	for _, v := range Values() {
		all = append(all, Topic{Path: v.Name, Value: v})
		for i := range v.Attributes {
			all = append(all, Topic{Path: v.Name + "." + v.Attributes[i].Name, Attribute: &v.Attributes[i]})
		}
	}
	for _, f := range Functions() {
		all = append(all, Topic{Path: f.Name + "()", Function: &f})
	}
	return all
}

// Lookup returns the topics that a name stands for: its whole path, or the end
// of one, such as "expect.within". A value's name leads through it, as in
// "pod.container.exit_code". Several topics may have the name: node is a step
// and a root.
func Lookup(name string) []Topic {
	name = strings.Trim(name, ".")
	var whole, ends []Topic
	for _, t := range Topics() {
		switch path := strings.TrimSuffix(t.Path, "()"); {
		case path == name || t.Path == name:
			whole = append(whole, t)
		case strings.HasSuffix(path, "."+name) && !underFinally(path):
			ends = append(ends, t)
		}
	}
	if t, ok := through(name); ok && len(whole) == 0 {
		return []Topic{t}
	}
	if len(whole) == 0 {
		return ends
	}
	for _, t := range ends { // a block is found by its type alone, beside a root of that name
		if t.Block != nil {
			whole = append(whole, t)
		}
	}
	return whole
}

// Names are the names that can be looked up: paths, but those of a scenario's
// blocks without "scenario.", and functions without brackets.
func Names() []string {
	var names []string
	for _, t := range Topics() {
		if name := strings.TrimSuffix(t.Path, "()"); !underFinally(name) {
			names = append(names, strings.TrimPrefix(name, "scenario."))
		}
	}
	return names
}

// Suggest returns ` Did you mean "x"?` for the name that is nearest to one that
// stands for nothing, with the space before it, or "".
func Suggest(name string) string { return suggest.Sentence(name, Names()) }

// underFinally says whether a path leads through finally, whose steps are
// those of a scenario.
func underFinally(path string) bool { return strings.HasPrefix(path, "scenario.finally.") }

// through follows a path of attributes from a value on.
func through(name string) (Topic, bool) {
	parts := strings.Split(name, ".")
	v := ValueOf(parts[0])
	for i, part := range parts[1:] {
		if v == nil {
			return Topic{}, false
		}
		a := v.Attribute(part)
		if a == nil {
			return Topic{}, false
		}
		if i == len(parts)-2 {
			return Topic{Path: name, Attribute: a}, true
		}
		v = a.Below()
	}
	return Topic{}, false
}
