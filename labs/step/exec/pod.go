package exec

import (
	"context"
	"errors"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utilexec "k8s.io/client-go/util/exec"

	"github.com/kind-lab/lab/collectors"
	"github.com/kind-lab/lab/labs/step/failure"
	"github.com/kind-lab/lab/labs/step/objects"
)

// stream runs a call in a container, whose name is given, to its end.
type stream func(ctx context.Context, c *call, container string) error

// inPod runs the call in a container of a pod.
func (r *Runner) inPod(ctx context.Context, c *call) error {
	pod, err := r.pod(ctx, c)
	if err != nil {
		return err
	}
	container, err := containerOf(pod, c.Container)
	if err != nil {
		return err
	}
	err = r.stream(ctx, c, container)
	var code utilexec.CodeExitError
	switch {
	case err == nil || ctx.Err() != nil:
		return err
	case errors.As(err, &code):
		return ended(code.Code)
	case unstarted(err.Error()):
		return failure.New("the command could not be started: %v", err)
	}
	// The API may know of the container's end only now.
	if pod, look := r.pod(ctx, c); look != nil {
		return errors.Join(look, err)
	} else if why := idle(pod, container); why != "" {
		return &failure.FailedError{Message: why}
	}
	if strings.Contains(err.Error(), notRunning) {
		return failure.New("container %q of pod %q does not run: its kubelet has none that does", container, c.Pod)
	}
	return fmt.Errorf("running a command in container %q of pod %q: %w", container, c.Pod, err)
}

// notRunning is how the kubelet says that a container does not run, which the
// API may not know for a second.
const notRunning = "container not found ("

func (r *Runner) pod(ctx context.Context, c *call) (*corev1.Pod, error) {
	pod, err := r.client.CoreV1().Pods(c.Namespace).Get(ctx, c.Pod, metav1.GetOptions{})
	if err != nil {
		return nil, objects.Rejection(collectors.Object{Kind: "Pod", Namespace: c.Namespace, Name: c.Pod}, "looking at", err)
	}
	return pod, nil
}

// containerOf is the container that is meant: the one of the name, or the
// first that is no init container where none is named.
func containerOf(pod *corev1.Pod, name string) (string, error) {
	if name == "" && len(pod.Spec.Containers) > 0 {
		return pod.Spec.Containers[0].Name, nil
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
	for _, known := range names {
		if known == name {
			return name, nil
		}
	}
	return "", failure.New("pod %q has no container %q; it has %s", pod.Name, name, strings.Join(names, ", "))
}

// idle says why no command can run in a container now; empty where one can as
// far as the API knows.
func idle(pod *corev1.Pod, container string) string {
	if pod.Spec.NodeName == "" {
		return fmt.Sprintf("pod %q has no node yet", pod.Name)
	}
	all := append(append(pod.Status.InitContainerStatuses[:len(pod.Status.InitContainerStatuses):len(pod.Status.InitContainerStatuses)],
		pod.Status.ContainerStatuses...), pod.Status.EphemeralContainerStatuses...)
	for _, s := range all {
		if s.Name != container {
			continue
		}
		switch {
		case s.State.Running != nil:
			return ""
		case s.State.Terminated != nil:
			return fmt.Sprintf("container %q of pod %q does not run: it has ended (%s, exit code %d)", container, pod.Name, s.State.Terminated.Reason, s.State.Terminated.ExitCode)
		case s.State.Waiting != nil && s.State.Waiting.Reason != "":
			return fmt.Sprintf("container %q of pod %q does not run: it waits (%s)", container, pod.Name, s.State.Waiting.Reason)
		}
	}
	return fmt.Sprintf("container %q of pod %q does not run yet", container, pod.Name)
}
