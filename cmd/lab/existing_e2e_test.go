//go:build e2e

package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	client "k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/clientcmd/api"

	"github.com/kind-lab/lab/clusters"
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
