package runtest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
	utilexec "k8s.io/client-go/util/exec"

	"github.com/kind-lab/lab/clusters"
	"github.com/kind-lab/lab/collectors"
	"github.com/kind-lab/lab/labs/step"
)

// exitError is a command that ended with an exit code other than 0.
type exitError int

// Error names the code.
func (e exitError) Error() string { return fmt.Sprintf("exit status %d", int(e)) }

// ExitCode is the code.
func (e exitError) ExitCode() int { return int(e) }

// command does as a few programs do.
func command(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) error {
	var err error
	switch args[0] {
	case "echo":
		_, err = io.WriteString(stdout, strings.Join(args[1:], " ")+"\n")
	case "cat":
		if stdin != nil {
			_, err = io.Copy(stdout, stdin)
		}
	case "true":
	case "false":
		_, err = io.WriteString(stderr, strings.Join(args[1:], " "))
		err = errors.Join(err, exitError(1))
	case "sleep":
		<-ctx.Done()
		err = ctx.Err()
	default:
		return fmt.Errorf("OCI runtime exec failed: exec: %q: executable file not found in $PATH", args[0])
	}
	return err
}

// stream runs a command in a container.
func (c *Cluster) stream(ctx context.Context, in step.Command) error {
	if _, err := c.running(in.Namespace, in.Pod, in.Container); err != nil {
		return fmt.Errorf("container not found (%q)", in.Container)
	}
	if err := c.world.act(ctx, fmt.Sprintf("%s: exec %s/%s %s", c.spec.Name, in.Pod, in.Container, strings.Join(in.Args, " "))); err != nil {
		return err
	}
	err := command(ctx, in.Args, in.Stdin, in.Stdout, in.Stderr)
	var exit exitError
	if errors.As(err, &exit) {
		return utilexec.CodeExitError{Code: int(exit), Err: err}
	}
	return err
}

// errNotRunning is why nothing can be done in a container.
var errNotRunning = errors.New("the container does not run")

