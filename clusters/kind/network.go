package kind

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"text/template"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/dynamic"

	"github.com/kind-lab/lab/clusters"
)

const (
	// networkManifest is where a node image has its default pod network.
	networkManifest = "/kind/manifests/default-cni.yaml"
	// podSubnet is the library's default, of which podCIDR gives the nodes theirs.
	podSubnet = "10.244.0.0/16"
)

// bringsNetwork says whether Create makes the default pod network itself, and
// sooner than the library would: that one waits for kubeadm to end, and then for
// two more steps, while flannel of a node image built here needs no more than its
// ConfigMap. The library knows how other images' manifests are to be changed.
func bringsNetwork(spec clusters.Spec, node image) bool {
	return node.flannel && givesPodCIDRs(spec)
}

// bringNetwork makes what is in the node's manifest of the default pod network, as
// soon as the API server takes it. The error is the context's, with the last one
// of the API.
func (p *Provisioner) bringNetwork(ctx context.Context, c *creation, client dynamic.Interface) error {
	var text bytes.Buffer
	if err := p.NodeExec(ctx, c.nodes[0].Name, nil, &text, nil, "cat", networkManifest); err != nil {
		return err
	}
	objects, err := networkObjects(text.String())
	if err != nil {
		return fmt.Errorf("%s: %w", networkManifest, err)
	}
	return createAll(ctx, client, objects)
}

// networkObjects are those of a manifest, which is a template as the library has
// them.
func networkObjects(manifest string) ([]unstructured.Unstructured, error) {
	filled := template.New("network")
	if _, err := filled.Parse(manifest); err != nil {
		return nil, err
	}
	var text bytes.Buffer
	if err := filled.Execute(&text, struct{ PodSubnet string }{podSubnet}); err != nil {
		return nil, err
	}
	var objects []unstructured.Unstructured
	documents := yaml.NewYAMLOrJSONDecoder(&text, 4096)
	for {
		var o unstructured.Unstructured
		err := documents.Decode(&o.Object)
		if errors.Is(err, io.EOF) {
			return objects, nil
		}
		if err != nil {
			return nil, err
		}
		if len(o.Object) > 0 {
			objects = append(objects, o)
		}
	}
}

// createAll makes the objects, each until it is there.
func createAll(ctx context.Context, client dynamic.Interface, objects []unstructured.Unstructured) error {
	for i := range objects {
		o := &objects[i]
		plural, _ := meta.UnsafeGuessKindToResource(o.GroupVersionKind())
		for {
			_, err := client.Resource(plural).Namespace(o.GetNamespace()).Create(ctx, o, metav1.CreateOptions{})
			if err == nil || apierrors.IsAlreadyExists(err) {
				break
			}
			if over := clusters.Pause(ctx, soon); over != nil {
				return errors.Join(over, fmt.Errorf("%s %s: %w", strings.ToLower(o.GetKind()), o.GetName(), err))
			}
		}
	}
	return nil
}
