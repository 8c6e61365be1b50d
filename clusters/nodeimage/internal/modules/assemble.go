package modules

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/kind-lab/lab/clusters"
	"github.com/kind-lab/lab/clusters/internal/build"
	"github.com/kind-lab/lab/clusters/internal/images"
	"github.com/kind-lab/lab/clusters/internal/oci"
	"github.com/kind-lab/lab/clusters/internal/store"
)

const (
	// cleanupTime bounds the removal of what a build has made, also where the
	// build itself was cancelled.
	cleanupTime = 30 * time.Second
	// containerdTime bounds the start of the containerd that images are
	// imported with.
	containerdTime = 60 * time.Second
)

// assemble makes the base image, unless the engine has it, and the node image
// on top of it.
func (r *Recipe) assemble(ctx context.Context, b *build.Builder, a assembly) error {
	s := a.shared
	base := BaseRepository + ":" + store.Key("base", baseNames(s.userland, s.containerd, s.cni, s.crictl, s.flannel))
	err := b.Step(ctx, "base image", func(ctx context.Context, say func(string)) error {
		if err := r.engine.Sweep(ctx, r.store.WorkName()); err != nil {
			return err
		}
		if ok, err := r.engine.Has(ctx, base); ok || err != nil {
			return err
		}
		say("importing the root file system")
		return r.importBase(ctx, a, base)
	})
	if err != nil {
		return err
	}
	return b.Step(ctx, "node image "+b.Image, func(ctx context.Context, say func(string)) error {
		return r.layer(ctx, a, base, b.Image, say)
	})
}

// layer makes the node image in a container of the base image: the binaries
// of Kubernetes, and the control plane's images in containerd's store.
func (r *Recipe) layer(ctx context.Context, a assembly, base, image string, say func(string)) (err error) {
	name := r.store.WorkName() + strings.ToLower(rand.Text()[:10])
	// containerd is the container's own process, so that its store is closed
	// properly when the container ends. The stop signal is systemd's: a commit
	// keeps it, and could not set it.
	_, err = r.engine.Run(ctx, nil, "run", "--detach", "--name", name, "--network", "none",
		"--entrypoint", "containerd", "--stop-signal", "SIGRTMIN+3", "--security-opt", "seccomp=unconfined", base)
	defer func() {
		clean, cancel := context.WithTimeout(context.WithoutCancel(ctx), cleanupTime)
		defer cancel()
		err = errors.Join(err, r.engine.Remove(clean, name))
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
	if _, err := r.engine.Run(ctx, nil, "kill", "--signal", "TERM", name); err != nil {
		return fmt.Errorf("stopping the container that makes the image: %w", err)
	}
	if _, err := r.engine.Run(ctx, nil, "wait", name); err != nil {
		return fmt.Errorf("stopping the container that makes the image: %w", err)
	}
	args := []string{"commit", "--change", "ENTRYPOINT " + entrypoint, "--change", "CMD []",
		"--change", "LABEL " + images.BuiltLabel + "=" + r.key(a, base)}
	p, s := a.parts, a.shared
	stages := baseNames(p.kubernetes, p.etcd, p.coredns, p.guest, p.userland, s.containerd, s.cni, s.crictl, s.flannel)
	args = append(args, "--change", "LABEL "+images.StagesLabel+"="+strings.Join(stages, ","), "--change", "LABEL "+images.BaseLabel+"="+base)
	for _, what := range slices.Sorted(maps.Keys(a.versions)) {
		args = append(args, "--change", fmt.Sprintf("LABEL %s%s=%q", images.VersionLabel, what, a.versions[what]))
	}
	if _, err := r.engine.Run(ctx, nil, append(args, name, image)...); err != nil {
		return fmt.Errorf("committing the image: %w", err)
	}
	return nil
}

// key is the hash of all that a node image is made of.
func (r *Recipe) key(a assembly, base string) string {
	p := a.parts
	inputs := append(baseNames(p.kubernetes, p.etcd, p.coredns, p.guest, p.userland), base, a.sandbox, iptablesWrapper)
	return store.Key("node", append(inputs, a.images...))
}

// copyKubernetes copies the binaries that a node itself runs.
func (r *Recipe) copyKubernetes(ctx context.Context, a assembly, container string) error {
	files := []oci.File{{Path: "kind/version", Mode: 0o644, Data: []byte("v" + a.version.String())}}
	for _, c := range []string{"kubelet", "kubeadm", "kubectl"} {
		files = append(files, oci.Executable("usr/bin/"+c, filepath.Join(a.parts.kubernetes, "bin", c)))
	}
	in := oci.Stream(func(w io.Writer) error { return oci.WriteTar(w, files) })
	defer in.Close()
	if _, err := r.engine.Run(ctx, in, "cp", "-", container+":/"); err != nil {
		return fmt.Errorf("copying Kubernetes into the image: %w", err)
	}
	return nil
}

// importImages puts the control plane's images into containerd's store, where
// the kubelet's garbage collection leaves them alone.
func (r *Recipe) importImages(ctx context.Context, a assembly, container string, say func(string)) (err error) {
	dir, err := r.store.Begin(store.NodeImages, "images", a.version.String())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.RemoveTree(dir)) }()
	say("making the control plane's images")
	images := &oci.Archive{Dir: dir, Compress: true}
	if err := a.parts.controlPlane(images, a.images, a.sandbox); err != nil {
		return err
	}
	say("importing the control plane's images")
	if err := r.waitForContainerd(ctx, container); err != nil {
		return err
	}
	in := oci.Stream(images.Save)
	defer in.Close()
	_, err = r.engine.Run(ctx, in, "exec", "--interactive", container, "ctr", "--namespace=k8s.io", "images", "import",
		"--label=io.cri-containerd.pinned=pinned", "--all-platforms", "--no-unpack", "--digests", "-")
	if err != nil {
		return fmt.Errorf("importing the control plane's images: %w", err)
	}
	out, err := r.engine.Run(ctx, nil, "exec", container, "ctr", "--namespace=k8s.io", "images", "list", "--quiet")
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
func (r *Recipe) waitForContainerd(ctx context.Context, container string) error {
	ctx, cancel := context.WithTimeout(ctx, containerdTime)
	defer cancel()
	for {
		_, err := r.engine.Run(ctx, nil, "exec", container, "ctr", "--connect-timeout", "5s", "info")
		if err == nil {
			return nil
		}
		if waitErr := clusters.Pause(ctx, 250*time.Millisecond); waitErr != nil {
			var log bytes.Buffer
			if said, logErr := r.engine.Run(context.WithoutCancel(ctx), nil, "logs", "--tail", "20", container); logErr == nil {
				log.WriteString(said)
			}
			return fmt.Errorf("containerd does not answer in the image that is being made: %w\n%s", errors.Join(waitErr, err), log.String())
		}
	}
}
