package kind

import (
	"fmt"
	"maps"
	"slices"

	"sigs.k8s.io/yaml"

	"github.com/kind-lab/lab/clusters"
)

const (
	// betaFour is the first minor version for which the library writes
	// kubeadm.k8s.io/v1beta4, where extra arguments are a list.
	betaFour = 36
	// refusesCgroupV1 is the first minor version whose kubelet does not start
	// on a host with cgroup v1 unless it is configured to.
	refusesCgroupV1 = 35
)

// object is a document of a configuration.
type object = map[string]any

// kubeadmPatches are merge patches that change single components, as the
// version's kubeadm reads them.
func kubeadmPatches(spec clusters.Spec, minor int, host clusters.Host) ([]string, error) {
	control, kubelet, join := object{}, object{}, object{}
	seen := map[string]bool{}
	for _, c := range components(spec) {
		if seen[c.Name] {
			return nil, fmt.Errorf("%w: component %s is there twice", ErrSpec, c.Name)
		}
		seen[c.Name] = true
		if err := addComponent(spec, c, minor, control, kubelet, join); err != nil {
			return nil, err
		}
	}
	if host.Cgroup == 1 && minor >= refusesCgroupV1 {
		kubelet["failCgroupV1"] = false
	}
	var patches []string
	for _, p := range []struct {
		kind string
		body object
	}{
		{"ClusterConfiguration", control},
		{"InitConfiguration", join},
		{"JoinConfiguration", join},
		{"KubeletConfiguration", kubelet},
	} {
		if len(p.body) == 0 {
			continue
		}
		text, err := document(p.kind, minor, p.body)
		if err != nil {
			return nil, err
		}
		patches = append(patches, text)
	}
	return patches, nil
}

func addComponent(spec clusters.Spec, c clusters.Component, minor int, control, kubelet, join object) error {
	field, known := map[string]string{
		"kube-apiserver":          "apiServer",
		"kube-controller-manager": "controllerManager",
		"kube-scheduler":          "scheduler",
		"kubelet":                 "",
	}[c.Name]
	if !known {
		return fmt.Errorf("%w: component %q is none of kube-apiserver, kube-controller-manager, kube-scheduler and kubelet", ErrSpec, c.Name)
	}
	if c.Name == "kubelet" {
		if len(c.FeatureGates) > 0 {
			kubelet["featureGates"] = c.FeatureGates
		}
		if len(c.ExtraArgs) > 0 {
			join["nodeRegistration"] = object{"kubeletExtraArgs": extraArgs(c.ExtraArgs, minor)}
		}
		return nil
	}
	args := maps.Clone(c.ExtraArgs)
	if len(c.FeatureGates) > 0 {
		if _, twice := args["feature-gates"]; twice {
			return fmt.Errorf("%w: component %s names its feature gates twice, as such and as the argument feature-gates", ErrSpec, c.Name)
		}
		all := maps.Clone(spec.FeatureGates)
		if all == nil {
			all = map[string]bool{}
		}
		maps.Copy(all, c.FeatureGates)
		if args == nil {
			args = map[string]string{}
		}
		args["feature-gates"] = clusters.FeatureGates(all).String()
	}
	if len(args) > 0 {
		control[field] = object{"extraArgs": extraArgs(args, minor)}
	}
	return nil
}

// extraArgs are a map up to kubeadm.k8s.io/v1beta3, and a list from v1beta4 on.
func extraArgs(args map[string]string, minor int) any {
	if minor < betaFour {
		return args
	}
	list := make([]object, 0, len(args))
	for _, name := range slices.Sorted(maps.Keys(args)) {
		list = append(list, object{"name": name, "value": args[name]})
	}
	return list
}

func document(kind string, minor int, body object) (string, error) {
	doc := maps.Clone(body)
	doc["kind"] = kind
	switch {
	case kind == "KubeletConfiguration":
		doc["apiVersion"] = "kubelet.config.k8s.io/v1beta1"
	case minor >= betaFour:
		doc["apiVersion"] = "kubeadm.k8s.io/v1beta4"
	default:
		doc["apiVersion"] = "kubeadm.k8s.io/v1beta3"
	}
	text, err := yaml.Marshal(doc)
	if err != nil {
		return "", fmt.Errorf("writing the %s patch: %w", kind, err)
	}
	return string(text), nil
}
