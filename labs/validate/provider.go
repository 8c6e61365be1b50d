package validate

import (
	"slices"
	"strings"

	"github.com/kind-lab/lab/clusters"
	"github.com/kind-lab/lab/dsl"
	"github.com/kind-lab/lab/dsl/value"
	"github.com/kind-lab/lab/labs/plan"
	"github.com/kind-lab/lab/labs/step"
)

// reachable tells of a step that needs a capability of nodes that one of the
// scenario's clusters lacks.
func (c *checker) reachable(s *dsl.Scenario, st *dsl.Step) {
	f := c.verbs.Forecast(st)
	needs := f.Reach.Needs()
	if needs == "" {
		return
	}
	instead := ""
	if f.Instead != "" {
		instead = " " + f.Instead
	}
	if lacks := plan.Lacking(s.Clusters, needs); lacks != nil {
		c.errorf(st.Range, "Nodes out of reach", "The step %s, but %v. Otherwise leave the step out, or let the scenario run on other clusters.%s", f.Does, lacks, instead)
	}
}

// confined tells of an object that lies outside of the scenario's own namespace
// if one of its clusters does not allow that.
func (c *checker) confined(s *dsl.Scenario, o placed) {
	if o.namespace == "" {
		return
	}
	if lacks := plan.Lacking(s.Clusters, clusters.WriteClusterWide); lacks != nil {
		lacks.Cluster = "" // a manifest may be wrong for several
		c.errorf(c.place(o.from, o.line), "Outside of the scenario's namespace", "%sThe %s is put into namespace %q, but %v.",
			c.lineOf(o.from, o.line), o.kind, o.namespace, lacks)
	}
}

// Needs is described at the function Needs.
func (v Validator) Needs(p *plan.Plan) {
	for i := range p.Clusters {
		if !p.Clusters[i].Capabilities.CanCheckRights {
			continue
		}
		c := v.newChecker(p.Module)
		var all needs
		for _, r := range p.Runs {
			if r.Cluster == p.Clusters[i].Name {
				all.scenario(c, r.Source)
			}
		}
		p.Clusters[i].Spec.Needs = all
	}
}

// needs are what scenarios do, each kind once.
type needs []clusters.Need

func (n *needs) add(apiVersion, kind, subresource string, verbs ...string) {
	for i := range *n {
		if have := &(*n)[i]; have.APIVersion == apiVersion && have.Kind == kind && have.Subresource == subresource {
			for _, v := range verbs {
				if !slices.Contains(have.Verbs, v) {
					have.Verbs = append(have.Verbs, v)
				}
			}
			return
		}
	}
	*n = append(*n, clusters.Need{APIVersion: apiVersion, Kind: kind, Subresource: subresource, Verbs: slices.Clone(verbs)})
}

func (n *needs) scenario(c *checker, s *dsl.Scenario) {
	var applied []placed
	for i, st := range slices.Concat(s.Steps, s.Finally) {
		f := c.verbs.Forecast(st)
		for _, r := range f.Requests {
			n.request(c, s, st, i, r, applied)
		}
		if f.Creates != nil {
			objects, _ := c.manifests(s, st, f.Creates, f.Namespace, i)
			applied = append(applied, objects...)
		}
		scope := &value.Scope{Vars: c.module.Vars, Locals: c.module.Locals, ScenarioLocals: s.Locals, Extra: st.Scope(s), Dir: c.module.FS, PathScenario: c.module.Dir}
		for _, expr := range st.Expressions() {
			for _, kind := range scope.Kinds(expr) {
				n.add(kind.APIVersion, kind.Kind, "", "list", "watch")
			}
		}
	}
}

// request adds what a step asks of the API server. applied are the objects that
// the steps before it create.
func (n *needs) request(c *checker, s *dsl.Scenario, st *dsl.Step, i int, r step.Request, applied []placed) {
	switch {
	case r.Manifests != nil:
		objects, _ := c.manifests(s, st, r.Manifests, r.Namespace, i)
		for _, o := range objects {
			n.add(o.apiVersion, o.kind, "", r.Verbs...)
		}
	case r.Objects != nil:
		texts, _ := c.textsOf(s, st, r.Objects, r.Namespace)
		for _, name := range texts {
			n.named(applied, name.text, r.Verbs...)
		}
	default:
		n.add(r.APIVersion, r.Kind, r.Subresource, r.Verbs...)
	}
}

// named adds what is done to an object that is written KIND/NAME, where its kind
// is plain: a pod, a Job, or one that was applied.
func (n *needs) named(applied []placed, text string, verbs ...string) {
	kind, _, _ := strings.Cut(strings.ToLower(text), "/")
	switch kind {
	case "po", "pod", "pods":
		n.add("v1", "Pod", "", verbs...)
		return
	case "job", "jobs":
		n.add("batch/v1", "Job", "", verbs...)
		return
	}
	for _, o := range applied {
		if name := strings.ToLower(o.kind); kind == name || kind == name+"s" {
			n.add(o.apiVersion, o.kind, "", verbs...)
			return
		}
	}
}
