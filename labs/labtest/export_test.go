package labtest

import (
	"context"

	"github.com/kind-lab/lab/labs/wiring"
)

// In runs in another world than the real one.
func In(open func(context.Context) (*wiring.Parts, error)) Option {
	return func(s *settings) { s.open = open }
}

// Wants says whether flags with these values want the subtest run.
func Wants(run, skip, test string, below ...string) bool {
	return filter{run: patterns(run), skip: patterns(skip)}.want(test, below...)
}

// StartReaper starts the reaper of a run, and EnvReap is what makes a process
// one.
var StartReaper = startReaper

const EnvReap = envReap
