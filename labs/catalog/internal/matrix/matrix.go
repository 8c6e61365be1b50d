// Package matrix writes, as Markdown, the results of the labs of the catalog on
// each cluster, from their recordings.
package matrix

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/kind-lab/lab/dsl"
	"github.com/kind-lab/lab/dsl/schema"
	"github.com/kind-lab/lab/labs/catalog"
	"github.com/kind-lab/lab/labs/replay"
	"github.com/kind-lab/lab/labs/report"
)

// Lab is a lab and what was recorded of it.
type Lab struct {
	Name, Description string
	// On are the clusters on which it has scenarios.
	On []string
	// Report is that of its recording; nil if it is not recorded.
	Report *report.Report
	// Changed says that the lab was changed since it was recorded.
	Changed bool
}

// Read reads the labs of the catalog, with the recordings in root/NAME.
func Read(root string) ([]Lab, error) {
	names, err := catalog.Names()
	if err != nil {
		return nil, err
	}
	var labs []Lab
	for _, name := range names {
		m, err := Module(name)
		if err != nil {
			return nil, err
		}
		lab := Lab{Name: name, Description: m.Description, On: Used(m)}
		if err := lab.recorded(root); err != nil {
			return nil, err
		}
		labs = append(labs, lab)
	}
	return labs, nil
}

// Module is the scenario of a lab.
func Module(name string) (*dsl.Module, error) {
	folder, err := catalog.Open(name)
	if err != nil {
		return nil, err
	}
	m, problems := dsl.LoadFS(folder, "scenario.hcl", dsl.Options{ClusterSets: catalog.ClusterSets()})
	if problems.HasErrors() {
		return nil, fmt.Errorf("lab %s: %s: %s", name, problems[0].Summary, problems[0].Detail)
	}
	return m, nil
}

// Used are the clusters on which scenarios of the module run, in the order in
// which they are declared.
func Used(m *dsl.Module) []string {
	var names []string
	for _, c := range m.Clusters {
		if slices.ContainsFunc(m.Scenarios, func(s *dsl.Scenario) bool { return slices.Contains(s.Clusters, c) }) {
			names = append(names, c.Name)
		}
	}
	return names
}

// Archives are the files of a lab's recordings below the catalog's folder.
func Archives(root, name string) ([]string, error) {
	return filepath.Glob(filepath.Join(root, name, "recordings", "*"+replay.ArchiveSuffix))
}

// recorded reads the lab's recording, if it has one.
func (l *Lab) recorded(root string) error {
	archives, err := Archives(root, l.Name)
	if err != nil || len(archives) == 0 {
		return err
	}
	if len(archives) > 1 {
		return fmt.Errorf("lab %s has %d recordings, and should have one", l.Name, len(archives))
	}
	recording, remove, err := replay.OpenArchive(archives[0])
	if err != nil {
		return err
	}
	if l.Report = recording.Report; l.Report == nil {
		return errors.Join(fmt.Errorf("%s: %w", archives[0], replay.ErrNoReport), remove())
	}
	l.Changed, err = changed(l.Name, recording)
	return errors.Join(err, remove())
}

// changed says whether a lab's scenario, one of its manifests, or a set of
// clusters that it takes is not as the run kept it.
func changed(name string, recording *replay.Recording) (bool, error) {
	folder, err := catalog.Open(name)
	if err != nil {
		return false, err
	}
	for _, then := range recording.ClusterSets {
		if now := schema.FindSet(catalog.ClusterSets(), then.Name); now == nil || !now.Equal(then) {
			return true, nil
		}
	}
	copied := recording.Source
	if strings.HasSuffix(copied, ".hcl") {
		copied = filepath.Dir(copied)
	}
	found := false
	err = fs.WalkDir(folder, ".", func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || !slices.Contains([]string{".hcl", ".yaml"}, filepath.Ext(path)) {
			return err
		}
		now, err := fs.ReadFile(folder, path)
		if err != nil {
			return err
		}
		then, err := os.ReadFile(filepath.Join(copied, filepath.FromSlash(path)))
		found = found || err != nil || !bytes.Equal(now, then)
		return nil
	})
	return found, err
}

// Between these lines of a file stands what Fill writes.
const (
	begin = "<!-- BEGIN MATRIX: written by `make matrix` -->"
	end   = "<!-- END MATRIX -->"
)

// Fill puts the matrix where it belongs in a text.
func Fill(text, matrix string) (string, error) {
	before, rest, found := strings.Cut(text, begin)
	_, after, closed := strings.Cut(rest, end)
	if !found || !closed {
		return "", fmt.Errorf("there is no place for the matrix: want the lines %q and %q", begin, end)
	}
	return before + begin + "\n\n" + strings.Trim(matrix, "\n") + "\n\n" + end + after, nil
}
