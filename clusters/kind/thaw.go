package kind

import (
	"context"
	"fmt"
)

// thawFrozen thaws the control groups of version 1 that belong to containers,
// whose ids are its arguments, and of what runs within them.
const thawFrozen = `
for id in "$@"; do
  find /freezer -path "*$id*" -name freezer.state | while read -r state; do
    grep -q THAWED "$state" || echo THAWED >"$state"
  done
done
`

// thaw frees nodes that cannot be removed because something in them is frozen:
// runc freezes a control group of version 1 while it sets it up, and one that
// is killed then leaves in it processes that not even SIGKILL ends. It is done
// from a container of the nodes' own image, since the engine may be on another
// machine.
func (p *Provisioner) thaw(ctx context.Context, nodes []container) error {
	if len(nodes) == 0 || p.host.Cgroup != 1 {
		return nil
	}
	args := []string{"run", "--rm", "--privileged", "--network", "none", "--volume", "/sys/fs/cgroup/freezer:/freezer",
		"--entrypoint", "sh", nodes[0].Image, "-c", thawFrozen, "sh"}
	for _, n := range nodes {
		args = append(args, n.ID)
	}
	if _, err := p.output(ctx, args...); err != nil {
		return fmt.Errorf("thawing what is frozen in the nodes: %w", err)
	}
	return nil
}
