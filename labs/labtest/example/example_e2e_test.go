//go:build e2e

package example_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/e2e-framework/klient/wait"
	"sigs.k8s.io/e2e-framework/klient/wait/conditions"
	"sigs.k8s.io/e2e-framework/pkg/env"
	"sigs.k8s.io/e2e-framework/pkg/envconf"
	"sigs.k8s.io/e2e-framework/pkg/envfuncs"
	"sigs.k8s.io/e2e-framework/pkg/features"
	"sigs.k8s.io/e2e-framework/pkg/types"

	"github.com/kind-lab/lab/labs/labtest"
)

var testenv types.Environment

// TestMain leases a cluster for all tests of the package and gives it back.
func TestMain(m *testing.M) {
	cfg, err := envconf.NewFromFlags()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	namespace := envconf.RandomName("example", 16)
	testenv = env.NewWithConfig(cfg)
	testenv.Setup(
		envfuncs.CreateCluster(labtest.NewProvider("1.29"), "main"),
		envfuncs.LoadImageToCluster("main", "busybox:1.35"),
		envfuncs.CreateNamespace(namespace),
	)
	testenv.Finish(
		envfuncs.DeleteNamespace(namespace),
		envfuncs.DestroyCluster("main"),
	)
	os.Exit(testenv.Run(m))
}

// TestJob is written by hand with the framework's client.
func TestJob(t *testing.T) {
	job := func(namespace string) *batchv1.Job {
		return &batchv1.Job{
			ObjectMeta: metav1.ObjectMeta{Name: "hello", Namespace: namespace},
			Spec: batchv1.JobSpec{Template: corev1.PodTemplateSpec{Spec: corev1.PodSpec{
				RestartPolicy: corev1.RestartPolicyNever,
				Containers:    []corev1.Container{{Name: "main", Image: "busybox:1.35", Command: []string{"echo", "hello"}}},
			}}},
		}
	}
	feature := features.New("a Job").WithLabel("kubernetes", "1.29").
		Setup(func(ctx context.Context, t *testing.T, cfg *envconf.Config) context.Context {
			if err := cfg.Client().Resources().Create(ctx, job(cfg.Namespace())); err != nil {
				t.Fatal(err)
			}
			return ctx
		}).
		Assess("completes", func(ctx context.Context, t *testing.T, cfg *envconf.Config) context.Context {
			done := conditions.New(cfg.Client().Resources()).JobCompleted(job(cfg.Namespace()))
			if err := wait.For(done, wait.WithTimeout(time.Minute), wait.WithInterval(200*time.Millisecond)); err != nil {
				t.Error(err)
			}
			return ctx
		}).
		Feature()
	testenv.Test(t, feature)
}

// TestNodesLogs looks at what the cluster's nodes logged.
func TestNodesLogs(t *testing.T) {
	feature := features.New("logs").
		Assess("are exported", func(ctx context.Context, t *testing.T, cfg *envconf.Config) context.Context {
			dir := t.TempDir()
			if _, err := envfuncs.ExportClusterLogs("main", dir)(ctx, cfg); err != nil {
				t.Fatal(err)
			}
			found, err := filepath.Glob(filepath.Join(dir, "*-control-plane", "kubelet.log"))
			if err != nil || len(found) != 1 {
				t.Errorf("kubelet.log: %v, %v", found, err)
			}
			return ctx
		}).Feature()
	testenv.Test(t, feature)
}

// TestScenario makes each expectation of a scenario a subtest. This one runs on
// the cluster that is there; others name versions and get clusters of the pool.
func TestScenario(t *testing.T) {
	labtest.Run(t, "testdata/sidecar.hcl", kubeconfig())
}

// TestFeatures makes each expectation an assessment, so that the framework's
// flags choose.
func TestFeatures(t *testing.T) {
	testenv.Test(t, labtest.Features(t, "testdata/sidecar.hcl", kubeconfig())...)
}

// kubeconfig tells the scenario which cluster is meant.
func kubeconfig() labtest.Option {
	return labtest.Var("kubeconfig", testenv.EnvConf().KubeconfigFile())
}
