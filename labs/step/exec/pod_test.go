package exec

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/fake"
	utilexec "k8s.io/client-go/util/exec"

	"github.com/kind-lab/lab/labs/step"
	"github.com/kind-lab/lab/labs/step/failure"
	"github.com/kind-lab/lab/labs/step/internal/fakes"
)

// web is a pod with an init container, and two others of which one has ended.
func web() *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: "ns"},
		Spec: corev1.PodSpec{NodeName: "n1", InitContainers: []corev1.Container{{Name: "init"}},
			Containers: []corev1.Container{{Name: "main"}, {Name: "over"}, {Name: "late"}}},
		Status: corev1.PodStatus{ContainerStatuses: []corev1.ContainerStatus{
			{Name: "main", State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{}}},
			{Name: "over", State: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{Reason: "Completed"}}},
			{Name: "late", State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "ImagePullBackOff"}}},
		}},
	}
}

// runner is one whose commands in containers do what the function does.
func runner(stream stream, pods ...*corev1.Pod) *Runner {
	client := fake.NewClientset()
	for _, p := range pods {
		if err := client.Tracker().Add(p); err != nil {
			panic(err)
		}
	}
	return &Runner{client: client, stream: stream}
}

// container does as a container with a few programs does.
func container(ctx context.Context, c *call, name string) error {
	if name != "main" {
		return errors.New("unable to upgrade connection: container not found (\"" + name + "\")")
	}
	switch c.Command[0] {
	case "cat":
		_, err := io.Copy(c.stdout, c.stdin)
		return err
	case "false":
		_, err := io.WriteString(c.stderr, "no\n")
		return errors.Join(err, utilexec.CodeExitError{Code: 3, Err: errors.New("command terminated with exit code 3")})
	case "yes":
		_, err := c.stdout.Write(make([]byte, 3*step.MaxOutput))
		return err
	case "sleep":
		<-ctx.Done()
		return ctx.Err()
	case "ended":
		return errors.New("unable to upgrade connection: container not found (\"main\")")
	case "broken":
		return errors.New("connection reset by peer")
	}
	return errors.New(`Internal error occurred: error executing command in container: OCI runtime exec failed: exec: "` + c.Command[0] + `": executable file not found in $PATH`)
}

func TestCommandsInContainers(t *testing.T) {
	input := "what it reads"
	tests := []struct {
		name    string
		in      Request
		stdout  string
		code    int
		refused string
		failed  string
	}{
		{"reads and writes", Request{Pod: "web", Command: []string{"cat"}, Stdin: &input}, input, 0, "", ""},
		{"exit code", Request{Pod: "web", Container: "main", Command: []string{"false"}}, "", 3, "exit code 3: no", ""},
		{"no such program", Request{Pod: "web", Command: []string{"nope"}}, "", -1, `could not be started: Internal error`, ""},
		{"no such pod", Request{Pod: "wep", Command: []string{"cat"}}, "", -1, `pods "wep" not found`, ""},
		{"no such container", Request{Pod: "web", Container: "mian", Command: []string{"cat"}}, "", -1, `has no container "mian"; it has init, main, over, late`, ""},
		{"ended", Request{Pod: "web", Container: "over", Command: []string{"cat"}}, "", -1, `"over" of pod "web" does not run: it has ended (Completed, exit code 0)`, ""},
		{"ended, and the API does not know", Request{Pod: "web", Command: []string{"ended"}}, "", -1, `container "main" of pod "web" does not run: its kubelet has none`, ""},
		{"waits", Request{Pod: "web", Container: "late", Command: []string{"cat"}}, "", -1, `it waits (ImagePullBackOff)`, ""},
		{"not known yet", Request{Pod: "web", Container: "init", Command: []string{"cat"}}, "", -1, `does not run yet`, ""},
		{"the connection breaks", Request{Pod: "web", Command: []string{"broken"}}, "", -1, "", `connection reset by peer`},
		{"no command", Request{Pod: "web"}, "", -1, "", "the command is empty"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tt.in.Namespace = "ns"
			out, err := runner(container, web()).Do(t.Context(), tt.in)
			switch {
			case tt.refused != "":
				fakes.WantFailure(t, err, tt.refused)
			case tt.failed != "":
				fakes.WantError(t, err, tt.failed)
				if r := (failure.Failure)(nil); errors.As(err, &r) {
					t.Errorf("%v is a refusal", err)
				}
			case err != nil:
				t.Fatal(err)
			}
			if out.Stdout != tt.stdout {
				t.Errorf("stdout = %q, want %q", out.Stdout, tt.stdout)
			}
			if code := codeOf(out); code != tt.code {
				t.Errorf("exit code = %d, want %d", code, tt.code)
			}
		})
	}
}

// codeOf is the exit code; -1 where there is none.
func codeOf(out step.Result) int {
	if out.ExitCode == nil {
		return -1
	}
	return *out.ExitCode
}

func TestACommandThatDoesNotEnd(t *testing.T) {
	in := Request{Namespace: "ns", Pod: "web", Command: []string{"sleep"}}
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	_, err := runner(container, web()).Do(ctx, in)
	fakes.WantFailure(t, err, "did not end within 100ms")
	ctx, cancel = context.WithCancel(t.Context())
	time.AfterFunc(20*time.Millisecond, cancel)
	if _, err := runner(container, web()).Do(ctx, in); !errors.Is(err, context.Canceled) {
		t.Errorf("an interrupted command gave %v", err)
	}
}

func TestOutputIsBounded(t *testing.T) {
	out, err := runner(container, web()).Do(t.Context(), Request{Namespace: "ns", Pod: "web", Command: []string{"yes"}})
	if err != nil {
		t.Fatal(err)
	}
	if len(out.Stdout) > step.MaxOutput+100 || !strings.HasSuffix(out.Stdout, "\n[cut: 2097152 bytes more]\n") {
		t.Errorf("%d bytes are kept, which end in %q", len(out.Stdout), out.Stdout[len(out.Stdout)-40:])
	}
	if len(out.Warnings) != 1 {
		t.Errorf("warnings = %q", out.Warnings)
	}
}

func TestAPodWithoutANode(t *testing.T) {
	pod := web()
	pod.Spec.NodeName = ""
	stream := func(context.Context, *call, string) error { return errors.New("pod web does not have a host assigned") }
	_, err := runner(stream, pod).Do(t.Context(), Request{Namespace: "ns", Pod: "web", Command: []string{"cat"}})
	fakes.WantFailure(t, err, `pod "web" has no node yet`)
}
