package clusters

import (
	"cmp"
	"fmt"
	"slices"
)

// Provider is what a provider of clusters states about itself. It is known
// without a cluster, an engine or a network. The package of the provider returns
// it, and labs/wiring has the table of all.
type Provider struct {
	// Name is what scenarios call it: provider = "kind".
	Name string
	// Summary says in a clause what it does, such as "makes clusters with kind".
	Summary string
	// Capabilities returns what is known of the clusters of a Spec before they
	// exist. Version and Image of the Spec need not be set.
	Capabilities func(Spec) Capabilities
	// Hints say what to do if a capability is missing, each in a clause. A
	// capability without a hint is not in it.
	Hints map[Capability]string
	// CheckSettings says what is wrong with the provider's own arguments of a
	// cluster block: the argument, and a sentence. Nil means that any will do.
	CheckSettings func(settings map[string]string) (argument, problem string)
}

// Providers are the providers that there are, each name once.
type Providers []*Provider

// Find returns the provider of a name, nil if there is none.
func (p Providers) Find(name string) *Provider {
	name = cmp.Or(name, ProviderKind)
	i := slices.IndexFunc(p, func(o *Provider) bool { return o.Name == name })
	if i < 0 {
		return nil
	}
	return p[i]
}

// Of returns what is known of the clusters of a Spec. It is the zero value if
// there is no provider of that name.
func (p Providers) Of(spec Spec) Capabilities {
	if found := p.Find(spec.Provider); found != nil {
		return found.Capabilities(spec)
	}
	return Capabilities{}
}

// Lacks returns the error for a cluster of the provider that lacks a capability.
func (p *Provider) Lacks(cluster string, missing Capability) *CapabilityError {
	return &CapabilityError{Cluster: cluster, Provider: p.Name, Missing: missing, Hint: p.Hints[missing]}
}

// ProviderName is the provider's name, as the language asks for it.
func (p *Provider) ProviderName() string { return p.Name }

// ProviderSummary is the provider's summary, as the language asks for it.
func (p *Provider) ProviderSummary() string { return p.Summary }

// RefusesArgument says in a sentence why the block of a cluster of the provider
// cannot have an argument or an inner block; empty if it can.
func (p *Provider) RefusesArgument(name string) string {
	needs := Configure
	switch name {
	case "image", "feature_gates", "runtime_config", "control_planes", "workers", "containerd_patches", "kubeadm_patches", "component":
	case "images":
		needs = LoadImages
	default:
		return ""
	}
	if p.Capabilities(Spec{Provider: p.Name}).Can(needs) {
		return ""
	}
	text := fmt.Sprintf("%q is not for provider = %q, whose clusters cannot %s.", name, p.Name, needs)
	if hint := p.Hints[needs]; hint != "" {
		text += " " + sentence(hint)
	}
	return text
}

// NeedsVersion says that a cluster's block has to say which version it wants.
func (p *Provider) NeedsVersion() bool {
	return p.Capabilities(Spec{Provider: p.Name}).CanConfigure
}

// SettingsProblem is CheckSettings, also if there is none.
func (p *Provider) SettingsProblem(settings map[string]string) (argument, problem string) {
	if p.CheckSettings == nil {
		return "", ""
	}
	return p.CheckSettings(settings)
}

// sentence makes a sentence of a clause.
func sentence(clause string) string {
	if clause[0] >= 'a' && clause[0] <= 'z' {
		clause = string(clause[0]-'a'+'A') + clause[1:]
	}
	return clause + "."
}

// Answer is what a provider says of a cluster before a run.
type Answer struct {
	// Version is the version that the cluster has, or will have.
	Version Version
	// Why says in a clause who says so.
	Why string
}
