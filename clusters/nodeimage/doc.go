// Package nodeimage makes the container engine have node images: kindest/node of a
// Kubernetes version. It lists them, and removes those that were built here.
//
//	p, err := nodeimage.New(nodeimage.Options{Engine: engine})
//	r, err := p.Resolve(ctx, "1.28", "")    // 1.28.15: have, pull or build; and why
//	image, err := p.Ensure(ctx, r, progress) // kindest/node:v1.28.15
//
// An image comes from the first of three places that has it: the engine, the
// registry, or a build on this machine. There are two ways to build one.
//
// # With kind's own builder
//
// The builder of the kind module makes an image of a release of Kubernetes that it
// downloads, of such an archive, or of a source tree. It needs docker, its base
// image and a registry, and no root. This is the first way: Resolve and Ensure ask
// whether the base image and the release can be reached, for a few seconds at
// most, and say which way is taken and why. If the builder fails, the image is
// built from Go modules. See internal/kindbuild.
//
// # From Go modules
//
// Kubernetes and the parts around it are compiled from Go modules, and the userland
// is taken from Debian packages, with whatever module proxy and package sources
// this machine is set up for. Neither a registry nor release archives are needed,
// but root on a Debian or Ubuntu machine, and the Go toolchain. See
// internal/modules.
//
// A constraint resolves to a version that can really be built. Not every release
// can be: all the modules that Kubernetes keeps in its own repository must have
// been published beside it and be known to the checksum database. What was found
// out is kept in the cache, so that the second question costs nothing and needs no
// network.
//
// The image follows kind's own base image, as the kind module describes it that
// this program was built with: its files, its services, the versions of
// containerd, crictl and the CNI plugins. These are different:
//
//   - The userland is this machine's own release of Debian or Ubuntu, with its
//     runc.
//   - etcd and CoreDNS may be newer than kubeadm asks for, so that several
//     versions share one build; CoreDNS has the plugins that clusters use. The
//     images keep the names that kubeadm knows, and the node image's labels
//     (lab.nodeimage.version.*) say what is inside.
//   - The pod network is flannel with its host-gw backend, because kind's network
//     daemon is not published as a module. It is a service of the node (see
//     guest/flanneld), serves any number of nodes, and does nothing if a cluster
//     is made with disableDefaultCNI.
//   - There is no volume provisioner: the storage class "standard" binds volumes
//     that exist.
//   - Cloud providers are left out of releases that still have them.
//
// # The cache
//
// Every part of an image is kept under the hash of all that went into it: module
// versions, compiler, flags, files. It appears there whole or not at all. So a
// build that was interrupted continues where it was, a second version costs only
// Kubernetes itself, and a changed recipe builds what it changes. The test
// TestFingerprintsStayTheSame pins these hashes, because images that are in use
// are found by them. One build runs at a time; others wait and say for whom. An
// interrupted build leaves no container, image name or mount, and the next one
// removes what a killed one has left.
package nodeimage
