package nodeimage

import (
	"embed"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/semver"

	"github.com/kind-lab/lab/clusters"
)

// recipeRevision is part of every key. It rises when a stage is made in
// another way that its inputs do not show.
const recipeRevision = "1"

// kindModule and kubernetesModule are where the recipe's facts come from.
const (
	kindModule       = "sigs.k8s.io/kind"
	kubernetesModule = "k8s.io/kubernetes"
)

// guestFiles are what images have beside kind's own files: the sources of the
// programs that are compiled for them, and the files of a node's root file
// system.
//
//go:embed guest/pause/main.go guest/envoy/main.go guest/envoy/config.go guest/envoy/balance.go
//go:embed guest/flanneld/main.go guest/flanneld/agent.go guest/flanneld/api.go guest/flanneld/flannel.go
//go:embed files
var guestFiles embed.FS

// userland are the Debian packages of a node: those of kind's base image, less
// what serves rootless engines and network storage, and with the container
// runtime that kind compiles.
func userland() []string {
	return []string{
		"systemd", "systemd-sysv", "dbus",
		"conntrack", "iptables", "ipset", "nftables", "iproute2", "ethtool", "util-linux", "mount", "kmod",
		"libseccomp2", "pigz", "e2fsprogs",
		"ca-certificates", "curl", "jq", "procps",
		"runc",
	}
}

// kubeProxyPrograms are what kube-proxy calls, in the userland.
func kubeProxyPrograms() []string {
	return []string{
		"/bin/sh", "/bin/ln", "/sbin/modprobe", "/usr/sbin/conntrack", "/usr/sbin/ipset", "/usr/sbin/nft",
		"/usr/sbin/xtables-legacy-multi", "/usr/sbin/xtables-nft-multi",
		"/usr/lib/*-linux-gnu*/xtables/*.so",
	}
}

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

// sharedVersions are versions of the control plane's companions that serve
// several Kubernetes versions, so that they are built once for all of them.
// What kubeadm asks for is raised to one of the same line; a line which is not
// here, or something newer, is built as kubeadm asks. Images keep the tag
// that kubeadm knows; the label says what is inside.
func sharedVersions(module string) []string {
	switch module {
	case etcdModule:
		return []string{"v3.5.24", "v3.6.8", "v3.7.0"}
	case corednsModule:
		// Any 1.x serves the Corefile of any supported kubeadm.
		return []string{"v1.14.6"}
	default:
		return nil
	}
}

const (
	etcdModule       = "go.etcd.io/etcd/server/v3"
	corednsModule    = "github.com/coredns/coredns"
	containerdModule = "github.com/containerd/containerd/v2"
	cniModule        = "github.com/containernetworking/plugins"
	crictlModule     = "sigs.k8s.io/cri-tools"
	flannelModule    = "github.com/flannel-io/flannel"
)

// flannelVersion is the one that guest/flanneld is written for, and that this
// module's go.mod names.
const flannelVersion = "v0.28.4"

// sharedVersion raises the version wanted of a module to a shared one.
func sharedVersion(module, wanted string) string {
	for _, v := range sharedVersions(module) {
		sameLine := semver.MajorMinor(v) == semver.MajorMinor(wanted) || module == corednsModule && semver.Major(v) == semver.Major(wanted)
		if sameLine && semver.Compare(v, wanted) >= 0 {
			return v
		}
	}
	return wanted
}

// kindFacts are what the kind module says about its base image.
type kindFacts struct {
	version string
	// files is the folder of the base image's files.
	files string
	// versions are the Dockerfile's versions by the name of their argument,
	// such as CONTAINERD_VERSION.
	versions map[string]string
	// enable and mask are systemd units.
	enable, mask []string
	// sandboxImage is the pause image of the containerd configuration.
	sandboxImage string
}

// pinnedKind is the version of the kind module that this program was built
// with, so that images fit the code that boots them.
func pinnedKind() (string, error) {
	info, ok := debug.ReadBuildInfo()
	if ok {
		for _, m := range info.Deps {
			if m.Path == kindModule {
				return m.Version, nil
			}
		}
	}
	return "", fmt.Errorf("%w: this program does not say which version of %s it was built with", ErrCannotBuild, kindModule)
}

