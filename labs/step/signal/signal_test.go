package signal

import (
	"context"
	"errors"
	"fmt"
	"io"
	osexec "os/exec"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/fake"

	"github.com/kind-lab/lab/labs/step/failure"
	"github.com/kind-lab/lab/labs/step/internal/fakes"
)

// nodes is a node with crictl and kill.
type nodes struct {
	// running is the pid of ns/web's container main; 0 where it has ended since
	// crictl listed it, -1 where none runs.
	running int
	// dead says that the process is gone when kill comes.
	dead, broken bool
	calls        []string
}

func (n *nodes) NodeExec(ctx context.Context, node string, _ io.Reader, stdout, _ io.Writer, cmd ...string) error {
	line := strings.Join(cmd, " ")
	n.calls = append(n.calls, node+": "+line)
	switch {
	case n.broken:
		return errors.New("connection refused")
	case strings.HasPrefix(line, "crictl ps"):
		for _, label := range []string{"namespace=ns", "pod.name=web", "container.name=main"} {
			if !strings.Contains(line, "--label io.kubernetes."+label) && !strings.Contains(line, "--label io.kubernetes.pod."+label) {
				return nil
			}
		}
		if n.running >= 0 {
			fmt.Fprintln(stdout, "0123abcd")
		}
	case strings.HasPrefix(line, "crictl inspect") && strings.HasSuffix(line, "0123abcd"):
		fmt.Fprintln(stdout, n.running)
	case cmd[0] == "kill" && n.dead:
		err := osexec.CommandContext(ctx, "sh", "-c", "exit 1").Run()
		return fmt.Errorf("docker exec: %w: kill: (4711): No such process", err)
	case cmd[0] != "kill":
		return fmt.Errorf("no command %q", line)
	}
	return nil
}

func web() *corev1.Pod {
	return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: "ns"},
		Spec: corev1.PodSpec{NodeName: "n1", InitContainers: []corev1.Container{{Name: "init"}}, Containers: []corev1.Container{{Name: "main"}}}}
}

func TestSignal(t *testing.T) {
	tests := []struct {
		name            string
		in              Request
		nodes           nodes
		kill            string
		refused, failed string
	}{
		{"TERM where none is named", Request{Pod: "web", Container: "main"}, nodes{running: 4711}, "n1: kill -s TERM 4711", "", ""},
		{"by name", Request{Pod: "web", Container: "main", Signal: "sigusr1"}, nodes{running: 4711}, "n1: kill -s USR1 4711", "", ""},
		{"by number", Request{Pod: "web", Container: "main", Signal: "9"}, nodes{running: 4711}, "n1: kill -s KILL 4711", "", ""},
		{"no such pod", Request{Pod: "wep", Container: "main"}, nodes{running: 4711}, "", `pods "wep" not found`, ""},
		{"no such container", Request{Pod: "web", Container: "mian"}, nodes{running: 4711}, "", `has no container "mian"; it has init, main`, ""},
		{"does not run", Request{Pod: "web", Container: "init"}, nodes{running: 4711}, "", `container "init" of pod "web" does not run on node n1`, ""},
		{"has ended", Request{Pod: "web", Container: "main"}, nodes{}, "", "does not run any more: it has just ended", ""},
		{"ends meanwhile", Request{Pod: "web", Container: "main"}, nodes{running: 4711, dead: true}, "", "ended before the signal came", ""},
		{"the node is away", Request{Pod: "web", Container: "main"}, nodes{broken: true}, "", "", "connection refused"},
		{"no such signal", Request{Pod: "web", Container: "main", Signal: "TREM"}, nodes{}, "", "", `there is no signal "TREM"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tt.in.Namespace = "ns"
			sender := &Sender{client: fake.NewClientset(web()), nodes: &tt.nodes}
			out, err := sender.Do(t.Context(), tt.in)
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
			default:
				if got := tt.nodes.calls[len(tt.nodes.calls)-1]; got != tt.kill {
					t.Errorf("did %q, want %q", got, tt.kill)
				}
				if len(out.Actions) != 1 {
					t.Errorf("actions = %q", out.Actions)
				}
			}
		})
	}
}

func TestAPodThatIsNotPlaced(t *testing.T) {
	pod := web()
	pod.Spec.NodeName = ""
	sender := &Sender{client: fake.NewClientset(pod), nodes: &nodes{}}
	_, err := sender.Do(t.Context(), Request{Namespace: "ns", Pod: "web", Container: "main"})
	fakes.WantFailure(t, err, "has no node yet")
}

func TestParse(t *testing.T) {
	got := map[string]string{}
	for _, text := range []string{"", "TERM", "SIGTERM", "term", " hup ", "1", "31", "34", "64", "0", "65", "-1", "SIG", "SIGSIGTERM"} {
		name, err := Parse(text)
		if err != nil {
			name = "error"
		}
		got[text] = name
	}
	want := map[string]string{"": "TERM", "TERM": "TERM", "SIGTERM": "TERM", "term": "TERM", " hup ": "HUP", "1": "HUP", "31": "SYS",
		"34": "34", "64": "64", "0": "error", "65": "error", "-1": "error", "SIG": "error", "SIGSIGTERM": "error"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func FuzzParse(f *testing.F) {
	f.Add("SIGTERM")
	f.Add("9")
	f.Fuzz(func(t *testing.T, text string) {
		name, err := Parse(text)
		if err != nil {
			return
		}
		if again, err := Parse(name); err != nil || again != name {
			t.Errorf("Parse(%q) = %q, which is read as %q, %v", text, name, again, err)
		}
	})
}
