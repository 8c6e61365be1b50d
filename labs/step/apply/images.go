package apply

import (
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kind-lab/lab/labs/step"
)

// Images names the container images that the manifests' pods and pod templates
// ask for, each once, in order. Any object that has a list of containers is
// looked into, whatever its kind.
func Images(manifests []step.Manifest) ([]string, error) {
	var images []string
	for _, m := range manifests {
		objects, err := Decode(m)
		if err != nil {
			return nil, err
		}
		for _, o := range objects {
			images = collectImages(images, o.Object)
		}
	}
	return images, nil
}

// ImagesIn is Images for a value of any shape, such as a patch.
func ImagesIn(content any) []string {
	switch content := content.(type) {
	case map[string]any:
		return collectImages(nil, content)
	case []any:
		var images []string
		for _, element := range content {
			for _, image := range ImagesIn(element) {
				if !slices.Contains(images, image) {
					images = append(images, image)
				}
			}
		}
		return images
	}
	return nil
}

// containerLists are the fields of a pod's spec that hold containers.
var containerLists = [...]string{"initContainers", "containers", "ephemeralContainers"}

func collectImages(images []string, fields map[string]any) []string {
	for _, name := range containerLists {
		list, ok, err := unstructured.NestedSlice(fields, name)
		if err != nil || !ok {
			continue
		}
		for _, item := range list {
			container, ok := item.(map[string]any)
			if !ok {
				continue
			}
			image, ok := container["image"].(string)
			if ok && image != "" && !slices.Contains(images, image) {
				images = append(images, image)
			}
		}
	}
	for _, key := range sortedKeys(fields) {
		if child, ok := fields[key].(map[string]any); ok {
			images = collectImages(images, child)
		}
	}
	return images
}

func sortedKeys(m map[string]any) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
