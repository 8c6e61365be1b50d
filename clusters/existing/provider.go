package existing

import (
	"fmt"

	"github.com/kind-lab/lab/clusters"
)

// Name is what scenarios call the provider: provider = "existing".
const Name = "existing"

// The arguments of a cluster's block that are this provider's own, as Spec.Settings
// has them.
const (
	// settingKubeconfig is a file; one that begins with "~/" is in the home
	// directory. Empty means what kubectl would take.
	settingKubeconfig = "kubeconfig"
	// settingContext is a context in it; empty means the current one.
	settingContext = "context"
	// settingNamespace is a namespace that is there and in which everything is
	// done; empty means that namespaces are made, and deleted afterwards.
	settingNamespace = "namespace"
	// settingNodeAccess is an image with sh and nsenter: a privileged pod of it is
	// put on every node, through which commands are run there. Empty means that
	// the nodes are left alone.
	settingNodeAccess = "node_access"
)

// Provider states what can be done with clusters that exist already. It needs no
// kubeconfig.
func Provider() *clusters.Provider {
	return &clusters.Provider{
		Name:         Name,
		Summary:      "for one that is there",
		Capabilities: capabilities,
		Hints: map[clusters.Capability]string{
			clusters.Configure:        "it has the settings that it was started with",
			clusters.LoadImages:       "its nodes pull images themselves; put the images into a registry that they reach",
			clusters.ExecOnNodes:      "set node_access to an image with sh and nsenter, such as \"busybox:1.35\"",
			clusters.OperateNodes:     "others may need them; use a cluster that lab makes",
			clusters.WriteClusterWide: "a scenario touches its own namespace alone; leave metadata.namespace out",
			clusters.Reuse:            "it is not lab's",
		},
		CheckSettings: checkSettings,
	}
}

// capabilities are what is known of a cluster before it is connected to. Whether
// nodes can be watched depends on the account's rights.
func capabilities(spec clusters.Spec) clusters.Capabilities {
	return clusters.Capabilities{
		CanAnswerBeforeRuns: true, CanCheckRights: true, CanWatchNodes: true,
		CanExecOnNodes: spec.Settings[settingNodeAccess] != "",
		GivenNamespace: spec.Settings[settingNamespace],
	}
}

func checkSettings(settings map[string]string) (argument, problem string) {
	if settings[settingNodeAccess] != "" && settings[settingNamespace] != "" {
		return settingNodeAccess, fmt.Sprintf("The pods that reach the nodes have a namespace of their own, for which rights in %q alone do not do: write \"namespace\" or \"node_access\", not both.",
			settings[settingNamespace])
	}
	return "", ""
}

// Capabilities are what Provider states for a Spec.
func (p *Provisioner) Capabilities(spec clusters.Spec) clusters.Capabilities {
	return capabilities(spec)
}
