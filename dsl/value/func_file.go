package value

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"

	"github.com/kind-lab/lab/dsl/internal/suggest"
)

// maxFileSize is the size, in bytes, of the largest file that is read.
const maxFileSize = 8 << 20

// files makes the functions that read the scenario's folder.
type files struct {
	dir  fs.FS
	path string
}

// name returns the path below the folder that given stands for; an error where
// it leaves the folder. Paths may begin with path.scenario.
func (f *files) name(given string) (string, error) {
	name := filepath.ToSlash(given)
	if root := filepath.ToSlash(f.path); root != "" && root != "." {
		if rest, ok := strings.CutPrefix(name, strings.TrimSuffix(root, "/")+"/"); ok {
			name = rest
		}
	}
	name = path.Clean(name)
	if !fs.ValidPath(name) {
		return "", fmt.Errorf("%q is not below the scenario's folder: files are read only there, by their path from it", given)
	}
	return name, nil
}

func (f *files) read(given string) (string, error) {
	name, err := f.name(given)
	if err != nil {
		return "", err
	}
	if f.dir == nil {
		return "", fmt.Errorf("%q cannot be read here: there is no folder", given)
	}
	data, err := readFile(f.dir, name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", fmt.Errorf("there is no file %q in the scenario's folder.%s", name, f.near(name))
	case err != nil:
		return "", fmt.Errorf("reading %q: %w", given, cause(err))
	case !utf8.Valid(data):
		return "", fmt.Errorf("%q is not text: it is not valid UTF-8", given)
	}
	return string(data), nil
}

// cause takes the path off an error of a file system, since the message names
// it already.
func cause(err error) error {
	var at *fs.PathError
	if errors.As(err, &at) {
		if strings.Contains(at.Err.Error(), "escapes") {
			return errors.New("it is a link that leaves the scenario's folder: files are read only below that")
		}
		return at.Err
	}
	return err
}

func readFile(dir fs.FS, name string) ([]byte, error) {
	info, err := fs.Stat(dir, name)
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		return nil, errors.New("it is a folder")
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("it is not a regular file")
	}
	file, err := dir.Open(name)
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(io.LimitReader(file, maxFileSize+1))
	if err := errors.Join(err, file.Close()); err != nil {
		return nil, err
	}
	if len(data) > maxFileSize {
		return nil, fmt.Errorf("it is larger than %d MiB", maxFileSize>>20)
	}
	return data, nil
}

// near suggests a file of the same folder with a name that is close.
func (f *files) near(name string) string {
	entries, err := fs.ReadDir(f.dir, path.Dir(name))
	if err != nil {
		return ""
	}
	var names []string
	for _, entry := range entries {
		names = append(names, path.Join(path.Dir(name), entry.Name()))
	}
	return suggest.Sentence(name, names)
}

func (f *files) file() function.Function {
	return function.New(&function.Spec{
		Params: []function.Parameter{{Name: "path", Type: cty.String}},
		Type:   function.StaticReturnType(cty.String),
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
			text, err := f.read(args[0].AsString())
			if err != nil {
				return cty.NilVal, function.NewArgError(0, err)
			}
			return cty.StringVal(text), nil
		},
	})
}

func (f *files) fileExists() function.Function {
	return function.New(&function.Spec{
		Params: []function.Parameter{{Name: "path", Type: cty.String}},
		Type:   function.StaticReturnType(cty.Bool),
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
			name, err := f.name(args[0].AsString())
			if err != nil {
				return cty.NilVal, function.NewArgError(0, err)
			}
			if f.dir == nil {
				return cty.False, nil
			}
			info, err := fs.Stat(f.dir, name)
			return cty.BoolVal(err == nil && info.Mode().IsRegular()), nil
		},
	})
}

// templateFile renders a file as a template. Templates have the functions that
// available returns; they can read no files themselves.
func (f *files) templateFile(available func() map[string]function.Function) function.Function {
	return function.New(&function.Spec{
		Params: []function.Parameter{
			{Name: "path", Type: cty.String},
			{Name: "vars", Type: cty.DynamicPseudoType},
		},
		Type: func(args []cty.Value) (cty.Type, error) {
			if !args[0].IsKnown() || !args[1].IsKnown() {
				return cty.DynamicPseudoType, nil
			}
			v, err := f.render(args[0], args[1], available)
			return v.Type(), err
		},
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
			return f.render(args[0], args[1], available)
		},
	})
}

func (f *files) render(name, vars cty.Value, available func() map[string]function.Function) (cty.Value, error) {
	if ty := vars.Type(); !ty.IsObjectType() && !ty.IsMapType() {
		return cty.DynamicVal, function.NewArgErrorf(1, "an object with the template's variables is required, such as { image = var.image }")
	}
	text, err := f.read(name.AsString())
	if err != nil {
		return cty.DynamicVal, function.NewArgError(0, err)
	}
	expr, diags := hclsyntax.ParseTemplate([]byte(text), name.AsString(), hcl.InitialPos)
	if diags.HasErrors() {
		return cty.DynamicVal, function.NewArgErrorf(0, "it is not a template: %s", inTemplate(diags))
	}
	Prepare(expr)
	ctx := &hcl.EvalContext{Variables: vars.AsValueMap(), Functions: available()}
	for _, ref := range expr.Variables() {
		if _, ok := ctx.Variables[ref.RootName()]; !ok {
			at := ref.SourceRange()
			return cty.DynamicVal, function.NewArgErrorf(1, "the template uses %q at %s:%d, which is not among its variables.%s",
				ref.RootName(), at.Filename, at.Start.Line, suggest.Sentence(ref.RootName(), keys(ctx.Variables)))
		}
	}
	v, diags := expr.Value(ctx)
	if diags.HasErrors() {
		return cty.DynamicVal, function.NewArgErrorf(0, "rendering it failed: %s", inTemplate(diags))
	}
	return v, nil
}

// inTemplate says what is the matter in a template, and where.
func inTemplate(diags hcl.Diagnostics) string {
	var all []string
	for _, d := range diags {
		at := ""
		if d.Subject != nil {
			at = fmt.Sprintf("%s:%d,%d: ", d.Subject.Filename, d.Subject.Start.Line, d.Subject.Start.Column)
		}
		all = append(all, at+d.Summary+"; "+d.Detail)
	}
	return strings.Join(all, " ")
}
