package validate

import (
	"errors"
	"io"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// manifest is a text of YAML documents that was read.
type manifest struct {
	documents []*document
	// wrong says why it cannot be read, at a line from 1; empty where it can.
	wrong string
	line  int
}

// document is one object of a manifest. Lines count from 1 in the text.
type document struct {
	apiVersion, kind, name string
	// namespace is empty for the run's own.
	namespace string
	generated bool
	line      int
	pod       *podSpec
}

// in is the object with the namespace to which it goes: the given one if it names
// none, and none if that is the run's own.
func (d *document) in(into string) *document {
	at := *d
	if at.namespace == "" {
		at.namespace = into
	}
	if at.namespace == namespace {
		at.namespace = ""
	}
	return &at
}

// podSpec is what a manifest says of a pod's containers.
type podSpec struct {
	line       int
	containers []containerSpec
}

// containerSpec is a container of a manifest.
type containerSpec struct {
	name, image, restartPolicy string
	init                       bool
	line, policyLine           int
	// path is where it is in the object, such as "spec.containers[0]".
	path string
}

// container returns the names of all containers.
func (p *podSpec) names() []string {
	var names []string
	for _, c := range p.containers {
		names = append(names, c.name)
	}
	return names
}

var yamlLine = regexp.MustCompile(`^yaml: (?:unmarshal errors:\n +)?line (\d+): `)

// readManifest reads the documents of a text.
func readManifest(text string) *manifest {
	m := &manifest{}
	decoder := yaml.NewDecoder(strings.NewReader(text))
	for {
		var node yaml.Node
		err := decoder.Decode(&node)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			m.wrong, m.line = strings.TrimPrefix(err.Error(), "yaml: "), 1
			if found := yamlLine.FindStringSubmatch(err.Error()); found != nil {
				m.line, _ = strconv.Atoi(found[1]) // digits
				m.wrong = err.Error()[len(found[0]):]
			}
			return m
		}
		if len(node.Content) == 1 {
			m.add(node.Content[0])
		}
	}
	if len(m.documents) == 0 && m.wrong == "" {
		m.wrong, m.line = "it holds no object", 1
	}
	return m
}

// add adds the object of a node, or those of a list.
func (m *manifest) add(node *yaml.Node) {
	switch {
	case node.Kind == yaml.ScalarNode && node.Tag == "!!null":
		return
	case node.Kind != yaml.MappingNode:
		if m.wrong == "" {
			m.wrong, m.line = "a document must be an object, with apiVersion, kind and metadata", node.Line
		}
		return
	}
	if items := field(node, "items"); items != nil && items.Kind == yaml.SequenceNode && strings.HasSuffix(text(field(node, "kind")), "List") {
		for _, item := range items.Content {
			m.add(item)
		}
		return
	}
	meta := field(node, "metadata")
	d := &document{
		apiVersion: text(field(node, "apiVersion")), kind: text(field(node, "kind")), line: node.Line,
		name: text(field(meta, "name")), namespace: text(field(meta, "namespace")), generated: text(field(meta, "generateName")) != "",
	}
	if path, ok := podPaths()[d.kind]; ok {
		d.pod = readPod(node, path)
	}
	m.documents = append(m.documents, d)
}

// podPaths are where objects of the kinds that make pods have a pod's spec.
func podPaths() map[string]string {
	return map[string]string{
		"Pod": "spec", "Job": "spec.template.spec", "Deployment": "spec.template.spec", "ReplicaSet": "spec.template.spec",
		"StatefulSet": "spec.template.spec", "DaemonSet": "spec.template.spec", "ReplicationController": "spec.template.spec",
		"CronJob": "spec.jobTemplate.spec.template.spec",
	}
}

func readPod(node *yaml.Node, path string) *podSpec {
	for _, name := range strings.Split(path, ".") {
		if node = field(node, name); node == nil {
			return nil
		}
	}
	p := &podSpec{line: node.Line}
	for _, list := range []string{"initContainers", "containers"} {
		of := field(node, list)
		if of == nil || of.Kind != yaml.SequenceNode {
			continue
		}
		for i, c := range of.Content {
			spec := containerSpec{
				name: text(field(c, "name")), image: text(field(c, "image")), init: list == "initContainers",
				line: c.Line, path: path + "." + list + "[" + strconv.Itoa(i) + "]",
			}
			if policy := field(c, "restartPolicy"); policy != nil {
				spec.restartPolicy, spec.policyLine = text(policy), policy.Line
			}
			p.containers = append(p.containers, spec)
		}
	}
	return p
}

// field is the value of a mapping's key; nil where there is none.
func field(node *yaml.Node, key string) *yaml.Node {
	if node == nil {
		return nil
	}
	if node.Kind == yaml.AliasNode {
		node = node.Alias
	}
	if node.Kind != yaml.MappingNode {
		return nil
	}
	for i := 0; i+1 < len(node.Content); i += 2 {
		if node.Content[i].Value == key {
			if v := node.Content[i+1]; v.Kind == yaml.AliasNode {
				return v.Alias
			}
			return node.Content[i+1]
		}
	}
	return nil
}

func text(node *yaml.Node) string {
	if node == nil || node.Kind != yaml.ScalarNode || node.Tag == "!!null" {
		return ""
	}
	return node.Value
}
