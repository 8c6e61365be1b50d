package dsl

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"github.com/kind-lab/lab/dsl/action"
	"github.com/kind-lab/lab/dsl/diag"
	"github.com/kind-lab/lab/dsl/schema"
	"github.com/kind-lab/lab/dsl/value"
)

// ScenarioFile is the name of the file that makes a folder a scenario's.
const ScenarioFile = "scenario.hcl"

// Options are the inputs of the user of a scenario. The zero value has none.
type Options struct {
	// Vars are values of variables by name, as given on the command line. They
	// win over VarFiles, and those over Env.
	Vars map[string]string
	// VarFiles are files with a `name = value` on each line; a later one wins.
	VarFiles []string
	// Env looks up an environment variable, as os.LookupEnv does; nil for
	// none. LAB_VAR_NAME gives the variable NAME its value.
	Env func(name string) (string, bool)
	// NoValues says that a variable without a value is unknown, not a mistake.
	// Use it to check a scenario without running it.
	NoValues bool
	// Version is the version of lab, for required_version; empty to skip the
	// check.
	Version string
	// Verbs are the verbs of the language; the zero value has all verbs.
	Verbs action.Table
	// CheckVersion returns the mistake in a cluster's Kubernetes version
	// constraint. If it is nil, only the form of the constraint is checked.
	CheckVersion func(constraint string) error
	// Renderer renders charts and kustomizations. If it is nil, what helm() and
	// kustomize() return is unknown.
	Renderer value.Renderer
	// Rendered is what charts and kustomizations were rendered to before: they
	// are not rendered again.
	Rendered []value.Rendering
	// ClusterSets are the cluster sets that a file can use; nil for none.
	ClusterSets []schema.ClusterSet
	// Providers are the providers that a cluster may name. Nil means that any may
	// be named, and that nothing is checked that depends on it: for who reads a
	// scenario and does not run it.
	Providers []Provider
}

// Load reads a scenario: a file, or a folder that has a scenario.hcl. It reads
// all .hcl files of a folder as one file. The diagnostics are all mistakes and
// warnings. If there are errors, the module has only the parts that could be
// decoded, and must not be run. The module is never nil.
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
	opts.Verbs = opts.Verbs.OrDefault()
	src.FS = &reads{FS: src.FS, names: map[string]bool{}}
	l := &loader{
		opts: opts, module: emptyModule(), language: opts.Verbs.Language(), schemas: map[*schema.Block]*hcl.BodySchema{},
		several: map[string]bool{}, unsure: map[string]bool{}, used: map[string]bool{}, sets: map[string]hcl.Range{},
	}
	l.module.Path, l.module.Dir, l.module.FS, l.module.Verbs = name, src.dir, src.FS, opts.Verbs
	l.module.shared = value.NewShared(src.FS, src.dir).Rendering(opts.Renderer)
	l.module.shared.Remember(opts.Rendered)
	l.scope = value.Scope{Dir: src.FS, PathScenario: src.dir, Shared: l.module.shared}
	if bodies, ok := l.parse(src); ok {
		l.src = src
		l.decode(bodies)
	}
	return l.module, diag.FromHCL(l.redacted(once(l.diags)), l.module.Files)
}

// redacted takes sensitive values out of what diagnostics say.
func (l *loader) redacted(diags hcl.Diagnostics) hcl.Diagnostics {
	secrets := value.Secrets(l.scope.Vars, l.scope.Locals)
	if len(secrets) == 0 {
		return diags
	}
	for _, d := range diags {
		d.Detail = value.Redact(d.Detail, secrets)
	}
	return diags
}