// readKind reads the facts from the module's folder.
func readKind(version, dir string) (kindFacts, error) {
	base := filepath.Join(dir, "images", "base")
	facts := kindFacts{version: version, files: filepath.Join(base, "files"), versions: map[string]string{}}
	dockerfile, err := os.ReadFile(filepath.Join(base, "Dockerfile"))
	if err != nil {
		return facts, fmt.Errorf("reading kind's base image: %w", err)
	}
	for _, m := range regexp.MustCompile(`(?m)^ARG (\w+_VERSION)="?(v[^"\s]+)"?`).FindAllStringSubmatch(string(dockerfile), -1) {
		facts.versions[m[1]] = m[2]
	}
	for _, m := range regexp.MustCompile(`systemctl (enable|mask) (\S+)`).FindAllStringSubmatch(string(dockerfile), -1) {
		if m[1] == "enable" {
			facts.enable = append(facts.enable, m[2])
		} else {
			facts.mask = append(facts.mask, m[2])
		}
	}
	config, err := os.ReadFile(filepath.Join(facts.files, "etc", "containerd", "config.toml"))
	if err != nil {
		return facts, fmt.Errorf("reading kind's base image: %w", err)
	}
	m := regexp.MustCompile(`(?m)^\s*sandbox_image = "([^"]+)"`).FindSubmatch(config)
	if m == nil {
		return facts, fmt.Errorf("reading kind's base image: its containerd configuration names no sandbox_image")
	}
	facts.sandboxImage = string(m[1])
	for _, name := range []string{"CONTAINERD_VERSION", "CRICTL_VERSION", "CNI_PLUGINS_VERSION"} {
		if facts.versions[name] == "" {
			return facts, fmt.Errorf("reading kind's base image: its Dockerfile has no %s", name)
		}
	}
	return facts, nil
}

// baseFiles are the files of kind's base image and those of our own, with the
// permissions that its Dockerfile gives them.
func (k kindFacts) baseFiles() ([]layerFile, error) {
	var files []layerFile
	err := filepath.WalkDir(k.files, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(k.files, name)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		files = append(files, layerFile{path: rel, mode: baseMode(rel), source: name})
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("reading kind's base image: %w", err)
	}
	own, err := embeddedFiles("files")
	if err != nil {
		return nil, err
	}
	for _, name := range sortedKeys(own) {
		files = append(files, layerFile{path: name, mode: baseMode(name), data: own[name]})
	}
	return files, nil
}

// baseMode is 0755 for what lies in a folder of programs, else 0644.
func baseMode(name string) os.FileMode {
	if path.Base(path.Dir(name)) == "bin" {
		return 0o755
	}
	return 0o644
}

// embeddedFiles are the embedded files below a folder, by their path in it.
func embeddedFiles(dir string) (map[string][]byte, error) {
	files := map[string][]byte{}
	err := fs.WalkDir(guestFiles, dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := guestFiles.ReadFile(name)
		files[strings.TrimPrefix(name, dir+"/")] = data
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("reading embedded files: %w", err)
	}
	return files, nil
}

// staging are the modules that a release of Kubernetes keeps in its own
// repository and publishes beside it, without the samples, which nothing
// imports.
func staging(goMod []byte) ([]string, error) {
	f, err := modfile.Parse("go.mod", goMod, nil)
	if err != nil {
		return nil, fmt.Errorf("reading the go.mod of %s: %w", kubernetesModule, err)
	}
	var modules []string
	for _, r := range f.Replace {
		if strings.HasPrefix(r.New.Path, "./staging/") && !strings.HasPrefix(r.Old.Path, "k8s.io/sample-") {
			modules = append(modules, r.Old.Path)
		}
	}
	slices.Sort(modules)
	return slices.Compact(modules), nil
}

// stagingVersion is the version of the staging modules of a release.
func stagingVersion(v clusters.Version) string { return fmt.Sprintf("v0.%d.%d", v.Minor, v.Patch) }

