package clusters

// Existing says which cluster is meant that is there already, and what of it.
type Existing struct {
	// Kubeconfig is a file; one that begins with "~/" is in the home directory.
	// Empty means what kubectl would take.
	Kubeconfig string `json:"kubeconfig,omitempty"`
	// Context is one in it; empty means the current one.
	Context string `json:"context,omitempty"`
	// Namespace is one that is there and in which everything is done; empty
	// means that namespaces are made, and deleted afterwards.
	Namespace string `json:"namespace,omitempty"`
	// NodeAccess is an image with sh and nsenter: a privileged pod of it is put
	// on every node, through which commands are run there. Empty means that the
	// nodes are left alone.
	NodeAccess string `json:"node_access,omitempty"`
	// Needs are what the scenarios do on it, beside what is needed to observe
	// them.
	Needs []Need `json:"needs,omitempty"`
}

// Need is something that is done to the objects of a kind in the scenarios' own
// namespaces, or to the kind's objects where it belongs to none.
type Need struct {
	APIVersion string `json:"api_version"`
	Kind       string `json:"kind"`
	// Subresource is empty for the object itself, or such as "exec".
	Subresource string `json:"subresource,omitempty"`
	// Verbs are those of the API: get, list, watch, create, patch, delete …
	Verbs []string `json:"verbs"`
}
