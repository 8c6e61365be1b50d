package step_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/hcl/v2"

	"github.com/kind-lab/lab/clusters"
	"github.com/kind-lab/lab/collectors"
	"github.com/kind-lab/lab/dsl"
	"github.com/kind-lab/lab/dsl/action"
	"github.com/kind-lab/lab/dsl/value"
	"github.com/kind-lab/lab/labs/step"
)

// applying is a verb of the block apply that does nothing.
func applying() step.Definition[*action.Apply] {
	return step.Definition[*action.Apply]{
		Verb:       "apply",
		ForecastOf: func(a *action.Apply) step.Forecast { return step.Forecast{Creates: a.Manifests, Strict: true} },
		PrepareOf: func(*step.Arguments, *action.Apply) step.Prepared {
			return step.Prepared{Do: func(context.Context, step.Cluster) (step.Result, error) { return step.Result{}, nil }}
		},
	}
}

// of are the arguments of a step with an action.
func of(verb string, a action.Action) *step.Arguments {
	return &step.Arguments{Step: &dsl.Step{Name: "x", Verb: verb, Action: a}, Scope: &value.Scope{}, Files: map[string]*hcl.File{}}
}

func TestAStepIsPreparedByItsVerb(t *testing.T) {
	limited := func(timeout time.Duration) *action.Apply {
		a := &action.Apply{}
		action.LimitsOf(a).Timeout = timeout
		return a
	}
	own := applying()
	own.PrepareOf = func(*step.Arguments, *action.Apply) step.Prepared { return step.Prepared{Limit: time.Hour} }
	for name, tt := range map[string]struct {
		verb  step.Verb
		args  *step.Arguments
		limit time.Duration
		says  string
	}{
		"its timeout":                     {applying(), of("apply", limited(time.Minute)), time.Minute, ""},
		"its timeout counts, not the own": {own, of("apply", limited(time.Second)), time.Second, ""},
		"no limit":                        {applying(), of("apply", limited(0)), 0, `the verb "apply" sets no limit to its time`},
		"a limit below none":              {applying(), of("apply", limited(-1)), -1, `sets no limit`},
		"the action of another verb":      {applying(), of("delete", &action.Delete{}), 0, `the verb "delete" is decoded to *action.Delete, and carried out as another`},
	} {
		t.Run(name, func(t *testing.T) {
			p := tt.verb.Prepare(tt.args)
			if err := tt.args.Err(); p.Limit != tt.limit || (err != nil) != (tt.says != "") || err != nil && !strings.Contains(err.Error(), tt.says) {
				t.Errorf("limit %s, error %v", p.Limit, err)
			}
		})
	}
}

func TestWhatAVerbForecasts(t *testing.T) {
	expr := parse(t, `"a: b"`)
	table := step.TableOf(applying())
	given := &dsl.Step{Verb: "apply", Action: &action.Apply{Manifests: expr}}
	if f := table.Forecast(given); f.Creates == nil || !f.Strict {
		t.Errorf("got %+v", f)
	}
	silent := applying()
	silent.ForecastOf = nil
	for name, f := range map[string]step.Forecast{
		"a verb that makes nothing":        silent.Forecast(given),
		"the action of another verb":       applying().Forecast(&dsl.Step{Verb: "apply", Action: &action.Delete{}}),
		"a verb that the table lacks":      table.Forecast(&dsl.Step{Verb: "melt", Action: &action.Apply{Manifests: expr}}),
		"an empty table":                   step.Table{}.Forecast(given),
		"a step that was decoded to none":  table.Forecast(&dsl.Step{Verb: "apply"}),
		"an expectation, which is no verb": table.Forecast(&dsl.Step{Verb: "expect", Action: &action.Expect{}}),
	} {
		if f.Creates != nil || f.Strict || f.Reach != step.NoNodes {
			t.Errorf("%s: %+v", name, f)
		}
	}
}

func TestHowAVerbIsShown(t *testing.T) {
	plain := applying()
	if w := plain.Words(); w.Accepted != "it was done: " || w.Warning != "" {
		t.Errorf("words of a verb that has none: %+v", w)
	}
	if plain.Doing() != "doing" || plain.Trace() != step.InAll || plain.Name() != "apply" {
		t.Errorf("%q, %v, %q", plain.Doing(), plain.Trace(), plain.Name())
	}
	warned := plain
	warned.Saying.Warning = "mind: "
	if w := warned.Words(); w.Accepted != "it was done: " || w.Warning != "mind: " {
		t.Errorf("words of a verb with a warning alone: %+v", w)
	}
	full := plain
	full.Saying, full.Progress, full.Traces = step.OfAPI(), "applying", step.InAPI
	if w := full.Words(); w != step.OfAPI() || full.Doing() != "applying" || full.Trace() != step.InAPI {
		t.Errorf("%+v, %q, %v", w, full.Doing(), full.Trace())
	}
}

