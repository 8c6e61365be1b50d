package oci

import (
	"fmt"
	"path"
	"strings"
)

// Name is an image's name in its parts.
type Name struct{ Repository, Tag string }

// SplitName reads a name like "example.org/etcd:3.5.15-0".
func SplitName(ref string) (Name, error) {
	i := strings.LastIndex(ref, ":")
	if i < 0 || strings.Contains(ref[i:], "/") {
		return Name{}, fmt.Errorf("image %q has no tag", ref)
	}
	return Name{ref[:i], ref[i+1:]}, nil
}

// Base is the last part of the repository, such as "etcd".
func (n Name) Base() string { return path.Base(n.Repository) }

// ModuleVersion is the module version that a tag stands for: the tag of etcd
// carries the revision of its image, "3.5.15-0".
func (n Name) ModuleVersion() string {
	v, _, _ := strings.Cut(strings.TrimPrefix(n.Tag, "v"), "-")
	return "v" + v
}
