package value

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"
)

// fakeRenderer writes down what it is asked for, and gives it back as manifests.
type fakeRenderer struct {
	asked []string
	err   error
}

func (f *fakeRenderer) Chart(_ fs.FS, name string, r Release) (Rendered, error) {
	return f.answer(fmt.Sprintf("chart %s: %+v", name, r))
}

func (f *fakeRenderer) Kustomization(_ fs.FS, dir string, overlay map[string]any) (Rendered, error) {
	return f.answer(fmt.Sprintf("kustomization %s: %+v", dir, overlay))
}

func (f *fakeRenderer) answer(asked string) (Rendered, error) {
	f.asked = append(f.asked, asked)
	return Rendered{Manifests: []string{asked, "second"}, Warnings: []string{fmt.Sprintf("warning %d", len(f.asked))}}, f.err
}

// rendered is a scope in which charts are rendered by f for 1.29.3.
func rendered(f *fakeRenderer) *Scope {
	return &Scope{
		Dir: folder(), PathScenario: "labs/x", Shared: NewShared(folder(), "labs/x").Rendering(f), Namespace: "lab-1",
		Target: &Target{Name: "a", Kubernetes: "1.29.3", Minor: 29}, Vars: cty.ObjectVal(map[string]cty.Value{"secret": cty.StringVal("hidden").Mark(Sensitive)}),
	}
}

func TestRendererIsGivenWhatIsWritten(t *testing.T) {
	const release = "{Name: Namespace:lab-1 Values:[] Kubernetes:1.29.3 APIVersions:[] Hooks:false SkipCRDs:false}"
	with := func(old, is string) string { return strings.Replace(release, old, is, 1) }
	for name, tt := range map[string]struct{ expr, want string }{
		"a folder":                          {`helm("sub")`, "chart sub: " + release},
		"a path from path.scenario":         {`helm("${path.scenario}/./sub/../sub")`, "chart sub: " + release},
		"no options":                        {`helm("sub", null)`, "chart sub: " + release},
		"an option that is null":            {`helm("sub", { name = null })`, "chart sub: " + release},
		"name and namespace":                {`helm("sub", { name = "shop", namespace = "store" })`, "chart sub: " + strings.Replace(with("Name:", "Name:shop"), "lab-1", "store", 1)},
		"another version":                   {`helm("sub", { kubernetes = "1.30.0" })`, "chart sub: " + with("1.29.3", "1.30.0")},
		"flags":                             {`helm("sub", { hooks = true, skip_crds = "true" })`, "chart sub: " + strings.ReplaceAll(release, "false", "true")},
		"further API versions":              {`helm("sub", { api_versions = ["a/v1", "a/v1/B"] })`, "chart sub: " + with("APIVersions:[]", "APIVersions:[a/v1 a/v1/B]")},
		"values":                            {`helm("sub", { values = { a = 1000000, b = [1.5, true, null] } })`, "chart sub: " + with("Values:[]", "Values:[map[a:1000000 b:[1.5 true <nil>]]]")},
		"values as a text":                  {`helm("sub", { values = file("sub/b.yaml") })`, "chart sub: " + with("Values:[]", "Values:[a: 1\n]")},
		"several values":                    {`helm("sub", { values = ["a: 1", { a = 2 }, null] })`, "chart sub: " + with("Values:[]", "Values:[a: 1 map[a:2]]")},
		"a large number is whole":           {`helm("sub", { values = { n = 9007199254740993 } })`, "chart sub: " + with("Values:[]", "Values:[map[n:9007199254740993]]")},
		"a kustomization":                   {`kustomize("sub")`, "kustomization sub: map[]"},
		"a kustomization of all":            {`kustomize(".")`, "kustomization .: map[]"},
		"a kustomization that is laid over": {`kustomize("sub", { namePrefix = "a-", images = [{ name = "x", newTag = "1" }] })`, "kustomization sub: map[images:[map[name:x newTag:1]] namePrefix:a-]"},
	} {
		t.Run(name, func(t *testing.T) {
			f := &fakeRenderer{}
			v, diags := rendered(f).Eval(parse(t, tt.expr))
			if diags.HasErrors() {
				t.Fatal(diags)
			}
			if diff := cmp.Diff([]string{tt.want}, f.asked); diff != "" {
				t.Error(diff)
			}
			want := cty.ListVal([]cty.Value{cty.StringVal(tt.want), cty.StringVal("second")})
			if !v.RawEquals(want) {
				t.Errorf("got %s", Format(v))
			}
		})
	}
}

