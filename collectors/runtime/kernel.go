package runtime

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/kind-lab/lab/collectors"
	"github.com/kind-lab/lab/collectors/internal/retry"
)

// kernelScript prints the memory cgroups of the processes that the kernel killed
// because memory ran out, as far back as its log goes.
const kernelScript = `dmesg | grep oom-kill: | grep -o 'task_memcg=[^,]*' || true`

// askKernel finds out whether the run that ended so was killed because memory ran
// out. containerd tells of a kill what the cgroup notifies it of, and may lose that
// if the cgroup is gone at once, as that of a container is whose first process was
// killed, on a busy host above all. The kernel has it in its log all the same.
//
// The stream says what is in the log, right before the exit. If it does not, the
// node is asked.
func (n *node) askKernel(ctx context.Context, ended collectors.Record) {
	switch {
	case n.kernelSaid.ID != ended.Task.ID:
		n.kernel.add(&n.group, ended, math.MaxInt, func(batch []collectors.Record) { n.readKernel(ctx, batch) })
	case n.kernelSaid.OOM:
		n.outOfMemoryAt(ended)
	}
}

// readKernel records what the kernel's log adds to these runs. A log that may not be
// read adds nothing, which is no gap. A node that does not answer is one.
func (n *node) readKernel(ctx context.Context, batch []collectors.Record) {
	backoff := n.c.options.Retry
	for attempt := 1; ; attempt++ {
		out, err := n.output(ctx, "reading the kernel's log", "sh", "-c", kernelScript)
		if err == nil {
			n.blame(batch, strings.Fields(string(out)))
			return
		}
		if ctx.Err() != nil {
			return
		}
		if attempt >= n.c.options.Retry.Steps {
			n.gap(batch[0].Time, len(batch), fmt.Sprintf("whether the kernel killed %d containers because memory ran out is not known: %v", len(batch), err))
			return
		}
		retry.Pause(ctx, &backoff)
	}
}

// blame records a kill for memory of each run in whose cgroup the kernel killed.
func (n *node) blame(batch []collectors.Record, cgroups []string) {
	for _, r := range batch {
		if slices.ContainsFunc(cgroups, func(cgroup string) bool { return strings.Contains(cgroup, r.Task.ID) }) {
			n.outOfMemoryAt(r)
		}
	}
}

// outOfMemoryAt records the kill for memory of a run, at its end.
func (n *node) outOfMemoryAt(ended collectors.Record) {
	ended.Type, ended.Source = collectors.TypeTaskOOM, collectors.SourceKernel
	ended.Time, ended.Precision = ended.Time.Truncate(time.Second), time.Second
	n.c.sink.Add(ended)
}
