// Package existing lets runs use clusters that exist already: a context of a
// kubeconfig.
//
// Such a cluster is somebody's. What a run may do there is bounded:
//
//   - Everything happens in namespaces of the run's own, or in one namespace
//     that is named. Those of its own are deleted at the end; in one that is
//     named, the objects that the run made are, and no others.
//   - A Lease keeps a second run away, with who holds it and since when. It is
//     renewed while the run goes on, so that one of a run that is gone expires.
//     It also says which namespaces the run made, before they are made: a
//     process that was killed leaves it behind, and Destroy of another process
//     finds there what has to go.
//   - The rights that are needed are asked for first. All that are missing are
//     reported at once, with the role that would grant them.
//   - The user's kubeconfig is read, never written. The run gets one of its own
//     (mode 0600), for that context alone.
//
// The Lease is called lab and is in the namespace default, or in the namespace
// that is named: both are there, so that it needs no namespace of its own that
// would have to be made and left behind, and no right but to Leases there.
//
// The nodes are left alone, unless node_access names an image for the pods that
// reach them.
package existing
