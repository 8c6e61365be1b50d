package build

import (
	"sync"
	"testing"
	"time"
)

func TestPulse(t *testing.T) {
	var mu sync.Mutex
	var events []Event
	p := StartPulse(func(e Event) {
		mu.Lock()
		defer mu.Unlock()
		events = append(events, e)
	}, Event{Stage: "s"}, time.Millisecond)
	p.Say("at it")
	deadline := time.After(10 * time.Second)
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for told := 0; told < 3; {
		select {
		case <-deadline:
			t.Fatal("the pulse stopped")
		case <-tick.C:
			mu.Lock()
			told = len(events)
			mu.Unlock()
		}
	}
	p.End(true, "")
	last := events[len(events)-1]
	if last.State != Done || events[0].State != Running || events[1].Text != "at it" || last.Elapsed <= 0 {
		t.Errorf("events %+v", events)
	}
	StartPulse(nil, Event{}, time.Millisecond).End(false, "")
}
