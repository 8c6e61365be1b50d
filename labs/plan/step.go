package plan

import (
	"time"

	"github.com/hashicorp/hcl/v2"

	"github.com/kind-lab/lab/dsl"
	"github.com/kind-lab/lab/dsl/diag"
)

// Step is one step or expectation of a run.
type Step struct {
	Name string `json:"name"`
	Verb string `json:"verb"`
	// Finally says that it is done after all others, whatever happened.
	Finally bool `json:"finally,omitempty"`
	// Within and Hold are those of an expectation or a wait; Timeout is how
	// long another step may take, Duration how long a sleep does.
	Within   time.Duration `json:"within,omitempty"`
	Hold     time.Duration `json:"hold,omitempty"`
	Timeout  time.Duration `json:"timeout,omitempty"`
	Duration time.Duration `json:"duration,omitempty"`
}

// Longest is how long the step can take.
func (s Step) Longest() time.Duration { return s.Within + s.Hold + s.Timeout + s.Duration }

func newStep(st *dsl.Step) Step {
	s := Step{Name: st.Name, Verb: st.Verb}
	switch {
	case st.Expect != nil:
		s.Within, s.Hold = st.Expect.Within, st.Expect.Hold
	case st.Wait != nil:
		s.Within, s.Hold = st.Wait.Within, st.Wait.Hold
	case st.Sleep != nil:
		s.Duration = st.Sleep.Duration
	case st.Apply != nil:
		s.Timeout = st.Apply.Timeout
	case st.Delete != nil:
		s.Timeout = st.Delete.Timeout
	case st.Patch != nil:
		s.Timeout = st.Patch.Timeout
	case st.Exec != nil:
		s.Timeout = st.Exec.Timeout
	case st.Signal != nil:
		s.Timeout = st.Signal.Timeout
	case st.Node != nil:
		s.Timeout = st.Node.Timeout
	}
	return s
}

// HostCommands says of every step that runs a command on this machine that it
// is not allowed to: for who was not told that it is. A step that several runs
// have is named once.
func (p *Plan) HostCommands() diag.List {
	var diags hcl.Diagnostics
	seen := map[hcl.Range]bool{}
	for _, r := range p.Runs {
		for _, st := range append(r.Source.Steps[:len(r.Source.Steps):len(r.Source.Steps)], r.Source.Finally...) {
			if st.Exec == nil || !st.Exec.Host || seen[st.Range] {
				continue
			}
			seen[st.Range] = true
			diags = append(diags, &hcl.Diagnostic{
				Severity: hcl.DiagError, Summary: "Command on this machine",
				Detail:  "The step runs a command on this machine, with your rights, which a scenario may do only where you allow it: `lab run -allow-host-exec`. Read the scenario before you do.",
				Subject: st.Range.Ptr(),
			})
		}
	}
	return diag.FromHCL(diags, p.Module.Files)
}
