// Package nodeimage makes the container engine have the images that clusters
// need: kindest/node of a Kubernetes version, and the images of a scenario's
// pods.
//
// An image comes from the first of three places that has it: the engine, the
// registry, or a build on this machine. A build needs neither a registry nor
// release archives: it compiles Kubernetes and the parts around it from Go
// modules, and takes the userland from Debian packages, with whatever module
// proxy and package sources this machine is set up for. It needs root on a
// Debian or Ubuntu machine, and the Go toolchain.
//
//	p, err := nodeimage.New(nodeimage.Options{Engine: engine})
//	r, err := p.Resolve(ctx, "1.28", "")    // 1.28.15: have, pull or build; and why
//	image, err := p.Ensure(ctx, r, progress) // kindest/node:v1.28.15
//
// # Which version
//
// A constraint resolves to a version that can really be had. Not every release
// can be built: all the modules that Kubernetes keeps in its own repository
// must have been published beside it and be known to the checksum database.
// What was found out is kept in the cache, so that the second question costs
// nothing and needs no network.
//
// # What is in a built image
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
//   - The pod network is flannel with its host-gw backend, as kind's network
//     daemon is no module that can be had. It is a service of the node (see
//     guest/flanneld), serves any number of nodes, and stands back where a
//     cluster is made with disableDefaultCNI.
//   - There is no volume provisioner: the storage class "standard" binds volumes
//     that exist.
//   - Cloud providers are left out of releases that still have them.
//
// Several control planes stand behind a load balancer, for which kind takes
// Envoy's image. What EnsureImage builds under that name is a program of ours
// (see guest/envoy) that reads the configuration as kind writes it. A pod that
// asks for this very version of Envoy gets it too.
//
// # The cache
//
// Every part of an image is kept under the hash of all that went into it:
// module versions, compiler, flags, files. It appears there whole or not at
// all. So a build that was interrupted goes on where it was, a second version
// costs only Kubernetes itself, and a changed recipe builds what it changes.
// One build runs at a time; others wait and say for whom. An interrupted build
// leaves no container, image name or mount, and the next one removes what a
// killed one has left.
package nodeimage
