package node

import (
	"context"
	"errors"
	"fmt"
	"io"
	osexec "os/exec"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/fake"

	"github.com/kind-lab/lab/clusters"
	"github.com/kind-lab/lab/labs/step"
	"github.com/kind-lab/lab/labs/step/failure"
	"github.com/kind-lab/lab/labs/step/internal/fakes"
)

// machines are machines that note what is done to them.
type machines struct {
	state string
	did   []string
	// exits is the exit code of commands in them, said what they write.
	exits int
	said  string
}

func (m *machines) NodeAction(_ context.Context, node, action string) error {
	if m.state == "" {
		return errors.New("cannot connect to the engine")
	}
	if action == Unpause && m.state != "paused" {
		return &clusters.NodeStateError{Node: node, Action: action, State: m.state}
	}
	m.did = append(m.did, action+" "+node)
	return nil
}

func (m *machines) NodeState(context.Context, string) (string, error) {
	if m.state == "" {
		return "", errors.New("cannot connect to the engine")
	}
	return m.state, nil
}

func (m *machines) NodeExec(ctx context.Context, node string, _ io.Reader, _, stderr io.Writer, cmd ...string) error {
	m.did = append(m.did, node+": "+strings.Join(cmd, " "))
	if _, err := io.WriteString(stderr, m.said); err != nil {
		return err
	}
	return osexec.CommandContext(ctx, "sh", "-c", fmt.Sprintf("exit %d", m.exits)).Run()
}

// operator is one for a control plane and a worker. That the API server is
// waited for is noted.
func operator(m *machines) (*Operator, *fake.Clientset) {
	client := fake.NewClientset(&corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "cp"}}, &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "w1"}})
	o := &Operator{client: client, machines: m, nodes: []clusters.Node{{Name: "cp", Role: "control-plane"}, {Name: "w1", Role: "worker"}}}
	o.answers = func(context.Context) error {
		m.did = append(m.did, "asked the API server")
		return nil
	}
	return o, client
}

func TestMachinesAndServices(t *testing.T) {
	tests := []struct {
		name            string
		in              Request
		machines        machines
		did             []string
		refused, failed string
	}{
		{"stop", Request{Node: "cp", Action: Stop}, machines{state: "running"}, []string{"stop cp"}, "", ""},
		{"a control plane answers again", Request{Node: "cp", Action: Restart}, machines{state: "running"}, []string{"restart cp", "asked the API server"}, "", ""},
		{"also after a pause", Request{Node: "cp", Action: Unpause}, machines{state: "paused"}, []string{"unpause cp", "asked the API server"}, "", ""},
		{"a worker need not", Request{Node: "w1", Action: Start}, machines{state: "exited"}, []string{"start w1"}, "", ""},
		{"not as it is", Request{Node: "cp", Action: Unpause}, machines{state: "running"}, nil, "cannot unpause node cp: its machine is running", ""},
		{"no such node", Request{Node: "w2", Action: Stop}, machines{state: "running"}, nil, `no node "w2"; its nodes are cp, w1`, ""},
		{"the engine is away", Request{Node: "cp", Action: Stop}, machines{}, nil, "", "cannot connect"},
		{"no such action", Request{Node: "cp", Action: "explode"}, machines{state: "running"}, nil, "", "nothing that can be done"},
		{"a service", Request{Node: "w1", Action: Restart, Service: "kubelet"}, machines{state: "running"}, []string{"w1: systemctl restart kubelet"}, "", ""},
		{"a service of a node that is down", Request{Node: "w1", Action: Start, Service: "kubelet"}, machines{state: "exited"}, nil, "node w1 does not run, and so no service of it: it is exited", ""},
		{"a service that fails", Request{Node: "w1", Action: Start, Service: "containerd"}, machines{state: "running", exits: 1, said: "Job failed.\n"},
			[]string{"w1: systemctl start containerd"}, "containerd of node w1 could not be started: systemctl: exit code 1: Job failed.", ""},
		{"the engine fails", Request{Node: "w1", Action: Stop, Service: "kubelet"}, machines{state: "running", exits: 125}, []string{"w1: systemctl stop kubelet"}, "", "exit status 125"},
		{"a service is not cordoned", Request{Node: "w1", Action: Cordon, Service: "kubelet"}, machines{state: "running"}, nil, "", "is done to the node itself"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			o, _ := operator(&tt.machines)
			out, err := o.Do(t.Context(), tt.in)
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
			case len(out.Actions) != 1:
				t.Errorf("actions = %q", out.Actions)
			}
			if diff := cmp.Diff(tt.did, tt.machines.did); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestDoneIsThePast(t *testing.T) {
	var got []string
	for _, a := range []string{Stop, Start, Restart, Pause, Unpause} {
		got = append(got, done(a))
	}
	if diff := cmp.Diff([]string{"stopped", "started", "restarted", "paused", "unpaused"}, got); diff != "" {
		t.Error(diff)
	}
}

func TestCordon(t *testing.T) {
	o, client := operator(&machines{})
	for _, tt := range []struct{ action, want string }{
		{Cordon, "cordoned"}, {Cordon, "was cordoned already"}, {Uncordon, "uncordoned"}, {Uncordon, "was uncordoned already"},
	} {
		out, err := o.Do(t.Context(), Request{Node: "w1", Action: tt.action})
		if err != nil || out.Actions[0] != tt.want {
			t.Errorf("%s: %v, %v; want %q", tt.action, out.Actions, err, tt.want)
		}
		node, err := client.CoreV1().Nodes().Get(t.Context(), "w1", metav1.GetOptions{})
		if err != nil || node.Spec.Unschedulable != (tt.action == Cordon) {
			t.Errorf("after %s unschedulable is %t, %v", tt.action, node.Spec.Unschedulable, err)
		}
	}
	if err := client.CoreV1().Nodes().Delete(t.Context(), "w1", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	_, err := o.Do(t.Context(), Request{Node: "w1", Action: Cordon})
	fakes.WantFailure(t, err, `nodes "w1" not found`)
}

// connected is an operator of a control plane that is down.
func connected(t *testing.T, s *server) *Operator {
	t.Helper()
	client, err := step.Connect(s.config())
	if err != nil {
		t.Fatal(err)
	}
	return New(step.Cluster{Client: client, Nodes: &machines{state: "exited"}, Handle: clusters.Handle{Nodes: []clusters.Node{{Name: "cp", Role: "control-plane"}}}})
}

func TestTheAPIServerIsWaitedFor(t *testing.T) {
	server := newServer(t, 3)
	o := connected(t, server)
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	if _, err := o.Do(ctx, Request{Node: "cp", Action: Start}); err != nil || server.asked() != 3 {
		t.Errorf("after %d questions: %v", server.asked(), err)
	}
	never := newServer(t, 1<<30)
	o = connected(t, never)
	ctx, cancel = context.WithTimeout(t.Context(), 400*time.Millisecond)
	defer cancel()
	out, err := o.Do(ctx, Request{Node: "cp", Action: Start})
	fakes.WantError(t, err, "waiting until the API server answers: context deadline exceeded")
	if len(out.Actions) != 1 {
		t.Errorf("that it was started is not reported: %v", out.Actions)
	}
}
