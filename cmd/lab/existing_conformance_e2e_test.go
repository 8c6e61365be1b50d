//go:build e2e

package main

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kind-lab/lab/clusters"
	"github.com/kind-lab/lab/clusters/clustertest"
	"github.com/kind-lab/lab/clusters/existing"
)

// conforms holds the provisioner to what all promise.
func (s *shared) conforms(t *testing.T) {
	denied := clusters.Spec{Name: "denied", Provider: existing.Name, Settings: map[string]string{"kubeconfig": s.account(t, "conformance")}}
	for name, settings := range map[string]map[string]string{
		"without access to nodes": {"kubeconfig": s.kubeconfig},
		"with access to nodes":    {"kubeconfig": s.kubeconfig, "node_access": "busybox:1.35"},
	} {
		t.Run(name, func(t *testing.T) { s.conformsWith(t, settings, denied) })
	}
}

func (s *shared) conformsWith(t *testing.T, settings map[string]string, denied clusters.Spec) {
	p := existing.New(existing.Options{})
	clustertest.Conformance(t, clustertest.Subject{
		Provisioner: p, Provider: existing.Provider(), Nodes: p.Nodes, Denied: &denied,
		Image: "busybox:1.35", Soon: 5 * time.Millisecond, IDs: []string{"lab-a-x", "lab-b-x", "lab-c-x", "lab-d-x", "lab-e-x"},
		Spec: clusters.Spec{Name: "stage", Provider: existing.Name, Settings: settings},
		Usable: func(ctx context.Context, h clusters.Handle) error {
			_, err := s.client.CoreV1().Nodes().Get(ctx, h.Nodes[0].Name, metav1.GetOptions{})
			return err
		},
		Left: func(t *testing.T, id string) []string {
			leases, err := s.client.CoordinationV1().Leases("").List(context.WithoutCancel(t.Context()), metav1.ListOptions{})
			if err != nil {
				t.Fatal(err)
			}
			var left []string
			for _, l := range leases.Items {
				if strings.Contains(fmt.Sprint(l.Annotations, *l.Spec.HolderIdentity), id) {
					left = append(left, l.Name)
				}
			}
			return left
		},
	})
}
