// Package kind makes clusters with the kind library and takes them away again.
//
// What it adds to the library:
//
//   - A creation can be cancelled. The library's own Create takes no context;
//     here the end of the context, a deadline or a component that can never
//     start ends it, and nothing is left: no container, volume or kubeconfig.
//   - Readiness is checked, not assumed: the API server's /readyz, every node,
//     the default service account, CoreDNS and kube-proxy. What was missing
//     when the time was over is in the error.
//   - A failure says why: the kubelet's or the component's own last error, and
//     what to do about it.
//   - What a Spec asks for is written as the kubeadm configuration that the
//     version reads, and what the host needs is added (see clusters.Host).
//   - Commands in nodes end with their context, inside the node too.
//
// The library finds the engine's client by its name on the PATH. Nodes carry
// its label io.x-k8s.kind.cluster; the clusters of this package are those whose
// name begins with Prefix, and Destroy touches no others.
//
// Nothing here writes to a terminal or to the user's own kubeconfig.
package kind