func TestWhatCannotBeRenderedYetIsUnknown(t *testing.T) {
	for name, tt := range map[string]struct {
		expr   string
		change func(*Scope)
	}{
		"the cluster":                  {`helm("sub")`, func(s *Scope) { s.Target = nil }},
		"the version":                  {`helm("sub")`, func(s *Scope) { s.Target.Kubernetes = "" }},
		"the namespace":                {`helm("sub")`, func(s *Scope) { s.Namespace = "" }},
		"the chart":                    {`helm(pod.x.name)`, nil},
		"all options":                  {`helm("sub", pod.x.conditions)`, nil},
		"one option":                   {`helm("sub", { name = pod.x.name })`, nil},
		"a value deep inside":          {`helm("sub", { values = { a = [{ b = pod.x.phase }] } })`, nil},
		"the folder of kustomizations": {`kustomize(pod.x.name)`, nil},
		"the overlay":                  {`kustomize("sub", { namePrefix = pod.x.name })`, nil},
		"there is no renderer":         {`helm("sub")`, func(s *Scope) { s.Shared = NewShared(s.Dir, "labs/x") }},
		"in a template":                {`templatefile("chart.tpl", {})`, nil},
	} {
		t.Run(name, func(t *testing.T) {
			f := &fakeRenderer{}
			s := rendered(f)
			dir := folder()
			dir["chart.tpl"] = folder()["a.txt"]
			dir["chart.tpl"].Data = []byte(`${join("", helm("sub"))}`)
			s.Shared = NewShared(dir, "labs/x").Rendering(f)
			if tt.change != nil {
				tt.change(s)
			}
			v, diags := s.Eval(parse(t, tt.expr))
			if diags.HasErrors() || v.IsKnown() || len(f.asked) > 0 {
				t.Errorf("got %s, %v; the renderer was asked %q", Format(v), diags, f.asked)
			}
		})
	}
}

func TestMistakesInWhatIsToBeRendered(t *testing.T) {
	for name, tt := range map[string]struct{ expr, want string }{
		"a chart outside":             {`helm("../x")`, `"../x" is not below the scenario's folder: helm() renders only what is there, by its path from it`},
		"an unknown option":           {`helm("sub", { value = {} })`, `there is no option "value". Did you mean "values"? helm() has api_versions, hooks, kubernetes, name, namespace, skip_crds, values`},
		"options of a wrong type":     {`helm("sub", "x")`, `an object of options is required, such as { values = { replicas = 2 } }, not a string`},
		"a third argument":            {`helm("sub", {}, {})`, `helm() has a chart and options: more than these two were given`},
		"a name of a wrong type":      {`helm("sub", { name = {} })`, `the option "name" must be a string, not an object`},
		"a flag of a wrong type":      {`helm("sub", { hooks = "often" })`, `the option "hooks" must be true or false, not a string`},
		"API versions of wrong types": {`helm("sub", { api_versions = "a/v1" })`, `the option "api_versions" must be a list of strings, such as ["monitoring.coreos.com/v1"], not a string`},
		"values of a wrong type":      {`helm("sub", { values = [1] })`, `the option "values" must be an object, a string of YAML, or a list of these, not a number`},
		"an overlay of a wrong type":  {`kustomize("sub", ["a"])`, `a kustomization to lay over it is required, such as { namePrefix = "test-" }, not a tuple`},
		"too much to lay over":        {`kustomize("sub", {}, {})`, `kustomize() has a folder and a kustomization to lay over it: more than these two were given`},
		"a chart that is not there":   {`helm("subb")`, `there is no "subb" in the scenario's folder. Did you mean "sub"?`},
		"a folder that is not there":  {`kustomize("sub/x")`, `there is no "sub/x" in the scenario's folder.`},
		"no argument":                 {`kustomize()`, `Function "kustomize" expects at least 1 argument(s)`},
	} {
		t.Run(name, func(t *testing.T) {
			f := &fakeRenderer{}
			_, diags := rendered(f).Eval(parse(t, tt.expr))
			if !diags.HasErrors() || !strings.Contains(diags.Error(), tt.want) || len(f.asked) > 0 {
				t.Errorf("got %v, want %s; the renderer was asked %q", diags, tt.want, f.asked)
			}
		})
	}
}

