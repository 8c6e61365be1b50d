package validate

import (
	"slices"
	"strings"

	"github.com/kind-lab/lab/clusters"
	"github.com/kind-lab/lab/dsl"
	"github.com/kind-lab/lab/dsl/value"
	"github.com/kind-lab/lab/labs/plan"
)

// reachable tells of a step that needs the machines of nodes where one of the
// scenario's clusters exists already: its nodes are not the lab's.
func (c *checker) reachable(s *dsl.Scenario, step *dsl.Step) {
	i := slices.IndexFunc(s.Clusters, func(on *dsl.Cluster) bool {
		return on.Existing != nil && (on.Existing.NodeAccess == "" || step.Node != nil)
	})
	if i < 0 {
		return
	}
	what, instead := "", ""
	switch {
	case step.Node != nil:
		what = "does something to a node, which others may need"
	case step.Signal != nil:
		what = "sends a signal from the container's node"
		instead = " node_access lets it. A container with a shell can send it to itself: exec with command = [\"sh\", \"-c\", \"kill -TERM 1\"]."
	case step.Exec != nil && step.Exec.Node != nil:
		what, instead = "runs a command on a node", " node_access lets it."
	default:
		return
	}
	c.errorf(step.Range, "Nodes out of reach", "The step %s; cluster.%s exists already, so that its nodes are out of reach. "+
		"Let the scenario run on clusters alone that lab makes, or leave the step out.%s", what, s.Clusters[i].Name, instead)
}

// confined tells of an object that lies outside of the scenario's own namespace
// where one of its clusters exists already.
func (c *checker) confined(s *dsl.Scenario, o placed) {
	if o.namespace == "" || !slices.ContainsFunc(s.Clusters, func(on *dsl.Cluster) bool { return on.Existing != nil }) {
		return
	}
	c.errorf(c.place(o.from, o.line), "Outside of the scenario's namespace",
		"%sThe %s is put into namespace %q; on a cluster that exists already a scenario touches its own namespace alone. Leave metadata.namespace out.",
		c.lineOf(o.from, o.line), o.kind, o.namespace)
}

// Needs notes in a plan what its scenarios do on the clusters that exist
// already, as far as that is known before they run.
func Needs(p *plan.Plan) {
	for i := range p.Clusters {
		on := p.Clusters[i].Spec.Existing
		if on == nil {
			continue
		}
		c := newChecker(p.Module)
		var all needs
		for _, r := range p.Runs {
			if r.Cluster == p.Clusters[i].Name {
				all.scenario(c, r.Source)
			}
		}
		on.Needs = all
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
	for i, step := range slices.Concat(s.Steps, s.Finally) {
		switch {
		case step.Apply != nil:
			objects, _ := c.manifests(s, step, step.Apply.Manifests, i)
			for _, o := range objects {
				n.add(o.apiVersion, o.kind, "", "create", "get", "patch")
			}
			applied = append(applied, objects...)
		case step.Delete != nil && step.Delete.Manifests != nil:
			objects, _ := c.manifests(s, step, step.Delete.Manifests, i)
			for _, o := range objects {
				n.add(o.apiVersion, o.kind, "", "get", "delete", "list", "watch")
			}
		case step.Delete != nil:
			texts, _ := c.textsOf(s, step, step.Delete.Objects)
			for _, text := range texts {
				n.named(applied, text, "get", "delete", "list", "watch")
			}
		case step.Patch != nil:
			texts, _ := c.textsOf(s, step, step.Patch.Object)
			for _, text := range texts {
				n.named(applied, text, "get", "patch")
			}
		case step.Exec != nil && step.Exec.Pod != nil:
			n.add("v1", "Pod", "exec", "create")
		}
		scope := &value.Scope{Vars: c.module.Vars, Locals: c.module.Locals, ScenarioLocals: s.Locals, Extra: step.Scope(s), Dir: c.module.FS, PathScenario: c.module.Dir}
		for _, expr := range step.Expressions() {
			for _, kind := range scope.Kinds(expr) {
				n.add(kind.APIVersion, kind.Kind, "", "list", "watch")
			}
		}
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
