package dsl

import (
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"github.com/kind-lab/lab/dsl/internal/suggest"
	"github.com/kind-lab/lab/dsl/value"
)

func (l *loader) clusters(blocks hcl.Blocks) {
	seen := map[string]hcl.Range{}
	for _, block := range blocks {
		if l.named(block, "cluster", seen) {
			l.module.Clusters = append(l.module.Clusters, l.cluster(block))
		}
	}
}

func clusterSchema() *hcl.BodySchema {
	return &hcl.BodySchema{
		Attributes: attributes("*kubernetes", "provider", "image", "feature_gates", "runtime_config", "control_planes", "workers",
			"images", "containerd_patches", "kubeadm_patches", "ready_timeout", "for_each", "kubeconfig", "context"),
		Blocks: []hcl.BlockHeaderSchema{{Type: "component", LabelNames: []string{"name"}}},
	}
}

func (l *loader) cluster(block *hcl.Block) *Cluster {
	c := &Cluster{Name: block.Labels[0], ControlPlanes: 1, Range: block.DefRange}
	content, diags := block.Body.Content(clusterSchema())
	l.diags = append(l.diags, diags...)
	args := content.Attributes
	if attr := args["kubernetes"]; attr != nil {
		c.KubernetesRange = attr.Expr.Range()
		l.kubernetes(attr, &c.Kubernetes)
	}
	l.provider(args["provider"])
	for _, name := range []string{"for_each", "kubeconfig", "context"} {
		if attr := args[name]; attr != nil {
			l.errorf(attr.NameRange, "Not there yet", "The argument %q belongs to the language, but this version of lab does not serve it yet.", name)
		}
	}
	l.text(args["image"], &c.Image)
	l.flags(args["feature_gates"], &c.FeatureGates)
	l.dictionary(args["runtime_config"], &c.RuntimeConfig)
	l.count(args["control_planes"], 1, &c.ControlPlanes)
	l.count(args["workers"], 0, &c.Workers)
	l.texts(args["images"], &c.Images)
	l.texts(args["containerd_patches"], &c.ContainerdPatches)
	l.texts(args["kubeadm_patches"], &c.KubeadmPatches)
	l.duration(args["ready_timeout"], &c.ReadyTimeout)
	seen := map[string]hcl.Range{}
	for _, component := range content.Blocks {
		l.component(component, c, seen)
	}
	return c
}

// kubernetes decodes the version constraint. A number is taken for what it
// looks like only to say how it is written: 1.30 is 1.3 as a number.
func (l *loader) kubernetes(attr *hcl.Attribute, to *string) {
	v, ok := l.check(attr.Expr, staticPlace())
	if !ok {
		return
	}
	shown := value.Format(v)
	v, _ = v.UnmarkDeep()
	if !v.IsKnown() {
		return
	}
	if v.IsNull() || v.Type() != cty.String {
		l.errorf(attr.Expr.Range(), "Invalid Kubernetes version", "A version is written as a string, in quotes, such as \"1.28\"; this is %s.", shown)
		return
	}
	*to = v.AsString()
	check := l.opts.CheckVersion
	if check == nil {
		check = func(constraint string) error {
			_, err := value.VersionSatisfies("1.0.0", constraint)
			return err
		}
	}
	if err := check(*to); err != nil {
		l.errorf(attr.Expr.Range(), "Invalid Kubernetes version", "%s.", strings.TrimSuffix(sentence(err), "."))
	}
}

func (l *loader) provider(attr *hcl.Attribute) {
	var name string
	if !l.text(attr, &name) || name == "kind" {
		return
	}
	if name == "existing" {
		l.errorf(attr.Expr.Range(), "Not there yet",
			"The provider \"existing\" belongs to the language, but this version of lab accepts only \"kind\", which is the default.")
		return
	}
	l.errorf(attr.Expr.Range(), "Unknown provider", "There is no provider %s: this version of lab accepts only \"kind\", which is the default.%s",
		value.Format(cty.StringVal(name)), suggest.Sentence(name, []string{"kind"}))
}

// componentNames are the components whose settings a cluster can change.
func componentNames() []string {
	return []string{"kube-apiserver", "kube-controller-manager", "kube-scheduler", "kubelet"}
}

func (l *loader) component(block *hcl.Block, c *Cluster, seen map[string]hcl.Range) {
	name := block.Labels[0]
	content, diags := block.Body.Content(&hcl.BodySchema{Attributes: attributes("feature_gates", "extra_args")})
	l.diags = append(l.diags, diags...)
	if !has(componentNames(), name) {
		l.errorf(block.LabelRanges[0], "Unknown component", "There is no component %s to configure: there is %s.%s",
			value.Format(cty.StringVal(name)), suggest.List(componentNames()), suggest.Sentence(name, componentNames()))
		return
	}
	if first, ok := seen[name]; ok {
		l.errorf(block.LabelRanges[0], "Duplicate component", "The component %q is configured already, at %s.", name, FormatRange(first))
		return
	}
	seen[name] = block.DefRange
	component := Component{Name: name, Range: block.DefRange}
	l.flags(content.Attributes["feature_gates"], &component.FeatureGates)
	l.dictionary(content.Attributes["extra_args"], &component.ExtraArgs)
	c.Components = append(c.Components, component)
}
