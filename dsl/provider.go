package dsl

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"github.com/kind-lab/lab/dsl/internal/suggest"
	"github.com/kind-lab/lab/dsl/value"
)

// DefaultProvider is the provider of a cluster that names none.
const DefaultProvider = "kind"

// Provider is a provider of clusters, as far as the language has to know it.
// Options.Providers has those that there are.
type Provider interface {
	// ProviderName is what a scenario calls it: provider = "kind".
	ProviderName() string
	// ProviderSummary says in a clause what it does.
	ProviderSummary() string
	// NeedsVersion says that the argument kubernetes is required.
	NeedsVersion() bool
	// RefusesArgument says in a sentence why a cluster's block cannot have an
	// argument, or an inner block, of that name; empty if it can.
	RefusesArgument(name string) string
	// SettingsProblem says what is wrong with the provider's own arguments: which
	// argument, and a sentence; empty if nothing is.
	SettingsProblem(settings map[string]string) (argument, problem string)
}

// provider decodes which provider has the cluster and the provider's own
// arguments, and checks that nothing is asked of it that it cannot do.
func (l *loader) provider(found content, block inner, c *Cluster) {
	l.text(found.args["provider"], block.in, &c.Provider)
	known := l.opts.Providers == nil || l.findProvider(found.args["provider"], c)
	l.settings(found, block, c)
	needsVersion := c.Provider == DefaultProvider
	if c.Statement != nil {
		needsVersion = c.Statement.NeedsVersion()
		l.refused(found, c)
		if !needsVersion {
			c.ControlPlanes = 0
		}
	}
	if known && needsVersion && found.args["kubernetes"] == nil && !found.meant["kubernetes"] {
		l.errorf(block.Body.MissingItemRange(), "Missing required argument", "The argument \"kubernetes\" is required, but no definition was found.")
	}
}

// findProvider sets the cluster's Statement; false, with an error, if there is
// no provider of that name.
func (l *loader) findProvider(attr *hcl.Attribute, c *Cluster) bool {
	var names, described []string
	if c.Statement = l.statement(c.Provider); c.Statement != nil {
		return true
	}
	for _, p := range l.opts.Providers {
		names = append(names, p.ProviderName())
		described = append(described, fmt.Sprintf("%q (%s)", p.ProviderName(), p.ProviderSummary()))
	}
	at := c.Range
	if attr != nil {
		at = attr.Expr.Range()
	}
	l.errorf(at, "Unknown provider", "There is no provider %s. Providers are %s.%s",
		value.Format(cty.StringVal(c.Provider)), strings.Join(described, ", "), suggest.Sentence(c.Provider, names))
	return false
}

// statement is the provider of a name; nil if there is none.
func (l *loader) statement(name string) Provider {
	for _, p := range l.opts.Providers {
		if p.ProviderName() == name {
			return p
		}
	}
	return nil
}

// settings decodes the arguments that belong to one provider.
func (l *loader) settings(found content, block inner, c *Cluster) {
	for _, known := range block.schema.Arguments {
		attr := found.args[known.Name]
		if known.Provider == "" || attr == nil {
			continue
		}
		if known.Provider != c.Provider {
			l.errorf(attr.NameRange, "Not for this provider", "The argument %q belongs to another provider: it requires provider = %q.", attr.Name, known.Provider)
			continue
		}
		var text string
		if !l.text(attr, block.in, &text) || text == "" {
			continue
		}
		if known.Path {
			text = l.besides(text)
		}
		if c.Settings == nil {
			c.Settings = map[string]string{}
		}
		c.Settings[known.Name] = text
	}
}

// refused tells which arguments and blocks the provider does not take, and what
// is wrong with its settings.
func (l *loader) refused(found content, c *Cluster) {
	for _, attr := range found.sortedArgs() {
		if why := c.Statement.RefusesArgument(attr.Name); why != "" {
			l.errorf(attr.NameRange, "Not for this provider", "The argument %s", why)
		}
	}
	for _, b := range found.blocks {
		if why := c.Statement.RefusesArgument(b.Type); why != "" {
			l.errorf(b.DefRange, "Not for this provider", "The block %s", why)
		}
	}
	if argument, problem := c.Statement.SettingsProblem(c.Settings); problem != "" {
		at := c.Range
		if attr := found.args[argument]; attr != nil {
			at = attr.NameRange
		}
		l.errorf(at, "Invalid provider settings", "%s", problem)
	}
}

// SettingsText writes the provider's own arguments for a person, by their names:
// "context stage, namespace team".
func (c *Cluster) SettingsText() string {
	var parts []string
	for name, text := range c.Settings {
		parts = append(parts, name+" "+text)
	}
	slices.Sort(parts)
	return strings.Join(parts, ", ")
}

// besides is a file's name as the scenario means it: from its own folder,
// unless it begins at the root or in the home directory.
func (l *loader) besides(name string) string {
	if filepath.IsAbs(name) || name == "~" || strings.HasPrefix(name, "~/") {
		return name
	}
	return filepath.Join(l.module.Dir, name)
}
