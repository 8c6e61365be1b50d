package step_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"k8s.io/client-go/rest"

	"github.com/kind-lab/lab/clusters"
	"github.com/kind-lab/lab/labs/step"
)

// server is an API server that answers as a function does.
func server(t *testing.T, answer http.HandlerFunc) *step.Client {
	t.Helper()
	s := httptest.NewServer(answer)
	t.Cleanup(s.Close)
	client, err := step.Connect(&rest.Config{Host: s.URL})
	if err != nil {
		t.Fatal(err)
	}
	return client
}

func TestAServerIsAskedUntilItIsReady(t *testing.T) {
	var asked atomic.Int32
	client := server(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/readyz" {
			t.Errorf("asked for %s", r.URL.Path)
		}
		if asked.Add(1) < 3 {
			http.Error(w, "etcd failed: reason withheld", http.StatusInternalServerError)
		}
	})
	if err := client.Answers(t.Context()); err != nil || asked.Load() != 3 {
		t.Errorf("after %d questions: %v", asked.Load(), err)
	}
}

// TestWhyAServerDoesNotAnswer holds that the error names the end of the wait and
// what the server said last.
func TestWhyAServerDoesNotAnswer(t *testing.T) {
	for name, tt := range map[string]struct {
		answer http.HandlerFunc
		says   string
	}{
		"not ready": {func(w http.ResponseWriter, _ *http.Request) {
			http.Error(w, "etcd failed: reason withheld", http.StatusInternalServerError)
		}, "etcd failed"},
		"hangs up": {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, "EOF"},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 400*time.Millisecond)
			defer cancel()
			err := server(t, tt.answer).Answers(ctx)
			if !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "waiting until the API server answers") || !strings.Contains(err.Error(), tt.says) {
				t.Errorf("got %v", err)
			}
		})
	}
}

// TestACommandIsAskedForAsKubectlDoes looks at the request that asks for a command
// in a container.
func TestACommandIsAskedForAsKubectlDoes(t *testing.T) {
	for name, stdin := range map[string]bool{"without input": false, "with input": true} {
		t.Run(name, func(t *testing.T) {
			var asked atomic.Pointer[http.Request]
			client := server(t, func(w http.ResponseWriter, r *http.Request) {
				asked.Store(r)
				http.Error(w, `{"kind":"Status","apiVersion":"v1","status":"Failure","message":"container main is not running","code":400}`, http.StatusBadRequest)
			})
			command := step.Command{Namespace: "ns", Pod: "web", Container: "main", Args: []string{"sh", "-c", "a & b"}, Stdout: &strings.Builder{}, Stderr: &strings.Builder{}}
			if stdin {
				command.Stdin = strings.NewReader("x")
			}
			if err := client.Stream(t.Context(), command); err == nil {
				t.Error("a command that was refused is no failure")
			}
			r := asked.Load()
			if r == nil {
				t.Fatal("nothing was asked for")
			}
			q := r.URL.Query()
			if r.URL.Path != "/api/v1/namespaces/ns/pods/web/exec" || !slices.Equal(q["command"], command.Args) || q.Get("container") != "main" ||
				q.Get("stdout") != "true" || q.Get("stderr") != "true" || (q.Get("stdin") == "true") != stdin || q.Get("tty") == "true" {
				t.Errorf("asked for %s", r.URL)
			}
		})
	}
}

func TestAConfigThatCannotBeUsed(t *testing.T) {
	for name, config := range map[string]*rest.Config{
		"no such certificate": {Host: "https://127.0.0.1:1", TLSClientConfig: rest.TLSClientConfig{CAFile: "/nowhere/ca.crt"}},
		"no host":             {Host: "http://[::1"},
	} {
		if _, err := step.Connect(config); err == nil {
			t.Errorf("%s: a client was made", name)
		}
	}
}

func TestNodeNames(t *testing.T) {
	if got := (step.Cluster{}).NodeNames(); got != nil {
		t.Errorf("of no nodes: %q", got)
	}
	on := step.Cluster{Handle: clusters.Handle{Nodes: []clusters.Node{{Name: "b", Role: "control-plane"}, {Name: "a", Role: "worker"}}}}
	if got := on.NodeNames(); !slices.Equal(got, []string{"b", "a"}) {
		t.Errorf("got %q", got)
	}
}
