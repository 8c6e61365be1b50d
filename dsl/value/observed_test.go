package value

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/zclconf/go-cty/cty"
)

// TestStates has each attribute in its three states: known, known to be absent,
// and not observed.
func TestStates(t *testing.T) {
	known := &Container{
		Name: "a", Kind: "main", State: Some("running"), Reason: Some("Error"), Ready: Some(true), Started: Some(true), Restarts: Some(2), ExitCode: Some(3),
		Signal: Some(9), OOMKilled: Some(true), Image: "busybox", StartedAt: runtime(1), ReadyAt: runtime(2), FinishedAt: runtime(3),
	}
	absent := &Container{
		Name: "b", State: None[string](), Reason: None[string](), Ready: None[bool](), Started: None[bool](), Restarts: None[int](), ExitCode: None[int](),
		Signal: None[int](), OOMKilled: None[bool](), StartedAt: None[Time](), ReadyAt: None[Time](), FinishedAt: None[Time](),
	}
	scope := &Scope{Pods: map[string]*Pod{"x": {Name: "x", Containers: []*Container{known, nil, absent, {Name: "c"}}}}}
	for attr, want := range map[string]string{
		"state": `"running"`, "reason": `"Error"`, "ready": "true", "started": "true", "restarts": "2", "exit_code": "3", "signal": "9",
		"oom_killed": "true", "started_at": "1", "ready_at": "2", "finished_at": "3",
	} {
		for name, want := range map[string]string{"a": want, "b": "null", "c": NotObserved} {
			src := fmt.Sprintf(`pod.x.container[%q].%s`, name, attr)
			v, diags := scope.Eval(parse(t, src))
			if diags.HasErrors() || Format(v) != want {
				t.Errorf("%s is %s (%v), want %s", src, Format(v), diags, want)
			}
		}
	}
	testIn(t, scope, map[string]string{
		`length(pod.x.containers)`:         `3`,
		`pod.x.container["c"].image`:       NotObserved,
		`pod.x.container["c"].kind`:        NotObserved,
		`pod.x.container["a"].kind`:        `"main"`,
		`pod.x.container["a"].log.text`:    `""`,
		`pod.x.container["b"].signal == 9`: `false`,
		`pod.x.container["b"].signal != 9`: `true`,
		`pod.x.container["b"].signal > 9`:  NotObserved,
		`pod.x.container["c"].signal == 9`: NotObserved,
	})
}

// testIn evaluates expressions in a scope and holds what Format writes of them.
func testIn(t *testing.T, scope *Scope, tests map[string]string) {
	t.Helper()
	for src, want := range tests {
		v, diags := scope.Eval(parse(t, src))
		if diags.HasErrors() || Format(v) != want {
			t.Errorf("%s is %s (%v), want %s", src, Format(v), diags, want)
		}
	}
}

func TestTargets(t *testing.T) {
	testIn(t, &Scope{}, map[string]string{`target.minor`: NotObserved, `target.native_sidecars`: NotObserved, `target.minor > 3 || true`: `true`})
	known := &Target{Name: "c", Kubernetes: "1.30.1", Minor: 30, FeatureGates: map[string]bool{"A": true, "B": false}, Nodes: []string{"n1", "n2"}, Runtime: "containerd://2", Cgroup: 2}
	testIn(t, &Scope{Target: known}, map[string]string{
		`target.name`: `"c"`, `target.feature_gates`: `{A = true, B = false}`, `target.nodes`: `["n1", "n2"]`, `target.cgroup`: `2`, `target.runtime`: `"containerd://2"`,
		`lookup(target.feature_gates, "C", false)`: `false`, `semver(target.kubernetes, "~> 1.30")`: `true`, `target.ordered_termination`: `false`,
	})
	testIn(t, &Scope{Target: &Target{GatesUnknown: true, NodesUnknown: true, Nodes: []string{"n1"}, Cgroup: 1}}, map[string]string{
		`target.feature_gates`: NotObserved, `target.nodes`: NotObserved, `target.cgroup`: `1`, `target.name`: NotObserved,
	})
}

