package modules

import (
	"golang.org/x/mod/semver"

	"github.com/kind-lab/lab/clusters"
	"github.com/kind-lab/lab/clusters/versions"
)

// knownWhole are the releases of the table of versions whose modules were all there,
// newest first. They are tried before what is listed, because lists are incomplete;
// each is verified all the same.
func knownWhole() []clusters.Version {
	var known []clusters.Version
	for _, release := range versions.Modules() {
		if v, err := clusters.ParseVersion(release); err == nil { // its tests hold the table to that
			known = append(known, v)
		}
	}
	return known
}

// sharedVersions are versions of the control plane's companions that serve
// several Kubernetes versions, so that they are built once for all of them.
// What kubeadm asks for is raised to one of the same line; a line which is not
// here, or something newer, is built as kubeadm asks. Images keep the tag
// that kubeadm knows; the label says what is inside.
func sharedVersions(module string) []string {
	switch module {
	case EtcdModule:
		return []string{"v3.5.24", "v3.6.8", "v3.7.0"}
	case CorednsModule:
		// Any 1.x serves the Corefile of any supported kubeadm.
		return []string{"v1.14.6"}
	default:
		return nil
	}
}

// sharedVersion raises the version wanted of a module to a shared one.
func sharedVersion(module, wanted string) string {
	for _, v := range sharedVersions(module) {
		sameLine := semver.MajorMinor(v) == semver.MajorMinor(wanted) || module == CorednsModule && semver.Major(v) == semver.Major(wanted)
		if sameLine && semver.Compare(v, wanted) >= 0 {
			return v
		}
	}
	return wanted
}

// The modules that are built beside Kubernetes.
const (
	EtcdModule       = "go.etcd.io/etcd/server/v3"
	CorednsModule    = "github.com/coredns/coredns"
	ContainerdModule = "github.com/containerd/containerd/v2"
	CniModule        = "github.com/containernetworking/plugins"
	CrictlModule     = "sigs.k8s.io/cri-tools"
	FlannelModule    = "github.com/flannel-io/flannel"
)

// FlannelVersion is the one that guest/flanneld is written for, and that this
// module's go.mod names.
const FlannelVersion = "v0.28.4"

// KindModule and KubernetesModule are where the recipe's facts come from.
const (
	KindModule       = "sigs.k8s.io/kind"
	KubernetesModule = "k8s.io/kubernetes"
)
