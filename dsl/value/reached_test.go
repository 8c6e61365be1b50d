package value_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/hcl/v2"

	"github.com/kind-lab/lab/dsl/value"
)

// TestReached tells which objects, attributes and containers an expression
// names, also where the name is computed or behind a local.
func TestReached(t *testing.T) {
	for _, tt := range []struct {
		name, expr string
		want       []string
	}{
		{"nothing", `target.minor == 3 && var.count == 1`, nil},
		{"an object", `pod.x == null`, []string{"pod x"}},
		{"an attribute", `pod.x.phase == "Running"`, []string{"pod x", "pod x .phase"}},
		{"a container", `pod.x.container["main"].ready`, []string{"pod x", "pod x .container", "pod x [main]"}},
		{"a container by an attribute", `pod.x.container.main.ready`, []string{"pod x", "pod x .container", "pod x [main]"}},
		{"of a Job's pod", `job.j.pod.container["main"].ready`, []string{"job j", "job j .pod", "job j [main]"}},
		{"a step", `step.s.exit_code == 0`, []string{"step s", "step s .exit_code"}},
		{"a name that is known before the run", `pod[local.which].phase == "Running"`, []string{"pod main", "pod main .phase"}},
		{"a name that is not", `pod[step.s.stdout].phase == "Running"`, []string{"step s", "step s .stdout"}},
		{"names of a loop over what is written", `alltrue([for n in ["a", "b"] : pod[n].phase == "Running"])`, []string{"pod a", "pod a .phase", "pod b", "pod b .phase"}},
		{"through locals", `local.phase == "Running"`, []string{"pod x", "pod x .phase"}},
		{"containers through locals", `local.main.ready`, []string{"pod x", "pod x .container", "pod x [main]"}},
		{"either of two", `local.either.phase == "Running"`, []string{"pod x", "pod x .phase", "pod y", "pod y .phase"}},
		{"not behind a side that decides", `false && pod.x.ready == "1/1"`, nil},
		{"not in the branch that is not taken", `true ? pod.x.phase == "Running" : pod.y.phase == "Running"`, []string{"pod x", "pod x .phase"}},
		{"not within try and can", `can(pod.x.container["none"].ready) && try(pod.y.nope, true)`, nil},
		{"not a container with a default", `lookup(pod.x.conditions, "Ready", false)`, []string{"pod x", "pod x .conditions"}},
		{"not objects of other kinds", `deployment.web.spec.replicas == 3`, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := map[string]bool{}
			for _, r := range examine(t, examined(t), tt.expr).Reached {
				got[reachedText(r)] = true
			}
			want := map[string]bool{}
			for _, text := range tt.want {
				want[text] = true
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func reachedText(r value.Reached) string {
	text := r.Root + " " + r.Name
	if r.Attribute != "" {
		text += " ." + r.Attribute
	}
	if r.Container != "" {
		text += fmt.Sprintf(" [%s]", r.Container)
	}
	return text
}

// TestReachedIsWhereItIsWritten holds the places against the text.
func TestReachedIsWhereItIsWritten(t *testing.T) {
	const src = `pod.web.phase == "Running" && job["j"].pod.container.main.ready && pod.web.container["side"].ready`
	at := func(r hcl.Range) string { return src[r.Start.Byte:r.End.Byte] }
	for _, r := range examine(t, examined(t), src).Reached {
		if r.NameAt.Filename != "test.hcl" {
			t.Errorf("%s is in %q", reachedText(r), r.NameAt.Filename)
			continue
		}
		if got := at(r.NameAt); got != "."+r.Name && got != fmt.Sprintf("[%q]", r.Name) {
			t.Errorf("%s is named at %s", reachedText(r), got)
		}
		if r.Container != "" {
			if got := at(r.ContainerAt); got != "."+r.Container && got != fmt.Sprintf("[%q]", r.Container) {
				t.Errorf("%s: the container is at %s", reachedText(r), got)
			}
		}
	}
}

// TestExaminingIsBounded examines expressions that grow without bound.
func TestExaminingIsBounded(t *testing.T) {
	scope := examined(t)
	src := `pod.x.phase`
	for i := range 12 { // each local is twice the one before
		name := fmt.Sprintf("grow%d", i)
		expr, diags := value.ParseExpression([]byte("["+src+", "+src+"]"), name)
		if diags.HasErrors() {
			t.Fatal(diags)
		}
		scope.ScenarioLocals[name] = expr
		src = "local." + name
	}
	loops := `[for a in range(100) : [for b in range(100) : [for c in range(100) : a + b + c]]] == []`
	for _, expr := range []string{src + " == []", loops, `local.loop == local.loop`} {
		for _, d := range examine(t, scope, expr).Diags {
			t.Errorf("%s: %s", expr, d.Detail)
		}
	}
}

// TestExaminingAgreesWithItself holds that what is reported of a comparison does
// not depend on the order of its sides, on parentheses or on a detour.
func TestExaminingAgreesWithItself(t *testing.T) {
	operands := []string{
		`pod.x.phase`, `"Running"`, `"running"`, `pod.x.ready`, `"1/1"`, `true`, `3`, `"3"`, `pod.x.containers`, `["a"]`, `[1]`, `{ a = 1 }`, `null`,
		c + `.exit_code`, c + `.state`, c + `.ready`, `var.any`, `var.text`, `target.kubernetes`, `"1.28.3"`, `step.a.stdout`, `pod.x.statuses`, `toset(["a"])`,
	}
	refused := func(src string) bool { return len(examine(t, examined(t), src).Diags) > 0 }
	for _, a := range operands {
		for _, b := range operands {
			is := refused(a + " == " + b)
			for _, other := range []string{b + " == " + a, a + " != " + b, "(" + a + ") == ((" + b + "))", "!(" + a + " == " + b + ")"} {
				if refused(other) != is {
					t.Errorf("%s == %s is refused: %t; %s: %t", a, b, is, other, !is)
				}
			}
		}
	}
}
