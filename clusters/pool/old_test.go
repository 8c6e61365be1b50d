package pool

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/kind-lab/lab/clusters"
)

// TestStatesOfAnOlderLabAreRead reads clusters as labs noted them whose states
// were called "lent" and "spoiled", and whose handles had no capabilities.
func TestStatesOfAnOlderLabAreRead(t *testing.T) {
	p := New(newHost(), Options{Dir: "testdata/old"})
	list, err := p.List()
	if err != nil || len(list) != 2 {
		t.Fatalf("list %v, %v", list, err)
	}
	states := map[string]State{}
	for _, s := range list {
		states[s.ID] = s.State
	}
	if states["lab-pool-old000"] != StateLeased || states["lab-pool-bad000"] != StateTainted {
		t.Errorf("states %v", states)
	}
}

// TestAnOldClusterHasTheCapabilitiesOfItsMaker takes a cluster that waits since
// before handles had capabilities.
func TestAnOldClusterHasTheCapabilitiesOfItsMaker(t *testing.T) {
	h, dir := newHost(), t.TempDir()
	first, _ := acquire(t, h.pool(t, dir), "1.29.1", "lab-a-v")
	p := h.pool(t, dir)
	state := filepath.Join(dir, first.ID, stateFile)
	m := &member{dir: filepath.Dir(state)}
	if err := m.load(); err != nil {
		t.Fatal(err)
	}
	m.State, m.Lease, m.Handle.Capabilities = StateIdle, nil, clusters.Capabilities{}
	if err := m.save(); err != nil {
		t.Fatal(err)
	}
	// The process that had it is gone, and with it the lock.
	if err := os.Remove(filepath.Join(filepath.Dir(state), lockFile)); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(filepath.Dir(state), lockFile), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	again, _ := acquire(t, p, "1.29.1", "lab-b-v")
	if again.ID != first.ID || again.Capabilities != h.Capabilities(clusters.Spec{}) {
		t.Errorf("%s with %+v, want %s", again.ID, again.Capabilities, first.ID)
	}
}
