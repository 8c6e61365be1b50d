package schema

// existingArguments are the arguments of a cluster that exists already: which one
// is meant.
func existingArguments() []Argument {
	return []Argument{
		{Name: "kubeconfig", Type: "string", Path: true, Stage: Load, Doc: "The kubeconfig file, relative to the scenario's folder or to ~. The default is that of kubectl: KUBECONFIG or ~/.kube/config."},
		{Name: "context", Type: "string", Stage: Load, Doc: "The context in the kubeconfig. The default is the current context."},
		{Name: "namespace", Type: "string", Stage: Load, Doc: "An existing namespace in which all scenarios run. Use it if you have permissions in that namespace only. By default each scenario has its own namespace."},
		{Name: "node_access", Type: "string", Stage: Load, Doc: "An image with sh and nsenter, such as \"busybox:1.35\". During the run, a privileged pod with this image on every node reports when containers start and terminate, to the nanosecond. Steps can then send signals and run commands on nodes. By default lab does not access the nodes."},
	}
}
