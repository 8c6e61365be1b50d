// Package images reaches the images of the container engine and of registries,
// and names the labels by which images that were built here are known.
package images

const (
	// BuiltLabel is on everything that is built here; it holds the key of what
	// it was built from.
	BuiltLabel = "lab.nodeimage"
	// SourceLabel says what kind's builder has made a node image of: the address
	// of a release or archive, "file" or "source tree".
	SourceLabel = "lab.nodeimage.source"
	// VersionLabel begins the labels that say which version of what is inside.
	VersionLabel = "lab.nodeimage.version."
	// StagesLabel names the parts in the cache that an image is made of.
	StagesLabel = "lab.nodeimage.stages"
	// BaseLabel names the base image that an image is layered on.
	BaseLabel = "lab.nodeimage.base"
)

// The roles of an Image.
const (
	// RoleNode is an image that nodes are made of.
	RoleNode = "node"
	// RoleBase is what node images built here are layered on.
	RoleBase = "base"
	// RolePod is an image of pods that was built here.
	RolePod = "pod"
)
