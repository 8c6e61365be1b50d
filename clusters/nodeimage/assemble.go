package nodeimage

import (
	"archive/tar"
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/kind-lab/lab/clusters"
)

const (
	// cleanupTime bounds the removal of what a build has made, also where the
	// build itself was cancelled.
	cleanupTime = 30 * time.Second
	// containerdTime bounds the start of the containerd that images are
	// imported with.
	containerdTime = 60 * time.Second
)

// entrypoint is how a node image begins, as JSON.
const entrypoint = `["/usr/local/bin/entrypoint", "/sbin/init"]`

// assembly is all that a node image is put together from.
type assembly struct {
	parts    parts
	shared   *sharedParts
	images   []string // that kubeadm asks for
	sandbox  string   // that containerd asks for
	version  clusters.Version
	versions map[string]string
}

// assemble makes the base image, unless the engine has it, and the node image
// on top of it.
func (r *recipe) assemble(ctx context.Context, b *builder, a assembly) error {
	s := a.shared
	base := baseRepository + ":" + stageKey("base", baseNames(s.userland, s.containerd, s.cni, s.crictl, s.flannel))
	err := b.acted(ctx, "base image", func(ctx context.Context, say func(string)) error {
		if err := r.engine.sweep(ctx, r.store.workName()); err != nil {
			return err
		}
		if ok, err := r.engine.has(ctx, base); ok || err != nil {
			return err
		}
		say("importing the root file system")
		return r.importBase(ctx, a, base)
	})
	if err != nil {
		return err
	}
	return b.acted(ctx, "node image "+b.image, func(ctx context.Context, say func(string)) error {
		return r.layer(ctx, a, base, b.image, say)
	})
}

// importBase makes the base image: the userland with the container runtime,
// the network plugins and flannel.
func (r *recipe) importBase(ctx context.Context, a assembly, name string) error {
	s := a.shared
	raw, err := child{}.output(ctx, filepath.Join(s.containerd, "bin", "ctr"), "oci", "spec")
	if err != nil {
		return fmt.Errorf("asking for the default specification of containers: %w", err)
	}
	var spec map[string]any
	if err := json.Unmarshal(raw, &spec); err != nil {
		return fmt.Errorf("reading the default specification of containers: %w", err)
	}
	data, err := json.MarshalIndent(ociSpec(spec), "", "  ")
	if err != nil {
		return fmt.Errorf("writing the default specification of containers: %w", err)
	}
	files := []layerFile{
		{path: "etc/containerd/cri-base.json", mode: 0o644, data: data},
		executable("usr/local/bin/flanneld", filepath.Join(s.flannel, "bin", "flanneld")),
		executable("usr/local/bin/crictl", filepath.Join(s.crictl, "bin", "crictl")),
	}
	for to, from := range map[string]string{"usr/local/bin": s.containerd, "opt/cni/bin": s.cni} {
		tree, err := treeFiles(filepath.Join(from, "bin"))
		if err != nil {
			return err
		}
		for _, f := range tree {
			files = append(files, executable(to+"/"+f.path, f.source))
		}
	}
	rootfs := stream(func(w io.Writer) error { return appendTar(w, filepath.Join(s.userland, rootfsTar), files) })
	defer rootfs.Close()
	// Named once it is whole: what breaks off in the middle of a stream may
	// look whole to the engine.
	id, err := r.engine.run(ctx, rootfs, "import",
		"--change", "ENV container=docker", "--change", "ENTRYPOINT "+entrypoint, "--change", "LABEL "+builtLabel+"="+RoleBase, "-")
	if err != nil {
		return fmt.Errorf("importing the base image: %w", err)
	}
	if _, err := r.engine.run(ctx, nil, "tag", id, name); err != nil {
		return fmt.Errorf("naming the base image: %w", err)
	}
	return nil
}

// appendTar writes a tar file's entries, then more files.
func appendTar(w io.Writer, name string, files []layerFile) error {
	f, err := os.Open(name)
	if err != nil {
		return fmt.Errorf("reading the root file system: %w", err)
	}
	defer f.Close()
	in, out := tar.NewReader(f), tar.NewWriter(w)
	made := map[string]bool{".": true}
	for {
		h, err := in.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return fmt.Errorf("reading the root file system: %w", err)
		}
		if h.Typeflag == tar.TypeDir {
			made[strings.Trim(strings.TrimPrefix(h.Name, "."), "/")] = true
		}
		if err := out.WriteHeader(h); err != nil {
			return fmt.Errorf("writing the root file system: %w", err)
		}
		if _, err := io.Copy(out, in); err != nil {
			return fmt.Errorf("writing the root file system: %w", err)
		}
	}
	if err := writeLayerOver(out, files, made); err != nil {
		return err
	}
	return out.Close()
}