func TestEachChartIsRenderedOnce(t *testing.T) {
	f := &fakeRenderer{}
	s := rendered(f)
	expr := parse(t, `concat(helm("sub"), helm("sub"), helm("sub", { values = { a = 1 } }), kustomize("sub"))`)
	first, diags := s.Eval(expr)
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	other := *s
	other.Target = &Target{Kubernetes: "1.30.0"}
	for range 2 {
		if again, _ := s.Eval(expr); !again.RawEquals(first) {
			t.Errorf("rendered differently: %s", Format(again))
		}
		if _, diags := other.Eval(parse(t, `helm("sub")`)); diags.HasErrors() {
			t.Error(diags)
		}
	}
	if len(f.asked) != 4 {
		t.Errorf("the renderer was asked %d times, want 4: %q", len(f.asked), f.asked)
	}
}

func TestWarningsOfWhatIsRenderedAreKept(t *testing.T) {
	s := rendered(&fakeRenderer{})
	s.ScenarioLocals = map[string]hcl.Expression{"app": parse(t, `helm("sub")`)}
	for range 2 { // also of what was rendered before
		if diff := cmp.Diff([]string{"warning 1", "warning 2"}, s.Warnings(parse(t, `concat(local.app, kustomize("sub"))`))); diff != "" {
			t.Error(diff)
		}
	}
	if got := s.Warnings(parse(t, `upper("a")`)); got != nil {
		t.Errorf("warnings %q", got)
	}
}

func TestAFailureToRenderIsOneSentence(t *testing.T) {
	s := rendered(&fakeRenderer{err: errors.New("chart web:\n  line 1: wrong\n")})
	_, diags := s.Eval(parse(t, `helm("sub")`))
	if want := `Invalid value for "chart" parameter: chart web: line 1: wrong.`; !diags.HasErrors() || diags[0].Detail != want {
		t.Errorf("got %v, want %s", diags, want)
	}
}

func TestWhatIsRenderedOfASecretIsSecret(t *testing.T) {
	v, diags := rendered(&fakeRenderer{}).EvalMarked(parse(t, `helm("sub", { values = { a = var.secret } })[0]`))
	if diags.HasErrors() || !v.HasMark(Sensitive) {
		t.Errorf("got %#v, %v", v, diags)
	}
	if shown := Format(v); strings.Contains(shown, "hidden") {
		t.Errorf("shown as %s", shown)
	}
}

func TestWhatWasRenderedIsRemembered(t *testing.T) {
	f := &fakeRenderer{}
	before := rendered(f)
	for _, text := range []string{`helm("sub")`, `kustomize("sub")`, `helm("sub", { name = var.secret })`, `helm("sub", { name = nonsensitive })`} {
		_, _ = before.Eval(parse(t, text)) // the last one fails
	}
	kept := before.Shared.Renderings()
	if len(kept) != 2 || strings.Contains(fmt.Sprint(kept), "hidden") {
		t.Fatalf("kept %q", kept)
	}
	again := &fakeRenderer{}
	after := rendered(again)
	after.Shared.Remember(kept)
	for _, text := range []string{`helm("sub")`, `kustomize("sub")`} {
		was, _ := before.Eval(parse(t, text))
		is, diags := after.Eval(parse(t, text))
		if diags.HasErrors() || !is.RawEquals(was) {
			t.Errorf("%s: got %s, %v; want %s", text, Format(is), diags, Format(was))
		}
	}
	if len(again.asked) > 0 {
		t.Errorf("rendered again: %q", again.asked)
	}
	after.Shared = NewShared(after.Dir, after.PathScenario)
	after.Shared.Remember(kept)
	if v, _ := after.Eval(parse(t, `helm("sub")`)); !v.IsKnown() {
		t.Error("a rendering that is remembered needs a renderer")
	}
}

func TestAFailureIsNotKept(t *testing.T) {
	s := rendered(&fakeRenderer{err: errors.New("no")})
	_, _ = s.Eval(parse(t, `helm("sub")`))
	if kept := s.Shared.Renderings(); len(kept) > 0 {
		t.Errorf("kept %q", kept)
	}
}
