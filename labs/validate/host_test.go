package validate

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/kind-lab/lab/dsl"
	"github.com/kind-lab/lab/labs/plan"
)

// TestCommandsOnThisMachineAreTold names each step that runs a command on this
// machine once, whatever runs it.
func TestCommandsOnThisMachineAreTold(t *testing.T) {
	const src = `cluster "a" { kubernetes = "1.28" }
cluster "b" { kubernetes = "1.29" }
scenario "with" {
  clusters = [cluster.a, cluster.b]
  exec "here" {
    host    = true
    command = ["true"]
  }
}
scenario "without" {
  clusters = [cluster.a]
  exec "there" {
    node    = target.nodes[0]
    command = ["true"]
  }
}
`
	m, problems := dsl.LoadFS(fstest.MapFS{"scenario.hcl": {Data: []byte(src)}}, "scenario.hcl", dsl.Options{})
	if problems.HasErrors() {
		t.Fatal(problems)
	}
	resolve := func(constraint, _ string) (plan.Image, error) { return plan.Image{Version: constraint + ".1"}, nil }
	for scenario, want := range map[string]int{"with": 1, "without": 0} {
		p, problems := plan.Build(m, plan.Options{Resolve: resolve, Scenarios: []string{scenario}})
		if problems.HasErrors() {
			t.Fatal(problems)
		}
		got := HostCommands(p)
		if len(got) != want {
			t.Fatalf("%s: %d problems, want %d: %v", scenario, len(got), want, got)
		}
		if want > 0 && (got[0].Range == nil || got[0].Range.Start.Line != 5 || !strings.Contains(got[0].Detail, "-allow-host-exec")) {
			t.Errorf("problem = %+v", got[0])
		}
	}
}
