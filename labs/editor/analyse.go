package editor

import (
	"fmt"
	"io/fs"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/kind-lab/lab/dsl"
	"github.com/kind-lab/lab/dsl/diag"
)

// pathOf is the path of a file URI.
func pathOf(uri string) (string, error) {
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != "file" || u.Path == "" {
		return "", fmt.Errorf("%q is no file: only files are served", uri)
	}
	return filepath.FromSlash(u.Path), nil
}

func uriOf(path string) string {
	return (&url.URL{Scheme: "file", Path: filepath.ToSlash(path)}).String()
}

// unit is what is decoded together: a folder that holds a scenario, or one
// file.
type unit struct{ dir, file string }

func (u unit) key() string { return filepath.Join(u.dir, u.file) }

// unitOf says with what a file is decoded.
func (s *server) unitOf(path string) unit {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.unitOfLocked(path)
}

// unitOfLocked is unitOf for who has the lock.
func (s *server) unitOfLocked(path string) unit {
	dir, name := filepath.Dir(path), filepath.Base(path)
	for _, scenario := range []string{dsl.ScenarioFile, dsl.ScenarioFile + ".json"} {
		if _, err := os.Stat(filepath.Join(dir, scenario)); err == nil {
			return unit{dir: dir}
		}
		for _, d := range s.documents {
			if d.path == filepath.Join(dir, scenario) {
				return unit{dir: dir}
			}
		}
	}
	return unit{dir: dir, file: name}
}

// load decodes a unit as the editor has it.
func (s *server) load(u unit) (*dsl.Module, diag.List) { return s.loadWith(u, nil) }

// loadWith decodes a unit with other contents for some of its files.
func (s *server) loadWith(u unit, instead map[string]string) (*dsl.Module, diag.List) {
	buffers := map[string]string{}
	s.mu.Lock()
	for _, d := range s.documents {
		if filepath.Dir(d.path) == u.dir {
			buffers[filepath.Base(d.path)] = d.content
		}
	}
	s.mu.Unlock()
	maps.Copy(buffers, instead)
	var below fs.FS = emptyFS{}
	if root, err := os.OpenRoot(u.dir); err == nil {
		defer root.Close() // what it opened was read by then
		below = root.FS()
	}
	name := u.file
	if name == "" {
		name = "."
	}
	m, list := dsl.LoadFS(overlay{below, buffers}, name, dsl.Options{Verbs: s.options.Verbs, CheckVersion: s.options.CheckVersion, NoValues: true, ClusterSets: s.options.ClusterSets,
		Providers: s.options.Providers, Renderer: s.options.Renderer})
	if s.options.Check != nil && !list.HasErrors() {
		list = append(list, s.options.Check(m)...)
	}
	return m, list
}

// emptyFS is a folder that is not there.
type emptyFS struct{}

func (emptyFS) Open(name string) (fs.File, error) {
	return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
}

// look looks at the unit of a file once nothing was typed for a while.
func (s *server) look(path string) {
	if !strings.HasSuffix(path, ".hcl") && !strings.HasSuffix(path, ".hcl.json") {
		return
	}
	u := s.unitOf(path)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended {
		return
	}
	if s.pending == nil {
		s.pending = map[string]*time.Timer{}
	}
	if timer := s.pending[u.key()]; timer != nil && timer.Stop() {
		s.working.Done()
	}
	s.working.Add(1)
	s.pending[u.key()] = time.AfterFunc(s.options.Quiet, func() {
		defer s.working.Done()
		s.publish(u)
	})
}

// stop lets no more work begin and waits for what is under way.
func (s *server) stop() {
	s.mu.Lock()
	s.ended = true
	for _, timer := range s.pending {
		if timer.Stop() {
			s.working.Done()
		}
	}
	s.mu.Unlock()
	s.working.Wait()
}

// publish decodes a unit and tells the client what is wrong with it; files of
// which something was wrong before and is not any more are cleared.
func (s *server) publish(u unit) {
	m, list := s.load(u)
	byURI := map[string][]diagnostic{}
	s.mu.Lock()
	for uri, d := range s.documents {
		if s.unitOfLocked(d.path) == u {
			byURI[uri] = []diagnostic{}
		}
	}
	for uri := range s.published[u.key()] {
		byURI[uri] = []diagnostic{}
	}
	s.mu.Unlock()
	for _, d := range list {
		uri, shown := s.place(u, m, d)
		byURI[uri] = append(byURI[uri], shown)
	}
	s.mu.Lock()
	s.published[u.key()] = map[string]bool{}
	var all []publishParams
	for uri, diagnostics := range byURI {
		if len(diagnostics) > 0 {
			s.published[u.key()][uri] = true
		}
		p := publishParams{URI: uri, Diagnostics: diagnostics}
		if d := s.documents[uri]; d != nil {
			p.Version = d.version
		}
		all = append(all, p)
	}
	s.mu.Unlock()
	for _, p := range all {
		if s.rpc.Notify(s.ctx, "textDocument/publishDiagnostics", p) != nil {
			return // the client is gone
		}
	}
}

// place is where a diagnostic is shown, and as what. One without a place is at
// the beginning of the unit's file.
func (s *server) place(u unit, m *dsl.Module, d diag.Diagnostic) (string, diagnostic) {
	shown := diagnostic{Severity: 1, Source: "lab", Message: d.Summary}
	if d.Detail != "" {
		shown.Message += "\n" + d.Detail
	}
	if d.Severity == diag.SeverityWarning {
		shown.Severity = 2
	}
	name := u.file
	if name == "" {
		name = dsl.ScenarioFile
	}
	if d.Range == nil {
		return uriOf(filepath.Join(u.dir, name)), shown
	}
	path := filepath.Join(u.dir, filepath.FromSlash(d.Range.Filename))
	content := s.contentOf(path, m, d.Range.Filename)
	s.mu.Lock()
	t := text{content, s.utf8}
	s.mu.Unlock()
	shown.Range = t.span(d.Range.Start.Byte, d.Range.End.Byte)
	return uriOf(path), shown
}

// contentOf is the text of a file that a diagnostic is in.
func (s *server) contentOf(path string, m *dsl.Module, name string) string {
	if file := m.Files[name]; file != nil {
		return string(file.Bytes)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	return string(data)
}
