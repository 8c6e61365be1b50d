package existing

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"k8s.io/client-go/tools/clientcmd"

	"github.com/kind-lab/lab/clusters"
	"github.com/kind-lab/lab/clusters/clustertest"
)

func TestClustersThatExistConform(t *testing.T) {
	for _, tt := range []struct{ name, namespace, denied string }{
		{"namespaces of its own", "", ""},
		{"a given namespace", "team", ""},
		{"nodes that cannot be watched", "", "watch nodes"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f, other := newFakeAPI(t), newFakeAPI(t)
			f.slow = 50 * time.Millisecond
			f.denied[tt.denied] = true
			other.denied["get pods/log"] = true
			denied := specOf(other.kubeconfig(t), tt.namespace)
			p := quick("here")
			clustertest.Conformance(t, clustertest.Subject{
				Provisioner: p, Provider: Provider(), Nodes: p.Nodes, Denied: &denied,
				Spec: specOf(f.kubeconfig(t), tt.namespace), IDs: []string{"lab-a", "lab-b", "lab-c", "lab-d", "lab-e"},
				Image: "busybox:1.35", Soon: 20 * time.Millisecond,
				Usable: func(_ context.Context, h clusters.Handle) error {
					_, err := clientcmd.BuildConfigFromFlags("", h.Kubeconfig)
					return errors.Join(err, p.Held(h.ID))
				},
				Left: func(_ *testing.T, id string) []string {
					var left []string
					for _, path := range append(f.paths("/apis/coordination.k8s.io"), f.paths("/api/v1/namespaces")...) {
						f.mu.Lock()
						text, err := f.objects[path].MarshalJSON()
						f.mu.Unlock()
						if err != nil || strings.Contains(string(text), id) {
							left = append(left, path)
						}
					}
					return left
				},
			})
		})
	}
}

func TestWhatIsStatedFollowsTheSettings(t *testing.T) {
	for _, tt := range []struct {
		name     string
		settings map[string]string
		want     clusters.Capabilities
	}{
		{"none", nil, clusters.Capabilities{CanAnswerBeforeRuns: true, CanCheckRights: true, CanWatchNodes: true}},
		{"access to nodes", map[string]string{"node_access": "busybox:1.35"}, clusters.Capabilities{CanAnswerBeforeRuns: true, CanCheckRights: true, CanWatchNodes: true, CanExecOnNodes: true}},
		{"a given namespace", map[string]string{"namespace": "team"}, clusters.Capabilities{CanAnswerBeforeRuns: true, CanCheckRights: true, CanWatchNodes: true, GivenNamespace: "team"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := Provider().Capabilities(clusters.Spec{Provider: Name, Settings: tt.settings}); got != tt.want {
				t.Errorf("got %+v, want %+v", got, tt.want)
			}
		})
	}
	argument, problem := Provider().SettingsProblem(map[string]string{"node_access": "x", "namespace": "team"})
	if argument != "node_access" || !strings.Contains(problem, `write "namespace" or "node_access", not both`) {
		t.Errorf("%q: %q", argument, problem)
	}
}
