package expect

import (
	"github.com/hashicorp/hcl/v2"

	"github.com/kind-lab/lab/dsl"
)

// NeedsLogs says whether log lines can change what becomes of an expectation.
// Where that is not plain it says yes. locals are the scenario's own.
func NeedsLogs(e *dsl.Expect, locals map[string]hcl.Expression) bool {
	w := walker{locals: locals, seen: map[string]bool{}}
	for _, expr := range []hcl.Expression{e.Condition, e.When, e.Outcome} {
		if expr != nil && w.logs(expr) {
			return true
		}
	}
	return false
}
