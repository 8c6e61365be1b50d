package mutate

import (
	"testing"

	"github.com/kind-lab/lab/collectors"
)

// TestWhatIsComputedIsAsItWasRecorded computes phase, conditions, STATUS and
// READY of every state of a pod in the catalog's recordings.
func TestWhatIsComputedIsAsItWasRecorded(t *testing.T) {
	count, same := map[string]int{}, map[string]int{}
	note := func(what, got, want string, p *collectors.Pod, key string) {
		count[what]++
		if got == want {
			same[what]++
			return
		}
		t.Logf("%s: %s is %q, computed %q; phase %s, status %s, conditions %v", key, what, want, got, p.Phase, p.Status, p.Conditions)
	}
	for _, rec := range recordings(t) {
		for _, j := range judgings(t, rec) {
			h := newHistory(j.Run().Begin, j.Records())
			h.know(knownOf(j))
			h.eachPodState(func(p *pod, now *collectors.Pod) {
				note("phase", phaseOf(now, p.policy), now.Phase, now, j.Run().Key)
				note("status", p.statusOf(now), now.Status, now, j.Run().Key)
				note("ready", readyOf(now), now.Ready, now, j.Run().Key)
				for name, is := range conditionsOf(now) {
					if status, has := now.Conditions[name]; has {
						note(name, is, status, now, j.Run().Key)
					}
				}
			})
		}
	}
	for what, n := range count {
		t.Logf("%s: %d of %d", what, same[what], n)
		if same[what]*100 < n*95 {
			t.Errorf("%s is as it was recorded in %d of %d states only", what, same[what], n)
		}
	}
}
