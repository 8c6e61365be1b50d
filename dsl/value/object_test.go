package value

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"
)

// objectScope has a Deployment, a Service that is gone, a Secret and a custom
// object.
func objectScope(t *testing.T) *Scope {
	t.Helper()
	fields := func(text string) map[string]any {
		decoder := json.NewDecoder(strings.NewReader(text))
		decoder.UseNumber()
		var all map[string]any
		if err := decoder.Decode(&all); err != nil {
			t.Fatal(err)
		}
		return all
	}
	deployment := &Object{Name: "web", UID: "u1", CreatedAt: Time{Seconds: 1, Precision: time.Second},
		Events: []Event{{Reason: "ScalingReplicaSet", Type: "Normal", Count: 2}},
		Fields: fields(`{"metadata": {"name": "web", "labels": {"app": "x"}}, "spec": {"replicas": 3, "big": 9007199254740993},
			"status": {"updatedReplicas": 2, "conditions": [{"type": "Available", "status": "True"}, {"type": "Progressing", "status": "False"}]}}`)}
	return &Scope{
		ScenarioLocals: nil,
		Objects: map[ObjectKey]*Object{
			{Kind{"apps/v1", "Deployment"}, "web"}: deployment,
			{Kind{"v1", "Service"}, "gone"}:        {Absent: true},
			{Kind{"v1", "Secret"}, "key"}:          {Name: "key", Fields: fields(`{"data": {"token": "aHVudGVyMg=="}}`)},
			{Kind{"x.io/v1", "Widget"}, "w"}:       {Name: "w", Fields: fields(`{"spec": {"sizes": [1, 2]}}`)},
		},
	}
}

func TestObjects(t *testing.T) {
	for expr, want := range map[string]string{
		`deployment.web.spec.replicas`:                                   `3`,
		`deployment.web.spec.big == 9007199254740993`:                    `true`,
		`deployment.web.name`:                                            `"web"`,
		`deployment["web"].metadata.labels.app`:                          `"x"`,
		`deployment.web.conditions["Available"]`:                         `true`,
		`deployment.web.conditions["Progressing"]`:                       `false`,
		`deployment.web.conditions["Other"]`:                             NotObserved,
		`deployment.web.status.readyReplicas == 3`:                       `false`, // not there: null
		`deployment.web.status.readyReplicas >= 1`:                       NotObserved,
		`coalesce(deployment.web.status.readyReplicas, 0) == 0`:          `true`,
		`coalesce(deployment.web.status.readyReplicas, 0) < 1`:           `true`,
		`deployment.web.status.nothing.below == null`:                    `true`,
		`deployment.web.status.conditions[0].type`:                       `"Available"`,
		`deployment.web.status.conditions[5].type`:                       NotObserved,
		`length(deployment.web.status.conditions)`:                       `2`,
		`contains(deployment.web.metadata.finalizers, "x")`:              NotObserved,
		`length(deployment.web.status.images) == 0`:                      NotObserved,
		`length(coalesce(deployment.web.status.images, [])) == 0`:        `true`,
		`alltrue([for i in deployment.web.status.images : i == "x"])`:    NotObserved,
		`lookup(deployment.web.metadata.annotations, "a", "b") == "b"`:   NotObserved,
		`regex("^a", deployment.web.status.message) == "a"`:              NotObserved,
		`deployment.web.events[0].reason`:                                `"ScalingReplicaSet"`,
		`precision(deployment.web.created_at)`:                           `1`,
		`precision(seconds("1s")) < 0.001`:                               `true`,
		`deployment.other.spec.replicas`:                                 NotObserved,
		`deployment[format("we%s", "b")].spec.replicas`:                  `3`,
		`service.gone == null`:                                           `true`,
		`service.gone.spec == null`:                                      ``,
		`secret.key.data.token`:                                          `"aHVudGVyMg=="`,
		`object("x.io/v1", "Widget", "w").spec.sizes[1]`:                 `2`,
		`object("x.io/v1", "Widget", "w").status.phase == null`:          `true`,
		`object("x.io/v1", "Widget", "w").spec.sizes[7]`:                 NotObserved,
		`object("x.io/v1", "Widget", "none").spec.size`:                  NotObserved,
		`object("x.io/v1", "Widget", pod.x.name).spec.size`:              NotObserved,
		`object("apps/v1", "Deployment", "web").spec.replicas == 3`:      `true`,
		`[for c in deployment.web.status.conditions : c.type]`:           `["Available", "Progressing"]`,
		`alltrue([for n in ["web"] : deployment[n].spec.replicas == 3])`: `true`,
	} {
		t.Run(expr, func(t *testing.T) {
			v, diags := objectScope(t).Eval(parse(t, expr))
			if diags.HasErrors() {
				if want != "" {
					t.Fatal(diags)
				}
				return
			}
			if got := Format(v); got != want {
				t.Errorf("got %s, want %s", got, want)
			}
		})
	}
}

func TestSecretsAreSensitive(t *testing.T) {
	v, diags := objectScope(t).EvalMarked(parse(t, `secret.key.data.token`))
	if diags.HasErrors() || !v.HasMark(Sensitive) || strings.Contains(Format(v), "aHVu") {
		t.Errorf("%s, %v", Format(v), diags)
	}
}

func TestKinds(t *testing.T) {
	s := &Scope{Vars: cty.ObjectVal(map[string]cty.Value{"kind": cty.StringVal("Widget")})}
	s.ScenarioLocals = map[string]hcl.Expression{
		"ready": parse(t, `statefulset.db.status.readyReplicas`),
		"self":  parse(t, `local.self`),
	}
	for expr, want := range map[string][]Kind{
		`pod.x.ready == job.y.complete`:                            {},
		`deployment.web.name == service.web.name`:                  {{"apps/v1", "Deployment"}, {"v1", "Service"}},
		`local.ready == 3 && local.self`:                           {{"apps/v1", "StatefulSet"}},
		`object("x.io/v1", var.kind, pod.x.name).spec.size`:        {{"x.io/v1", "Widget"}},
		`object("x.io/v1", pod.x.name, "w").spec.size`:             {},
		`[for n in ["a"] : object("v1", "Pod", n).status.phase]`:   {{"v1", "Pod"}},
		`can(node.n.status) || namespace["x"].status.phase == "x"`: {{"v1", "Namespace"}, {"v1", "Node"}},
	} {
		if diff := cmp.Diff(want, s.Kinds(parse(t, expr))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", expr, diff)
		}
	}
	if got := s.UnknownKinds(parse(t, `object("x.io/v1", pod.x.name, "w").spec.size`)); len(got) != 1 {
		t.Errorf("%d calls of an unknown kind", len(got))
	}
}
