package modules

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"

	"github.com/kind-lab/lab/clusters/internal/build"
	"github.com/kind-lab/lab/clusters/internal/images"
	"github.com/kind-lab/lab/clusters/internal/oci"
)

// BaseRepository holds the images that node images are layered on.
const BaseRepository = "lab-node-base"

// entrypoint is how a node image begins, as JSON.
const entrypoint = `["/usr/local/bin/entrypoint", "/sbin/init"]`

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

// importBase makes the base image: the userland with the container runtime,
// the network plugins and flannel.
func (r *Recipe) importBase(ctx context.Context, a assembly, name string) error {
	s := a.shared
	raw, err := build.Child{}.Output(ctx, filepath.Join(s.containerd, "bin", "ctr"), "oci", "spec")
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
	files := []oci.File{
		{Path: "etc/containerd/cri-base.json", Mode: 0o644, Data: data},
		oci.Executable("usr/local/bin/flanneld", filepath.Join(s.flannel, "bin", "flanneld")),
		oci.Executable("usr/local/bin/crictl", filepath.Join(s.crictl, "bin", "crictl")),
	}
	for to, from := range map[string]string{"usr/local/bin": s.containerd, "opt/cni/bin": s.cni} {
		tree, err := oci.ReadTree(filepath.Join(from, "bin"))
		if err != nil {
			return err
		}
		for _, f := range tree {
			files = append(files, oci.Executable(to+"/"+f.Path, f.Source))
		}
	}
	rootfs := oci.Stream(func(w io.Writer) error { return oci.AppendTar(w, filepath.Join(s.userland, rootfsTar), files) })
	defer rootfs.Close()
	// Named once it is whole: what breaks off in the middle of a stream may
	// look whole to the engine.
	id, err := r.engine.Run(ctx, rootfs, "import",
		"--change", "ENV container=docker", "--change", "ENTRYPOINT "+entrypoint, "--change", "LABEL "+images.BuiltLabel+"="+images.RoleBase, "-")
	if err != nil {
		return fmt.Errorf("importing the base image: %w", err)
	}
	if _, err := r.engine.Run(ctx, nil, "tag", id, name); err != nil {
		return fmt.Errorf("naming the base image: %w", err)
	}
	return nil
}
