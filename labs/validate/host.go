package validate

import (
	"slices"

	"github.com/hashicorp/hcl/v2"

	"github.com/kind-lab/lab/dsl/diag"
	"github.com/kind-lab/lab/labs/plan"
)

// HostCommands is described at the function HostCommands.
func (v Validator) HostCommands(p *plan.Plan) diag.List {
	var diags hcl.Diagnostics
	seen := map[hcl.Range]bool{}
	for _, r := range p.Runs {
		for _, st := range slices.Concat(r.Source.Steps, r.Source.Finally) {
			if seen[st.Range] || !v.Verbs.Forecast(st).OnHost {
				continue
			}
			seen[st.Range] = true
			diags = append(diags, &hcl.Diagnostic{
				Severity: hcl.DiagError, Summary: "Command on this machine",
				Detail:  "The step runs a command on this machine, with your rights, which a scenario may do only where you allow it: `lab run --allow-host-exec`. Read the scenario before you do.",
				Subject: st.Range.Ptr(),
			})
		}
	}
	return diag.FromHCL(diags, p.Module.Files)
}
