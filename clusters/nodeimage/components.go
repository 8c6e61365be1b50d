package nodeimage

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"
)

// defaultPath is the search path in the images made here.
const defaultPath = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

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

// imageName is an image's name in its parts.
type imageName struct{ repository, tag string }

// splitImage reads a name like "example.org/etcd:3.5.15-0".
func splitImage(ref string) (imageName, error) {
	i := strings.LastIndex(ref, ":")
	if i < 0 || strings.Contains(ref[i:], "/") {
		return imageName{}, fmt.Errorf("image %q has no tag", ref)
	}
	return imageName{ref[:i], ref[i+1:]}, nil
}

// base is the last part of the repository, such as "etcd".
func (n imageName) base() string { return path.Base(n.repository) }

// moduleVersion is the module version that a tag stands for: the tag of etcd
// carries the revision of its image, "3.5.15-0".
func (n imageName) moduleVersion() string {
	v, _, _ := strings.Cut(strings.TrimPrefix(n.tag, "v"), "-")
	return "v" + v
}

// parts are the folders of finished stages that images are made of.
type parts struct {
	kubernetes, etcd, coredns, guest, userland string
}

// controlPlane puts the images that kubeadm lists into the archive, and the
// pause image under the name by which containerd asks for it too.
func (p parts) controlPlane(a *archive, list []string, sandboxImage string) error {
	for _, ref := range list {
		name, err := splitImage(ref)
		if err != nil {
			return fmt.Errorf("reading kubeadm's list of images: %w", err)
		}
		files, config, err := p.component(name.base())
		if err != nil {
			return err
		}
		names := []string{ref}
		if name.base() == "pause" && ref != sandboxImage {
			names = append(names, sandboxImage)
		}
		if err := a.add(names, config, files); err != nil {
			return err
		}
	}
	return nil
}

// component is what the image of a component consists of.
func (p parts) component(name string) ([]layerFile, v1.Config, error) {
	config := v1.Config{Env: []string{defaultPath}}
	switch name {
	case "kube-apiserver", "kube-controller-manager", "kube-scheduler":
		return []layerFile{temporary(), executable("usr/local/bin/"+name, filepath.Join(p.kubernetes, "bin", name))}, config, nil
	case "etcd":
		return []layerFile{temporary(), executable("usr/local/bin/etcd", filepath.Join(p.etcd, "bin", "server"))}, config, nil
	case "coredns":
		config.Entrypoint = []string{"/coredns"}
		return []layerFile{temporary(), executable("coredns", filepath.Join(p.coredns, "bin", "build"))}, config, nil
	case "pause":
		config.Entrypoint, config.User = []string{"/pause"}, "65535:65535"
		return []layerFile{executable("pause", filepath.Join(p.guest, "bin", "pause"))}, config, nil
	case "kube-proxy":
		files, err := p.kubeProxy()
		return files, config, err
	default:
		return nil, config, fmt.Errorf("%w: kubeadm asks for an image called %q, which is not known here", ErrCannotBuild, name)
	}
}

// kubeProxy are the binary and, of the userland, the programs that it calls.
func (p parts) kubeProxy() ([]layerFile, error) {
	files, err := treeFiles(filepath.Join(p.userland, "kube-proxy"))
	if err != nil {
		return nil, err
	}
	files = append(files, temporary(),
		executable("usr/local/bin/kube-proxy", filepath.Join(p.kubernetes, "bin", "kube-proxy")),
		layerFile{path: "usr/sbin/iptables-wrapper", mode: 0o755, data: []byte(iptablesWrapper)})
	for _, family := range []string{"iptables", "ip6tables"} {
		for _, verb := range []string{"", "-save", "-restore"} {
			files = append(files, layerFile{path: "usr/sbin/" + family + verb, link: "iptables-wrapper"})
		}
	}
	return files, nil
}

// temporary is the folder for temporary files.
func temporary() layerFile { return layerFile{path: "tmp", mode: os.ModeDir | os.ModeSticky | 0o777} }

// treeFiles are the files, links and folders below root, in order.
func treeFiles(root string) ([]layerFile, error) {
	var files []layerFile
	err := filepath.Walk(root, func(name string, info os.FileInfo, err error) error {
		if err != nil || name == root {
			return err
		}
		rel, err := filepath.Rel(root, name)
		if err != nil {
			return err
		}
		f := layerFile{path: filepath.ToSlash(rel), mode: info.Mode().Perm()}
		switch {
		case info.IsDir():
			f.mode |= os.ModeDir
		case info.Mode()&os.ModeSymlink != 0:
			if f.link, err = os.Readlink(name); err != nil {
				return err
			}
		default:
			f.source = name
		}
		files = append(files, f)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", root, err)
	}
	return files, nil
}

// writeTree puts files below root.
func writeTree(root string, files []layerFile) error {
	for _, f := range files {
		if err := writeTreeFile(filepath.Join(root, filepath.FromSlash(f.path)), f); err != nil {
			return fmt.Errorf("writing %s: %w", f.path, spaceError(err))
		}
	}
	return nil
}

func writeTreeFile(name string, f layerFile) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	switch {
	case f.mode.IsDir():
		return os.MkdirAll(name, f.mode.Perm())
	case f.link != "":
		return os.Symlink(f.link, name)
	}
	data := f.data
	if f.source != "" {
		var err error
		if data, err = os.ReadFile(f.source); err != nil {
			return err
		}
	}
	// Chmod, because the umask holds for WriteFile.
	if err := os.WriteFile(name, data, f.mode.Perm()); err != nil {
		return err
	}
	return os.Chmod(name, f.mode.Perm())
}

// ociSpec is the default specification of containers in a node, out of what
// "ctr oci spec" writes: as in kind's Dockerfile, with the hook that hides the
// host's product identity and without resource limits.
func ociSpec(spec map[string]any) map[string]any {
	hooks, _ := spec["hooks"].(map[string]any)
	if hooks == nil {
		hooks = map[string]any{}
	}
	create, _ := hooks["createContainer"].([]any)
	hooks["createContainer"] = append(create, map[string]any{"path": "/kind/bin/mount-product-files.sh"})
	spec["hooks"] = hooks
	if process, ok := spec["process"].(map[string]any); ok {
		delete(process, "rlimits")
	}
	return spec
}