// loader reads one scenario.
type loader struct {
	opts   Options
	module *Module
	diags  hcl.Diagnostics
	src    source
	// language is the language's schema, and schemas its HCL schemas.
	language *schema.Block
	schemas  map[*schema.Block]*hcl.BodySchema
	// several are the clusters with for_each, and unsure those whose for_each is
	// unknown or invalid. used are the references in the file, such as "var.x".
	several, unsure, used map[string]bool
	// sets are the places at which cluster sets are named. setMissing says that
	// one of them is unknown, and clusters are therefore missing.
	sets       map[string]hcl.Range
	setMissing bool
	// taken are the names of the file's locals, with their places.
	taken map[string]hcl.Range
	// scope is what is known before the run: variables, locals, files.
	scope value.Scope
}

// errorf adds an error at a range. detail is a format.
func (l *loader) errorf(at hcl.Range, summary, detail string, args ...any) {
	l.diags = append(l.diags, mistake(at, summary, fmt.Sprintf(detail, args...)))
}

// warnf adds a warning at a range. detail is a format.
func (l *loader) warnf(at hcl.Range, summary, detail string, args ...any) {
	d := mistake(at, summary, fmt.Sprintf(detail, args...))
	d.Severity = hcl.DiagWarning
	l.diags = append(l.diags, d)
}

// once removes duplicates: a mistake in every row of a matrix is reported only
// for the first row.
func once(diags hcl.Diagnostics) hcl.Diagnostics {
	type key struct{ at, summary, detail string }
	seen := map[key]bool{}
	var kept hcl.Diagnostics
	for _, d := range diags {
		k := key{"", d.Summary, d.Detail}
		if d.Subject != nil {
			k.at = d.Subject.String()
		}
		if !seen[k] {
			seen[k] = true
			kept = append(kept, d)
		}
	}
	return kept
}

// decode decodes all files as one, in an order in which everything is decoded
// before something refers to it.
func (l *loader) decode(bodies []hcl.Body) {
	byType := map[string][]inner{}
	var labs []hcl.Range
	for _, body := range bodies {
		for _, block := range l.content(body, l.language, surroundings{}).blocks {
			if block.Type == "lab" {
				labs = append(labs, block.DefRange)
			}
			byType[block.Type] = append(byType[block.Type], block)
		}
	}
	for i, at := range labs {
		if i > 0 { // content reports those of the same file
			l.errorf(at, "Duplicate lab block", "Only one lab block is allowed; the first is at %s.", FormatRange(labs[0]))
		}
	}
	l.lab(byType["lab"])
	l.variables(byType["variable"])
	l.locals(byType["locals"])
	l.clusters(byType["cluster"])
	l.scenarios(byType["scenario"])
	if !l.diags.HasErrors() {
		l.unused()
	}
}

// lab decodes the block about the file itself.
func (l *loader) lab(blocks []inner) {
	for _, block := range blocks {
		c := l.content(block.Body, block.schema, block.in)
		l.text(c.args["name"], block.in, &l.module.Name)
		l.text(c.args["description"], block.in, &l.module.Description)
		required := c.args["required_version"]
		if l.text(required, block.in, &l.module.RequiredVersion) {
			l.requireVersion(required, l.module.RequiredVersion)
		}
		l.clusterSets(c.args[schema.ClusterSetsArgument], block.in)
	}
}

func (l *loader) requireVersion(attr *hcl.Attribute, constraint string) {
	if _, err := value.VersionSatisfies("0.0.0", constraint); err != nil {
		l.errorf(attr.Expr.Range(), "Invalid version constraint", "The required_version is not a valid constraint: %v.", err)
		return
	}
	if l.opts.Version == "" {
		return
	}
	if ok, err := value.VersionSatisfies(l.opts.Version, constraint); err == nil && !ok {
		l.errorf(attr.Expr.Range(), "Unsupported version of lab",
			"The scenario requires lab %s; this is %s. Install a version that it allows.", constraint, l.opts.Version)
	}
}

// FormatRange formats a place as "file:line".
func FormatRange(r hcl.Range) string {
	return fmt.Sprintf("%s:%d", r.Filename, r.Start.Line)
}
