package admission

import (
	"testing"

	"github.com/kind-lab/lab/clusters/internal/procfs"
)

func TestThisMachineTells(t *testing.T) {
	available, err := procfs.AvailableMemory("/proc")
	if err != nil || available <= 0 {
		t.Errorf("memory: %d, %v", available, err)
	}
	if limit, used, err := inotify("/proc"); err != nil || limit <= 0 || used < 0 {
		t.Errorf("inotify: %d of %d, %v", used, limit, err)
	}
}
