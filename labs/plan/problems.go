package plan

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"

	"github.com/kind-lab/lab/dsl"
	"github.com/kind-lab/lab/dsl/diag"
	"github.com/kind-lab/lab/labs/selection"
)

// unknownNames says which of the chosen names the module does not have.
func unknownNames(m *dsl.Module, o Options) diag.List {
	var clusters, scenarios []known
	for _, c := range m.Clusters {
		clusters = append(clusters, known{c.Name, []string{c.Name, c.Block}})
	}
	for _, s := range m.Scenarios {
		scenarios = append(scenarios, known{s.Name, []string{s.Name, s.Title()}})
	}
	return append(unknown("cluster", o.Clusters, clusters), unknown("scenario", o.Scenarios, scenarios)...)
}

// known is something that can be chosen, with all that it is called.
type known struct {
	name  string
	names []string
}

func unknown(what string, asked []string, there []known) diag.List {
	var problems diag.List
	for _, name := range asked {
		var names []string
		found := false
		for _, k := range there {
			found = found || selection.Names{name}.Include(k.names...)
			if !slices.Contains(names, k.name) {
				names = append(names, k.name)
			}
		}
		if !found {
			problems = append(problems, diag.Diagnostic{
				Severity: diag.SeverityError, Summary: fmt.Sprintf("No %s %q", what, name),
				Detail: fmt.Sprintf("The scenario file has the %ss %s.", what, strings.Join(names, ", ")),
			})
		}
	}
	return problems
}

func unresolved(m *dsl.Module, c *dsl.Cluster, err error) diag.Diagnostic {
	subject := c.KubernetesRange
	if subject.Filename == "" {
		subject = c.Range
	}
	summary := "This Kubernetes version is not available"
	if Capabilities(c).CanAnswerBeforeRuns || !hasProvider(c) {
		summary = "This cluster cannot be used"
	}
	list := diag.FromHCL(hcl.Diagnostics{{
		Severity: hcl.DiagError, Summary: summary,
		Detail: fmt.Sprintf("cluster %q: %v", c.Name, err), Subject: &subject, Context: &c.Range,
	}}, m.Files)
	return list[0]
}