// TestJobsMakeOnlyWhatIsAsked holds that the pods that an expression does not
// ask for are not made, and that all that it asks for are.
func TestJobsMakeOnlyWhatIsAsked(t *testing.T) {
	for src, want := range map[string]map[string]map[string]bool{
		`job.a.complete`:                    {"a": {"complete": true}},
		`job.a.complete && job.a.pod.ready`: {"a": {"complete": true, "pod": true}},
		`job.a.pods == job.b.failed`:        {"a": {"pods": true}, "b": {"failed": true}},
		`job.a.pods == job.a`:               {},
		`job[var.n].pods`:                   nil,
		`pod.x.phase`:                       {},
		`job["a"].conditions["Complete"]`:   {"a": {"conditions": true}},
		`[for n, j in job : j.failed]`:      nil,
	} {
		if diff := cmp.Diff(want, jobAttributes(parse(t, src).Variables())); diff != "" {
			t.Errorf("%s (-want +got):\n%s", src, diff)
		}
	}
	testIn(t, observedScope(), map[string]string{
		`length(job.my-job.pods)`: `2`, `job.my-job.pods[0].name`: `"older"`, `job.my-job.pod.name == job.my-job.pods[1].name`: `true`,
		`[for n, j in job : length(j.pods)]`: `[0, 2]`, `job[local.name].pod.name`: `"myapp-x1"`, `[for n, j in job : n if j.active > 0]`: `["my-job"]`,
	})
}

// TestCacheGivesTheSameValues evaluates with a cache, many times and for more
// pods than it keeps.
func TestCacheGivesTheSameValues(t *testing.T) {
	cache := &Cache{}
	for range 3 {
		for _, tt := range []evalTest{
			{`pod.myapp-x1.phase`, `"Running"`}, {`pod.myapp-x1.conditions["Ready"]`, `false`}, {`pod.myapp-x1.conditions["Other"]`, NotObserved},
			{`pod.myapp-x1.container["main"].log.text`, `"starting\ndone: 42\n"`}, {`length(pod.myapp-x1.conditions)`, `2`},
			{`logged(pod.myapp-x1.container["main"], "done")`, `true`}, {`job.my-job.pod.status`, `"NotReady"`}, {`pod.gone == null`, `true`},
		} {
			s := observedScope()
			s.Cache = cache
			v, diags := s.Eval(parse(t, tt.expr))
			if diags.HasErrors() || Format(v) != tt.want {
				t.Errorf("%s is %s (%v), want %s", tt.expr, Format(v), diags, tt.want)
			}
		}
	}
	made := 0
	for i := range maxCached + 10 {
		name := fmt.Sprint(i)
		key := podKey{pod: &Pod{Name: name}}
		for range 2 {
			v := cache.pod(key, func() cty.Value { made++; return cty.StringVal(name) })
			if v.AsString() != name {
				t.Fatalf("the value of pod %s is %s", name, Format(v))
			}
		}
	}
	if made != maxCached+10 || len(cache.pods) > maxCached {
		t.Errorf("%d values were made, %d are kept", made, len(cache.pods))
	}
}

// TestObjectsKeepTheirOwnAttributes is about an object whose JSON has a field of
// the same name as what every object has, and about fields that are null.
func TestObjectsKeepTheirOwnAttributes(t *testing.T) {
	fields := map[string]any{
		"name": "other", "events": "x", "null": nil, "list": []any{map[string]any{"a": "b"}, []any{true}}, "deep": map[string]any{"a": map[string]any{"b": "c"}},
		"status": map[string]any{"conditions": []any{map[string]any{"type": "Ready", "status": "true"}, map[string]any{"status": "True"}, "odd"}},
	}
	scope := &Scope{Objects: map[ObjectKey]*Object{{Kind{"x.io/v1", "Widget"}, "w"}: {Name: "w", Fields: fields, GoneAt: Some(Time{Seconds: 3})}}}
	const w = `object("x.io/v1", "Widget", "w")`
	testIn(t, scope, map[string]string{
		w + `.name`: `"w"`, w + `.uid`: NotObserved, w + `.events`: `[]`, w + `.null == null`: `true`, w + `.list[0].a`: `"b"`, w + `.list[1][0]`: `true`,
		w + `.list[2]`: NotObserved, w + `.list[0].b == null`: `true`, w + `.deep.a.b`: `"c"`, w + `.deep.x.y == null`: `true`, w + `.deep["a"].b`: `"c"`,
		w + `.conditions["Ready"]`: `true`, w + `.gone_at`: `3`, w + `.created_at`: `0`, w + `.nope[3].a`: NotObserved,
	})
}
