package validate

import (
	"fmt"
	"strings"

	"github.com/hashicorp/hcl/v2"

	"github.com/kind-lab/lab/dsl"
	"github.com/kind-lab/lab/labs/step"
)

// podOf checks the containers of an object that makes pods, on the clusters
// that are expected to take it. If that is unknown before the run, what
// is wrong is a warning. aware says that the scenario itself minds which version
// it runs on.
func (c *checker) podOf(s *dsl.Scenario, st *dsl.Step, f step.Forecast, o placed, aware bool) {
	if o.pod == nil {
		return
	}
	each, all := c.rejections(s, st)
	tell := c.errorf
	if all == maybeRejected {
		tell = c.warnf
	}
	if all < refused {
		c.containers(o, tell)
	}
	for _, container := range o.pod.containers {
		if container.restartPolicy != "" {
			c.restartPolicy(s, f.Strict, o, container, aware, each)
		}
	}
}

// containers checks what every container needs, on any version.
func (c *checker) containers(o placed, tell func(at hcl.Range, summary, detail string, args ...any)) {
	seen := map[string]int{}
	for _, container := range o.pod.containers {
		at := c.place(o.from, container.line)
		switch {
		case container.name == "":
			tell(at, "Invalid container", "%s%s has no name.", c.lineOf(o.from, container.line), container.path)
		case seen[container.name] > 0:
			tell(at, "Invalid container", "%s%s has the name %q, as another container of the pod does at line %d.",
				c.lineOf(o.from, container.line), container.path, container.name, seen[container.name])
		case container.image == "":
			tell(at, "Invalid container", "%sThe container %q has no image.", c.lineOf(o.from, container.line), container.name)
		}
		if container.name != "" {
			seen[container.name] = container.line
		}
	}
	if len(o.pod.containers) == 0 {
		tell(c.place(o.from, o.pod.line), "Invalid pod", "%s%s %q has no containers.", c.lineOf(o.from, o.pod.line), o.kind, o.name)
	}
}

// restartPolicy tells of a container's own restartPolicy on clusters that do
// not take it: an init container's is there from 1.28 on, behind a gate
// (KEP-753), any container's from 1.34 on, behind another (KEP-5307). Clusters
// that may be expected to refuse it are left out.
func (c *checker) restartPolicy(s *dsl.Scenario, strict bool, o placed, container containerSpec, aware bool, each map[*dsl.Cluster]foreseen) {
	at := c.place(o.from, container.policyLine)
	var refused, dropped []string
	for _, on := range s.Clusters {
		known := c.clusters[on]
		if known == nil || known.minor == 0 || each[on] > notRejected || !sharesCluster(o.on, []*dsl.Cluster{on}) {
			continue
		}
		name := fmt.Sprintf("cluster.%s (1.%d)", on.Name, known.minor)
		switch {
		case known.minor < 28 && strict, !container.init && known.minor >= 28 && known.minor < 34:
			refused = append(refused, name)
		case known.minor < 28, container.init && !known.target.NativeSidecars, !container.init && !c.on(on, known.minor, "ContainerRestartRules"):
			dropped = append(dropped, name)
		}
	}
	field := container.path + ".restartPolicy"
	if len(refused) > 0 {
		c.errorf(at, "Field will be refused", "%s%s %s %s. Say that this is meant, with expect_error, or run on others.", c.lineOf(o.from, container.policyLine), strings.Join(refused, ", "), verb(refused, "refuse"), field)
	}
	if len(dropped) > 0 && !aware {
		c.warnf(at, "Field will be dropped", "%s%s %s %s without a word: there the container is an ordinary one. Where that is meant, say what is expected there, by target.native_sidecars or target.minor.",
			c.lineOf(o.from, container.policyLine), strings.Join(dropped, ", "), verb(dropped, "drop"), field)
	}
}

// verb is a verb for one or several.
func verb(who []string, word string) string {
	if len(who) == 1 {
		return word + "s"
	}
	return word
}

// on says whether a gate is on in a cluster.
func (c *checker) on(cluster *dsl.Cluster, minor int, gate string) bool {
	if set, ok := cluster.FeatureGates[gate]; ok {
		return set
	}
	state, _ := c.gates.Lookup(minor, gate)
	return state.Default
}

// minds says whether a scenario's expressions look at the cluster's version or
// gates.
func (c *checker) minds(s *dsl.Scenario) bool {
	for _, step := range s.Steps {
		for _, expr := range step.Expressions() {
			for _, ref := range c.reached(s, expr) {
				if ref.root == "target" {
					switch ref.name {
					case "native_sidecars", "ordered_termination", "minor", "kubernetes", "feature_gates", "name":
						return true
					}
				}
			}
		}
	}
	return false
}