// layer makes the node image in a container of the base image: the binaries
// of Kubernetes, and the control plane's images in containerd's store.
func (r *recipe) layer(ctx context.Context, a assembly, base, image string, say func(string)) (err error) {
	name := r.store.workName() + strings.ToLower(rand.Text()[:10])
	// containerd is the container's own process, so that its store is closed
	// properly when the container ends. The stop signal is systemd's: a commit
	// keeps it, and could not set it.
	_, err = r.engine.run(ctx, nil, "run", "--detach", "--name", name, "--network", "none",
		"--entrypoint", "containerd", "--stop-signal", "SIGRTMIN+3", "--security-opt", "seccomp=unconfined", base)
	defer func() {
		clean, cancel := context.WithTimeout(context.WithoutCancel(ctx), cleanupTime)
		defer cancel()
		err = errors.Join(err, r.engine.remove(clean, name))
	}()
	if err != nil {
		return fmt.Errorf("starting the container that makes the image: %w", err)
	}
	say("copying Kubernetes")
	if err := r.copyKubernetes(ctx, a, name); err != nil {
		return err
	}
	if err := r.importImages(ctx, a, name, say); err != nil {
		return err
	}
	say("committing the image")
	if _, err := r.engine.run(ctx, nil, "kill", "--signal", "TERM", name); err != nil {
		return fmt.Errorf("stopping the container that makes the image: %w", err)
	}
	if _, err := r.engine.run(ctx, nil, "wait", name); err != nil {
		return fmt.Errorf("stopping the container that makes the image: %w", err)
	}
	args := []string{"commit", "--change", "ENTRYPOINT " + entrypoint, "--change", "CMD []",
		"--change", "LABEL " + builtLabel + "=" + r.key(a, base)}
	p, s := a.parts, a.shared
	stages := baseNames(p.kubernetes, p.etcd, p.coredns, p.guest, p.userland, s.containerd, s.cni, s.crictl, s.flannel)
	args = append(args, "--change", "LABEL "+stagesLabel+"="+strings.Join(stages, ","), "--change", "LABEL "+baseLabel+"="+base)
	for _, what := range sortedKeys(a.versions) {
		args = append(args, "--change", fmt.Sprintf("LABEL %s%s=%q", versionLabel, what, a.versions[what]))
	}
	if _, err := r.engine.run(ctx, nil, append(args, name, image)...); err != nil {
		return fmt.Errorf("committing the image: %w", err)
	}
	return nil
}

// key is the hash of all that a node image is made of.
func (r *recipe) key(a assembly, base string) string {
	p := a.parts
	inputs := append(baseNames(p.kubernetes, p.etcd, p.coredns, p.guest, p.userland), base, a.sandbox, iptablesWrapper)
	return stageKey("node", append(inputs, a.images...))
}

// baseNames are the names of stages' folders, which hold their keys, without
// the cache's own path.
func baseNames(dirs ...string) []string {
	names := make([]string, len(dirs))
	for i, dir := range dirs {
		names[i] = filepath.Base(dir)
	}
	return names
}

// copyKubernetes copies the binaries that a node itself runs.
func (r *recipe) copyKubernetes(ctx context.Context, a assembly, container string) error {
	files := []layerFile{{path: "kind/version", mode: 0o644, data: []byte("v" + a.version.String())}}
	for _, c := range []string{"kubelet", "kubeadm", "kubectl"} {
		files = append(files, executable("usr/bin/"+c, filepath.Join(a.parts.kubernetes, "bin", c)))
	}
	in := stream(func(w io.Writer) error { return writeTar(w, files) })
	defer in.Close()
	if _, err := r.engine.run(ctx, in, "cp", "-", container+":/"); err != nil {
		return fmt.Errorf("copying Kubernetes into the image: %w", err)
	}
	return nil
}

// importImages puts the control plane's images into containerd's store, where
// the kubelet's garbage collection leaves them alone.
func (r *recipe) importImages(ctx context.Context, a assembly, container string, say func(string)) (err error) {
	dir, err := r.store.begin("images", a.version.String())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, removeTree(dir)) }()
	say("making the control plane's images")
	images := &archive{dir: dir, compress: true}
	if err := a.parts.controlPlane(images, a.images, a.sandbox); err != nil {
		return err
	}
	say("importing the control plane's images")
	if err := r.waitForContainerd(ctx, container); err != nil {
		return err
	}
	in := stream(images.writeTo)
	defer in.Close()
	_, err = r.engine.run(ctx, in, "exec", "--interactive", container, "ctr", "--namespace=k8s.io", "images", "import",
		"--label=io.cri-containerd.pinned=pinned", "--all-platforms", "--no-unpack", "--digests", "-")
	if err != nil {
		return fmt.Errorf("importing the control plane's images: %w", err)
	}
	out, err := r.engine.run(ctx, nil, "exec", container, "ctr", "--namespace=k8s.io", "images", "list", "--quiet")
	if err != nil {
		return fmt.Errorf("listing the images of the node image: %w", err)
	}
	for _, ref := range append(a.images, a.sandbox) {
		if !strings.Contains("\n"+out+"\n", "\n"+ref+"\n") {
			return fmt.Errorf("image %s did not arrive in the node image", ref)
		}
	}
	return nil
}

// waitForContainerd waits until containerd answers in a container.
func (r *recipe) waitForContainerd(ctx context.Context, container string) error {
	ctx, cancel := context.WithTimeout(ctx, containerdTime)
	defer cancel()
	for {
		_, err := r.engine.run(ctx, nil, "exec", container, "ctr", "--connect-timeout", "5s", "info")
		if err == nil {
			return nil
		}
		if waitErr := wait(ctx, 250*time.Millisecond); waitErr != nil {
			var log bytes.Buffer
			if said, logErr := r.engine.run(context.WithoutCancel(ctx), nil, "logs", "--tail", "20", container); logErr == nil {
				log.WriteString(said)
			}
			return fmt.Errorf("containerd does not answer in the image that is being made: %w\n%s", errors.Join(waitErr, err), log.String())
		}
	}
}
