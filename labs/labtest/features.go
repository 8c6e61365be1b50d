package labtest

import (
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/e2e-framework/pkg/envconf"
	"sigs.k8s.io/e2e-framework/pkg/features"

	"github.com/kind-lab/lab/dsl"
	"github.com/kind-lab/lab/labs/expect"
	"github.com/kind-lab/lab/labs/plan"
	"github.com/kind-lab/lab/labs/report"
	"github.com/kind-lab/lab/labs/report/text"
)

// Features are the scenario that is named, as sigs.k8s.io/e2e-framework knows
// tests: a feature for each of its scenarios on each cluster, called
// SCENARIO/CLUSTER, whose expectations are its assessments.
//
//	testenv.Test(t, labtest.Features(t, "testdata/sidecars.hcl")...)
//
// The framework's flags choose among them, and -dry-run lists them without a
// cluster. Labels are scenario, cluster, kubernetes (as the scenario asks for
// it, and the minor version in that) and the names of the feature gates:
//
//	go test . -args -labels kubernetes=1.28,SidecarContainers=true
//
// A feature that is run makes a run of its own, on a cluster of the pool, before
// its assessments, which tell what came of it; with TestInParallel several may.
func Features(t *testing.T, scenario string, options ...Option) []features.Feature {
	t.Helper()
	s := newSettings(options)
	m := load(t, scenario, s)
	runs, problems := plan.Choose(m, plan.Options{Clusters: s.clusters, Scenarios: s.scenarios})
	fatal(t, "the selection is wrong", problems)
	var all []features.Feature
	for _, r := range runs {
		all = append(all, s.feature(m, r))
	}
	return all
}

// feature is one scenario on one cluster.
func (s settings) feature(m *dsl.Module, r plan.ScenarioRun) features.Feature {
	b := features.NewWithDescription(r.Scenario+"/"+r.Cluster, strings.TrimSpace(r.Source.Description))
	for key, values := range labels(m, r) {
		for _, v := range values {
			b.WithLabel(key, v)
		}
	}
	var done report.ScenarioRun
	b.Setup(func(ctx context.Context, t *testing.T, _ *envconf.Config) context.Context {
		t.Helper()
		s := s
		s.scenarios, s.clusters = []string{r.Scenario}, []string{r.Cluster}
		done = s.one(t, m, pair{r.Scenario, r.Cluster})
		return ctx
	})
	for _, step := range r.Steps {
		if step.Verb != dsl.VerbExpect && step.Verb != dsl.VerbInvariant {
			continue
		}
		b.Assess(step.Name, func(ctx context.Context, t *testing.T, _ *envconf.Config) context.Context {
			t.Helper()
			i := slices.IndexFunc(done.Steps, func(s report.Step) bool { return s.Verb == step.Verb && s.Name == step.Name })
			if i < 0 {
				t.Errorf("could not be decided, which is neither a pass nor a fail: the run did not reach the expectation %q", step.Name)
				return ctx
			}
			tellStep(t, done.Steps[i], done.StartedAt)
			return ctx
		})
	}
	return b.Feature()
}

// one runs a scenario on a cluster and reports what is not an expectation.
func (s settings) one(t *testing.T, m *dsl.Module, p pair) report.ScenarioRun {
	t.Helper()
	r := s.carryOut(t, m, func(other pair) bool { return other == p })
	for _, text := range outside(r) {
		t.Error(text)
	}
	if len(r.Runs) != 1 {
		t.Fatalf("%s was not run on %s", p.scenario, p.cluster)
	}
	for _, step := range r.Runs[0].Steps {
		if !step.Expects() && step.Status >= expect.Fail {
			t.Errorf("%s %s: %s:\n%s", step.Verb, step.Name, unexpected(step), text.Step(step, r.Runs[0].StartedAt))
		}
	}
	return r.Runs[0]
}

// minor is a minor version in a constraint.
var minor = regexp.MustCompile(`\b1\.\d+`)

// labels are what the framework's flags can choose a feature by.
func labels(m *dsl.Module, r plan.ScenarioRun) map[string][]string {
	all := map[string][]string{"scenario": {r.Scenario}, "cluster": {r.Cluster}}
	i := slices.IndexFunc(m.Clusters, func(c *dsl.Cluster) bool { return c.Name == r.Cluster })
	if i < 0 {
		return all
	}
	c := m.Clusters[i]
	versions := append(minor.FindAllString(c.Kubernetes, -1), c.Kubernetes)
	slices.Sort(versions)
	all["kubernetes"] = slices.DeleteFunc(slices.Compact(versions), func(v string) bool { return v == "" })
	for _, gate := range slices.Sorted(maps.Keys(c.FeatureGates)) {
		all[gate] = []string{fmt.Sprint(c.FeatureGates[gate])}
	}
	return all
}
