// Package signal sends signals to containers from their node, as the machine's
// administrator would: the container's own tools are not asked for.
package signal

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/kind-lab/lab/clusters"
	"github.com/kind-lab/lab/collectors"
	"github.com/kind-lab/lab/labs/step"
	"github.com/kind-lab/lab/labs/step/failure"
	"github.com/kind-lab/lab/labs/step/objects"
)

// Sender sends signals in one cluster. It may be used by several goroutines.
type Sender struct {
	client kubernetes.Interface
	nodes  clusters.Exec
}

// New returns a Sender for a cluster.
func New(on step.Cluster) *Sender { return &Sender{client: on.Client.Kubernetes, nodes: on.Nodes} }

// Do sends the signal to the first process of the container that runs now. A
// pod that is not there is a *failure.Rejection; a container that is not there
// or does not run is a *failure.FailedError.
func (s *Sender) Do(ctx context.Context, in Request) (step.Result, error) {
	name, err := Parse(in.Signal)
	if err != nil {
		return step.Result{}, err
	}
	node, err := s.node(ctx, in)
	if err != nil {
		return step.Result{}, err
	}
	id, err := s.find(ctx, node, in)
	if err != nil {
		return step.Result{}, err
	}
	pid, err := s.pid(ctx, node, id, in)
	if err != nil {
		return step.Result{}, err
	}
	if _, err := s.run(ctx, node, "kill", "-s", name, strconv.Itoa(pid)); err != nil {
		if gone(err) {
			return step.Result{}, failure.New("container %q of pod %q does not run any more: it ended before the signal came", in.Container, in.Pod)
		}
		return step.Result{}, fmt.Errorf("sending %s to container %q of pod %q: %w", title(name), in.Container, in.Pod, err)
	}
	var out step.Result
	out.Did(collectors.Object{Kind: "Pod", Namespace: in.Namespace, Name: in.Pod},
		fmt.Sprintf("got %s in container %s", title(name), in.Container))
	return out, nil
}

// node is the node that the pod is on, once it is known that it has the
// container.
func (s *Sender) node(ctx context.Context, in Request) (string, error) {
	pod, err := s.client.CoreV1().Pods(in.Namespace).Get(ctx, in.Pod, metav1.GetOptions{})
	if err != nil {
		return "", objects.Rejection(collectors.Object{Kind: "Pod", Namespace: in.Namespace, Name: in.Pod}, "looking at", err)
	}
	var names []string
	for _, c := range pod.Spec.InitContainers {
		names = append(names, c.Name)
	}
	for _, c := range pod.Spec.Containers {
		names = append(names, c.Name)
	}
	for _, c := range pod.Spec.EphemeralContainers {
		names = append(names, c.Name)
	}
	for _, n := range names {
		if n == in.Container && pod.Spec.NodeName == "" {
			return "", failure.New("pod %q has no node yet, so that its container %q does not run", in.Pod, in.Container)
		}
		if n == in.Container {
			return pod.Spec.NodeName, nil
		}
	}
	return "", failure.New("pod %q has no container %q; it has %s", in.Pod, in.Container, strings.Join(names, ", "))
}

// find asks the node's runtime, which knows before the API does, for the
// container that runs.
func (s *Sender) find(ctx context.Context, node string, in Request) (string, error) {
	out, err := s.run(ctx, node, "crictl", "ps", "--quiet", "--no-trunc", "--state", "Running",
		"--label", "io.kubernetes.pod.namespace="+in.Namespace,
		"--label", "io.kubernetes.pod.name="+in.Pod,
		"--label", "io.kubernetes.container.name="+in.Container)
	if err != nil {
		return "", fmt.Errorf("looking for container %q of pod %q on node %s: %w", in.Container, in.Pod, node, err)
	}
	ids := strings.Fields(out)
	if len(ids) == 0 {
		return "", failure.New("container %q of pod %q does not run on node %s", in.Container, in.Pod, node)
	}
	return ids[0], nil // the newest
}

// pid is the container's first process, as the node sees it.
func (s *Sender) pid(ctx context.Context, node, id string, in Request) (int, error) {
	out, err := s.run(ctx, node, "crictl", "inspect", "--output", "go-template", "--template", "{{.info.pid}}", id)
	if err != nil {
		return 0, fmt.Errorf("looking at container %q of pod %q on node %s: %w", in.Container, in.Pod, node, err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(out))
	if err != nil {
		return 0, fmt.Errorf("looking at container %q of pod %q on node %s: the runtime gave no process id but %q", in.Container, in.Pod, node, out)
	}
	if pid <= 1 {
		return 0, failure.New("container %q of pod %q does not run any more: it has just ended on node %s", in.Container, in.Pod, node)
	}
	return pid, nil
}

func (s *Sender) run(ctx context.Context, node string, cmd ...string) (string, error) {
	var out bytes.Buffer
	err := s.nodes.NodeExec(ctx, node, nil, &out, nil, cmd...)
	return out.String(), err
}

// gone says whether kill failed because there is no such process.
func gone(err error) bool {
	var exit interface{ ExitCode() int }
	return errors.As(err, &exit) && exit.ExitCode() == 1 && strings.Contains(strings.ToLower(err.Error()), "no such process")
}
