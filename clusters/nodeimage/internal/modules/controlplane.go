package modules

import (
	"fmt"
	"path/filepath"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/kind-lab/lab/clusters/internal/build"
	"github.com/kind-lab/lab/clusters/internal/oci"
)

// iptablesWrapper chooses, at its first call, between the kernel's two packet
// filter interfaces: the one in which the node's kubelet has left its chains.
const iptablesWrapper = `#!/bin/sh
set -eu
mode=nft
for family in iptables ip6tables; do
	case "$(xtables-legacy-multi "$family-save" -t mangle 2>/dev/null || true)" in
	*KUBE-IPTABLES-HINT* | *KUBE-KUBELET-CANARY*) mode=legacy ;;
	esac
done
for name in iptables iptables-save iptables-restore ip6tables ip6tables-save ip6tables-restore; do
	ln -sf "xtables-$mode-multi" "/usr/sbin/$name"
done
exec "/usr/sbin/${0##*/}" "$@"
`

// controlPlane puts the images that kubeadm lists into the archive, and the
// pause image under the name by which containerd asks for it too.
func (p parts) controlPlane(a *oci.Archive, list []string, sandboxImage string) error {
	for _, ref := range list {
		name, err := oci.SplitName(ref)
		if err != nil {
			return fmt.Errorf("reading kubeadm's list of images: %w", err)
		}
		files, config, err := p.component(name.Base())
		if err != nil {
			return err
		}
		names := []string{ref}
		if name.Base() == "pause" && ref != sandboxImage {
			names = append(names, sandboxImage)
		}
		if err := a.Add(names, config, files); err != nil {
			return err
		}
	}
	return nil
}

// component is what the image of a component consists of.
func (p parts) component(name string) ([]oci.File, v1.Config, error) {
	config := v1.Config{Env: []string{oci.DefaultPath}}
	switch name {
	case "kube-apiserver", "kube-controller-manager", "kube-scheduler":
		return []oci.File{oci.Temporary(), oci.Executable("usr/local/bin/"+name, filepath.Join(p.kubernetes, "bin", name))}, config, nil
	case "etcd":
		return []oci.File{oci.Temporary(), oci.Executable("usr/local/bin/etcd", filepath.Join(p.etcd, "bin", "server"))}, config, nil
	case "coredns":
		config.Entrypoint = []string{"/coredns"}
		return []oci.File{oci.Temporary(), oci.Executable("coredns", filepath.Join(p.coredns, "bin", "build"))}, config, nil
	case "pause":
		config.Entrypoint, config.User = []string{"/pause"}, "65535:65535"
		return []oci.File{oci.Executable("pause", filepath.Join(p.guest, "bin", "pause"))}, config, nil
	case "kube-proxy":
		files, err := p.kubeProxy()
		return files, config, err
	default:
		return nil, config, fmt.Errorf("%w: kubeadm asks for an image called %q, which is not known here", build.ErrCannotBuild, name)
	}
}

// kubeProxy are the binary and, of the userland, the programs that it calls.
func (p parts) kubeProxy() ([]oci.File, error) {
	files, err := oci.ReadTree(filepath.Join(p.userland, "kube-proxy"))
	if err != nil {
		return nil, err
	}
	files = append(files, oci.Temporary(),
		oci.Executable("usr/local/bin/kube-proxy", filepath.Join(p.kubernetes, "bin", "kube-proxy")),
		oci.File{Path: "usr/sbin/iptables-wrapper", Mode: 0o755, Data: []byte(iptablesWrapper)})
	for _, family := range []string{"iptables", "ip6tables"} {
		for _, verb := range []string{"", "-save", "-restore"} {
			files = append(files, oci.File{Path: "usr/sbin/" + family + verb, Link: "iptables-wrapper"})
		}
	}
	return files, nil
}
