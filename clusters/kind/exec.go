package kind

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/kind-lab/lab/clusters/internal/nodemark"
)

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
	mark := nodemark.New()
	args := []string{"exec", "--privileged", "--env", mark.Env()}
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
	ending, done := context.WithTimeout(context.WithoutCancel(ctx), nodemark.CleanUp)
	defer done()
	if left := p.endExec(ending, node, mark); left != nil {
		err = errors.Join(err, left)
	}
	return err
}

// endExec ends in the node what carries the mark. A node that is gone has
// nothing left.
func (p *Provisioner) endExec(ctx context.Context, node string, mark nodemark.Mark) error {
	_, err := p.output(ctx, append([]string{"exec", "--privileged", node}, mark.End()...)...)
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
