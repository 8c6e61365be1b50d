package value

import (
	"errors"
	"fmt"
	"io/fs"
	"math/big"
	"slices"
	"strings"
	"sync"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"
	"github.com/zclconf/go-cty/cty/function"

	"github.com/kind-lab/lab/dsl/internal/suggest"
)

// manifestList is the type of rendered manifests.
var manifestList = cty.List(cty.String)

// rendering renders what the expressions of scopes with the same Shared ask for,
// each chart and each kustomization with the same arguments once: a chart may
// have random values in it.
type rendering struct {
	files    *files
	renderer Renderer

	mu   sync.Mutex
	done map[string]outcome
}

// outcome is what rendering gave.
type outcome struct {
	manifests cty.Value
	rendered  []string
	warnings  []string
	err       error
	// secret says that it was rendered with a sensitive value.
	secret bool
}

// Warnings evaluates an expression and returns what a chart or a kustomization in
// it was rendered without, and what is deprecated in it.
func (s *Scope) Warnings(expr hcl.Expression) []string {
	e := s.evaluation()
	_, _ = e.eval(expr) // which others report
	return e.warnings
}

// renderFunctions are helm() and kustomize() for one evaluation.
func (e *evaluation) renderFunctions(target cty.Value) map[string]function.Function {
	c := &renderCall{rendering: e.rendering, note: func(warnings []string) { e.warnings = append(e.warnings, warnings...) }}
	return map[string]function.Function{
		"helm":      minding(c.minding(c.helm(versionIn(target), e.scope.Namespace))),
		"kustomize": minding(c.minding(c.kustomize())),
	}
}

// renderCall renders for one evaluation.
type renderCall struct {
	*rendering
	// note is given the warnings.
	note func([]string)
	// secret says that an argument of the call is sensitive.
	secret bool
}

// minding notes whether an argument of f is sensitive.
func (c *renderCall) minding(f function.Function) function.Function {
	return marked(f, func(args []cty.Value) (cty.Value, error) {
		c.secret = slices.ContainsFunc(args, func(arg cty.Value) bool { return arg.HasMarkDeep(Sensitive) })
		return f.Call(args)
	})
}

// ChartsIn returns the places at which an expression renders charts, for which the
// cluster must be known.
func ChartsIn(expr hcl.Expression) []hcl.Range {
	var found []hcl.Range
	for _, call := range callsOf(expr, "helm") {
		found = append(found, call.NameRange)
	}
	return found
}

// renderParams are the parameters of helm() and kustomize().
func renderParams(name string) *function.Spec {
	return &function.Spec{
		Params:   []function.Parameter{{Name: name, Type: cty.String}},
		VarParam: &function.Parameter{Name: "options", Type: cty.DynamicPseudoType, AllowNull: true, AllowDynamicType: true},
		Type:     function.StaticReturnType(manifestList),
	}
}

// unknownManifests is helm() or kustomize() where nothing can be rendered, as in a
// template.
func unknownManifests(name string) function.Function {
	spec := renderParams(name)
	spec.Impl = func([]cty.Value, cty.Type) (cty.Value, error) { return cty.UnknownVal(manifestList), nil }
	return function.New(spec)
}

// helm renders a chart for a cluster: of version kubernetes, in a namespace. Either
// may be unknown.
func (c *renderCall) helm(kubernetes cty.Value, namespace string) function.Function {
	spec := renderParams("chart")
	spec.Impl = func(args []cty.Value, _ cty.Type) (cty.Value, error) {
		release := Release{Namespace: namespace}
		known, err := release.options(args[1:])
		if err != nil {
			return cty.NilVal, err
		}
		version := versionFor(release, kubernetes)
		if !known || version == "" || release.Namespace == "" {
			return cty.UnknownVal(manifestList), nil
		}
		release.Kubernetes = version
		return c.render("helm", args[0], release, func(name string) (Rendered, error) {
			return c.renderer.Chart(c.files.dir, name, release)
		})
	}
	return function.New(spec)
}

