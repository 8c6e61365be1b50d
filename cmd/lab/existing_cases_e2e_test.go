//go:build e2e

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/kind-lab/lab/clusters/existing"
	"github.com/kind-lab/lab/labs/expect"
)

func (s *shared) limited(t *testing.T) {
	kubeconfig := s.account(t, "people")
	dir, printed, code := s.run(t, kubeconfig, "job")
	for _, want := range []string{`the account "system:serviceaccount:people:runner" may not do all that is needed`, "create,delete,get namespaces",
		"get pods/log in all namespaces", "create,get,patch,delete,list,watch configmaps in all namespaces", "get,create,update,delete leases in namespace default", "kubectl apply -f "} {
		if !strings.Contains(printed, want) {
			t.Errorf("%q is not printed", want)
		}
	}
	if code != exitBroken {
		t.Errorf("exit code %d", code)
	}
	t.Logf("%s", lineWith(printed, "error:"))
	roles, err := filepath.Glob(filepath.Join(dir, ".lab", "runs", "*", "kubeconfig", "*"+existing.RightsSuffix))
	if err != nil || len(roles) != 1 {
		t.Fatalf("roles in %v, %v", roles, err)
	}
	s.grant(t, roles[0])
	r := s.passes(t, kubeconfig, "job")
	for _, pod := range r.Runs[0].Pods {
		for _, c := range pod.Containers {
			if c.Source != "api" || c.StartedAt == nil || c.FinishedAt == nil {
				t.Errorf("%s/%s: times of %q, %v to %v", pod.Name, c.Name, c.Source, c.StartedAt, c.FinishedAt)
			}
		}
	}
	// One right less, and it is the one that is named.
	role, err := s.client.RbacV1().ClusterRoles().Get(t.Context(), "lab-runs", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for i, rule := range role.Rules {
		if rule.Resources[0] == "pods/log" {
			role.Rules = append(role.Rules[:i], role.Rules[i+1:]...)
			break
		}
	}
	if _, err := s.client.RbacV1().ClusterRoles().Update(t.Context(), role, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, printed, _ := s.run(t, kubeconfig, "job"); !strings.Contains(printed, "; missing: get pods/log in all namespaces\n") {
		t.Errorf("it does not say that get pods/log is missing:\n%s", printed)
	}
}

// lineWith is the first line with a text.
func lineWith(printed, text string) string {
	for line := range strings.Lines(printed) {
		if strings.Contains(line, text) {
			return line
		}
	}
	return ""
}

func (s *shared) confined(t *testing.T) {
	kubeconfig := s.account(t, "one")
	theirs := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "theirs", Namespace: "one"}}
	if _, err := s.client.CoreV1().ConfigMaps("one").Create(t.Context(), theirs, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	dir, _, _ := s.run(t, kubeconfig, "job", "--var", "namespace=one")
	roles, err := filepath.Glob(filepath.Join(dir, ".lab", "runs", "*", "kubeconfig", "*"+existing.RightsSuffix))
	if err != nil || len(roles) != 1 {
		t.Fatalf("roles in %v, %v", roles, err)
	}
	text, err := os.ReadFile(roles[0])
	if err != nil || strings.Contains(string(text), "ClusterRole") {
		t.Errorf("rights are asked for beyond the namespace: %v\n%s", err, text)
	}
	s.grant(t, roles[0])
	r := s.passes(t, kubeconfig, "job", "--var", "namespace=one")
	if r.Runs[0].Namespace != "one" || len(r.Clusters[0].Nodes) > 0 {
		t.Errorf("in namespace %s, nodes %v", r.Runs[0].Namespace, r.Clusters[0].Nodes)
	}
	pods, err := s.client.CoreV1().Pods("one").List(t.Context(), metav1.ListOptions{})
	if err != nil || len(pods.Items) > 0 {
		t.Errorf("pods %v, %v", pods.Items, err)
	}
	maps, err := s.client.CoreV1().ConfigMaps("one").List(t.Context(), metav1.ListOptions{})
	if err != nil || len(maps.Items) != 2 { // kube-root-ca.crt and theirs
		t.Errorf("config maps %v, %v", maps.Items, err)
	}
}

func (s *shared) second(t *testing.T) {
	cmd, dir := s.prepared(t, s.kubeconfig, "job")
	out := &watchedOutput{awaits: "expecting: it completes", seen: make(chan struct{})}
	cmd.Stdout, cmd.Stderr = out, out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	<-out.seen
	_, printed, code := s.run(t, s.kubeconfig, "job")
	if code != exitBroken || !strings.Contains(printed, "another run has this cluster: lab-") || !strings.Contains(printed, "holds the Lease default/lab since ") {
		t.Errorf("exit code %d:\n%s", code, printed)
	}
	t.Logf("%s", lineWith(printed, "error:"))
	if err := cmd.Wait(); err != nil {
		t.Errorf("the first: %v:\n%s", err, out)
	}
	if r := theReport(t, dir); r.Status != expect.Pass {
		t.Errorf("the first: %s", r.Status)
	}
}

func (s *shared) sideBySide(t *testing.T) {
	all, err := clientcmd.LoadFromFile(s.kubeconfig)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"team-a", "team-b"} {
		all.Contexts[name] = all.Contexts[all.CurrentContext].DeepCopy()
		if _, err := s.client.CoreV1().Namespaces().Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	both := filepath.Join(t.TempDir(), "config")
	if err := clientcmd.WriteToFile(*all, both); err != nil {
		t.Fatal(err)
	}
	r := s.passes(t, both, "side_by_side")
	if len(r.Runs) != 2 || r.Runs[0].StartedAt.After(r.Runs[1].FinishedAt) || r.Runs[1].StartedAt.After(r.Runs[0].FinishedAt) {
		t.Errorf("%d runs, %s and %s: not side by side", len(r.Runs), r.Runs[0].StartedAt, r.Runs[1].StartedAt)
	}
}

func (s *shared) elsewhere(t *testing.T) {
	_, printed, code := s.run(t, s.kubeconfig, "elsewhere", "--allow-host-exec")
	if code != exitBroken || !strings.Contains(printed, "belongs to no namespace: cluster stage (provider \"existing\") cannot change objects outside of the scenario's namespace") {
		t.Errorf("exit code %d:\n%s", code, printed)
	}
	if _, err := s.client.CoreV1().Nodes().Get(t.Context(), s.node, metav1.GetOptions{}); err != nil {
		t.Errorf("the node: %v", err)
	}
}

// nodes reaches the nodes through pods on them.
func (s *shared) nodes(t *testing.T) {
	r := s.passes(t, s.kubeconfig, "nodes")
	if len(r.Clusters[0].Nodes) != 1 || len(r.Runs[0].Pods) != 1 {
		t.Errorf("nodes %v, pods %v", r.Clusters[0].Nodes, r.Runs[0].Pods)
	}
	for _, c := range r.Runs[0].Pods[0].Containers {
		if c.Source != "runtime" {
			t.Errorf("%s: its times are from %q", c.Name, c.Source)
		}
	}
	if out, err := exec.Command("docker", "exec", s.node, "pgrep", "-af", "sleep 4711").CombinedOutput(); err == nil {
		t.Errorf("a command is left on the node: %s", out)
	}
	kubelet, err := os.ReadFile(filepath.Join(r.Folder, "open", "nodes", "nodes", s.node, "kubelet.log"))
	if err != nil || len(kubelet) == 0 {
		t.Errorf("what the kubelet wrote: %v", err)
	}
}

// away breaks the API server while it is judged what was logged.
func (s *shared) away(t *testing.T) {
	dir, printed, _ := s.run(t, s.kubeconfig, "away", "--allow-host-exec")
	r := theReport(t, dir)
	for _, run := range r.Runs {
		t.Log(tried(t, run))
	}
	if len(r.Runs) != 2 || t.Failed() {
		t.Errorf("it printed:\n%s", printed)
	}
	replayedAlike(t, r.Folder)
}

// killed kills lab at several points.
func (s *shared) killed(t *testing.T) {
	kubeconfig := s.kubeconfig
	for _, k := range []struct {
		after string
		wait  time.Duration
	}{
		{"taking the Lease", 0}, {"connected: Kubernetes", 0}, {"doing: work", 0}, {"expecting: it completes", 500 * time.Millisecond}, {"cleaning up", 200 * time.Millisecond},
	} {
		t.Run(fmt.Sprintf("%s +%s", k.after, k.wait), func(t *testing.T) {
			cmd, dir := s.prepared(t, kubeconfig, "job")
			out := &watchedOutput{awaits: k.after, seen: make(chan struct{})}
			cmd.Stdout, cmd.Stderr = out, out
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			<-out.seen
			time.Sleep(k.wait)
			if err := cmd.Process.Kill(); err != nil {
				t.Error(err)
			}
			_ = cmd.Wait() // it was killed
			runs, err := filepath.Glob(filepath.Join(dir, ".lab", "runs", "*"))
			if err != nil || len(runs) != 1 {
				t.Fatalf("runs %v, %v", runs, err)
			}
			said := reaped(t, runs[0])
			t.Logf("the reaper:\n%s", said)
			s.clean(t)
			left, err := filepath.Glob(filepath.Join(runs[0], "kubeconfig", "*"))
			if err != nil || len(left) > 0 {
				t.Errorf("kubeconfigs are left: %v, %v", left, err)
			}
		})
	}
}
