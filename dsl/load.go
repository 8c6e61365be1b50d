package dsl

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"github.com/kind-lab/lab/dsl/diag"
	"github.com/kind-lab/lab/dsl/value"
)

// ScenarioFile is the name of the file that makes a folder a scenario's.
const ScenarioFile = "scenario.hcl"

// Options are what a scenario's user brings. The zero value brings nothing.
type Options struct {
	// Vars are values of variables by name, as given on the command line. They
	// win over VarFiles, and those over Env.
	Vars map[string]string
	// VarFiles are files with a `name = value` on each line; a later one wins.
	VarFiles []string
	// Env looks up an environment variable, as os.LookupEnv does; nil for
	// none. LAB_VAR_NAME gives the variable NAME its value.
	Env func(name string) (string, bool)
	// Version is the version of lab, for required_version; empty where it is
	// not to be checked.
	Version string
	// CheckVersion says what is wrong with a cluster's Kubernetes version
	// constraint; nil stands for a check of its form alone.
	CheckVersion func(constraint string) error
}

// Load reads a scenario: a file, or a folder that holds scenario.hcl, of which
// all .hcl files are read as one. The diagnostics are all mistakes found, and
// warnings. Where they have errors the module is what could be made out, for
// its Files and names, and must not be run; it is never nil.
func Load(name string, opts Options) (*Module, diag.List) {
	info, err := os.Stat(name)
	if err != nil {
		return missing(name, err)
	}
	dir, file := filepath.Dir(name), filepath.Base(name)
	if info.IsDir() {
		dir, file = name, ""
	}
	return load(source{FS: confined(dir), dir: dir, file: file, join: filepath.Join}, name, opts)
}

// LoadFS is Load of a file or folder within fsys. The file system must not
// follow links out of itself: an embed.FS, or the FS of an os.Root.
func LoadFS(fsys fs.FS, name string, opts Options) (*Module, diag.List) {
	name = path.Clean(name)
	info, err := fs.Stat(fsys, name)
	if err != nil {
		return missing(name, err)
	}
	dir, file := path.Dir(name), path.Base(name)
	if info.IsDir() {
		dir, file = name, ""
	}
	sub, err := fs.Sub(fsys, dir)
	if err != nil {
		return missing(name, err)
	}
	return load(source{FS: sub, dir: dir, file: file, join: path.Join}, name, opts)
}

func missing(name string, err error) (*Module, diag.List) {
	detail := fmt.Sprintf("%q cannot be read: %v.", name, err)
	if errors.Is(err, fs.ErrNotExist) {
		detail = fmt.Sprintf("There is no file or folder %q. A scenario is a file that ends in .hcl, or a folder that holds %s.", name, ScenarioFile)
	}
	return emptyModule(), diag.List{{Severity: diag.SeverityError, Summary: "No such scenario", Detail: detail}}
}

func emptyModule() *Module {
	return &Module{Files: map[string]*hcl.File{}, Vars: cty.EmptyObjectVal, Locals: cty.EmptyObjectVal}
}

func load(src source, name string, opts Options) (*Module, diag.List) {
	l := &loader{opts: opts, module: emptyModule()}
	l.module.Path, l.module.Dir, l.module.FS = name, src.dir, src.FS
	l.scope = value.Scope{Dir: src.FS, PathScenario: src.dir}
	if bodies, ok := l.parse(src); ok {
		l.decode(bodies)
	}
	return l.module, diag.FromHCL(l.diags, l.module.Files)
}

// loader is the work of reading one scenario.
type loader struct {
	opts   Options
	module *Module
	diags  hcl.Diagnostics
	// taken are the names of the file's locals, with their places.
	taken map[string]hcl.Range
	// scope is what is known when nothing has run: variables, locals, files.
	scope value.Scope
}

// errorf adds an error about a range. detail is a format.
func (l *loader) errorf(at hcl.Range, summary, detail string, args ...any) {
	l.diags = append(l.diags, &hcl.Diagnostic{
		Severity: hcl.DiagError, Summary: summary, Detail: fmt.Sprintf(detail, args...), Subject: &at,
	})
}

// decode decodes all files as one, in an order in which everything is known
// before it is referred to.
func (l *loader) decode(bodies []hcl.Body) {
	byType := map[string]hcl.Blocks{}
	for _, body := range bodies {
		content, diags := body.Content(topSchema())
		l.diags = append(l.diags, diags...)
		for _, block := range content.Blocks {
			byType[block.Type] = append(byType[block.Type], block)
		}
	}
	l.notYet(byType["exercise"], "")
	l.lab(byType["lab"])
	l.variables(byType["variable"])
	l.locals(byType["locals"])
	l.clusters(byType["cluster"])
	l.scenarios(byType["scenario"])
}

func topSchema() *hcl.BodySchema {
	return &hcl.BodySchema{Blocks: []hcl.BlockHeaderSchema{
		{Type: "lab"}, {Type: "locals"},
		{Type: "variable", LabelNames: []string{"name"}},
		{Type: "cluster", LabelNames: []string{"name"}},
		{Type: "scenario", LabelNames: []string{"name"}},
		{Type: "exercise", LabelNames: []string{"name"}},
	}}
}

// lab decodes the block about the file itself.
func (l *loader) lab(blocks hcl.Blocks) {
	for i, block := range blocks {
		if i > 0 {
			l.errorf(block.DefRange, "Duplicate lab block", "There may be one lab block; the first is at %s.", FormatRange(blocks[0].DefRange))
			continue
		}
		content, diags := block.Body.Content(&hcl.BodySchema{Attributes: attributes("name", "description", "required_version")})
		l.diags = append(l.diags, diags...)
		l.text(content.Attributes["name"], &l.module.Name)
		l.text(content.Attributes["description"], &l.module.Description)
		required := content.Attributes["required_version"]
		if l.text(required, &l.module.RequiredVersion) {
			l.requireVersion(required, l.module.RequiredVersion)
		}
	}
}

func (l *loader) requireVersion(attr *hcl.Attribute, constraint string) {
	if _, err := value.VersionSatisfies("0.0.0", constraint); err != nil {
		l.errorf(attr.Expr.Range(), "Invalid version constraint", "The required_version is not understood: %v.", err)
		return
	}
	if l.opts.Version == "" {
		return
	}
	if ok, err := value.VersionSatisfies(l.opts.Version, constraint); err == nil && !ok {
		l.errorf(attr.Expr.Range(), "This version of lab does not serve",
			"The scenario requires lab %s; this is %s. Install a version that it allows.", constraint, l.opts.Version)
	}
}

// notYet reports blocks of the language that this version cannot do. in names
// what they are in, such as ` in a scenario`.
func (l *loader) notYet(blocks hcl.Blocks, in string) {
	for _, block := range blocks {
		l.errorf(block.DefRange, "Not there yet",
			"Blocks of type %q%s belong to the language, but this version of lab cannot do them yet. Take the block out to run the rest.", block.Type, in)
	}
}

// FormatRange writes where something is, as "file:line".
func FormatRange(r hcl.Range) string {
	return fmt.Sprintf("%s:%d", r.Filename, r.Start.Line)
}

// attributes makes a schema of argument names; those that begin with "*" are
// required.
func attributes(names ...string) []hcl.AttributeSchema {
	schema := make([]hcl.AttributeSchema, 0, len(names))
	for _, name := range names {
		plain, required := strings.CutPrefix(name, "*")
		schema = append(schema, hcl.AttributeSchema{Name: plain, Required: required})
	}
	return schema
}
