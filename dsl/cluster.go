package dsl

import (
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"github.com/kind-lab/lab/dsl/internal/suggest"
	"github.com/kind-lab/lab/dsl/value"
)

func (l *loader) clusters(blocks []inner) {
	seen := map[string]hcl.Range{}
	for _, block := range blocks {
		if !l.inSet(block) && l.named(block, "cluster", seen) {
			l.module.Clusters = append(l.module.Clusters, l.clustersOfBlock(block)...)
		}
	}
}

// clustersOfBlock decodes a cluster, once for each element of its for_each.
func (l *loader) clustersOfBlock(block inner) []*Cluster {
	found, _, diags := block.Body.PartialContent(&hcl.BodySchema{Attributes: []hcl.AttributeSchema{{Name: "for_each"}}})
	l.diags = append(l.diags, diags...)
	each := found.Attributes["for_each"]
	if each == nil {
		return []*Cluster{l.cluster(block, block.Labels[0])}
	}
	l.several[block.Labels[0]] = true
	var all []*Cluster
	instances := l.instances(l.native(each))
	l.unsure[block.Labels[0]] = instances == nil
	for _, e := range instances {
		within := block
		within.in = block.in.with("each", cty.ObjectVal(map[string]cty.Value{"key": e.key, "value": e.value}))
		c := l.cluster(within, block.Labels[0]+"["+value.Format(e.key)+"]")
		c.Key = e.key.AsString()
		all = append(all, c)
	}
	return all
}

func (l *loader) cluster(block inner, name string) *Cluster {
	in := block.in
	c := &Cluster{Name: name, Block: block.Labels[0], Provider: DefaultProvider, ControlPlanes: 1, Range: block.DefRange}
	content := l.content(block.Body, block.schema, in)
	args := content.args
	if attr := args["kubernetes"]; attr != nil {
		c.KubernetesRange = attr.Expr.Range()
		l.kubernetes(attr, in, &c.Kubernetes)
	}
	l.provider(content, block, c)
	l.text(args["image"], in, &c.Image)
	if attr := args["feature_gates"]; attr != nil {
		c.FeatureGatesRange = attr.Expr.Range()
		l.flags(attr, in, &c.FeatureGates)
	}
	l.dictionary(args["runtime_config"], in, &c.RuntimeConfig)
	l.count(args["control_planes"], in, 1, &c.ControlPlanes)
	l.count(args["workers"], in, 0, &c.Workers)
	l.textList(args["images"], in, &c.Images)
	l.textList(args["containerd_patches"], in, &c.ContainerdPatches)
	l.textList(args["kubeadm_patches"], in, &c.KubeadmPatches)
	l.duration(args["ready_timeout"], in, &c.ReadyTimeout)
	seen := map[string]hcl.Range{}
	for _, component := range content.blocks {
		l.component(component, c, seen)
	}
	return c
}

// kubernetes decodes the version constraint. A number is a mistake, because the
// number 1.30 equals 1.3.
func (l *loader) kubernetes(attr *hcl.Attribute, in surroundings, to *string) {
	v, ok := l.check(attr.Expr, in.static())
	if !ok {
		return
	}
	shown := value.Format(v)
	v, _ = v.UnmarkDeep()
	if !v.IsKnown() {
		return
	}
	if v.IsNull() || v.Type() != cty.String {
		l.errorf(attr.Expr.Range(), "Invalid Kubernetes version", "A version must be a string in quotes, such as \"1.28\"; this is %s.", shown)
		return
	}
	*to = v.AsString()
	l.checkVersion(attr.Expr.Range(), *to)
}

// checkVersion reports a mistake in a version constraint.
func (l *loader) checkVersion(at hcl.Range, constraint string) {
	check := l.opts.CheckVersion
	if check == nil {
		check = func(constraint string) error {
			_, err := value.VersionSatisfies("1.0.0", constraint)
			return err
		}
	}
	if err := check(constraint); err != nil {
		l.errorf(at, "Invalid Kubernetes version", "%s.", strings.TrimSuffix(suggest.Capital(err.Error()), "."))
	}
}

// componentNames are the components whose settings a cluster can change.
func componentNames() []string {
	return []string{"kube-apiserver", "kube-controller-manager", "kube-scheduler", "kubelet"}
}

func (l *loader) component(block inner, c *Cluster, seen map[string]hcl.Range) {
	name := block.Labels[0]
	content := l.content(block.Body, block.schema, block.in)
	if !has(componentNames(), name) {
		l.errorf(block.LabelRanges[0], "Unknown component", "There is no component %s. The components are %s.%s",
			value.Format(cty.StringVal(name)), suggest.List(componentNames()), suggest.Sentence(name, componentNames()))
		return
	}
	if first, ok := seen[name]; ok {
		l.errorf(block.LabelRanges[0], "Duplicate component", "The component %q is configured already, at %s.", name, FormatRange(first))
		return
	}
	seen[name] = block.DefRange
	component := Component{Name: name, Range: block.DefRange}
	if attr := content.args["feature_gates"]; attr != nil {
		component.FeatureGatesRange = attr.Expr.Range()
		l.flags(attr, block.in, &component.FeatureGates)
	}
	l.dictionary(content.args["extra_args"], block.in, &component.ExtraArgs)
	c.Components = append(c.Components, component)
}
