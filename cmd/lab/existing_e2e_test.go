//go:build e2e

package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	client "k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/clientcmd/api"

	"github.com/kind-lab/lab/clusters"
	"github.com/kind-lab/lab/clusters/existing"
	"github.com/kind-lab/lab/labs/expect"
	"github.com/kind-lab/lab/labs/report"
	"github.com/kind-lab/lab/labs/wiring"
)

// shared is a cluster that is there, as its administrator sees it.
type shared struct {
	kubeconfig, node string
	client           client.Interface
}

// TestClustersThatExist runs scenarios on a cluster that was made beforehand and
// is reached by kubeconfigs alone, mostly with accounts that may do little.
func TestClustersThatExist(t *testing.T) {
	t.Parallel()
	s := newShared(t)
	for _, test := range []struct {
		name string
		run  func(*shared, *testing.T)
	}{
		{"an account without rights, and with those that are named", (*shared).limited},
		{"an account with rights in one namespace", (*shared).confined},
		{"a second run", (*shared).second},
		{"two contexts side by side", (*shared).sideBySide},
		{"objects elsewhere", (*shared).elsewhere},
		{"nodes that may be reached", (*shared).nodes},
		{"an API server that does not answer", (*shared).away},
		{"a run that is killed", (*shared).killed},
		{"the conformance suite", (*shared).conforms},
	} {
		t.Run(test.name, func(t *testing.T) {
			test.run(s, t)
			s.clean(t)
		})
	}
}

// newShared makes a cluster and keeps nothing of its maker but the kubeconfig.
func newShared(t *testing.T) *shared {
	t.Helper()
	a := &app{stdin: strings.NewReader(""), stdout: os.Stderr, stderr: os.Stderr, env: os.LookupEnv, open: openParts}
	made, err := openParts(t.Context(), a)
	if err == nil {
		err = made.Unavailable[clusters.ProviderKind]
	}
	if err != nil {
		t.Fatal(err)
	}
	image, err := made.Resolve(t.Context(), "1.29", "")
	if err != nil {
		t.Fatal(err)
	}
	maker, id := made.Fresh, "lab-"+wiring.RandomLower(6)+"-shared"
	s := &shared{kubeconfig: filepath.Join(t.TempDir(), "config")}
	t.Cleanup(func() {
		if err := maker.Destroy(context.WithoutCancel(t.Context()), id); err != nil {
			t.Error(err)
		}
	})
	handle, err := maker.Create(t.Context(), clusters.Spec{Name: "shared", Version: image.Version, Image: image.Ref}, id, s.kubeconfig, func(string) {})
	if err == nil {
		err = maker.LoadImages(t.Context(), handle, []string{"busybox:1.35"}, func(string) {})
	}
	if err != nil {
		t.Fatal(err)
	}
	s.node = handle.Nodes[0].Name
	config, err := clientcmd.BuildConfigFromFlags("", s.kubeconfig)
	if err == nil {
		s.client, err = client.NewForConfig(config)
	}
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// account makes a service account that may do nothing, and a kubeconfig for it.
func (s *shared) account(t *testing.T, namespace string) (kubeconfig string) {
	t.Helper()
	ctx := t.Context()
	_, err := s.client.CoreV1().Namespaces().Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}}, metav1.CreateOptions{})
	if err == nil {
		_, err = s.client.CoreV1().ServiceAccounts(namespace).Create(ctx, &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: "runner"}}, metav1.CreateOptions{})
	}
	if err != nil {
		t.Fatal(err)
	}
	hour := int64(3600)
	token, err := s.client.CoreV1().ServiceAccounts(namespace).CreateToken(ctx, "runner",
		&authenticationv1.TokenRequest{Spec: authenticationv1.TokenRequestSpec{ExpirationSeconds: &hour}}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	all, err := clientcmd.LoadFromFile(s.kubeconfig)
	if err != nil {
		t.Fatal(err)
	}
	all.AuthInfos = map[string]*api.AuthInfo{"runner": {Token: token.Status.Token}}
	all.Contexts[all.CurrentContext].AuthInfo = "runner"
	kubeconfig = filepath.Join(t.TempDir(), "config")
	if err := clientcmd.WriteToFile(*all, kubeconfig); err != nil {
		t.Fatal(err)
	}
	return kubeconfig
}

// grant applies roles, as an administrator would who is given the file.
func (s *shared) grant(t *testing.T, file string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, document := range strings.Split(string(text), "---\n") {
		object, _, err := scheme.Codecs.UniversalDeserializer().Decode([]byte(document), nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		rbac := s.client.RbacV1()
		switch o := object.(type) {
		case *rbacv1.ClusterRole:
			_, err = rbac.ClusterRoles().Create(t.Context(), o, metav1.CreateOptions{})
		case *rbacv1.ClusterRoleBinding:
			_, err = rbac.ClusterRoleBindings().Create(t.Context(), o, metav1.CreateOptions{})
		case *rbacv1.Role:
			_, err = rbac.Roles(o.Namespace).Create(t.Context(), o, metav1.CreateOptions{})
		case *rbacv1.RoleBinding:
			_, err = rbac.RoleBindings(o.Namespace).Create(t.Context(), o, metav1.CreateOptions{})
		default:
			t.Errorf("the file has a %T", object)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// run runs scenarios of testdata/existing as a program in a folder of its own,
// and returns that folder, what was printed and the exit code.
func (s *shared) run(t *testing.T, kubeconfig, scenario string, flags ...string) (dir, printed string, code int) {
	t.Helper()
	cmd, dir := s.prepared(t, kubeconfig, scenario, flags...)
	out, _ := cmd.CombinedOutput() // the exit code says what came of it
	return dir, string(out), cmd.ProcessState.ExitCode()
}

func (s *shared) prepared(t *testing.T, kubeconfig, scenario string, flags ...string) (cmd *exec.Cmd, dir string) {
	t.Helper()
	from, err := filepath.Abs("testdata/existing")
	if err != nil {
		t.Fatal(err)
	}
	dir = t.TempDir()
	args := append([]string{"run", "--no-logs", "--scenario", scenario, "--var", "kubeconfig=" + kubeconfig, "--var", "node=" + s.node}, flags...)
	return asProgram(t, dir, append(args, from)...), dir
}

// passes runs scenarios that must pass.
func (s *shared) passes(t *testing.T, kubeconfig, scenario string, flags ...string) report.Report {
	t.Helper()
	dir, printed, code := s.run(t, kubeconfig, scenario, flags...)
	if code != exitPass {
		t.Fatalf("exit code %d:\n%s", code, printed)
	}
	if strings.Contains(printed, "clock is") { // it is this machine's
		t.Errorf("the clocks are said to differ:\n%s", printed)
	}
	t.Logf("%s", printed[strings.LastIndex(strings.TrimSpace(printed), "\n"):])
	return theReport(t, dir)
}

// clean checks that no run left anything.
func (s *shared) clean(t *testing.T) {
	t.Helper()
	ctx := context.WithoutCancel(t.Context())
	namespaces, err := s.client.CoreV1().Namespaces().List(ctx, metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range namespaces.Items {
		if strings.HasPrefix(n.Name, "lab-") {
			t.Errorf("namespace %s is left, %s", n.Name, n.Status.Phase)
		}
	}
	leases, err := s.client.CoordinationV1().Leases("").List(ctx, metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range leases.Items {
		if l.Name == "lab" {
			t.Errorf("Lease %s/%s is left, of %s", l.Namespace, l.Name, *l.Spec.HolderIdentity)
		}
	}
}

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
