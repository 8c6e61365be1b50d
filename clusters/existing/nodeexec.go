package existing

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/tools/remotecommand"
	utilexec "k8s.io/client-go/util/exec"
	"k8s.io/streaming/pkg/httpstream"

	"github.com/kind-lab/lab/clusters"
	"github.com/kind-lab/lab/clusters/internal/nodemark"
)

// nodes reaches the nodes of one cluster, through its privileged pods.
type nodes struct {
	// cluster is its name in the scenario; c is nil if nothing is connected to it.
	cluster string
	c       *connection
}

// Nodes reaches the nodes of a cluster.
func (p *Provisioner) Nodes(handle clusters.Handle) clusters.Nodes {
	return nodes{handle.Name, p.of(handle.ID)}
}

// mostSaid bounds what of standard error is in an error, in bytes.
const mostSaid = 4 << 10

// exitCode is how a command ended that did not end with 0.
type exitCode int

// Error names the code.
func (e exitCode) Error() string { return fmt.Sprintf("exit status %d", int(e)) }

// ExitCode is the code.
func (e exitCode) ExitCode() int { return int(e) }

// NodeExec runs a command on a node, in all of the host's namespaces, and passes
// on what it writes; stdin nil means none, and a writer nil that it is not
// wanted. When ctx ends, so does the command, with all that it started. Its
// environment has LAB_EXEC set.
//
// A failure is a *clusters.CommandError with the last of standard error, which
// wraps what has an ExitCode where the command ended by itself. It wraps
// a *clusters.CapabilityError if the nodes are left alone.
func (n nodes) NodeExec(ctx context.Context, node string, stdin io.Reader, stdout, stderr io.Writer, cmd ...string) error {
	if len(cmd) == 0 {
		return fmt.Errorf("running a command on node %s: no command is named", node)
	}
	pod, err := n.pod(node)
	if err != nil {
		return err
	}
	mark := nodemark.New()
	// An environment of the host's own: that of the pod is of no use there.
	whole := append([]string{"env", "-i", mark.Env(), "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME=/root",
		"nsenter", "-t", "1", "-m", "-u", "-i", "-n", "-p", "--"}, cmd...)
	var said tail
	err = n.stream(ctx, pod, stdin, stdout, tee(stderr, &said), whole)
	if err == nil {
		return nil
	}
	var code utilexec.CodeExitError
	if ctx.Err() == nil && errors.As(err, &code) {
		err = exitCode(code.Code)
	}
	failure := error(&clusters.CommandError{Command: fmt.Sprintf("on node %s: %s", node, strings.Join(cmd, " ")), Output: strings.TrimSpace(said.String()), Err: errors.Join(err, ctx.Err())})
	if ctx.Err() == nil {
		return failure
	}
	ending, done := context.WithTimeout(context.WithoutCancel(ctx), nodemark.CleanUp)
	defer done()
	if left := n.stream(ending, pod, nil, nil, nil, mark.End()); left != nil {
		failure = errors.Join(failure, fmt.Errorf("ending the command on node %s: %w", node, left))
	}
	return failure
}

// pod is the pod on a node.
func (n nodes) pod(node string) (string, error) {
	if n.c == nil || n.c.pods == nil {
		return "", Provider().Lacks(n.cluster, clusters.ExecOnNodes)
	}
	if n.c.pods[node] == "" {
		return "", fmt.Errorf("node %s has no pod that reaches it: %w", node, &clusters.CapabilityError{Cluster: n.cluster, Provider: Name, Missing: clusters.ExecOnNodes})
	}
	return n.c.pods[node], nil
}

// stream runs a command in a pod, by WebSocket or, where that is not understood,
// SPDY.
func (n nodes) stream(ctx context.Context, pod string, stdin io.Reader, stdout, stderr io.Writer, cmd []string) error {
	url := n.c.client.CoreV1().RESTClient().Post().Resource("pods").Namespace(n.c.access).Name(pod).SubResource("exec").
		VersionedParams(&corev1.PodExecOptions{Container: accessName, Command: cmd, Stdin: stdin != nil, Stdout: true, Stderr: true}, scheme.ParameterCodec).URL()
	spdy, err := remotecommand.NewSPDYExecutor(n.c.reach.config, "POST", url)
	if err != nil {
		return fmt.Errorf("preparing a connection: %w", err)
	}
	websocket, err := remotecommand.NewWebSocketExecutor(n.c.reach.config, "GET", url.String())
	if err != nil {
		return fmt.Errorf("preparing a connection: %w", err)
	}
	both, err := remotecommand.NewFallbackExecutor(websocket, spdy, func(err error) bool {
		return httpstream.IsUpgradeFailure(err) || httpstream.IsHTTPSProxyError(err)
	})
	if err != nil {
		return fmt.Errorf("preparing a connection: %w", err)
	}
	return both.StreamWithContext(ctx, remotecommand.StreamOptions{Stdin: stdin, Stdout: orNowhere(stdout), Stderr: orNowhere(stderr)})
}

func orNowhere(w io.Writer) io.Writer {
	if w == nil {
		return io.Discard
	}
	return w
}

// tee writes to a writer that may be nil, and to another.
func tee(w io.Writer, also io.Writer) io.Writer {
	if w == nil {
		return also
	}
	return io.MultiWriter(w, also)
}

// tail keeps the last of what is written to it.
type tail struct{ bytes.Buffer }

// Write never fails.
func (t *tail) Write(p []byte) (int, error) {
	t.Buffer.Write(p)
	if extra := t.Len() - mostSaid; extra > 0 {
		t.Next(extra)
	}
	return len(p), nil
}

// NodeState is "running" where the node's pod runs, else what is known of it.
func (n nodes) NodeState(ctx context.Context, node string) (string, error) {
	name, err := n.pod(node)
	if err != nil {
		return "", err
	}
	pod, err := n.c.client.CoreV1().Pods(n.c.access).Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return "", fmt.Errorf("looking at the pod that reaches node %s: %w", node, err)
	}
	for _, condition := range pod.Status.Conditions {
		if condition.Type == corev1.PodReady && condition.Status == corev1.ConditionTrue {
			return "running", nil
		}
	}
	return "away: the pod that reaches it is not ready", nil
}

// NodeAction returns a *clusters.CapabilityError: others use the machine as well.
func (n nodes) NodeAction(context.Context, string, string) error {
	return Provider().Lacks(n.cluster, clusters.OperateNodes)
}
