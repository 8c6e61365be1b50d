package main

import (
	"bufio"
	"bytes"
	"fmt"
	"go/scanner"
	"go/token"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// words is the list of words that the project does not use.
type words struct {
	// phrases are looked for in comments, in strings and in documents; names are
	// whole identifiers. Both have what to write instead.
	phrases, names []word
	// known is how many findings a folder at the top level still may have.
	known map[string]int
}

type word struct {
	text, instead string
	match         *regexp.Regexp
}

// finding is one that was found.
type finding struct {
	file string
	line int
	word word
}

// readWords reads the list. A line is "phrase TEXT = INSTEAD", "name TEXT =
// INSTEAD" or "known FOLDER NUMBER"; empty lines and those that begin with # are
// no part of it.
func readWords(text []byte) (words, error) {
	w := words{known: map[string]int{}}
	lines := bufio.NewScanner(bytes.NewReader(text))
	for n := 1; lines.Scan(); n++ {
		line := strings.TrimSpace(lines.Text())
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		kind, rest, _ := strings.Cut(line, " ")
		left, instead, paired := strings.Cut(rest, " = ")
		left = strings.TrimSpace(left)
		fields := strings.Fields(left)
		switch {
		case kind == "phrase" && paired && len(fields) > 0:
			for i, f := range fields {
				fields[i] = regexp.QuoteMeta(f)
			}
			// A phrase may go on in the next line of a comment.
			match := regexp.MustCompile(`(?i)\b` + strings.Join(fields, `(?:\s|//|#)+`) + `\b`)
			w.phrases = append(w.phrases, word{left, instead, match})
		case kind == "name" && paired && len(fields) == 1:
			w.names = append(w.names, word{left, instead, regexp.MustCompile(`(?i)^` + regexp.QuoteMeta(left) + `$`)})
		case kind == "known" && len(fields) == 2:
			count, err := strconv.Atoi(fields[1])
			if err != nil {
				return w, fmt.Errorf("line %d: %w", n, err)
			}
			w.known[fields[0]] = count
		default:
			return w, fmt.Errorf("line %d is none of phrase, name and known: %q", n, line)
		}
	}
	return w, lines.Err()
}

// find looks for the words in a file.
func (w words) find(s source) []finding {
	if !s.isGo() {
		return w.findPhrases(s.name, 1, string(s.text))
	}
	var found []finding
	files := token.NewFileSet()
	file := files.AddFile(s.name, -1, len(s.text))
	var tokens scanner.Scanner
	tokens.Init(file, s.text, nil, scanner.ScanComments)
	for {
		pos, kind, text := tokens.Scan()
		line := file.Line(pos)
		switch kind {
		case token.EOF:
			return found
		case token.COMMENT, token.STRING:
			found = append(found, w.findPhrases(s.name, line, text)...)
		case token.IDENT:
			for _, name := range w.names {
				if name.match.MatchString(text) {
					found = append(found, finding{s.name, line, name})
				}
			}
		}
	}
}

func (w words) findPhrases(file string, line int, text string) []finding {
	var found []finding
	for _, phrase := range w.phrases {
		for _, at := range phrase.match.FindAllStringIndex(text, -1) {
			found = append(found, finding{file, line + strings.Count(text[:at[0]], "\n"), phrase})
		}
	}
	return found
}

// printWords prints the words that are in folders with more of them than are
// known, and returns how many those are.
func printWords(root string, to io.Writer) (int, error) {
	list := filepath.Join(root, filepath.FromSlash(wordsFile))
	text, err := os.ReadFile(list)
	if err != nil {
		return 0, err
	}
	w, err := readWords(text)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", wordsFile, err)
	}
	found := map[string][]finding{}
	err = sources(root, func(s source) error {
		if strings.HasPrefix(s.name, "cmd/lab/internal/house/") { // its tests need the words
			return nil
		}
		found[s.top()] = append(found[s.top()], w.find(s)...)
		return nil
	}, ".go", ".md", ".hcl", ".sh", "Makefile")
	if err != nil {
		return 0, err
	}
	for folder := range w.known {
		if _, ok := found[folder]; !ok {
			found[folder] = nil
		}
	}
	total := 0
	for _, folder := range slices.Sorted(maps.Keys(found)) {
		total += w.judge(to, folder, found[folder])
	}
	return total, nil
}

// judge prints the findings of a folder if there are more than are known, and
// returns how many more.
func (w words) judge(to io.Writer, folder string, found []finding) int {
	known := w.known[folder]
	switch more := len(found) - known; {
	case more > 0:
		for _, f := range found {
			fmt.Fprintf(to, "%s:%d: %q: %s\n", f.file, f.line, f.word.text, f.word.instead)
		}
		fmt.Fprintf(to, "%s has %d words that the project no longer uses, and %d are known (%s): write others\n", folder, len(found), known, wordsFile)
		return more
	case more < 0:
		fmt.Fprintf(to, "%s has %d words that the project no longer uses, and %d are known: lower the number in %s\n", folder, len(found), known, wordsFile)
	}
	return 0
}
