// Package kindbuild makes node images with kind's own builder
// (sigs.k8s.io/kind/pkg/build/nodeimage): of a release of Kubernetes that it
// downloads, of such an archive at a URL or in a file, or of a source tree.
//
// It needs docker, and no root. The builder layers Kubernetes on kind's base
// image and pulls the other images of a node from their registries, so that the
// image is like one that kind publishes. If no registry can be reached, it
// cannot run: see Builder.Ready.
//
// The builder takes no context, and runs "docker" and "make" as it finds them.
// It therefore runs in a process of its own (see Main), which ends with
// everything that it started when the build is cancelled; its container is
// known by a mark, and removed. What it downloads is downloaded here first,
// with progress and a checksum.
package kindbuild
