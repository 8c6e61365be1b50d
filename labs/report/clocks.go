package report

import "github.com/kind-lab/lab/collectors"

// ClocksOf says how far a cluster's clocks were from this machine's; nil where
// they were the same, or not measured.
func ClocksOf(t *collectors.Timeline) *Clocks {
	low, high, known := t.ClockSkew()
	switch {
	case !known || low == 0 && high == 0:
		return nil
	case low <= -collectors.UnknownSkew || high >= collectors.UnknownSkew:
		return &Clocks{Unknown: true, Jumps: t.ClockJumps()}
	}
	return &Clocks{Low: low, High: high, Jumps: t.ClockJumps()}
}
