package modules

import (
	"path/filepath"

	"github.com/kind-lab/lab/clusters"
	"github.com/kind-lab/lab/clusters/internal/oci"
)

// assembly is all that a node image is put together from.
type assembly struct {
	parts    parts
	shared   *sharedParts
	images   []string // that kubeadm asks for
	sandbox  string   // that containerd asks for
	version  clusters.Version
	versions map[string]string
}

// parts are the folders of finished stages that images are made of.
type parts struct {
	kubernetes, etcd, coredns, guest, userland string
}

// sharedParts are the folders of the stages that all versions share.
type sharedParts struct {
	containerd, cni, crictl, flannel, guest, userland string
	// files are those of kind's base image.
	files []oci.File
	// versions say what is inside, for the image's labels.
	versions map[string]string
	// facts are where they come from.
	facts kindFacts
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
