package dsl

import (
	"path/filepath"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"github.com/kind-lab/lab/dsl/internal/suggest"
	"github.com/kind-lab/lab/dsl/value"
)

// provider decodes who makes the cluster.
func (l *loader) provider(attr *hcl.Attribute, block inner, c *Cluster) {
	var name string
	if !l.text(attr, block.in, &name) {
		return
	}
	providers := block.schema.Argument("provider").Values
	if !has(providers, name) {
		l.errorf(attr.Expr.Range(), "Unknown provider", "There is no provider %s: there is \"kind\", which is the default and makes the cluster, and \"existing\", for one that is there.%s",
			value.Format(cty.StringVal(name)), suggest.Sentence(name, providers))
		return
	}
	c.Provider = name
}

// onlyExisting are the arguments that say which cluster is meant, and onlyMade
// those that say how one is to be made.
func onlyExisting() []string { return []string{"kubeconfig", "context", "namespace", "node_access"} }

func onlyMade() []string {
	return []string{"image", "feature_gates", "runtime_config", "control_planes", "workers", "images", "containerd_patches", "kubeadm_patches"}
}

// existing decodes which cluster is meant, and checks that nothing is asked of
// a cluster that its provider cannot give.
func (l *loader) existing(found content, block inner, c *Cluster) {
	args := found.args
	if c.Provider != ProviderExisting {
		for _, attr := range found.sortedArgs() {
			if has(onlyExisting(), attr.Name) {
				l.errorf(attr.NameRange, "Not for this provider", "The argument %q says which cluster is meant that exists already: it goes with provider = \"existing\".", attr.Name)
			}
		}
		if args["kubernetes"] == nil {
			l.errorf(block.Body.MissingItemRange(), "Missing required argument", "The argument \"kubernetes\" is required, but no definition was found.")
		}
		return
	}
	for _, attr := range found.sortedArgs() {
		if has(onlyMade(), attr.Name) {
			l.errorf(attr.NameRange, "Not for this provider", "The argument %q says how a cluster is to be made; with provider = \"existing\" it is there already.%s", attr.Name, insteadOf(attr.Name))
		}
	}
	for _, component := range found.of("component") {
		l.errorf(component.DefRange, "Not for this provider", "A component's settings can be given to a cluster that is made; with provider = \"existing\" it is there already.")
	}
	c.ControlPlanes, c.Existing = 0, &Existing{}
	if l.text(args["kubeconfig"], block.in, &c.Existing.Kubeconfig) && c.Existing.Kubeconfig != "" {
		c.Existing.Kubeconfig = l.besides(c.Existing.Kubeconfig)
	}
	l.text(args["context"], block.in, &c.Existing.Context)
	l.text(args["namespace"], block.in, &c.Existing.Namespace)
	l.text(args["node_access"], block.in, &c.Existing.NodeAccess)
	if c.Existing.NodeAccess != "" && c.Existing.Namespace != "" {
		l.errorf(args["node_access"].NameRange, "Not in a named namespace",
			"The pods that reach the nodes have a namespace of their own, for which rights in %q alone do not do: write \"namespace\" or \"node_access\", not both.", c.Existing.Namespace)
	}
}

// insteadOf says what to do where a cluster exists already.
func insteadOf(argument string) string {
	switch argument {
	case "images":
		return " Its nodes pull images themselves: put them into a registry that they reach."
	case "feature_gates", "runtime_config":
		return " It has those that it was started with."
	}
	return ""
}

// besides is a file's name as the scenario means it: from its own folder,
// unless it begins at the root or in the home directory.
func (l *loader) besides(name string) string {
	if filepath.IsAbs(name) || name == "~" || strings.HasPrefix(name, "~/") {
		return name
	}
	return filepath.Join(l.module.Dir, name)
}
