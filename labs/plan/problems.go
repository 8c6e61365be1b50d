package plan

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"

	"github.com/kind-lab/lab/dsl"
	"github.com/kind-lab/lab/dsl/diag"
)

// unknownNames says which of the chosen names the module does not have.
func unknownNames(m *dsl.Module, o Options) diag.List {
	var clusters, scenarios []string
	for _, c := range m.Clusters {
		clusters = append(clusters, c.Name)
	}
	for _, s := range m.Scenarios {
		scenarios = append(scenarios, s.Name)
	}
	return append(unknown("cluster", o.Clusters, clusters), unknown("scenario", o.Scenarios, scenarios)...)
}

func unknown(what string, asked, there []string) diag.List {
	var problems diag.List
	for _, name := range asked {
		if !slices.Contains(there, name) {
			problems = append(problems, diag.Diagnostic{
				Severity: diag.SeverityError, Summary: fmt.Sprintf("No %s %q", what, name),
				Detail: fmt.Sprintf("The scenario file has the %ss %s.", what, strings.Join(there, ", ")),
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
	list := diag.FromHCL(hcl.Diagnostics{{
		Severity: hcl.DiagError, Summary: "This Kubernetes version cannot be had",
		Detail: fmt.Sprintf("cluster %q: %v", c.Name, err), Subject: &subject, Context: &c.Range,
	}}, m.Files)
	return list[0]
}
