package apply

import (
	"slices"

	"github.com/kind-lab/lab/labs/step"
)

// Needs says what the manifests' pods and pod templates need of the cluster. Any
// object that has a list of containers is looked into, whatever its kind.
func Needs(manifests []step.Manifest) (step.Needs, error) {
	var needs step.Needs
	for _, m := range manifests {
		objects, err := Decode(m)
		if err != nil {
			return step.Needs{}, err
		}
		for _, o := range objects {
			needs = collect(needs, o.Object)
		}
	}
	return needs, nil
}

// NeedsIn is Needs for a value of any shape, such as a patch.
func NeedsIn(content any) step.Needs { return collect(step.Needs{}, content) }

// containerLists are the fields of a pod's spec that hold containers.
var containerLists = [...]string{"initContainers", "containers", "ephemeralContainers"}

// reachingNodes are the fields, and their values, by which a pod gets at what is
// the node's; nil stands for any.
var reachingNodes = map[string]any{"hostPath": nil, "privileged": true, "hostPID": true, "hostIPC": true}

func collect(needs step.Needs, content any) step.Needs {
	switch content := content.(type) {
	case []any:
		for _, element := range content {
			needs = collect(needs, element)
		}
	case map[string]any:
		for _, name := range containerLists {
			needs.Images = imagesOf(needs.Images, content[name])
		}
		for _, key := range sortedKeys(content) {
			value := content[key]
			want, reaches := reachingNodes[key]
			_, object := value.(map[string]any)
			if reaches && (want == nil && object || want != nil && value == want) && !slices.Contains(needs.NodeAccess, key) {
				needs.NodeAccess = append(needs.NodeAccess, key)
			}
			needs = collect(needs, value)
		}
	}
	return needs
}

// imagesOf adds those of a list of containers.
func imagesOf(images []string, containers any) []string {
	list, _ := containers.([]any)
	for _, item := range list {
		container, _ := item.(map[string]any)
		image, _ := container["image"].(string)
		if image != "" && !slices.Contains(images, image) {
			images = append(images, image)
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
