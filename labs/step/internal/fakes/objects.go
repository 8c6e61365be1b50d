// Package fakes makes clusters for the tests of steps: client-go's fakes with
// the kinds that the tests use.
package fakes

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/discovery/cached/memory"
	fakediscovery "k8s.io/client-go/discovery/fake"
	"k8s.io/client-go/dynamic/fake"
	"k8s.io/client-go/kubernetes/scheme"
	clienttesting "k8s.io/client-go/testing"

	"github.com/kind-lab/lab/labs/step/objects"
)

// Objects returns a client of a cluster that has the objects, and the fake
// behind it. It knows pods, ConfigMaps, nodes and Deployments.
func Objects(all ...runtime.Object) (*objects.Client, *fake.FakeDynamicClient) {
	discovery := &fakediscovery.FakeDiscovery{Fake: &clienttesting.Fake{Resources: []*metav1.APIResourceList{
		{GroupVersion: "v1", APIResources: []metav1.APIResource{
			{Name: "pods", SingularName: "pod", ShortNames: []string{"po"}, Namespaced: true, Kind: "Pod"},
			{Name: "configmaps", SingularName: "configmap", ShortNames: []string{"cm"}, Namespaced: true, Kind: "ConfigMap"},
			{Name: "nodes", SingularName: "node", ShortNames: []string{"no"}, Kind: "Node"},
		}},
		{GroupVersion: "apps/v1", APIResources: []metav1.APIResource{
			{Name: "deployments", SingularName: "deployment", ShortNames: []string{"deploy"}, Namespaced: true, Kind: "Deployment"},
		}},
	}}}
	client := fake.NewSimpleDynamicClient(scheme.Scheme, all...)
	return objects.NewWith(client, memory.NewMemCacheClient(discovery)), client
}