func TestSummaryNamesObjectsAsKubectlDoes(t *testing.T) {
	var result step.Result
	if got := applying().Summary(result); got != "" {
		t.Errorf("of nothing: %q", got)
	}
	result.Did(collectors.Object{Kind: "Job", Name: "batch", Namespace: "ns"}, "created")
	result.Did(collectors.Object{Kind: "ConfigMap", Name: "settings"}, "unchanged")
	if got := applying().Summary(result); got != "job/batch created, configmap/settings unchanged" {
		t.Errorf("got %q", got)
	}
	own := applying()
	own.SummaryOf = func(r step.Result) string { return r.Objects[0].Name + " was melted" }
	if got := own.Summary(result); got != "batch was melted" {
		t.Errorf("got %q", got)
	}
}

// named is a verb of a name.
func named(name string) step.Verb {
	d := applying()
	d.Verb = name
	return d
}

func TestTablesDoNotChange(t *testing.T) {
	list := []step.Verb{named("a")}
	first := step.TableOf(list...)
	second := first.With(named("b"))
	third := first.With(named("c"))
	list[0] = named("z")
	for name, tt := range map[string]struct {
		table step.Table
		has   string
	}{"first": {first, "a"}, "second": {second, "a b"}, "third": {third, "a c"}, "none": {step.Table{}, ""}} {
		var found []string
		for _, verb := range []string{"a", "b", "c", "z"} {
			if v, ok := tt.table.Verb(verb); ok && v.Name() == verb {
				found = append(found, verb)
			}
		}
		if got := strings.Join(found, " "); got != tt.has {
			t.Errorf("the %s table has %q, want %q", name, got, tt.has)
		}
	}
}

func TestATableCoversTheLanguage(t *testing.T) {
	language := action.Default()
	var all []step.Verb
	for _, name := range language.Names() {
		if language.Acts(name) {
			all = append(all, named(name))
		}
	}
	if len(all) < 5 {
		t.Fatalf("the language has only %d verbs that act", len(all))
	}
	for name, tt := range map[string]struct {
		verbs []step.Verb
		says  []string
	}{
		"all":          {all, nil},
		"one is left":  {all[1:], []string{`the verb "` + all[0].Name() + `" is in dsl/action, and not in labs/step/verbs`}},
		"one twice":    {append(all[:len(all):len(all)], all[2]), []string{`the verb "` + all[2].Name() + `" is in labs/step/verbs twice`}},
		"one too many": {append(all[:len(all):len(all)], named("melt")), []string{`the verb "melt" is in labs/step/verbs, and not in dsl/action`}},
		"two problems": {append(all[1:len(all):len(all)], named("melt")), []string{`"melt"`, `"` + all[0].Name() + `"`}},
	} {
		err := step.TableOf(tt.verbs...).Covers(language)
		if (err != nil) != (len(tt.says) > 0) {
			t.Errorf("%s: %v", name, err)
		}
		for _, want := range tt.says {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v lacks %s", name, err, want)
			}
		}
	}
}

func TestWhatAReachNeedsOfACluster(t *testing.T) {
	for reach, want := range map[step.Reach]clusters.Capability{step.NoNodes: "", step.OnNodes: clusters.ExecOnNodes, step.OwnNodes: clusters.OperateNodes} {
		if got := reach.Needs(); got != want {
			t.Errorf("%d needs %q, want %q", reach, got, want)
		}
	}
}

// TestTheFirstFailureStays holds that nothing is evaluated after a failure, so that
// what is reported is what went wrong first.
func TestTheFirstFailureStays(t *testing.T) {
	first := errors.New("first")
	a := arguments(t, "")
	a.Fail(first)
	a.Fail(errors.New("second"))
	got := []any{a.Text("t", parse(t, `"a"`)), len(a.Texts("t", parse(t, `["a"]`))), a.Required("t", parse(t, `"a"`)), a.Document("t", parse(t, `"a"`)),
		a.Optional("t", parse(t, `"a"`)) == nil, len(a.Manifests(parse(t, `"a"`)))}
	for i, want := range []any{"", 0, "", "", true, 0} {
		if got[i] != want {
			t.Errorf("argument %d is evaluated after a failure: %v", i, got[i])
		}
	}
	if !errors.Is(a.Err(), first) {
		t.Errorf("got %v", a.Err())
	}
}

// TestAListWithAHoleIsNoList holds that null within a list is a mistake, and not
// an empty text.
func TestAListWithAHoleIsNoList(t *testing.T) {
	for text, want := range map[string]string{
		`["a", null]`:    `the argument "command" of apply "x" must be a string, not null`,
		`["a", ["b"]]`:   `the argument "command" of apply "x" must be a string`,
		`["a", { b=1 }]`: `the argument "command" of apply "x" must be a string`,
	} {
		a := arguments(t, "")
		a.Texts("command", parse(t, text))
		if a.Err() == nil || !strings.Contains(a.Err().Error(), want) {
			t.Errorf("%s: %v, want %q", text, a.Err(), want)
		}
	}
	a := arguments(t, "")
	if got := a.Texts("command", parse(t, `[]`)); len(got) != 0 || a.Err() != nil {
		t.Errorf("an empty list: %q, %v", got, a.Err())
	}
}
