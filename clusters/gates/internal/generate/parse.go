package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
	"strings"

	"github.com/kind-lab/lab/clusters"
)

// spec is the state of a gate in one version.
type spec struct {
	stage       string
	on, locked  bool
	since       int // the minor version from which a versioned spec counts
	isVersioned bool
}

// gatesIn finds the gates that a package registers: the elements of maps whose
// values are featuregate.FeatureSpec, or lists of them by version, of which the
// one counts that is in force in the version read.
func gatesIn(sources [][]byte, version string) (map[string]spec, error) {
	names := map[string]string{}
	var files []*ast.File
	for _, src := range sources {
		file, err := parser.ParseFile(token.NewFileSet(), "features.go", src, 0)
		if err != nil {
			return nil, err
		}
		files = append(files, file)
		constants(file, names)
	}
	found := map[string]spec{}
	for _, file := range files {
		registered(file, minorOf(version), names, found)
	}
	return found, nil
}

// registered puts the gates that a file registers into found.
func registered(file *ast.File, minor int, names map[string]string, found map[string]spec) {
	ast.Inspect(file, func(n ast.Node) bool {
		pair, ok := n.(*ast.KeyValueExpr)
		if !ok {
			return true
		}
		literal, ok := pair.Value.(*ast.CompositeLit)
		if !ok {
			return true
		}
		if state, ok := stateOf(literal, minor); ok {
			if name := gateName(pair.Key, names); name != "" {
				found[name] = state
			}
			return false
		}
		return true
	})
}

// constants puts the names of gates into names, by the constants that hold
// them.
func constants(file *ast.File, names map[string]string) {
	ast.Inspect(file, func(n ast.Node) bool {
		value, ok := n.(*ast.ValueSpec)
		if !ok || len(value.Names) != 1 || len(value.Values) != 1 {
			return true
		}
		if literal, ok := value.Values[0].(*ast.BasicLit); ok && literal.Kind == token.STRING {
			if text, err := strconv.Unquote(literal.Value); err == nil {
				names[value.Names[0].Name] = text
			}
		}
		return true
	})
}

// gateName is the gate that a key names: a constant of this file, or one of
// another package, which are named as the gates are.
func gateName(key ast.Expr, names map[string]string) string {
	switch key := key.(type) {
	case *ast.Ident:
		if name, ok := names[key.Name]; ok {
			return name
		}
		return ""
	case *ast.SelectorExpr:
		return key.Sel.Name
	}
	return ""
}

// stateOf reads a FeatureSpec, or a list of them by version.
func stateOf(literal *ast.CompositeLit, minor int) (spec, bool) {
	if s, ok := specOf(literal); ok {
		return s, !s.isVersioned
	}
	best, any := spec{since: -1}, false
	for _, element := range literal.Elts {
		inner, ok := element.(*ast.CompositeLit)
		if !ok {
			return spec{}, false
		}
		s, ok := specOf(inner)
		if !ok || !s.isVersioned {
			return spec{}, false
		}
		if s.since <= minor && s.since >= best.since {
			best, any = s, true
		}
	}
	return best, any
}

func specOf(literal *ast.CompositeLit) (spec, bool) {
	s, staged := spec{}, false
	for _, element := range literal.Elts {
		pair, ok := element.(*ast.KeyValueExpr)
		if !ok {
			return spec{}, false
		}
		field, ok := pair.Key.(*ast.Ident)
		if !ok {
			return spec{}, false
		}
		switch field.Name {
		case "Default":
			s.on = isTrue(pair.Value)
		case "LockToDefault":
			s.locked = isTrue(pair.Value)
		case "PreRelease":
			s.stage, staged = stage(pair.Value), true
		case "Version":
			s.since, s.isVersioned = since(pair.Value)
		default:
			return spec{}, false
		}
	}
	return s, staged
}

func isTrue(e ast.Expr) bool {
	name, ok := e.(*ast.Ident)
	return ok && name.Name == "true"
}

func stage(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.SelectorExpr:
		return strings.ToLower(e.Sel.Name)
	case *ast.Ident:
		return strings.ToLower(e.Name)
	}
	return "alpha" // PreRelease: "" is not written
}

// since is the minor version of version.MustParse("1.29").
func since(e ast.Expr) (int, bool) {
	call, ok := e.(*ast.CallExpr)
	if !ok || len(call.Args) != 1 {
		return 0, false
	}
	literal, ok := call.Args[0].(*ast.BasicLit)
	if !ok {
		return 0, false
	}
	text, err := strconv.Unquote(literal.Value)
	if err != nil {
		return 0, false
	}
	v, err := clusters.ReleaseOf(text)
	return v.Minor, err == nil
}
