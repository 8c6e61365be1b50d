package replay

import (
	"cmp"
	"slices"
	"strings"

	"al.essio.dev/pkg/shellescape"
	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclwrite"
	"github.com/zclconf/go-cty/cty"

	"github.com/kind-lab/lab/dsl"
	"github.com/kind-lab/lab/labs/report"
	"github.com/kind-lab/lab/labs/selection"
)

// command is how to run again what a report is of: the scenario as it was
// named, with the values that its variables had. Clusters and scenarios are
// named if they are not all that the scenario has, or that is not known.
func (rec *Recording) command(r report.Report, m *dsl.Module) string {
	args := []string{"lab", "run"}
	var clusters, scenarios []string
	for _, c := range r.Clusters {
		clusters = append(clusters, c.Name)
	}
	for _, run := range r.Runs {
		if !slices.Contains(scenarios, run.Scenario) {
			scenarios = append(scenarios, run.Scenario)
		}
	}
	var declaredClusters, declaredScenarios []string
	if m != nil {
		for _, s := range m.Scenarios {
			declaredScenarios = append(declaredScenarios, s.Title())
			for _, c := range s.Clusters {
				declaredClusters = append(declaredClusters, c.Name)
			}
		}
	}
	args = append(args, choice("--cluster", clusters, declaredClusters)...)
	args = append(args, choice("--scenario", scenarios, declaredScenarios)...)
	args = append(args, given(m)...)
	args = append(args, cmp.Or(r.File, rec.File))
	return shellescape.QuoteCommand(args)
}

// choice is a flag for each name, unless they are all that there are.
func choice(flag string, names, all []string) []string {
	missing := func(name string) bool { return !slices.Contains(names, name) }
	if len(all) > 0 && !slices.ContainsFunc(all, missing) {
		return nil
	}
	var args []string
	for _, name := range names {
		args = append(args, flag, selection.Unquoted(name))
	}
	return args
}

// given are the flags for the values of variables that are not their defaults.
// Sensitive ones are named where they must be given.
func given(m *dsl.Module) []string {
	if m == nil {
		return nil
	}
	file, diags := hclwrite.ParseConfig(m.Given(), "", hcl.InitialPos)
	if diags.HasErrors() {
		return nil
	}
	var args []string
	for _, v := range m.Variables {
		attribute := file.Body().GetAttribute(v.Name)
		switch {
		case v.Sensitive && v.Default == cty.NilVal:
			args = append(args, "--var", v.Name+"=(sensitive)")
		case attribute == nil:
		case v.Type == cty.String && m.Vars.GetAttr(v.Name).IsNull(): // no flag gives a string that
		case v.Type == cty.String:
			args = append(args, "--var", v.Name+"="+m.Vars.GetAttr(v.Name).AsString())
		default:
			args = append(args, "--var", v.Name+"="+strings.TrimSpace(string(attribute.Expr().BuildTokens(nil).Bytes())))
		}
	}
	return args
}
