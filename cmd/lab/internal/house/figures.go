package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
)

// The sizes that the house allows, in lines.
const (
	mostOfFile     = 400
	mostOfFunction = 60
)

// figures are those of a folder.
type figures struct {
	// files and functions are their lengths in lines, without tests.
	files, functions []int
	// exported is how many names are exported by packages that can be imported,
	// and documented how many of them have a comment.
	exported, documented int
	// code and tests are lines of Go, the latter those of _test.go files and of
	// packages that nothing but tests imports.
	code, tests int
	// notes name what is longer than it may be, and what is not documented.
	notes []string
}

// add adds a file. forTests says that its package is for tests alone.
func (f *figures) add(s source, forTests bool) error {
	lines := bytes.Count(s.text, []byte("\n"))
	if s.isTest() {
		f.tests += lines
		return nil
	}
	if forTests {
		f.tests += lines
	} else {
		f.code += lines
	}
	f.files = append(f.files, lines)
	if lines >= mostOfFile {
		f.notes = append(f.notes, fmt.Sprintf("%s has %d lines", s.name, lines))
	}
	files := token.NewFileSet()
	parsed, err := parser.ParseFile(files, s.name, s.text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	for _, d := range parsed.Decls {
		if function, ok := d.(*ast.FuncDecl); ok {
			length := files.Position(function.End()).Line - files.Position(function.Pos()).Line + 1
			f.functions = append(f.functions, length)
			if length > mostOfFunction+2 {
				f.notes = append(f.notes, fmt.Sprintf("%s: %s has %d lines", s.name, function.Name.Name, length))
			}
		}
		if parsed.Name.Name != "main" {
			f.document(s.name, d)
		}
	}
	return nil
}

// document counts the names that a declaration exports.
func (f *figures) document(file string, d ast.Decl) {
	count := func(name *ast.Ident, comments ...*ast.CommentGroup) {
		if !name.IsExported() {
			return
		}
		f.exported++
		if slices.ContainsFunc(comments, func(c *ast.CommentGroup) bool { return c != nil }) {
			f.documented++
			return
		}
		f.notes = append(f.notes, fmt.Sprintf("%s: %s has no comment", file, name.Name))
	}
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Recv == nil || ast.IsExported(receiver(d.Recv.List[0].Type)) {
			count(d.Name, d.Doc)
		}
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch spec := spec.(type) {
			case *ast.TypeSpec:
				count(spec.Name, spec.Doc, spec.Comment, d.Doc)
			case *ast.ValueSpec:
				for _, name := range spec.Names {
					count(name, spec.Doc, spec.Comment, d.Doc)
				}
			}
		}
	}
}

// receiver is the name of a receiver's type.
func receiver(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.StarExpr:
		return receiver(e.X)
	case *ast.IndexExpr:
		return receiver(e.X)
	case *ast.IndexListExpr:
		return receiver(e.X)
	}
	return ""
}

// merge adds the figures of another folder.
func (f *figures) merge(other figures) {
	f.files, f.functions = append(f.files, other.files...), append(f.functions, other.functions...)
	f.exported, f.documented = f.exported+other.exported, f.documented+other.documented
	f.code, f.tests = f.code+other.code, f.tests+other.tests
	f.notes = append(f.notes, other.notes...)
}

// spread is the median, the length that 90 % do not exceed, and the greatest.
func spread(lengths []int) string {
	if len(lengths) == 0 {
		return "-"
	}
	sorted := slices.Sorted(slices.Values(lengths))
	at := func(percent int) int { return sorted[min(len(sorted)*percent/100, len(sorted)-1)] }
	return fmt.Sprintf("%d / %d / %d", at(50), at(90), at(100))
}

// readFigures are the figures by folder at the top level. What programs wrote
// and what tests read does not count.
func readFigures(root string) (map[string]figures, error) {
	by := map[string]figures{}
	fakes, err := readTestPackages(root)
	if err != nil {
		return nil, err
	}
	err = sources(root, func(s source) error {
		if s.isGenerated() || s.isTestdata() {
			return nil
		}
		f := by[s.top()]
		err := f.add(s, fakes.has(s.name))
		by[s.top()] = f
		return err
	}, ".go")
	return by, err
}

// printFigures prints the figures of each folder and of all of them.
func printFigures(root string, to io.Writer) error {
	by, err := readFigures(root)
	if err != nil {
		return err
	}
	var all figures
	table := tabwriter.NewWriter(to, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "FOLDER\tFILES\tLINES OF A FILE\tFUNCTIONS\tLINES OF ONE\tDOCUMENTED\tTEST : CODE")
	for _, folder := range folders {
		all.merge(by[folder])
		by[folder].row(table, folder)
	}
	all.row(table, "all")
	fmt.Fprintln(table, "\t\tmedian/90%/most\t\tmedian/90%/most\t\t")
	if err := table.Flush(); err != nil {
		return err
	}
	for _, note := range all.notes {
		fmt.Fprintln(to, note)
	}
	return nil
}

func (f figures) row(to io.Writer, folder string) {
	ratio := "-"
	if f.code > 0 {
		ratio = fmt.Sprintf("%.2f", float64(f.tests)/float64(f.code))
	}
	fmt.Fprintln(to, strings.Join([]string{folder, fmt.Sprint(len(f.files)), spread(f.files), fmt.Sprint(len(f.functions)), spread(f.functions),
		fmt.Sprintf("%d of %d", f.documented, f.exported), ratio}, "\t"))
}
