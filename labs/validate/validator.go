package validate

import (
	"github.com/kind-lab/lab/dsl"
	"github.com/kind-lab/lab/dsl/diag"
	"github.com/kind-lab/lab/labs/plan"
	"github.com/kind-lab/lab/labs/step"
	"github.com/kind-lab/lab/labs/step/verbs"
)

// Validator checks scenarios by what the verbs of their steps forecast.
type Validator struct{ Verbs step.Table }

// Default returns the Validator of all verbs. The functions of this package are
// its methods.
func Default() Validator { return Validator{Verbs: verbs.Default()} }

// Check returns what is wrong with a module that dsl.Load found no error in,
// sorted by place. A mistake in a manifest is reported at its own file and line
// where the manifest is a file of the scenario's.
func Check(m *dsl.Module) diag.List { return Default().Check(m) }

// Needs notes in a plan what its scenarios do on the clusters that exist
// already, as far as that is known before they run.
func Needs(p *plan.Plan) { Default().Needs(p) }

// HostCommands says of every step of a plan that runs a command on this machine
// that it is not allowed to: if nothing allows it. A step that
// several runs have is named once.
func HostCommands(p *plan.Plan) diag.List { return Default().HostCommands(p) }