// versionFor is the version for which a chart is rendered: empty if it is unknown.
func versionFor(r Release, kubernetes cty.Value) string {
	if r.Kubernetes != "" {
		return r.Kubernetes
	}
	plain, _ := kubernetes.Unmark()
	if !plain.IsKnown() || plain.IsNull() || plain.Type() != cty.String {
		return ""
	}
	return plain.AsString()
}

// kustomize builds a kustomization.
func (c *renderCall) kustomize() function.Function {
	spec := renderParams("folder")
	spec.Impl = func(args []cty.Value, _ cty.Type) (cty.Value, error) {
		var overlay map[string]any
		if len(args) > 2 {
			return cty.NilVal, function.NewArgErrorf(2, "kustomize() has a folder and a kustomization to lay over it: more than these two were given")
		}
		if len(args) == 2 && !args[1].IsNull() {
			if ty := args[1].Type(); ty != cty.DynamicPseudoType && !ty.IsObjectType() && !ty.IsMapType() {
				return cty.NilVal, function.NewArgErrorf(1, "a kustomization to lay over it is required, such as { namePrefix = \"test-\" }, not %s", article(ty))
			}
			if !args[1].IsWhollyKnown() {
				return cty.UnknownVal(manifestList), nil
			}
			overlay, _ = plainValue(args[1]).(map[string]any)
		}
		return c.render("kustomize", args[0], overlay, func(name string) (Rendered, error) {
			return c.renderer.Kustomization(c.files.dir, name, overlay)
		})
	}
	return function.New(spec)
}

