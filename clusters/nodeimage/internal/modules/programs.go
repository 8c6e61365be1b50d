package modules

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/kind-lab/lab/clusters"
	"github.com/kind-lab/lab/clusters/internal/gotool"
	"github.com/kind-lab/lab/clusters/nodeimage/guest"
)

// kubernetesCommands are the binaries of a node, below cmd/ in the module.
func kubernetesCommands() []string {
	return []string{"kubelet", "kubeadm", "kubectl", "kube-apiserver", "kube-controller-manager", "kube-scheduler", "kube-proxy"}
}

// corednsPlugins are those that a cluster's Corefile may name. The others
// bring the client libraries of clouds, and most of the compile time.
func corednsPlugins() []string {
	return []string{
		"any", "bind", "bufsize", "cache", "debug", "errors", "file", "forward", "health", "hosts", "kubernetes", "log",
		"loop", "loadbalance", "metadata", "metrics", "minimal", "ready", "reload", "rewrite", "template", "whoami",
	}
}

// kubernetesProgram are the binaries of a release, of which m and its staging
// modules are known.
func kubernetesProgram(v clusters.Version, m gotool.Module, stagingModules []string) gotool.Program {
	p := gotool.Program{
		GoVersion: m.GoVersion, Requires: []string{KubernetesModule + " v" + v.String()},
		// Without the client libraries of clouds, which releases before 1.31
		// still have and which take a third of the compile time.
		Tags: []string{"providerless"},
	}
	for _, s := range stagingModules {
		p.Replaces = append(p.Replaces, fmt.Sprintf("%s => %s %s", s, s, StagingVersion(v)))
	}
	for _, c := range kubernetesCommands() {
		p.Packages = append(p.Packages, KubernetesModule+"/cmd/"+c)
	}
	values := []string{
		"gitVersion=v" + v.String(), "gitTreeState=clean",
		"gitMajor=" + strconv.Itoa(v.Major), "gitMinor=" + strconv.Itoa(v.Minor),
	}
	if m.Origin != nil && m.Origin.Hash != "" {
		values = append(values, "gitCommit="+m.Origin.Hash)
	}
	if m.Time != nil {
		values = append(values, "buildDate="+m.Time.UTC().Format("2006-01-02T15:04:05Z"))
	}
	for _, pkg := range []string{"k8s.io/component-base/version", "k8s.io/client-go/pkg/version"} {
		for _, value := range values {
			p.Variables = append(p.Variables, pkg+"."+value)
		}
	}
	return p
}

// moduleProgram builds packages of a module, named below it.
func moduleProgram(m gotool.Module, packages ...string) gotool.Program {
	p := gotool.Program{GoVersion: m.GoVersion, Requires: []string{m.Path + " " + m.Version}}
	for _, pkg := range packages {
		p.Packages = append(p.Packages, strings.TrimSuffix(m.Path+"/"+pkg, "/"))
	}
	return p
}

func containerdProgram(m gotool.Module) gotool.Program {
	p := moduleProgram(m, "cmd/containerd", "cmd/ctr", "cmd/containerd-shim-runc-v2")
	// As kind's Dockerfile says: no snapshotter that a node never chooses.
	p.Tags = []string{"no_aufs", "no_zfs", "no_btrfs", "no_devmapper"}
	p.Variables = []string{m.Path + "/version.Version=" + m.Version}
	return p
}

func cniProgram(m gotool.Module) gotool.Program {
	p := moduleProgram(m, "plugins/ipam/host-local", "plugins/main/loopback", "plugins/main/ptp", "plugins/meta/portmap")
	p.Variables = []string{m.Path + "/pkg/utils/buildversion.BuildVersion=" + m.Version}
	return p
}

func crictlProgram(m gotool.Module) gotool.Program {
	p := moduleProgram(m, "cmd/crictl")
	p.Variables = []string{m.Path + "/pkg/version.Version=" + m.Version}
	return p
}

// etcdProgram is the server; its binary is called "server", by its folder.
func etcdProgram(m gotool.Module) gotool.Program { return moduleProgram(m, "") }

// corednsProgram is CoreDNS with the plugins of corednsPlugins; its binary is
// called "build".
func corednsProgram(m gotool.Module) gotool.Program {
	var b strings.Builder
	fmt.Fprintf(&b, "package main\n\nimport (\n\t%q\n\n", m.Path+"/coremain")
	for _, plugin := range corednsPlugins() {
		fmt.Fprintf(&b, "\t_ %q\n", m.Path+"/plugin/"+plugin)
	}
	b.WriteString(")\n\nfunc main() { coremain.Run() }\n")
	p := moduleProgram(m)
	p.Files = map[string][]byte{"main.go": []byte(b.String())}
	p.Packages = []string{"."}
	return p
}

// pauseProgram is the process of a pod's sandbox.
func pauseProgram() (gotool.Program, error) {
	return gotool.FromSources(guest.Sources(), "pause", gotool.GuestVersion)
}

// flannelProgram is flannel with what starts it on a node. It is built with the
// versions of other modules that flannel itself was made with.
func flannelProgram(m gotool.Module) (gotool.Program, error) {
	p, err := gotool.FromSources(guest.Sources(), "flanneld", m.GoVersion)
	p.Requires = []string{m.Path + " " + m.Version}
	return p, err
}
