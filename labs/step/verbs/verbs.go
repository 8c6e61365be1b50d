// Package verbs has the table of the verbs that act: the one place that knows
// them all. Its side of the language is dsl/action.
package verbs

import (
	"github.com/kind-lab/lab/labs/step"
	"github.com/kind-lab/lab/labs/step/apply"
	"github.com/kind-lab/lab/labs/step/exec"
	"github.com/kind-lab/lab/labs/step/node"
	"github.com/kind-lab/lab/labs/step/patch"
	"github.com/kind-lab/lab/labs/step/remove"
	"github.com/kind-lab/lab/labs/step/signal"
	"github.com/kind-lab/lab/labs/step/sleep"
)

// Default returns the table of all verbs that act, and of sleep.
func Default() step.Table {
	return step.TableOf(apply.Verb(), remove.Verb(), patch.Verb(), exec.Verb(), sleep.Verb(), signal.Verb(), node.Verb())
}
