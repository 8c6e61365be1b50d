package nodeimage

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// rootfsTar is the userland's root file system, in its stage's folder;
// packagesFile lists the packages in it with their versions.
const (
	rootfsTar    = "rootfs.tar"
	packagesFile = "packages"
)

// userlandStage makes the root file system of nodes: Debian packages, kind's
// files and its choice of services. Beside it lies what kube-proxy's image
// takes of it.
func (r *recipe) userlandStage(ctx context.Context, b *builder, s *sharedParts) (string, error) {
	src, err := r.debian.source(ctx)
	if err != nil {
		return "", err
	}
	inputs := []string{"suite " + src.suite, "arch " + runtime.GOARCH, "kind " + s.facts.version}
	inputs = append(inputs, userland()...)
	inputs = append(inputs, kubeProxyPrograms()...)
	for _, f := range s.files {
		inputs = append(inputs, fmt.Sprintf("file %s %o %s", f.path, f.mode, f.data))
	}
	dir, err := b.made(ctx, stage{
		kind: "userland", name: "userland of " + src.suite, inputs: inputs,
		run: func(ctx context.Context, dir string, say func(string)) error {
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
	for _, line := range outputLines(packages) {
		if version, ok := strings.CutPrefix(line, "runc "); ok {
			s.versions["runc"] = version
		}
	}
	s.versions["userland"] = src.suite
	return dir, nil
}

// makeUserland makes the userland's stage in the folder dir.
func (r *recipe) makeUserland(ctx context.Context, src source, s *sharedParts, dir string, say func(string)) error {
	if err := r.debian.ensureDebootstrap(ctx, say); err != nil {
		return err
	}
	root := filepath.Join(dir, "rootfs")
	if err := r.debian.bootstrap(ctx, src, userland(), root, say); err != nil {
		return err
	}
	say("choosing what nodes need of it")
	packages, err := r.debian.inside(ctx, root, "dpkg-query", "--show", "--showformat", "${Package} ${Version}\n")
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
	if err := (child{}).stream(ctx, "tar", "--create", "--numeric-owner", "--one-file-system", "--file", filepath.Join(dir, rootfsTar), "--directory", root, "."); err != nil {
		return fmt.Errorf("packing the root file system: %w", err)
	}
	return removeTree(root)
}

// furnish puts kind's files into the root file system and chooses services as
// its Dockerfile does.
func (r *recipe) furnish(ctx context.Context, s *sharedParts, root string) error {
	if err := writeTree(root, s.files); err != nil {
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
		if _, err := r.debian.inside(ctx, root, "systemctl", append([]string{verb}, units...)...); err != nil {
			return fmt.Errorf("choosing services: %w", err)
		}
	}
	return nil
}

// gatherKubeProxy copies what kube-proxy calls out of the root file system.
func gatherKubeProxy(root, to string) error {
	c, err := newClosure(root)
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
			if err := c.add(strings.TrimPrefix(name, root)); err != nil {
				return err
			}
		}
	}
	return writeTree(to, c.list())
}
