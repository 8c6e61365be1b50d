package collectors

import (
	"testing"
	"time"
)

func clockRecord(seconds float64, node string, offset, uncertainty time.Duration) Record {
	return Record{Time: at(seconds), Received: at(seconds), Source: SourceLab, Type: TypeClock, Clock: &Clock{Node: node, Offset: offset, Uncertainty: uncertainty}}
}

func TestClockSkew(t *testing.T) {
	const ms, us = time.Millisecond, time.Microsecond
	same := clockRecord(0, "n", 0, 0)
	same.Clock.Same = true
	unknown := clockRecord(0, "n", 0, 0)
	unknown.Clock.Unknown = true
	set := clockRecord(60, "n", 5*time.Second, ms)
	set.Clock.Jumped = true
	later := Record{Time: at(100), Received: at(100), Type: TypeStep}
	for name, test := range map[string]struct {
		records   []Record
		low, high time.Duration
		known     bool
		jumps     int
	}{
		"nothing was measured":        {records: []Record{later}},
		"the same kernel":             {records: []Record{same, later}, known: true},
		"once, at the begin":          {records: []Record{clockRecord(0, "n", 3*time.Second, ms)}, low: 2999 * ms, high: 3001 * ms, known: true},
		"drifts on after it":          {records: []Record{clockRecord(0, "n", 3*time.Second, ms), later}, low: 2979 * ms, high: 3021 * ms, known: true},
		"drifted before the first":    {records: []Record{clockRecord(10, "n", 0, ms)}, low: -3 * ms, high: 3 * ms, known: true},
		"drifted between two":         {records: []Record{clockRecord(0, "n", 0, ms), clockRecord(60, "n", 10*ms, ms)}, low: -7 * ms, high: 17 * ms, known: true},
		"jumped":                      {records: []Record{clockRecord(0, "n", 0, ms), set}, low: -7 * ms, high: 5007 * ms, known: true, jumps: 1},
		"two nodes":                   {records: []Record{clockRecord(0, "a", 0, ms), clockRecord(0, "b", -8*ms, 500*us)}, low: -8500 * us, high: ms, known: true},
		"not measured":                {records: []Record{unknown, later}, low: -UnknownSkew, high: UnknownSkew, known: true},
		"measured in the end":         {records: []Record{unknown, clockRecord(10, "n", 0, ms)}, low: -3 * ms, high: 3 * ms, known: true},
		"not measured again":          {records: []Record{clockRecord(0, "n", 0, ms), unknown}, low: -ms, high: ms, known: true},
		"one of two was not measured": {records: []Record{unknown, clockRecord(0, "m", 0, ms)}, low: -UnknownSkew, high: UnknownSkew, known: true},
		"a record without a clock":    {records: []Record{{Type: TypeClock}}},
	} {
		t.Run(name, func(t *testing.T) {
			tl := NewTimeline(base)
			for _, r := range test.records {
				tl.Add(r)
			}
			low, high, known := tl.ClockSkew()
			if low != test.low || high != test.high || known != test.known || tl.ClockJumps() != test.jumps {
				t.Errorf("from %v to %v, %v, with %d jumps; want %v to %v, %v, %d", low, high, known, tl.ClockJumps(), test.low, test.high, test.known, test.jumps)
			}
		})
	}
}

func TestWhetherAClockJumped(t *testing.T) {
	before := &Clock{Offset: 0, Uncertainty: time.Millisecond}
	for _, test := range []struct {
		offset, uncertainty, elapsed time.Duration
		want                         bool
	}{
		{0, time.Millisecond, time.Minute, false},
		{13 * time.Millisecond, time.Millisecond, time.Minute, false},
		{15 * time.Millisecond, time.Millisecond, time.Minute, true},
		{-15 * time.Millisecond, time.Millisecond, time.Minute, true},
		{15 * time.Millisecond, 3 * time.Millisecond, time.Minute, false},
		{15 * time.Millisecond, time.Millisecond, 2 * time.Minute, false},
		{15 * time.Millisecond, time.Millisecond, -time.Hour, true},
	} {
		now := &Clock{Offset: test.offset, Uncertainty: test.uncertainty}
		if got := now.Contradicts(before, test.elapsed); got != test.want {
			t.Errorf("%v ±%v after %v: %v", test.offset, test.uncertainty, test.elapsed, got)
		}
	}
	if (&Clock{Unknown: true}).Contradicts(before, 0) {
		t.Error("a clock that is not known contradicts one that is")
	}
}
