package dsl

import (
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"github.com/kind-lab/lab/dsl/internal/suggest"
)

// AutoVarFiles is the suffix of files in the scenario's folder with values of
// variables. lab reads these files without a flag.
const AutoVarFiles = ".auto.labvars"

// isAutoVarFile says whether a file of that name has values of variables, in
// either syntax.
func isAutoVarFile(name string) bool {
	return strings.HasSuffix(strings.TrimSuffix(name, ".json"), AutoVarFiles)
}

// valueFile is a file of values.
type valueFile struct {
	name string
	data []byte
}

// autoFiles reads the files of values in the scenario's folder, in the order of
// their names.
func (l *loader) autoFiles() []valueFile {
	entries, err := fs.ReadDir(l.src.FS, ".")
	if err != nil {
		return nil // the scenario itself could be read; there is nothing to list
	}
	var files []valueFile
	for _, entry := range entries {
		name := entry.Name()
		if entry.IsDir() || strings.HasPrefix(name, ".") || !isAutoVarFile(name) {
			continue
		}
		shown := l.src.join(l.src.dir, name)
		data, err := readSource(l.src.FS, name)
		if err != nil {
			l.unreadable(shown, err)
			continue
		}
		files = append(files, valueFile{shown, data})
	}
	return files
}

// varFile reads a file of values that the user named.
func (l *loader) varFile(name string) []*hcl.Attribute {
	info, err := os.Stat(name)
	if err == nil && info.Size() > maxSource {
		err = fmt.Errorf("it is larger than %d MiB", maxSource>>20)
	}
	var data []byte
	if err == nil {
		data, err = os.ReadFile(name)
	}
	if err != nil {
		l.unreadable(name, err)
		return nil
	}
	return l.varAttributes(data, name)
}

// varAttributes parses a file of values and returns them in the order in which
// they are written.
func (l *loader) varAttributes(data []byte, name string) []*hcl.Attribute {
	file, diags := parseSource(data, name)
	l.module.Files[name] = file
	l.diags = append(l.diags, diags...)
	if diags.HasErrors() {
		return nil
	}
	found, diags := file.Body.JustAttributes()
	l.diags = append(l.diags, diags...)
	attrs := make([]*hcl.Attribute, 0, len(found))
	for _, attr := range found {
		attrs = append(attrs, l.native(attr))
	}
	sortByPlace(attrs)
	return attrs
}

// take sets variables to the values of a file.
func (l *loader) take(attrs []*hcl.Attribute, byName map[string]*declaration, values map[string]cty.Value) {
	for _, attr := range attrs {
		d := byName[attr.Name]
		if d == nil {
			l.errorf(attr.NameRange, "Unknown variable", "The scenario declares no variable %q.%s", attr.Name, suggest.Sentence(attr.Name, sorted(byName)))
			continue
		}
		v, diags := attr.Expr.Value(&hcl.EvalContext{})
		if diags.HasErrors() {
			l.diags = append(l.diags, diags...)
			values[d.Name] = cty.UnknownVal(d.Type)
			continue
		}
		values[d.Name] = l.fit(d, v, attr.Expr.Range(), "The value")
	}
}
