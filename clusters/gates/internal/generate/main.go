// Command generate writes the table of feature gates, gates.txt, from the
// sources of Kubernetes' own modules, which it gets through the Go module
// proxy. `go generate ./clusters/gates` runs it.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/kind-lab/lab/clusters/versions"
)

// releases are those that are read, one of each minor version.
func releases() []string {
	var all []string
	for _, v := range versions.All() {
		all = append(all, v.Gates)
	}
	return all
}

// sources are the packages that register gates, by module; those that a version
// does not have are passed over, but for the first.
func sources() []source {
	return []source{
		{"k8s.io/kubernetes", "v", []string{"pkg/features"}},
		{"k8s.io/apiserver", "v0.", []string{"pkg/features"}},
		{"k8s.io/apiextensions-apiserver", "v0.", []string{"pkg/features"}},
		{"k8s.io/component-base", "v0.", []string{"logs/api/v1", "metrics/features", "zpages/features"}},
		{"k8s.io/client-go", "v0.", []string{"features"}},
		{"k8s.io/controller-manager", "v0.", []string{"pkg/features"}},
	}
}

type source struct {
	module, prefix string
	packages       []string
}

func main() {
	if err := generate("gates.txt"); err != nil {
		fmt.Fprintln(os.Stderr, "generate:", err)
		os.Exit(1)
	}
}

func generate(output string) error {
	t := table{}
	for _, version := range releases() {
		fmt.Fprintln(os.Stderr, "reading Kubernetes", version)
		found, err := read(version)
		if err != nil {
			return fmt.Errorf("Kubernetes %s: %w", version, err)
		}
		t.add(version, found)
	}
	return os.WriteFile(output, t.text(), 0o644)
}

// read returns the gates of a version.
func read(version string) (map[string]spec, error) {
	all := map[string]spec{}
	for i, s := range sources() {
		of := s.prefix + version
		if s.prefix == "v0." {
			of = s.prefix + strings.TrimPrefix(version, "1.")
		}
		dir, err := download(s.module + "@" + of)
		if err != nil {
			return nil, err
		}
		for _, name := range s.packages {
			files, err := sourcesIn(filepath.Join(dir, name))
			if err != nil {
				return nil, err
			}
			found, err := gatesIn(files, version)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", filepath.Join(s.module, name), err)
			}
			if len(found) == 0 && i == 0 {
				return nil, fmt.Errorf("%s registers no gates: its form has changed", filepath.Join(s.module, name))
			}
			for gate, state := range found {
				if _, there := all[gate]; !there { // what is Kubernetes' own wins
					all[gate] = state
				}
			}
		}
	}
	return all, nil
}

// sourcesIn returns the Go files of a folder but its tests; none where there is
// no such folder.
func sourcesIn(dir string) ([][]byte, error) {
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return nil, err
	}
	var files [][]byte
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		src, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		files = append(files, src)
	}
	return files, nil
}

// download returns the folder of a module.
func download(module string) (string, error) {
	cmd := exec.Command("go", "mod", "download", "-json", module)
	cmd.Dir = os.TempDir()
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	var answer struct{ Dir, Error string }
	if decodeErr := json.Unmarshal(out, &answer); decodeErr == nil && answer.Dir != "" {
		return answer.Dir, nil
	}
	if err == nil {
		err = fmt.Errorf("no folder")
	}
	return "", fmt.Errorf("downloading %s: %w: %s%s", module, err, answer.Error, stderr.String())
}