// render renders what is at a path, unless that was done already.
func (c *renderCall) render(how string, given cty.Value, options any, do func(name string) (Rendered, error)) (cty.Value, error) {
	name, err := c.files.name(given.AsString())
	if err != nil {
		return cty.NilVal, function.NewArgErrorf(0, "%q is not below the scenario's folder: %s() renders only what is there, by its path from it", given.AsString(), how)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	key := fmt.Sprintf("%s %q %#v", how, name, options)
	done, ok := c.done[key]
	switch {
	case ok:
	case c.renderer == nil || c.files.dir == nil:
		return cty.UnknownVal(manifestList), nil
	default:
		if _, err := fs.Stat(c.files.dir, name); errors.Is(err, fs.ErrNotExist) {
			return cty.NilVal, function.NewArgErrorf(0, "there is no %q in the scenario's folder.%s", name, c.files.near(name))
		}
		done = outcomeOf(do(name))
		if c.done == nil {
			c.done = map[string]outcome{}
		}
	}
	done.secret = done.secret || c.secret
	if c.done != nil {
		c.done[key] = done
	}
	c.note(done.warnings)
	return done.manifests, done.err
}

func outcomeOf(rendered Rendered, err error) outcome {
	if err != nil {
		return outcome{manifests: cty.NilVal, err: function.NewArgErrorf(0, "%s", sentence(err))}
	}
	return outcome{manifests: texts(rendered.Manifests), rendered: rendered.Manifests, warnings: rendered.Warnings}
}

// sentence is an error's text without the line breaks and the point at its end.
func sentence(err error) string {
	return strings.TrimSuffix(strings.Join(strings.Fields(err.Error()), " "), ".")
}

// releaseOptions are the options of helm().
var releaseOptions = []string{"api_versions", "hooks", "kubernetes", "name", "namespace", "skip_crds", "values"}

// options takes over what helm() was given beside the chart. It returns false if
// some of that is unknown.
func (r *Release) options(args []cty.Value) (known bool, err error) {
	if len(args) > 1 {
		return false, function.NewArgErrorf(2, "helm() has a chart and options: more than these two were given")
	}
	if len(args) == 0 || args[0].IsNull() {
		return true, nil
	}
	ty := args[0].Type()
	if ty != cty.DynamicPseudoType && !ty.IsObjectType() && !ty.IsMapType() {
		return false, function.NewArgErrorf(1, "an object of options is required, such as { values = { replicas = 2 } }, not %s", article(ty))
	}
	if !args[0].IsKnown() {
		return false, nil
	}
	known = true
	for it := args[0].ElementIterator(); it.Next(); {
		key, v := it.Element()
		if v.IsNull() {
			continue
		}
		if !v.IsWhollyKnown() {
			known = false
			continue
		}
		if err := r.option(key.AsString(), v); err != nil {
			return false, function.NewArgError(1, err)
		}
	}
	return known, nil
}

func (r *Release) option(name string, v cty.Value) error {
	switch name {
	case "name":
		return optionAs(name, v, cty.String, "a string", func(v cty.Value) { r.Name = v.AsString() })
	case "namespace":
		return optionAs(name, v, cty.String, "a string", func(v cty.Value) { r.Namespace = v.AsString() })
	case "kubernetes":
		return optionAs(name, v, cty.String, "a version, such as \"1.29.3\"", func(v cty.Value) { r.Kubernetes = v.AsString() })
	case "hooks":
		return optionAs(name, v, cty.Bool, "true or false", func(v cty.Value) { r.Hooks = v.True() })
	case "skip_crds":
		return optionAs(name, v, cty.Bool, "true or false", func(v cty.Value) { r.SkipCRDs = v.True() })
	case "api_versions":
		return optionAs(name, v, manifestList, "a list of strings, such as [\"monitoring.coreos.com/v1\"]", func(v cty.Value) {
			for it := v.ElementIterator(); it.Next(); {
				if _, e := it.Element(); !e.IsNull() {
					r.APIVersions = append(r.APIVersions, e.AsString())
				}
			}
		})
	case "values":
		return r.values(v)
	}
	return fmt.Errorf("there is no option %q.%s helm() has %s", name, suggest.Sentence(name, releaseOptions), strings.Join(releaseOptions, ", "))
}

func optionAs(name string, v cty.Value, ty cty.Type, want string, set func(cty.Value)) error {
	as, err := convert.Convert(v, ty)
	if err != nil {
		return fmt.Errorf("the option %q must be %s, not %s", name, want, article(v.Type()))
	}
	set(as)
	return nil
}

// values takes over an object of values, a string of YAML, or a list of these.
func (r *Release) values(v cty.Value) error {
	all := []cty.Value{v}
	if ty := v.Type(); ty.IsTupleType() || ty.IsListType() {
		all = v.AsValueSlice()
	}
	for _, v := range all {
		ty := v.Type()
		switch {
		case v.IsNull():
		case ty == cty.String, ty.IsObjectType(), ty.IsMapType():
			r.Values = append(r.Values, plainValue(v))
		default:
			return fmt.Errorf("the option \"values\" must be an object, a string of YAML, or a list of these, not %s", article(ty))
		}
	}
	return nil
}

// plainValue is a wholly known value without marks in types of Go: a whole number
// is an int64 if it fits, as a template would print a float64 of a million as
// 1e+06.
func plainValue(v cty.Value) any {
	v, _ = v.Unmark()
	ty := v.Type()
	switch {
	case v.IsNull():
		return nil
	case ty == cty.String:
		return v.AsString()
	case ty == cty.Bool:
		return v.True()
	case ty == cty.Number:
		return plainNumber(v.AsBigFloat())
	case ty.IsObjectType() || ty.IsMapType():
		all := map[string]any{}
		for it := v.ElementIterator(); it.Next(); {
			key, e := it.Element()
			all[key.AsString()] = plainValue(e)
		}
		return all
	}
	all := []any{}
	for it := v.ElementIterator(); it.Next(); {
		_, e := it.Element()
		all = append(all, plainValue(e))
	}
	return all
}

func plainNumber(n *big.Float) any {
	if whole, accuracy := n.Int64(); accuracy == big.Exact {
		return whole
	}
	f, _ := n.Float64()
	return f
}
