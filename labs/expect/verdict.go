// Package expect decides expectations: it folds what was observed into values
// and judges conditions over them. It is pure: the same timeline, expression
// and times give the same verdict, with or without a cluster.
package expect

import (
	"fmt"
	"time"

	"github.com/kind-lab/lab/collectors"
	"github.com/kind-lab/lab/dsl/diag"
)

// Status is a verdict's standing. They are ordered: a parent has the greatest
// of its children.
type Status int

// The statuses, in their order.
const (
	// Pending is not decided yet.
	Pending Status = iota
	// Skip does not apply here.
	Skip
	// Pass has the expected result.
	Pass
	// Fail is contradicted by the evidence.
	Fail
	// Error could not be decided.
	Error
)

var statusNames = [...]string{"pending", "skip", "pass", "fail", "error"}

// String returns the status's name in lower case.
func (s Status) String() string {
	if s < 0 || int(s) >= len(statusNames) {
		return fmt.Sprintf("status(%d)", int(s))
	}
	return statusNames[s]
}

// MarshalText writes the status's name.
func (s Status) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads a status's name.
func (s *Status) UnmarshalText(text []byte) error {
	for i, name := range statusNames {
		if name == string(text) {
			*s = Status(i)
			return nil
		}
	}
	return fmt.Errorf("unknown status %q", text)
}

// Verdict is the result of one expectation, with its evidence.
type Verdict struct {
	// Name is the expectation's label.
	Name   string `json:"name"`
	Status Status `json:"status"`
	// Reason says in one sentence why: what was seen, or what never came.
	Reason string `json:"reason"`
	// Condition is the source of the condition.
	Condition string `json:"condition"`
	// Expected is the outcome that was expected; Got is what the condition
	// was when it was decided: "true", "false" or "unknown".
	Expected bool   `json:"expected"`
	Got      string `json:"got"`
	// Within and Hold are as in the scenario.
	Within time.Duration `json:"within,omitempty"`
	Hold   time.Duration `json:"hold,omitempty"`
	// BeganAt and DecidedAt are seconds since the run began.
	BeganAt   float64 `json:"began_at"`
	DecidedAt float64 `json:"decided_at"`
	// Message is the scenario's own, where the verdict is not the expected
	// one.
	Message string `json:"message,omitempty"`
	// References are the values in the condition when it was decided.
	References []Reference `json:"references,omitempty"`
	// Records are the last that had to do with the references, oldest first,
	// at most five.
	Records []collectors.Record `json:"records,omitempty"`
	// Diagnostic is set for Fail and Error.
	Diagnostic *diag.Diagnostic `json:"diagnostic,omitempty"`
}

// Reference is a reference in a condition with its value.
type Reference struct {
	// Expression is as written, such as job.myapp.complete.
	Expression string `json:"expression"`
	// Value is in HCL's notation; "(not observed)" if it is unknown.
	Value string `json:"value"`
	// At is when it was last observed, in seconds since the run began; nil
	// where it never was. Source says by whom.
	At     *float64 `json:"at,omitempty"`
	Source string   `json:"source,omitempty"`
	// Since is from when on every observation had this value, in seconds since
	// the run began; nil if that is not followed.
	Since *float64 `json:"since,omitempty"`
	// Precision is how finely a time is known; 0 to the nanosecond, or where
	// it is no time.
	Precision time.Duration `json:"precision,omitempty"`
}
