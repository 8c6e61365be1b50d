package value

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
)

// expressionsOf are the references of an expression, as they are written.
func expressionsOf(s *Scope, expr hcl.Expression) []string {
	var all []string
	for _, ref := range s.References(expr) {
		all = append(all, ref.Expression)
	}
	return all
}

func TestReferencesOf(t *testing.T) {
	for _, tt := range []struct {
		name, expr string
		want       []string
	}{
		{"none", `1 + 2`, nil},
		{"each once", `var.n + var.n`, []string{"var.n"}},
		{"the longest", `pod.api.container["a"].started_at > 1`, []string{`pod.api.container["a"].started_at`}},
		{"in the order written", `var.n == target.minor || var.key == "x"`, []string{"var.n", "target.minor", "var.key"}},
		{"a computed name, then what it is computed of", `pod[local.name].phase`, []string{`pod["my-job"].phase`, "local.name"}},
		{"a key that is not known", `pod[pod.other.name].phase`, []string{`pod[(not observed)].phase`, "pod.other.name"}},
		{"a key that is sensitive", `pod[var.token].phase`, []string{`pod[(not observed)].phase`, "var.token"}},
		{"a computed index", `job.my-job.pods[var.n - 2].name`, []string{`job.my-job.pods[1].name`, "var.n"}},
		{"not the names of a loop", `[for p in job.my-job.pods : p.name if p.ready == var.key]`, []string{"job.my-job.pods", "var.key"}},
		{"not those of a loop within a loop", `[for p in job.my-job.pods : [for c in p.containers : c.name]]`, []string{"job.my-job.pods"}},
		{"of a splat its list", `pod.api.containers[*].name`, []string{"pod.api.containers"}},
		{"in a template", `"a ${var.n} b ${target.minor}"`, []string{"var.n", "target.minor"}},
		{"in arguments", `contains([var.key], lower(pod.api.name))`, []string{"var.key", "pod.api.name"}},
		{"in both results of a conditional", `target.minor > 1 ? var.n : var.key`, []string{"target.minor", "var.n", "var.key"}},
		{"in an object", `{ a = var.n, (var.key) = 1 }`, []string{"var.n", "var.key"}},
		{"of a local those in it, after it", `local.deep == 1`, []string{"local.deep", "local.middle", "var.n"}},
		{"of a local that refers to itself nothing more", `local.loop == 1`, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := observedScope()
			s.ScenarioLocals = map[string]hcl.Expression{
				"deep": parse(t, `local.middle + 1`), "middle": parse(t, `var.n`), "loop": parse(t, `local.loop`),
			}
			if diff := cmp.Diff(tt.want, expressionsOf(s, parse(t, tt.expr))); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// TestReferencesAreWhereTheyAreWritten holds each range against the text.
func TestReferencesAreWhereTheyAreWritten(t *testing.T) {
	const src = `var.n == 3 && pod["api"].container["a"].started_at < job.my-job.pods[0].created_at && contains(["x"], local.name)`
	for _, ref := range observedScope().References(parse(t, src)) {
		if got := src[ref.Range.Start.Byte:ref.Range.End.Byte]; got != ref.Expression {
			t.Errorf("%s is at %s", ref.Expression, got)
		}
	}
}

func TestStateOf(t *testing.T) {
	for _, tt := range []struct {
		v    cty.Value
		want State
	}{
		{cty.True, Known}, {cty.NullVal(cty.String), Absent}, {cty.UnknownVal(cty.String), Unknown}, {cty.DynamicVal, Unknown},
		{cty.NullVal(cty.String).Mark(missing), Absent}, {cty.UnknownVal(cty.Bool).Mark(Sensitive), Unknown}, {cty.EmptyTupleVal, Known},
	} {
		if got := StateOf(tt.v); got != tt.want {
			t.Errorf("%#v is %d, want %d", tt.v, got, tt.want)
		}
	}
}

// TestEvalEachLooksUpWhatIsNotEvaluated finds mistakes in sides that the
// operators leave out.
func TestEvalEachLooksUpWhatIsNotEvaluated(t *testing.T) {
	none := func(hcl.Traversal) bool { return false }
	for _, tt := range []struct {
		name, expr string
		wrong      []string
	}{
		{"nothing wrong", `true || pod.api.phase == "x"`, nil},
		{"behind a side that decides", `true || pod.api.phas == "x"`, []string{".phas"}},
		{"two of them", `false && var.nope == pod.api.phas`, []string{".nope", ".phas"}},
		{"in the result that is not chosen", `true ? 1 : target.nope`, []string{".nope"}},
		{"within can", `can(target.nope)`, []string{".nope"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, _, ofRefs := observedScope().EvalEach(parse(t, tt.expr), none)
			var wrong []string
			for _, d := range ofRefs {
				wrong = append(wrong, tt.expr[d.Subject.Start.Byte:d.Subject.End.Byte])
			}
			if diff := cmp.Diff(tt.wrong, wrong); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
	skipVar := func(ref hcl.Traversal) bool { return ref.RootName() == "var" }
	if v, diags, ofRefs := observedScope().EvalEach(parse(t, `true || var.nope`), skipVar); len(ofRefs) > 0 || diags.HasErrors() || v.False() {
		t.Errorf("what is left out is looked up: %s, %v, %v", Format(v), diags, ofRefs)
	}
}

// TestContextGivesTheSameValues evaluates expressions in what Context returns.
func TestContextGivesTheSameValues(t *testing.T) {
	for _, src := range []string{
		`pod.myapp-x1.container["main"].log.text`, `job.my-job.pod.phase`, `object("v1", "ConfigMap", "x")`, `local.code`, `upper(var.key)`, `length(pod)`,
	} {
		s := observedScope()
		s.ScenarioLocals = map[string]hcl.Expression{"code": parse(t, `job.my-job.pod.container["main"].exit_code`)}
		expr := parse(t, src)
		ctx, diags := s.Context(expr)
		if diags.HasErrors() {
			t.Fatal(diags)
		}
		got, _ := expr.Value(ctx)
		want, _ := s.Eval(expr)
		if Format(got) != Format(want) {
			t.Errorf("%s is %s in its context, and %s", src, Format(got), Format(want))
		}
	}
}

// TestRoots holds that each root can begin a reference, and that kinds have
// roots of their own.
func TestRoots(t *testing.T) {
	roots := Roots()
	if !slices.IsSorted(roots) || len(slices.Compact(slices.Clone(roots))) != len(roots) {
		t.Errorf("not each once, in order: %q", roots)
	}
	kinds := map[Kind]string{}
	for _, root := range roots {
		if _, diags := (&Scope{}).Eval(parse(t, root)); diags.HasErrors() {
			t.Errorf("%s: %v", root, diags)
		}
		if kind, ok := KindOf(root); ok {
			if other := kinds[kind]; other != "" {
				t.Errorf("%s and %s are of the same kind", root, other)
			}
			kinds[kind] = root
			if got := (&Scope{}).Kinds(parse(t, root+`.x`)); !slices.Equal(got, []Kind{kind}) {
				t.Errorf("%s.x looks at %v, want %v", root, got, kind)
			}
		}
	}
	if len(kinds) != len(kindRoots()) {
		t.Errorf("%d roots of kinds have a kind, want %d", len(kinds), len(kindRoots()))
	}
	for _, not := range []string{"pod", "job", "step", "var", "pods", ""} {
		if _, ok := KindOf(not); ok {
			t.Errorf("%q is a kind", not)
		}
	}
}

// TestTypesAreThoseOfValues holds the types that are described to be those that
// expressions get.
func TestTypesAreThoseOfValues(t *testing.T) {
	types := Types()
	for src, name := range map[string]string{
		`pod.myapp-x1`: "pod", `job.my-job`: "job", `step["apply it"]`: "step", `target`: "target", `pod.myapp-x1.containers[0]`: "container",
		`pod.myapp-x1.container["main"].runs[0]`: "run", `pod.myapp-x1.container["main"].log`: "log", `pod.myapp-x1.container["main"].log.lines[0]`: "line",
		`pod.none`: "pod", `pod.none.events[0]`: "event", `pod.gone`: "pod", `job.nope`: "job",
	} {
		v, diags := observedScope().Eval(parse(t, src))
		if diags.HasErrors() || !v.Type().Equals(types[name]) {
			t.Errorf("%s is no %s: %#v, %v", src, name, v.Type(), diags)
		}
	}
	for name, ty := range types["object"].AttributeTypes() {
		v, diags := objectScope(t).Eval(parse(t, `deployment.web.`+name))
		if diags.HasErrors() || !v.Type().Equals(ty) {
			t.Errorf("deployment.web.%s is no %s: %v", name, ty.FriendlyName(), diags)
		}
	}
}

func TestIndexKeyOfPreparedTraversals(t *testing.T) {
	expr, ok := parse(t, `pod.x.containers[2].runs["a"]`).(*hclsyntax.ScopeTraversalExpr)
	if !ok {
		t.Fatal("it is no plain reference")
	}
	var keys []string
	for _, step := range expr.Traversal {
		if key, ok := IndexKey(step); ok {
			keys = append(keys, Format(key))
		}
	}
	if diff := cmp.Diff([]string{"2", `"a"`}, keys); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if key, ok := IndexKey(hcl.TraverseIndex{Key: cty.Zero}); !ok || !key.RawEquals(cty.Zero) {
		t.Errorf("HCL's own index has the key %#v", key)
	}
}
