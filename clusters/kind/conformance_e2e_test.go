//go:build e2e

package kind

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/kind-lab/lab/clusters"
	"github.com/kind-lab/lab/clusters/clustertest"
)

// TestRealClustersConform holds the provisioner to what all promise.
func TestRealClustersConform(t *testing.T) {
	p, id, _ := realCluster(t)
	var ids []string
	for i := range 5 {
		ids = append(ids, fmt.Sprintf("%s-%d", id, i))
	}
	t.Cleanup(func() {
		for _, id := range ids {
			if err := p.Destroy(context.WithoutCancel(t.Context()), id); err != nil {
				t.Error(err)
			}
		}
	})
	image := "lab-e2e/conformance:" + id // of no registry, and not left by another test
	tinyImage(t, p, image)
	clustertest.Conformance(t, clustertest.Subject{
		Provisioner: p, Provider: Provider(), Nodes: p.Nodes, Spec: realSpec("1.29.15"), IDs: ids, Image: image, Soon: 3 * time.Second,
		Usable: func(ctx context.Context, h clusters.Handle) error {
			config, err := clientcmd.BuildConfigFromFlags("", h.Kubeconfig)
			if err != nil {
				return err
			}
			client, err := kubernetes.NewForConfig(config)
			if err != nil {
				return err
			}
			_, err = client.CoreV1().Nodes().Get(ctx, h.Nodes[0].Name, metav1.GetOptions{})
			return err
		},
		Left: func(t *testing.T, id string) []string {
			out, err := p.output(context.WithoutCancel(t.Context()), "ps", "--all", "--format", "{{.Names}}", "--filter", "label="+clusterLabel+"="+id)
			if err != nil {
				t.Fatal(err)
			}
			return strings.Fields(string(out))
		},
	})
}