// running is a container of that name that runs.
func (c *Cluster) running(namespace, pod, name string) (*container, error) {
	_, j, there := c.find(keyOf(namespace, "pod", pod))
	if !there || j == nil {
		return nil, errNotRunning
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, one := range j.containers {
		if one.Name == name && one.State == "running" {
			return one, nil
		}
	}
	return nil, errNotRunning
}

// exits are the exit codes of containers that a signal ends.
func exits(name string) (int, bool) {
	code, ends := map[string]int{"HUP": 129, "INT": 130, "QUIT": 131, "KILL": 137, "USR1": 138, "USR2": 140, "TERM": 143}[name]
	return code, ends
}

// nodes are the machines of the cluster's nodes. They have crictl, kill and
// systemctl, and the programs that containers have.
type nodes struct{ c *Cluster }

// NodeState is always that it runs.
func (n nodes) NodeState(context.Context, string) (string, error) { return "running", nil }

// NodeAction notes what is done to a node.
func (n nodes) NodeAction(ctx context.Context, node, action string) error {
	return n.c.world.act(ctx, fmt.Sprintf("%s: node %s %s", n.c.spec.Name, action, node))
}

// NodeExec runs a command.
func (n nodes) NodeExec(ctx context.Context, node string, stdin io.Reader, stdout, stderr io.Writer, cmd ...string) error {
	switch {
	case cmd[0] == "crictl" && cmd[1] == "ps":
		return n.list(stdout, cmd)
	case cmd[0] == "crictl" && cmd[1] == "inspect":
		_, err := fmt.Fprintln(stdout, cmd[len(cmd)-1])
		return err
	case cmd[0] == "kill":
		return n.signal(ctx, cmd[2], cmd[3])
	case cmd[0] == "systemctl":
		return n.c.world.act(ctx, fmt.Sprintf("%s: node %s %s of %s", n.c.spec.Name, cmd[1], cmd[2], node))
	}
	if err := n.c.world.act(ctx, fmt.Sprintf("%s: exec %s %s", n.c.spec.Name, node, strings.Join(cmd, " "))); err != nil {
		return err
	}
	err := command(ctx, cmd, stdin, stdout, stderr)
	if err != nil && strings.HasPrefix(err.Error(), "OCI runtime exec failed") {
		fmt.Fprintln(stderr, err)
		return exitError(127)
	}
	return err
}

// list writes the process that is the container of some labels, if that runs.
func (n nodes) list(stdout io.Writer, cmd []string) error {
	labels := map[string]string{}
	for _, arg := range cmd {
		if name, value, ok := strings.Cut(arg, "="); ok {
			labels[name] = value
		}
	}
	found, err := n.c.running(labels["io.kubernetes.pod.namespace"], labels["io.kubernetes.pod.name"], labels["io.kubernetes.container.name"])
	if err != nil {
		return nil
	}
	n.c.mu.Lock()
	defer n.c.mu.Unlock()
	n.c.processes = append(n.c.processes, process{found, labels["io.kubernetes.pod.name"]})
	_, err = fmt.Fprintln(stdout, firstPID+len(n.c.processes)-1)
	return err
}

// firstPID is the number of the first process.
const firstPID = 4711

// process is the first process of a container.
type process struct {
	container *container
	pod       string
}

// signal ends a container, if the signal does that.
func (n nodes) signal(ctx context.Context, name, pid string) error {
	number, err := strconv.Atoi(pid)
	if err != nil {
		return err
	}
	n.c.mu.Lock()
	p := n.c.processes[number-firstPID]
	n.c.mu.Unlock()
	if err := n.c.world.act(ctx, fmt.Sprintf("%s: signal %s %s/%s", n.c.spec.Name, name, p.pod, p.container.Name)); err != nil {
		return err
	}
	switch code, ends := exits(name); {
	case name == "TERM" && p.container.onTerm >= 0:
		p.container.end(p.container.onTerm)
	case ends:
		p.container.end(code)
	}
	return nil
}

// typed is the typed client: it has pods and nodes.
func (c *Cluster) typed() kubernetes.Interface {
	client := fake.NewClientset()
	client.PrependReactor("get", "pods", func(a clienttesting.Action) (bool, runtime.Object, error) {
		get := a.(clienttesting.GetAction)
		_, j, there := c.find(keyOf(get.GetNamespace(), "pod", get.GetName()))
		if !there || j == nil {
			return true, nil, apierrors.NewNotFound(schema.GroupResource{Resource: "pods"}, get.GetName())
		}
		return true, c.pod(get.GetName(), j), nil
	})
	client.PrependReactor("get", "nodes", func(a clienttesting.Action) (bool, runtime.Object, error) {
		name := a.(clienttesting.GetAction).GetName()
		c.mu.Lock()
		defer c.mu.Unlock()
		return true, &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: corev1.NodeSpec{Unschedulable: c.cordoned[name]}}, nil
	})
	client.PrependReactor("patch", "nodes", func(a clienttesting.Action) (bool, runtime.Object, error) {
		patch := a.(clienttesting.PatchAction)
		cordon := strings.Contains(string(patch.GetPatch()), `"unschedulable":true`)
		action := "uncordon"
		if cordon {
			action = "cordon"
		}
		if err := c.world.act(context.Background(), fmt.Sprintf("%s: node %s %s", c.spec.Name, action, patch.GetName())); err != nil {
			return true, nil, err
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		c.cordoned[patch.GetName()] = cordon
		return true, &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: patch.GetName()}}, nil
	})
	return client
}

// pod is a pod as the API shows it: its containers, and which of them run.
func (c *Cluster) pod(name string, j *job) *corev1.Pod {
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: corev1.PodSpec{NodeName: c.handle.Nodes[0].Name}}
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, one := range j.containers {
		status := corev1.ContainerStatus{Name: one.Name}
		switch one.State {
		case "running":
			status.State.Running = &corev1.ContainerStateRunning{}
		case "terminated":
			status.State.Terminated = &corev1.ContainerStateTerminated{Reason: one.Reason}
		}
		if one.Kind == collectors.KindMain {
			pod.Spec.Containers = append(pod.Spec.Containers, corev1.Container{Name: one.Name})
			pod.Status.ContainerStatuses = append(pod.Status.ContainerStatuses, status)
		} else {
			pod.Spec.InitContainers = append(pod.Spec.InitContainers, corev1.Container{Name: one.Name})
			pod.Status.InitContainerStatuses = append(pod.Status.InitContainerStatuses, status)
		}
	}
	return pod
}

var _ clusters.Nodes = nodes{}
