package runtime

import (
	"context"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/kind-lab/lab/collectors"
)

// kernelScript prints the memory cgroups of the processes that the kernel killed
// for want of memory, as far back as its log goes.
const kernelScript = `dmesg | grep oom-kill: | grep -o 'task_memcg=[^,]*' || true`

// askKernel begins to find out whether the run that ended so was killed for
// want of memory. containerd tells of a kill what the cgroup notifies it of, and
// may lose that where the cgroup is gone at once, as that of a container is whose
// first process was killed, on a busy host above all. The kernel has it in its
// log all the same.
func (n *node) askKernel(ctx context.Context, ended collectors.Record) {
	n.kernel.add(&n.group, ended, math.MaxInt, func(batch []collectors.Record) { n.readKernel(ctx, batch) })
}

// readKernel adds what the kernel's log tells of these runs. A log that may not be
// read is no gap: what it would tell comes on top of what the runtime does.
func (n *node) readKernel(ctx context.Context, batch []collectors.Record) {
	out, err := n.output(ctx, "reading the kernel's log", "sh", "-c", kernelScript)
	if err != nil {
		return
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
