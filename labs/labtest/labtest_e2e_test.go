//go:build e2e

package labtest_test

import (
	"bufio"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/e2e-framework/klient/wait"
	"sigs.k8s.io/e2e-framework/klient/wait/conditions"
	"sigs.k8s.io/e2e-framework/pkg/env"
	"sigs.k8s.io/e2e-framework/pkg/envconf"
	"sigs.k8s.io/e2e-framework/pkg/envfuncs"

	"github.com/kind-lab/lab/labs/expect"
	"github.com/kind-lab/lab/labs/labtest"
	"github.com/kind-lab/lab/labs/reaper"
)

// TestALabOfTheCatalog runs on a cluster of the pool, with all collectors.
func TestALabOfTheCatalog(t *testing.T) {
	dir := t.TempDir()
	r := labtest.Run(t, "job-sidecar", labtest.Clusters("v129"), labtest.Scenarios("native"), labtest.Evidence(dir))
	if len(r.Runs) != 1 || r.Runs[0].Scenario != "native" || r.Runs[0].Cluster != "v129" || r.Status != expect.Pass {
		t.Errorf("status %s, runs %+v", r.Status, r.Runs)
	}
	if found, err := filepath.Glob(filepath.Join(dir, "*", "run.json")); err != nil || len(found) != 1 {
		t.Errorf("evidence %v, %v", found, err)
	}
}

// TestAnArchiveIsLoaded runs a pod of an image that only an archive has.
func TestAnArchiveIsLoaded(t *testing.T) {
	const image = "labtest.invalid/archived:1"
	archive := filepath.Join(t.TempDir(), "images.tar")
	for _, args := range [][]string{{"tag", "busybox:1.35", image}, {"save", "-o", archive, image}, {"rmi", image}} {
		if out, err := exec.Command("docker", args...).CombinedOutput(); err != nil {
			t.Fatalf("docker %s: %v: %s", strings.Join(args, " "), err, out)
		}
	}
	provider := labtest.NewProvider("1.29")
	ctx, cfg := t.Context(), envconf.New()
	for _, f := range []env.Func{
		envfuncs.CreateCluster(provider, "main"), envfuncs.LoadImageArchiveToCluster("main", archive), envfuncs.CreateNamespace("archived"),
	} {
		var err error
		if ctx, err = f(ctx, cfg); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() {
		if err := provider.Destroy(context.WithoutCancel(ctx)); err != nil {
			t.Error(err)
		}
	})
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "archived", Namespace: "archived"}, Spec: corev1.PodSpec{
		RestartPolicy: corev1.RestartPolicyNever,
		Containers:    []corev1.Container{{Name: "main", Image: image, ImagePullPolicy: corev1.PullNever, Command: []string{"true"}}},
	}}
	resources := cfg.Client().Resources("archived")
	if err := resources.Create(ctx, pod); err != nil {
		t.Fatal(err)
	}
	done := conditions.New(resources).PodPhaseMatch(pod, corev1.PodSucceeded)
	if err := wait.For(done, wait.WithTimeout(time.Minute), wait.WithInterval(200*time.Millisecond)); err != nil {
		t.Errorf("%v; the pod's status: %+v", err, pod.Status)
	}
}

func TestInnerKilled(t *testing.T) {
	labtest.Run(t, "job-sidecar", labtest.Clusters("v129"), labtest.Scenarios("classic"), labtest.Evidence(os.Getenv(envInner)))
}

func TestInnerProviderKilled(t *testing.T) {
	if _, err := labtest.NewProvider("1.29", labtest.Evidence(os.Getenv(envInner))).Create(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Log("created")
	time.Sleep(time.Hour)
}

// TestAKilledTestLeavesNothing kills a test's binary while it makes a cluster,
// while it runs a scenario, and while it holds a leased cluster.
func TestAKilledTestLeavesNothing(t *testing.T) {
	for _, of := range []struct{ test, at string }{
		{"TestInnerKilled", "Starting control-plane"}, {"TestInnerKilled", "expecting: the Job does not complete"}, {"TestInnerProviderKilled", "created"},
	} {
		t.Run(of.test+" at "+of.at, func(t *testing.T) {
			t.Parallel()
			killAt(t, of.test, of.at)
		})
	}
}

func killAt(t *testing.T, test, at string) {
	dir := t.TempDir()
	cmd := exec.Command(os.Args[0], "-test.v", "-test.run=^"+test+"$")
	cmd.Env = append(os.Environ(), envInner+"="+filepath.Join(dir, "runs"), "LAB_POOL="+filepath.Join(dir, "pool"))
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	var printed strings.Builder
	for lines := bufio.NewScanner(out); lines.Scan() && !strings.Contains(lines.Text(), at); {
		printed.WriteString(lines.Text() + "\n")
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatalf("%v; it printed:\n%s", err, printed.String())
	}
	_ = cmd.Wait() // it was killed
	killed := time.Now()
	logs, err := filepath.Glob(filepath.Join(dir, "runs", "*", reaper.Log))
	if err != nil || len(logs) != 1 {
		t.Fatalf("reapers' logs: %v, %v; it printed:\n%s", logs, err, printed.String())
	}
	said := ""
	for !strings.Contains(said, "nothing is left") {
		if time.Since(killed) > 2*time.Minute {
			t.Fatalf("the reaper did not end:\n%s", said)
		}
		time.Sleep(100 * time.Millisecond)
		text, err := os.ReadFile(logs[0])
		if err != nil {
			t.Fatal(err)
		}
		said = string(text)
	}
	t.Logf("clean %s after the kill:\n%s", time.Since(killed).Round(100*time.Millisecond), said)
	nothingIsLeft(t, dir)
}

// nothingIsLeft looks for the clusters that the pool's folder or the runs'
// journals name.
func nothingIsLeft(t *testing.T, dir string) {
	t.Helper()
	if members, err := filepath.Glob(filepath.Join(dir, "pool", "lab-pool-*")); err != nil || len(members) > 0 {
		t.Errorf("the pool has %v, %v", members, err)
	}
	journals, err := filepath.Glob(filepath.Join(dir, "runs", "*", "journal.jsonl"))
	if err != nil || len(journals) != 1 {
		t.Fatalf("journals %v, %v", journals, err)
	}
	text, err := os.ReadFile(journals[0])
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), "destroy-cluster") {
		t.Errorf("the journal tells of no destruction:\n%s", text)
	}
	there, err := exec.Command("docker", "ps", "-a", "--format", "{{.Names}}").CombinedOutput()
	if err != nil {
		t.Fatalf("docker ps: %v: %s", err, there)
	}
	for name := range strings.Lines(string(there)) {
		if id := strings.TrimSuffix(strings.TrimSpace(name), "-control-plane"); strings.Contains(string(text), `"`+id+`"`) {
			t.Errorf("container %s is left", name)
		}
	}
	if kubeconfigs, err := filepath.Glob(filepath.Join(dir, "runs", "*", "kubeconfig", "*")); err != nil || len(kubeconfigs) > 0 {
		t.Errorf("kubeconfigs are left: %v, %v", kubeconfigs, err)
	}
}
