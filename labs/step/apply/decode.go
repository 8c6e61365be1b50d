package apply

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"

	"github.com/kind-lab/lab/labs/step"
	"github.com/kind-lab/lab/labs/step/failure"
)

// Decode reads the documents of a manifest, every field as it stands. Empty
// documents are passed over; a List gives its items. An error is a
// *failure.ManifestError.
func Decode(m step.Manifest) ([]*unstructured.Unstructured, error) {
	var objects []*unstructured.Unstructured
	reader := utilyaml.NewYAMLReader(bufio.NewReader(strings.NewReader(m.Text)))
	for n := 1; ; n++ {
		document, err := reader.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		var found []*unstructured.Unstructured
		if err == nil {
			found, err = decodeDocument(document)
		}
		if err != nil {
			return nil, &failure.ManifestError{Manifest: m.Name, Document: n, Err: err}
		}
		objects = append(objects, found...)
	}
	if len(objects) == 0 {
		return nil, &failure.ManifestError{Manifest: m.Name, Document: 1, Err: errors.New("holds no object")}
	}
	return objects, nil
}

// DecodeAll is Decode for several manifests.
func DecodeAll(manifests []step.Manifest) ([]*unstructured.Unstructured, error) {
	var all []*unstructured.Unstructured
	for _, m := range manifests {
		objects, err := Decode(m)
		if err != nil {
			return nil, err
		}
		all = append(all, objects...)
	}
	return all, nil
}

func decodeDocument(document []byte) ([]*unstructured.Unstructured, error) {
	var content map[string]any
	if err := yaml.UnmarshalStrict(document, &content); err != nil {
		return nil, err
	}
	if len(content) == 0 {
		return nil, nil
	}
	object := &unstructured.Unstructured{Object: content}
	if object.IsList() {
		return listItems(object)
	}
	return []*unstructured.Unstructured{object}, check(object)
}

func listItems(list *unstructured.Unstructured) ([]*unstructured.Unstructured, error) {
	items, err := list.ToList()
	if err != nil {
		return nil, err
	}
	var objects []*unstructured.Unstructured
	for i := range items.Items {
		if err := check(&items.Items[i]); err != nil {
			return nil, fmt.Errorf("item %d: %w", i+1, err)
		}
		objects = append(objects, &items.Items[i])
	}
	return objects, nil
}

func check(object *unstructured.Unstructured) error {
	switch {
	case object.GetAPIVersion() == "":
		return errors.New("has no apiVersion")
	case object.GetKind() == "":
		return errors.New("has no kind")
	case object.GetName() == "" && object.GetGenerateName() == "":
		return fmt.Errorf("%s has no metadata.name", object.GetKind())
	}
	return nil
}
