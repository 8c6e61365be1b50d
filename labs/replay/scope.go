package replay

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"github.com/kind-lab/lab/clusters"
	"github.com/kind-lab/lab/collectors"
	"github.com/kind-lab/lab/dsl"
	"github.com/kind-lab/lab/dsl/value"
	"github.com/kind-lab/lab/labs/expect"
	"github.com/kind-lab/lab/labs/plan"
	"github.com/kind-lab/lab/labs/report"
)

// View is a scenario on a cluster as expressions see it at one moment.
type View struct {
	// Timeline is what was known; it must not be nil.
	Timeline *collectors.Timeline
	// Namespace is the run's own; empty if it is not known.
	Namespace string

	module   *dsl.Module
	scenario *dsl.Scenario
	target   cty.Value
	shared   *value.Shared
}

// Before is the view of a module before anything ran: what is observed is
// unknown. Both scenario and cluster may be nil; then nothing is known of
// theirs.
func Before(m *dsl.Module, s *dsl.Scenario, c *dsl.Cluster) *View {
	v := &View{Timeline: collectors.NewTimeline(time.Time{}), module: m, scenario: s, shared: m.Shared()}
	if c != nil {
		v.target = v.targetOf(c, report.Cluster{})
	}
	return v
}

// At is the view of a recorded run at a time after its begin, with the
// variables and locals of a module; at the run's end where the time is
// negative. The module must have the run's scenario and cluster.
func (rec *Recording) At(m *dsl.Module, run ScenarioRun, at time.Duration) (*View, error) {
	scenario, cluster, err := declared(m, run)
	if err != nil {
		return nil, err
	}
	timeline, err := rec.Timeline(run, at)
	if err != nil {
		return nil, err
	}
	v := &View{Timeline: timeline, module: m, scenario: scenario, shared: m.Shared()}
	var known report.Cluster
	known, v.Namespace = rec.found(run)
	v.target = v.targetOf(cluster, known)
	return v, nil
}

// found is what a run found of its cluster, and its namespace.
func (rec *Recording) found(run ScenarioRun) (known report.Cluster, namespace string) {
	if on := run.On; on != nil {
		return report.Cluster{Name: on.Cluster, Version: on.Kubernetes, Nodes: on.Nodes, Runtime: on.Runtime, Cgroup: on.Cgroup}, on.Namespace
	}
	if rec.Report == nil {
		return known, ""
	}
	for _, c := range rec.Report.Clusters {
		if c.Name == run.Cluster {
			known = c
		}
	}
	for _, r := range rec.Report.Runs {
		if r.Scenario == run.Scenario && r.Cluster == run.Cluster {
			namespace = r.Namespace
		}
	}
	return known, namespace
}

// declared finds the scenario and the cluster of a run in a module. A cluster
// that was asked for by its version has it in its name.
func declared(m *dsl.Module, run ScenarioRun) (*dsl.Scenario, *dsl.Cluster, error) {
	var scenario *dsl.Scenario
	var titles []string
	for _, s := range m.Scenarios {
		titles = append(titles, s.Title())
		if s.Title() == run.Scenario {
			scenario = s
		}
	}
	if scenario == nil {
		return nil, nil, fmt.Errorf("the run is of the scenario %q, and %s has %s", run.Scenario, m.Path, strings.Join(titles, ", "))
	}
	var names []string
	for _, c := range m.Clusters {
		names = append(names, c.Name)
		if c.Name == run.Cluster {
			return scenario, c, nil
		}
	}
	if c := plan.OfVersion(run.Cluster); c != nil {
		return scenario, c, nil
	}
	return nil, nil, fmt.Errorf("the run is on the cluster %q, and %s has %s", run.Cluster, m.Path, strings.Join(names, ", "))
}

// targetOf is the root target as far as the version and the gates tell, and
// what a run found of its cluster, if it did.
func (v *View) targetOf(c *dsl.Cluster, found report.Cluster) cty.Value {
	version, exact := found.Version, true
	if version == "" {
		version, exact = versionOf(c.Kubernetes)
	}
	known := plan.Target(plan.Spec(c, plan.Image{Version: version}), plan.Capabilities(c), version)
	known.Name, known.Nodes, known.Runtime, known.Cgroup = c.Name, found.Nodes, found.Runtime, found.Cgroup
	if !exact {
		known.Kubernetes = ""
	}
	expr, diags := value.ParseExpression([]byte("target"), "")
	if diags.HasErrors() {
		return cty.NilVal
	}
	all, diags := (&value.Scope{Target: known, Shared: v.shared}).Eval(expr)
	if diags.HasErrors() || !all.Type().IsObjectType() {
		return cty.NilVal
	}
	attrs := all.AsValueMap()
	for name, is := range map[string]bool{
		"nodes": len(known.Nodes) > 0, "cgroup": known.Cgroup > 0,
		"minor": known.Minor > 0, "native_sidecars": known.Minor > 0, "ordered_termination": known.Minor > 0,
	} {
		if !is {
			attrs[name] = cty.UnknownVal(attrs[name].Type())
		}
	}
	return cty.ObjectVal(attrs)
}

// versionOf is the version that a constraint allows, and whether it is the only
// one; without that one of the minor version, empty if there are several.
func versionOf(constraint string) (version string, exact bool) {
	parsed, err := clusters.ParseConstraint(constraint)
	if err != nil {
		return "", false
	}
	if v, ok := parsed.Exact(); ok {
		return v.String(), true
	}
	if minor, ok := parsed.Minor(); ok {
		return clusters.Version{Major: 1, Minor: minor}.String(), false
	}
	return "", false
}

// Module is what the view's variables and locals are from.
func (v *View) Module() *dsl.Module { return v.module }

// Scope is what expectations are judged over: that of the view's moment.
// Records that are added to its timeline are seen by it.
func (v *View) Scope() *expect.Scope {
	s := &expect.Scope{
		Timeline: v.Timeline, Namespace: v.Namespace, Files: v.module.Files, Locals: v.locals(), Extra: v.extra(),
	}
	s.Evaluator = func(o expect.Observed) expect.Evaluator { return v.values(o) }
	return s
}

// Values is what expressions refer to, log lines included.
func (v *View) Values() *value.Scope {
	o := expect.Values(v.Timeline, v.Namespace)
	o.Extra = v.extra()
	return v.values(o)
}

func (v *View) values(o expect.Observed) *value.Scope {
	return &value.Scope{
		Vars: v.module.Vars, Locals: v.module.Locals, ScenarioLocals: v.locals(), Namespace: cmp.Or(v.Namespace, plan.AnyNamespace),
		Pods: o.Pods, Jobs: o.Jobs, Steps: o.Steps, Objects: o.Objects, Missed: o.Missed, Extra: o.Extra, Cache: o.Cache,
		Dir: v.module.FS, PathScenario: v.module.Dir, Shared: v.shared,
	}
}

func (v *View) locals() map[string]hcl.Expression {
	if v.scenario == nil {
		return nil
	}
	return v.scenario.Locals
}

// extra are the roots that are the same at every moment: the matrix, and the
// target as far as it is known.
func (v *View) extra() map[string]cty.Value {
	extra := map[string]cty.Value{}
	if v.scenario != nil {
		extra = v.scenario.Extra()
	}
	if v.target != cty.NilVal {
		extra["target"] = v.target
	}
	return extra
}
