// Package selection chooses some of the clusters and scenarios that a command
// or a Go test could use, by their names or by patterns.
package selection

import (
	"path"
	"slices"
	"strings"
)

// Names are what was asked for; none stand for everything. Each is one of:
//
//   - a name, with or without all of its quotes: all["1.28"], all[1.28]
//   - the name of a block with for_each, or of a scenario with a matrix, which
//     stands for everything that it makes: all
//   - a pattern, in which * stands for any text, ? for one character, and
//     [89] for one of these characters: v12*, all[1.2?]
type Names []string

// Include reports whether one of the names is asked for. Empty names are never
// asked for.
func (n Names) Include(names ...string) bool {
	if len(n) == 0 {
		return true
	}
	return slices.ContainsFunc(names, func(name string) bool {
		return name != "" && slices.ContainsFunc(n, func(asked string) bool { return matches(asked, name) })
	})
}

// matches reports whether a name or pattern stands for the name.
func matches(asked, name string) bool {
	block, _, _ := strings.Cut(name, "[")
	if asked == block {
		return true
	}
	// Brackets may be those of a key, not of a pattern: all[*] is for all["1.27"]
	// and all["1.28"].
	key := strings.ReplaceAll(asked, "[", `\[`)
	return slices.ContainsFunc([]string{name, Unquoted(name)}, func(name string) bool {
		return asked == name || globs(asked, name) || globs(key, name)
	})
}

// globs reports whether the whole name matches a pattern, in which * matches
// slashes too: a key may have them. A pattern that is malformed matches nothing.
func globs(pattern, name string) bool {
	const slash = "\x00"
	ok, err := path.Match(strings.ReplaceAll(pattern, "/", slash), strings.ReplaceAll(name, "/", slash))
	return ok && err == nil
}

// Unquoted is a name as it is typed in a shell: all[1.28] for all["1.28"].
func Unquoted(name string) string { return strings.ReplaceAll(name, `"`, "") }

// Split separates names at their commas, but for those in brackets or quotes:
// v127,all[image="a,b"] are two names. Empty names are left out.
func Split(text string) Names {
	var names Names
	depth, quoted, from := 0, false, 0
	add := func(to int) {
		if name := strings.TrimSpace(text[from:to]); name != "" {
			names = append(names, name)
		}
		from = to + 1
	}
	for i, c := range text {
		switch {
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '[':
			depth++
		case c == ']':
			depth--
		case c == ',' && depth <= 0:
			add(i)
		}
	}
	add(len(text))
	return names
}
