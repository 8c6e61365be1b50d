package kind

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"time"
)

const (
	// execMark is set for every command in a node, so that the command and
	// what it starts can be found there.
	execMark = "LAB_EXEC"
	// execCleanUp bounds the search for what a command left in a node.
	execCleanUp = 10 * time.Second
)

// endMarked ends in a node what carries a mark: SIGTERM, and SIGKILL for what
// is there a second later. It is over when twice in a row nothing is found,
// since a command may have been about to start.
const endMarked = `
mark="LAB_EXEC=$1"; gone=0; round=0
while [ "$gone" -lt 2 ] && [ "$round" -lt 60 ]; do
  pids=$(grep -lszx -- "$mark" /proc/[0-9]*/environ | cut -d/ -f3)
  if [ -z "$pids" ]; then
    gone=$((gone + 1))
  else
    gone=0
    if [ "$round" -lt 10 ]; then kill -TERM $pids 2>/dev/null; else kill -KILL $pids 2>/dev/null; fi
  fi
  round=$((round + 1))
  sleep 0.1
done
[ "$gone" -ge 2 ]
`

// NodeExec runs a command in a node and passes on what it writes; stdin nil
// means none, and a writer nil that it is not wanted. When ctx ends, so does
// the command, with all that it started in the node (the engine itself would
// leave it running). Its environment has LAB_EXEC set.
//
// A failure is a *clusters.CommandError with the last of standard error, which
// wraps the *exec.ExitError (the command's own exit code) and, where that was
// the reason, the context's error.
func (p *Provisioner) NodeExec(ctx context.Context, node string, stdin io.Reader, stdout, stderr io.Writer, cmd ...string) error {
	if len(cmd) == 0 {
		return fmt.Errorf("running a command in node %s: no command is named", node)
	}
	mark := rand.Text()
	args := []string{"exec", "--privileged", "--env", execMark + "=" + mark}
	if stdin != nil {
		args = append(args, "--interactive")
	}
	args = append(append(args, node), cmd...)
	started := p.starts.begin(node)
	err := p.stream(ctx, stdin, tellingOf(stdout, started), tellingOf(stderr, started), args...)
	started()
	if ctx.Err() == nil {
		return err
	}
	ending, done := context.WithTimeout(context.WithoutCancel(ctx), execCleanUp)
	defer done()
	if left := p.endExec(ending, node, mark); left != nil {
		err = errors.Join(err, left)
	}
	return err
}

// endExec ends in the node what carries the mark. A node that is gone has
// nothing left.
func (p *Provisioner) endExec(ctx context.Context, node, mark string) error {
	_, err := p.output(ctx, "exec", "--privileged", node, "sh", "-c", endMarked, "sh", mark)
	if err == nil {
		return nil
	}
	if running, look := p.running(ctx, node); look == nil && !running {
		return nil
	}
	return fmt.Errorf("ending the command in node %s: %w", node, err)
}

// running says whether there is a container of that name and it runs.
func (p *Provisioner) running(ctx context.Context, name string) (bool, error) {
	out, err := p.output(ctx, "ps", "--quiet", "--filter", "name=^/?"+name+"$")
	if err != nil {
		return false, fmt.Errorf("looking for container %s: %w", name, err)
	}
	return len(out) > 0, nil
}
