package clusters

import (
	"fmt"
	"slices"
)

// Capability names one thing that can be done with a cluster, as a sentence has
// it after "cannot".
type Capability string

// The capabilities. Each is a field of Capabilities.
const (
	Configure        Capability = "be configured by the scenario"
	AnswerBeforeRuns Capability = "be asked for its version before a run"
	CheckRights      Capability = "be asked for the account's rights before a run"
	ListOrphans      Capability = "list what runs left behind"
	LoadImages       Capability = "load images onto the nodes"
	WatchNodes       Capability = "list and watch its nodes"
	ExecOnNodes      Capability = "run commands on its nodes"
	OperateNodes     Capability = "operate the machines of its nodes"
	ReadLogFiles     Capability = "read the containers' log files on its nodes"
	WriteClusterWide Capability = "change objects outside of the scenario's namespace"
	Reuse            Capability = "be cleaned and reused by the next run"
)

// All returns the capabilities in the order in which they are documented.
func All() []Capability {
	return []Capability{
		Configure, AnswerBeforeRuns, CheckRights, ListOrphans, LoadImages, WatchNodes,
		ExecOnNodes, OperateNodes, ReadLogFiles, WriteClusterWide, Reuse,
	}
}

// Capabilities are what can be done with a cluster, and what having it costs.
// The zero value can do nothing and costs nothing.
//
// A provider states them twice. What Provider.Capabilities returns for a Spec is
// known before the cluster exists: no cluster of that Spec can do more. What the
// Handle has is what this cluster can do, which may be less, for example because
// the account may not list nodes.
type Capabilities struct {
	// CanConfigure says that the cluster has the Kubernetes version, the feature
	// gates, the nodes and the components' settings that the Spec asks for. A
	// cluster that cannot be configured has its own; its gates are unknown.
	CanConfigure bool `json:"can_configure,omitempty"`
	// CanAnswerBeforeRuns says that the provider can be asked which version a
	// cluster has (or will have). Where it cannot be, the version is resolved to
	// a node image, which the Spec names.
	CanAnswerBeforeRuns bool `json:"can_answer_before_runs,omitempty"`
	// CanCheckRights says that Create checks that the account may do what
	// Spec.Needs lists, before anything is done.
	CanCheckRights bool `json:"can_check_rights,omitempty"`
	// CanListOrphans says that the provider itself finds what runs left behind.
	// Where it cannot, the journals of the runs say so.
	CanListOrphans bool `json:"can_list_orphans,omitempty"`
	// CanLoadImages says that images of this machine can be put on the nodes.
	CanLoadImages bool `json:"can_load_images,omitempty"`
	// CanWatchNodes says that Handle.Nodes are known and that the API server lets
	// the account list and watch nodes.
	CanWatchNodes bool `json:"can_watch_nodes,omitempty"`
	// CanExecOnNodes says that commands can be run on the nodes: to signal
	// processes and to observe the container runtime.
	CanExecOnNodes bool `json:"can_exec_on_nodes,omitempty"`
	// CanOperateNodes says that nodes may be taken out of service, and that their
	// machines can be stopped, started, paused and unpaused.
	CanOperateNodes bool `json:"can_operate_nodes,omitempty"`
	// CanReadLogFiles says that the containers' logs are in files on the nodes,
	// where the kubelet puts them. Where not, the API server is asked for them.
	CanReadLogFiles bool `json:"can_read_log_files,omitempty"`
	// CanWriteClusterWide says that a scenario may change objects of other
	// namespaces, and objects that belong to no namespace.
	CanWriteClusterWide bool `json:"can_write_cluster_wide,omitempty"`
	// CanReuse says that the cluster can be cleaned after a run, paused, and
	// resumed for the next one: that a pool may keep it.
	CanReuse bool `json:"can_reuse,omitempty"`

	// OwnsCluster says that Create makes the cluster and Destroy removes it.
	// Otherwise Create connects to a cluster that others use as well, and Destroy
	// removes what the run made on it.
	OwnsCluster bool `json:"owns_cluster,omitempty"`
	// UsesSlot says that the cluster boots on this machine and needs one of its
	// slots for that.
	UsesSlot bool `json:"uses_slot,omitempty"`
	// GivenNamespace is the one namespace in which everything is done; empty if
	// each scenario has a namespace of its own.
	GivenNamespace string `json:"given_namespace,omitempty"`
}

// OwnCluster returns the capabilities of a cluster that lab makes on this machine
// and has to itself.
func OwnCluster() Capabilities {
	return Capabilities{
		CanConfigure: true, CanListOrphans: true, CanLoadImages: true, CanWatchNodes: true, CanExecOnNodes: true,
		CanOperateNodes: true, CanReadLogFiles: true, CanWriteClusterWide: true, CanReuse: true,
		OwnsCluster: true, UsesSlot: true,
	}
}

// Can says whether the capability is there; false for one that does not exist.
func (c Capabilities) Can(do Capability) bool {
	switch do {
	case Configure:
		return c.CanConfigure
	case AnswerBeforeRuns:
		return c.CanAnswerBeforeRuns
	case CheckRights:
		return c.CanCheckRights
	case ListOrphans:
		return c.CanListOrphans
	case LoadImages:
		return c.CanLoadImages
	case WatchNodes:
		return c.CanWatchNodes
	case ExecOnNodes:
		return c.CanExecOnNodes
	case OperateNodes:
		return c.CanOperateNodes
	case ReadLogFiles:
		return c.CanReadLogFiles
	case WriteClusterWide:
		return c.CanWriteClusterWide
	case Reuse:
		return c.CanReuse
	}
	return false
}

// Beyond returns the capabilities that c has and most does not: none if most
// states no less than c.
func (c Capabilities) Beyond(most Capabilities) []Capability {
	return slices.DeleteFunc(All(), func(do Capability) bool { return !c.Can(do) || most.Can(do) })
}

// CapabilityError says that a cluster, or a provider of clusters, lacks a
// capability that was asked for.
type CapabilityError struct {
	// Cluster is the cluster's name in the scenario; empty if the name is unknown.
	Cluster string
	// Provider is the provider's name; empty if it is unknown.
	Provider string
	Missing  Capability
	// Hint is a sentence that says what to do about it; empty for none.
	Hint string
}

// Error names the cluster, the capability and what to do.
func (e *CapabilityError) Error() string {
	who := "the cluster"
	if e.Cluster != "" {
		who = "cluster " + e.Cluster
	}
	if e.Provider != "" {
		who += fmt.Sprintf(" (provider %q)", e.Provider)
	}
	text := fmt.Sprintf("%s cannot %s", who, e.Missing)
	if e.Hint != "" {
		text += ": " + e.Hint
	}
	return text
}

// Is says that target is a *CapabilityError of the same capability, or one that
// names no capability.
func (e *CapabilityError) Is(target error) bool {
	other, ok := target.(*CapabilityError)
	return ok && (other.Missing == "" || other.Missing == e.Missing)
}
