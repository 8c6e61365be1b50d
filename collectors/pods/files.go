package pods

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"sigs.k8s.io/yaml"

	"github.com/kind-lab/lab/collectors"
)

// maxFiles bounds the files that are kept of one pod's name.
const maxFiles = 999

// files keeps each distinct status of each pod as YAML.
type files struct {
	dir  string
	warn func(string)

	mu   sync.Mutex
	last map[string][]byte // the status written last, by UID
	made map[string]int    // how many files there are, by name
	full map[string]int    // how many statuses were not kept, by name
	errs map[string]error  // the first error, by name
}

func newFiles(dir string, warn func(string)) *files {
	if warn == nil {
		warn = func(string) {}
	}
	return &files{
		dir: dir, warn: warn, last: map[string][]byte{},
		made: map[string]int{}, full: map[string]int{}, errs: map[string]error{},
	}
}

// keep writes the pod's manifest unless its status is the one written last.
func (f *files) keep(r collectors.Record) {
	if f.dir == "" || r.Pod == nil {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	status := statusOf(r.Pod)
	if bytes.Equal(f.last[r.Object.UID], status) {
		return
	}
	f.last[r.Object.UID] = status
	name := r.Object.Name
	if f.made[name] >= maxFiles {
		f.full[name]++
		return
	}
	f.made[name]++
	if err := f.write(name, f.made[name], r.Pod); err != nil && f.errs[name] == nil {
		f.errs[name] = err
		f.warn(err.Error())
	}
}

// forget ends what is remembered of a pod that is gone.
func (f *files) forget(uid string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.last, uid)
}

// close returns what could not be kept.
func (f *files) close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	var errs []error
	for _, err := range f.errs {
		errs = append(errs, err)
	}
	for name, n := range f.full {
		f.warn(fmt.Sprintf("%d further statuses of pod %s were not kept as files: %d is the bound; the journal has them all", n, name, maxFiles))
	}
	return errors.Join(errs...)
}

// statusOf is what makes a status distinct: the status as the API sent it,
// the STATUS cell, and whether deletion was asked for.
func statusOf(p *collectors.Pod) []byte {
	var object struct {
		Status json.RawMessage `json:"status"`
	}
	if err := json.Unmarshal(p.Manifest, &object); err != nil {
		return p.Manifest
	}
	return fmt.Appendf(nil, "%s %s %s", p.Status, p.DeletedAt, object.Status)
}

// write writes one file whole or not at all.
func (f *files) write(name string, number int, p *collectors.Pod) error {
	text, err := yaml.JSONToYAML(p.Manifest)
	if err != nil {
		return fmt.Errorf("writing the status of pod %s as YAML: %w", name, err)
	}
	dir := filepath.Join(f.dir, plain(name))
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("keeping the status of pod %s: %w", name, err)
	}
	path := filepath.Join(dir, fileName(number, p))
	if err := os.WriteFile(path+".part", text, 0o644); err != nil {
		return fmt.Errorf("keeping the status of pod %s: %w", name, errors.Join(err, removeIfThere(path+".part")))
	}
	if err := os.Rename(path+".part", path); err != nil {
		return fmt.Errorf("keeping the status of pod %s: %w", name, err)
	}
	return nil
}

func removeIfThere(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}

// fileName is the number, the phase, and STATUS where it says more.
func fileName(number int, p *collectors.Pod) string {
	name := fmt.Sprintf("%03d-%s", number, plain(p.Phase))
	if p.Status != p.Phase && p.Status != "" {
		name += "-" + plain(p.Status)
	}
	return name + ".yaml"
}

// plain makes text fit for a file's name.
func plain(text string) string {
	text = strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '-', r == '_':
			return r
		case r == '.':
			return r
		}
		return '-'
	}, text)
	text = strings.TrimLeft(text, ".")
	if text == "" {
		return "unnamed"
	}
	return text[:min(len(text), 200)]
}
