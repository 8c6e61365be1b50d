package labtest

import (
	"flag"
	"regexp"
	"strconv"
	"strings"
	"unicode"
)

// filter is what the flags -run and -skip of `go test` say, read as package
// testing reads them.
type filter struct{ run, skip []pattern }

// pattern is one of a flag's alternatives: an expression for each level of
// subtests. One that cannot be compiled, which package testing has refused
// before, matches all.
type pattern []*regexp.Regexp

// testFlags are the flags of the test's binary.
func testFlags() filter {
	value := func(name string) string {
		if f := flag.Lookup(name); f != nil {
			return f.Value.String()
		}
		return ""
	}
	return filter{run: patterns(value("test.run")), skip: patterns(value("test.skip"))}
}

// want says whether anything of the subtest below the test is to be run.
func (f filter) want(test string, below ...string) bool {
	names := strings.Split(test, "/")
	for _, name := range below {
		names = append(names, strings.Split(subtestName(name), "/")...)
	}
	matched := len(f.run) == 0
	for _, p := range f.run {
		matched = matched || p.matches(names)
	}
	for _, p := range f.skip {
		if len(p) <= len(names) && p.matches(names) {
			return false
		}
	}
	return matched
}

// matches says whether the pattern means the names as far as both go.
func (p pattern) matches(names []string) bool {
	for i, name := range names {
		if i >= len(p) {
			break
		}
		if p[i] != nil && !p[i].MatchString(name) {
			return false
		}
	}
	return true
}

// patterns reads a flag: alternatives that | separates, of levels that /
// separates, where neither is in brackets or behind a backslash.
func patterns(text string) []pattern {
	if text == "" {
		return nil
	}
	all := []pattern{nil}
	part, brackets, groups := 0, 0, 0
	add := func(end int) {
		expression, err := regexp.Compile(subtestName(text[part:end]))
		if err != nil {
			expression = nil
		}
		all[len(all)-1] = append(all[len(all)-1], expression)
		part = end + 1
	}
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\':
			i++
		case c == '[':
			brackets++
		case c == ']':
			brackets = max(0, brackets-1)
		case c == '(' && brackets == 0:
			groups++
		case c == ')' && brackets == 0:
			groups--
		case brackets > 0 || groups > 0:
		case c == '/':
			add(i)
		case c == '|':
			add(i)
			all = append(all, nil)
		}
	}
	add(len(text))
	return all
}

// subtestName is a name as package testing writes it: printable and without
// spaces.
func subtestName(name string) string {
	var b strings.Builder
	for _, r := range name {
		switch {
		case unicode.IsSpace(r):
			b.WriteByte('_')
		case strconv.IsPrint(r):
			b.WriteRune(r)
		default:
			quoted := strconv.QuoteRune(r)
			b.WriteString(quoted[1 : len(quoted)-1])
		}
	}
	return b.String()
}
