package runtime

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/kind-lab/lab/collectors"
)

// kernelScript prints the memory cgroups of the processes that the kernel killed
// for want of memory, as far back as its log goes.
const kernelScript = `dmesg | grep oom-kill: | grep -o 'task_memcg=[^,]*' || true`

// kernel are the runs whose end the kernel's log is asked about. containerd
// tells of a kill what the cgroup notifies it of, and may lose that where the
// cgroup is gone at once, as that of a container is whose first process was
// killed, on a busy host above all. The kernel has it in its log all the same.
type kernel struct {
	mu      sync.Mutex
	waiting []collectors.Record
	asking  bool
	// idle is closed when nobody asks; nil where nobody did yet.
	idle chan struct{}
}

// askKernel begins to find out whether the run that ended so was killed for
// want of memory.
func (n *node) askKernel(ctx context.Context, ended collectors.Record) {
	n.kernel.mu.Lock()
	defer n.kernel.mu.Unlock()
	n.kernel.waiting = append(n.kernel.waiting, ended)
	if n.kernel.asking {
		return
	}
	n.kernel.asking, n.kernel.idle = true, make(chan struct{})
	n.group.Go(func() { n.readKernel(ctx) })
}

// readKernel asks until nobody waits. A log that may not be read is no gap: what
// it would tell comes on top of what the runtime does.
func (n *node) readKernel(ctx context.Context) {
	for {
		n.kernel.mu.Lock()
		batch := n.kernel.waiting
		n.kernel.waiting = nil
		if len(batch) == 0 {
			n.kernel.asking = false
			close(n.kernel.idle)
			n.kernel.mu.Unlock()
			return
		}
		n.kernel.mu.Unlock()
		out, err := n.output(ctx, "reading the kernel's log", "sh", "-c", kernelScript)
		if err != nil {
			continue
		}
		cgroups := strings.Fields(string(out))
		for _, r := range batch {
			if !slices.ContainsFunc(cgroups, func(cgroup string) bool { return strings.Contains(cgroup, r.Task.ID) }) {
				continue
			}
			r.Type, r.Source = collectors.TypeTaskOOM, collectors.SourceKernel
			r.Time, r.Precision = r.Time.Truncate(time.Second), time.Second
			n.c.sink.Add(r)
		}
	}
}

// told waits until nobody asks the kernel any more.
func (k *kernel) told(ctx context.Context) error {
	k.mu.Lock()
	idle := k.idle
	k.mu.Unlock()
	if idle == nil {
		return nil
	}
	select {
	case <-idle:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
