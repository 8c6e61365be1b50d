package modules

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/kind-lab/lab/clusters/internal/build"
	"github.com/kind-lab/lab/clusters/internal/debian"
	"github.com/kind-lab/lab/clusters/internal/oci"
	"github.com/kind-lab/lab/clusters/internal/store"
)

// rootfsTar is the userland's root file system, in its stage's folder;
// packagesFile lists the packages in it with their versions.
const (
	rootfsTar    = "rootfs.tar"
	packagesFile = "packages"
)

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

// userlandStage makes the root file system of nodes: Debian packages, kind's
// files and its choice of services. Beside it lies what kube-proxy's image
// takes of it.
func (r *Recipe) userlandStage(ctx context.Context, b *build.Builder, s *sharedParts) (string, error) {
	src, err := r.Debian.Source(ctx)
	if err != nil {
		return "", err
	}
	inputs := []string{"suite " + src.Suite, "arch " + runtime.GOARCH, "kind " + s.facts.version}
	inputs = append(inputs, userland()...)
	inputs = append(inputs, kubeProxyPrograms()...)
	for _, f := range s.files {
		inputs = append(inputs, fmt.Sprintf("file %s %o %s", f.Path, f.Mode, f.Data))
	}
	dir, err := b.Stage(ctx, build.Stage{
		Kind: "userland", Name: "userland of " + src.Suite, Inputs: inputs,
		Make: func(ctx context.Context, dir string, say func(string)) error {
			return r.makeUserland(ctx, src, s, dir, say)
		},
	})
	if err != nil {
		return "", err
	}
	packages, err := os.ReadFile(filepath.Join(dir, packagesFile))
	if err != nil {
		return "", fmt.Errorf("reading the userland: %w", err)
	}
	for _, line := range build.OutputLines(packages) {
		if version, ok := strings.CutPrefix(line, "runc "); ok {
			s.versions["runc"] = version
		}
	}
	s.versions["userland"] = src.Suite
	return dir, nil
}

// makeUserland makes the userland's stage in the folder dir.
func (r *Recipe) makeUserland(ctx context.Context, src debian.Source, s *sharedParts, dir string, say func(string)) error {
	if err := r.Debian.EnsureDebootstrap(ctx, say); err != nil {
		return err
	}
	root := filepath.Join(dir, "rootfs")
	if err := r.Debian.Bootstrap(ctx, src, userland(), root, say); err != nil {
		return err
	}
	say("choosing what nodes need of it")
	packages, err := r.Debian.Inside(ctx, root, "dpkg-query", "--show", "--showformat", "${Package} ${Version}\n")
	if err != nil {
		return fmt.Errorf("listing the packages: %w", err)
	}
	if err := os.WriteFile(filepath.Join(dir, packagesFile), packages, 0o644); err != nil {
		return fmt.Errorf("listing the packages: %w", err)
	}
	if err := slim(root); err != nil {
		return err
	}
	if err := r.furnish(ctx, s, root); err != nil {
		return err
	}
	if err := gatherKubeProxy(root, filepath.Join(dir, "kube-proxy")); err != nil {
		return err
	}
	say("packing the root file system")
	if err := (build.Child{}).Stream(ctx, "tar", "--create", "--numeric-owner", "--one-file-system", "--file", filepath.Join(dir, rootfsTar), "--directory", root, "."); err != nil {
		return fmt.Errorf("packing the root file system: %w", err)
	}
	return store.RemoveTree(root)
}

// furnish puts kind's files into the root file system and chooses services as
// its Dockerfile does.
func (r *Recipe) furnish(ctx context.Context, s *sharedParts, root string) error {
	if err := oci.WriteTree(root, s.files); err != nil {
		return err
	}
	for _, d := range []string{"etc/kubernetes/manifests", "etc/cni/net.d", "opt/cni/bin", "kind/manifests"} {
		if err := os.MkdirAll(filepath.Join(root, d), 0o755); err != nil {
			return fmt.Errorf("furnishing the root file system: %w", err)
		}
	}
	journal, err := os.OpenFile(filepath.Join(root, "etc", "systemd", "journald.conf"), os.O_APPEND|os.O_WRONLY|os.O_CREATE, 0o644)
	if err != nil {
		return fmt.Errorf("furnishing the root file system: %w", err)
	}
	_, err = journal.WriteString("ReadKMsg=no\n")
	if closeErr := journal.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return fmt.Errorf("furnishing the root file system: %w", err)
	}
	for verb, units := range map[string][]string{
		"enable": append([]string{"flanneld.service"}, s.facts.enable...),
		"mask":   s.facts.mask,
	} {
		if len(units) == 0 {
			continue
		}
		if _, err := r.Debian.Inside(ctx, root, "systemctl", append([]string{verb}, units...)...); err != nil {
			return fmt.Errorf("choosing services: %w", err)
		}
	}
	return nil
}

// gatherKubeProxy copies what kube-proxy calls out of the root file system.
func gatherKubeProxy(root, to string) error {
	c, err := debian.NewClosure(root)
	if err != nil {
		return err
	}
	for _, pattern := range kubeProxyPrograms() {
		found, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil {
			return fmt.Errorf("gathering %s: %w", pattern, err)
		}
		if len(found) == 0 {
			return fmt.Errorf("gathering %s: the userland has none", pattern)
		}
		for _, name := range found {
			if err := c.Add(strings.TrimPrefix(name, root)); err != nil {
				return err
			}
		}
	}
	return oci.WriteTree(to, c.List())
}

// slim removes what a node never reads from a root file system, and the units
// that kind's Dockerfile removes: those that would configure the machine that
// a node is not.
func slim(root string) error {
	for _, pattern := range []string{
		"var/cache/apt/*", "var/lib/apt/lists/*", "var/log/*", "debootstrap", "dev/*", "etc/resolv.conf", "etc/hostname",
		"usr/share/man/*", "usr/share/locale/*", "usr/share/info/*", "usr/share/lintian/*",
		"usr/lib/systemd/system/sysinit.target.wants/systemd-tmpfiles-setup.service",
		"usr/lib/systemd/system/multi-user.target.wants/*", "etc/systemd/system/*.wants/*",
		"usr/lib/systemd/system/local-fs.target.wants/*", "usr/lib/systemd/system/sockets.target.wants/*udev*",
		"usr/lib/systemd/system/sockets.target.wants/*initctl*", "usr/lib/systemd/system/basic.target.wants/*",
	} {
		found, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil {
			return fmt.Errorf("slimming the root file system: %w", err)
		}
		for _, name := range found {
			if err := os.RemoveAll(name); err != nil {
				return fmt.Errorf("slimming the root file system: %w", err)
			}
		}
	}
	return keepLicences(filepath.Join(root, "usr", "share", "doc"))
}

// keepLicences removes all but the copyright files below a folder.
func keepLicences(doc string) error {
	err := filepath.WalkDir(doc, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || d.Name() == "copyright" {
			return err
		}
		return os.Remove(name)
	})
	if err != nil {
		return fmt.Errorf("slimming the root file system: %w", err)
	}
	return nil
}