// kubernetesProgram are the binaries of a release, of which m and its staging
// modules are known.
func kubernetesProgram(v clusters.Version, m goModule, stagingModules []string) program {
	p := program{
		goVersion: m.GoVersion, requires: []string{kubernetesModule + " v" + v.String()},
		// Without the client libraries of clouds, which releases before 1.31
		// still have and which take a third of the compile time.
		tags: []string{"providerless"},
	}
	for _, s := range stagingModules {
		p.replaces = append(p.replaces, fmt.Sprintf("%s => %s %s", s, s, stagingVersion(v)))
	}
	for _, c := range kubernetesCommands() {
		p.packages = append(p.packages, kubernetesModule+"/cmd/"+c)
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
			p.variables = append(p.variables, pkg+"."+value)
		}
	}
	return p
}

// moduleProgram builds packages of a module, named below it.
func moduleProgram(m goModule, packages ...string) program {
	p := program{goVersion: m.GoVersion, requires: []string{m.Path + " " + m.Version}}
	for _, pkg := range packages {
		p.packages = append(p.packages, strings.TrimSuffix(m.Path+"/"+pkg, "/"))
	}
	return p
}

func containerdProgram(m goModule) program {
	p := moduleProgram(m, "cmd/containerd", "cmd/ctr", "cmd/containerd-shim-runc-v2")
	// As kind's Dockerfile says: no snapshotter that a node never chooses.
	p.tags = []string{"no_aufs", "no_zfs", "no_btrfs", "no_devmapper"}
	p.variables = []string{m.Path + "/version.Version=" + m.Version}
	return p
}

func cniProgram(m goModule) program {
	p := moduleProgram(m, "plugins/ipam/host-local", "plugins/main/loopback", "plugins/main/ptp", "plugins/meta/portmap")
	p.variables = []string{m.Path + "/pkg/utils/buildversion.BuildVersion=" + m.Version}
	return p
}

func crictlProgram(m goModule) program {
	p := moduleProgram(m, "cmd/crictl")
	p.variables = []string{m.Path + "/pkg/version.Version=" + m.Version}
	return p
}

// etcdProgram is the server; its binary is called "server", by its folder.
func etcdProgram(m goModule) program { return moduleProgram(m, "") }

// corednsProgram is CoreDNS with the plugins of corednsPlugins; its binary is
// called "build".
func corednsProgram(m goModule) program {
	var b strings.Builder
	fmt.Fprintf(&b, "package main\n\nimport (\n\t%q\n\n", m.Path+"/coremain")
	for _, plugin := range corednsPlugins() {
		fmt.Fprintf(&b, "\t_ %q\n", m.Path+"/plugin/"+plugin)
	}
	b.WriteString(")\n\nfunc main() { coremain.Run() }\n")
	p := moduleProgram(m)
	p.files = map[string][]byte{"main.go": []byte(b.String())}
	p.packages = []string{"."}
	return p
}

// pauseProgram is the process of a pod's sandbox.
func pauseProgram() (program, error) { return guestProgram("pause", guestGoVersion) }

// flannelProgram is flannel with what starts it on a node. It is built with the
// versions of other modules that flannel itself was made with.
func flannelProgram(m goModule) (program, error) {
	p, err := guestProgram("flanneld", m.GoVersion)
	p.requires = []string{m.Path + " " + m.Version}
	return p, err
}

// guestProgram is a program out of a folder below guest, which names its binary.
func guestProgram(name, goVersion string) (program, error) {
	sources, err := embeddedFiles("guest/" + name)
	if err != nil {
		return program{}, err
	}
	p := program{goVersion: goVersion, files: map[string][]byte{}, packages: []string{"./" + name}}
	for file, data := range sources {
		p.files[name+"/"+file] = data
	}
	return p, nil
}

// guestGoVersion is the language version of the guest programs that are not
// written for another module.
const guestGoVersion = "1.25"

// sortedKeys are the keys of a map in order.
func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// buildable says whether images can be built on this system at all.
func buildable() error {
	if runtime.GOOS != "linux" {
		return fmt.Errorf("%w: it is no Linux; pull the node image where a registry can be reached", ErrCannotBuild)
	}
	if os.Geteuid() != 0 {
		return fmt.Errorf("%w: making a root file system takes root; run this once as root, or pull the node image where a registry can be reached", ErrCannotBuild)
	}
	return nil
}
