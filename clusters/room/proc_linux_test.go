package room

import "testing"

func TestThisMachineTells(t *testing.T) {
	available, err := availableMemory("/proc")
	if err != nil || available <= 0 {
		t.Errorf("memory: %d, %v", available, err)
	}
	if limit, used, err := inotify("/proc"); err != nil || limit <= 0 || used < 0 {
		t.Errorf("inotify: %d of %d, %v", used, limit, err)
	}
}
