package plan

import (
	"time"

	"github.com/kind-lab/lab/dsl"
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
	if st.Action != nil {
		times := st.Action.Times()
		s.Within, s.Hold, s.Timeout, s.Duration = times.Within, times.Hold, times.Timeout, times.Duration
	}
	return s
}
