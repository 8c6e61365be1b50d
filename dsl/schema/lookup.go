package schema

import (
	"strings"

	"github.com/kind-lab/lab/dsl/internal/suggest"
)

// Topic is something that has documentation: a block, an argument, a value, an
// attribute, a function, or a cluster set. Exactly one of these fields is set.
type Topic struct {
	// Path is the name, after the names of the blocks or values that contain
	// it: "scenario.expect.within".
	Path       string
	Block      *Block
	Argument   *Argument
	Value      *Value
	Attribute  *Attribute
	Function   *Function
	ClusterSet *ClusterSet
}

// Topics returns all topics of a language: blocks with their arguments, values with
// their attributes, functions, and the given cluster sets.
func Topics(language *Block, sets ...ClusterSet) []Topic {
	var all []Topic
	language.Walk(func(path []*Block, b *Block) {
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
	for _, s := range sets {
		all = append(all, Topic{Path: ClusterSetsArgument + "." + s.Name, ClusterSet: &s})
	}
	return all
}

// Lookup returns the topics that a name refers to: a whole path, or the end of
// one, such as "expect.within". A name can follow the attributes of a value, as
// in "pod.container.exit_code". Several topics can have the same name: node is a
// step and a root. The name of a cluster set is enough to find it.
func Lookup(language *Block, name string, sets ...ClusterSet) []Topic {
	name = strings.Trim(name, ".")
	var whole, ends []Topic
	for _, t := range Topics(language, sets...) {
		switch path := strings.TrimSuffix(t.Path, "()"); {
		case path == name || t.Path == name:
			whole = append(whole, t)
		case strings.HasSuffix(path, "."+name) && (!underFinally(path) || strings.HasPrefix(name, "finally.")):
			ends = append(ends, t)
		}
	}
	if t, ok := through(name); ok && len(whole) == 0 {
		return []Topic{t}
	}
	if len(whole) == 0 {
		return ends
	}
	for _, t := range ends { // the type of a block is enough to find it, even if a root has the same name
		if t.Block != nil {
			whole = append(whole, t)
		}
	}
	return whole
}

// Names returns the names that Lookup finds: paths, without a leading
// "scenario.", and without the brackets of functions.
func Names(language *Block, sets ...ClusterSet) []string {
	var names []string
	for _, t := range Topics(language, sets...) {
		if name := strings.TrimSuffix(t.Path, "()"); !underFinally(name) {
			names = append(names, strings.TrimPrefix(name, "scenario."))
		}
	}
	return names
}

// Suggest returns ` Did you mean "x"?`, with the leading space, for the known
// name that is nearest to an unknown one, or "".
func Suggest(language *Block, name string, sets ...ClusterSet) string {
	return suggest.Sentence(name, Names(language, sets...))
}

// underFinally says whether a path goes through finally. Its steps are the same
// as those of a scenario.
func underFinally(path string) bool { return strings.HasPrefix(path, "scenario.finally.") }

// through follows a path of attributes, beginning at a value.
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
