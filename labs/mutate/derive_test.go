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
		for _, run := range rec.Runs {
			h := newHistory(run.Begin, recordsOf(t, rec, run))
			for _, p := range h.pods {
				for _, i := range p.records {
					now := h.records[i].Pod
					note("phase", phaseOf(now, p.policy), now.Phase, now, run.Key)
					note("status", statusOf(now), now.Status, now, run.Key)
					note("ready", readyOf(now), now.Ready, now, run.Key)
					for name, is := range conditionsOf(now) {
						if status, has := now.Conditions[name]; has {
							note(name, is, status, now, run.Key)
						}
					}
				}
			}
		}
	}
	for what, n := range count {
		t.Logf("%s: %d of %d", what, same[what], n)
		// Old versions say Terminating of a deleted pod that is over, too.
		if same[what]*100 < n*90 {
			t.Errorf("%s is as it was recorded in %d of %d states only", what, same[what], n)
		}
	}
}
