package replay

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/kind-lab/lab/dsl"
	"github.com/kind-lab/lab/dsl/value"
	"github.com/kind-lab/lab/labs/journal"
	"github.com/kind-lab/lab/labs/report"
	"github.com/kind-lab/lab/labs/report/document"
)

// ErrNoReport says that a run has no report: it was cut off, or still goes on.
var ErrNoReport = errors.New("the run has no report")

// DocumentOptions say what of a recording goes into a document.
type DocumentOptions struct {
	// Secrets are masked, beside the defaults of sensitive variables.
	Secrets []string
	// Keep says which scenarios on which clusters are wanted; nil for all.
	Keep func(scenario, cluster string) bool
	// MaxLines bounds the log lines; 0 stands for report.MaxLines.
	MaxLines int
}

// Document is everything that is shown of the run. Of a run without a report it
// is ErrNoReport.
func (rec *Recording) Document(o DocumentOptions) (document.Document, error) {
	if rec.Report == nil {
		return document.Document{}, ErrNoReport
	}
	if o.Keep == nil {
		o.Keep = func(string, string) bool { return true }
	}
	if o.MaxLines == 0 {
		o.MaxLines = document.MaxLines
	}
	kept := rec.module()
	cleaner := document.NewCleaner(append(slices.Clone(o.Secrets), secretsOf(kept)...))
	d := document.Document{Version: document.Version, Report: rec.Report.Only(o.Keep)}
	pictures, err := rec.pictures(d.Report, o.MaxLines, cleaner)
	if err != nil {
		return document.Document{}, err
	}
	d.Pictures = pictures
	if d.Sources, err = rec.sources(); err != nil {
		return document.Document{}, err
	}
	d.Reproduce = document.Reproduce{Command: rec.command(d.Report, kept), Host: rec.Host}
	return cleaner.Document(d), nil
}

// module is the copy of the scenario that the run kept, as far as it can be
// made out; nil if there is none.
func (rec *Recording) module() *dsl.Module {
	if rec.Source == "" {
		return nil
	}
	o := dsl.Options{NoValues: true, ClusterSets: rec.ClusterSets, Rendered: rec.Rendered}
	if rec.Given != "" {
		o.VarFiles = []string{rec.Given}
	}
	m, _ := dsl.Load(rec.Source, o)
	return m
}

// secretsOf are the secrets that a scenario tells itself: the defaults of its
// sensitive variables and what is made of them.
func secretsOf(m *dsl.Module) []string {
	if m == nil {
		return nil
	}
	values := []cty.Value{m.Vars, m.Locals}
	for _, v := range m.Variables {
		values = append(values, v.Default)
	}
	return value.Secrets(values...)
}

// Secrets are the sensitive strings of the run's scenario as far as options,
// the values that the run was given, and defaults tell them. unknown are the
// sensitive variables that options give no value: a recording does not keep
// what they had.
func (rec *Recording) Secrets(o dsl.Options) (secrets, unknown []string) {
	if rec.Source == "" {
		return nil, nil
	}
	o.NoValues, o.ClusterSets, o.Rendered = true, rec.ClusterSets, rec.Rendered
	if rec.Given != "" {
		o.VarFiles = append([]string{rec.Given}, o.VarFiles...)
	}
	m, _ := dsl.Load(rec.Source, o)
	for _, v := range m.Variables {
		if !v.Sensitive {
			continue
		}
		is := cty.DynamicVal
		if m.Vars != cty.NilVal && m.Vars.Type().IsObjectType() && m.Vars.Type().HasAttribute(v.Name) {
			is = m.Vars.GetAttr(v.Name)
		}
		if plain, _ := is.UnmarkDeep(); !plain.IsWhollyKnown() || v.Default != cty.NilVal && is.RawEquals(v.Default) {
			unknown = append(unknown, v.Name)
		}
	}
	return secretsOf(m), unknown
}

// pictures are those of the report's runs, in their order.
func (rec *Recording) pictures(r report.Report, maxLines int, cleaner *document.Cleaner) ([]document.Picture, error) {
	share := rec.lines.Share(maxLines)
	builders := map[string]*document.PictureBuilder{}
	ordered := make([]*document.PictureBuilder, len(r.Runs))
	for i, of := range r.Runs {
		key, begin := "", of.StartedAt
		for _, run := range rec.Runs {
			if run.Scenario == of.Scenario && run.Cluster == of.Cluster {
				key, begin = run.Key, run.Begin
			}
		}
		ordered[i] = document.NewPictureBuilder(of.Scenario, of.Cluster, begin, share, cleaner)
		if key != "" {
			builders[key] = ordered[i]
		}
	}
	for e, err := range journal.Entries(rec.Dir) {
		if err != nil {
			return nil, fmt.Errorf("reading what was recorded: %w", err)
		}
		if b := builders[e.Run]; b != nil && e.Record != nil {
			b.Add(*e.Record)
		}
	}
	if err := rec.snapshots(ordered); err != nil {
		return nil, err
	}
	var pictures []document.Picture
	for _, b := range ordered {
		pictures = append(pictures, b.Picture())
	}
	return pictures, nil
}

// The bounds of the files of pods' states that are read: of each, and of all,
// in bytes.
const (
	maxSnapshot  = 1 << 20
	maxSnapshots = 32 << 20
)

// snapshots gives the builders the states of their pods that were kept as
// files.
func (rec *Recording) snapshots(builders []*document.PictureBuilder) error {
	names, err := filepath.Glob(filepath.Join(rec.Dir, "*", "*", "pods", "*", "*.yaml"))
	if err != nil {
		return fmt.Errorf("looking for the pods' states: %w", err)
	}
	slices.Sort(names)
	uid, version := regexp.MustCompile(`(?m)^  uid: (\S+)$`), regexp.MustCompile(`(?m)^  resourceVersion: "?(\d+)"?$`)
	left := maxSnapshots
	for _, name := range names {
		info, err := os.Stat(name)
		if err != nil || info.Size() > int64(min(left, maxSnapshot)) {
			continue
		}
		data, err := os.ReadFile(name)
		if err != nil {
			return fmt.Errorf("reading a pod's state: %w", err)
		}
		of, at := uid.FindSubmatch(data), version.FindSubmatch(data)
		if of == nil || at == nil {
			continue
		}
		left -= len(data)
		for _, b := range builders {
			b.Snapshot(string(of[1]), string(at[1]), string(data))
		}
	}
	return nil
}

// The bounds of the scenario's files that are shown: of each, and of all, in
// bytes.
const (
	maxSource  = 1 << 20
	maxSources = 8 << 20
)

// sources are the files of the scenario that the run kept, less those that are
// no text or very long: the scenario's own first, then the others by name.
func (rec *Recording) sources() ([]document.SourceFile, error) {
	root := filepath.Join(rec.Dir, journal.ScenarioFolder)
	if _, err := os.Stat(root); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var own, others []document.SourceFile
	left := maxSources
	err := filepath.WalkDir(root, func(name string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		info, err := e.Info()
		if err != nil || info.Size() > int64(min(left, maxSource)) {
			return err
		}
		data, err := os.ReadFile(name)
		if err != nil || slices.Contains(data, 0) {
			return err
		}
		left -= len(data)
		inside, err := filepath.Rel(root, name)
		file := document.SourceFile{Name: filepath.ToSlash(inside), Text: string(data)}
		if strings.HasSuffix(name, ".hcl") || strings.HasSuffix(name, ".hcl.json") {
			own = append(own, file)
		} else {
			others = append(others, file)
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("reading the scenario that the run kept: %w", err)
	}
	return append(own, others...), nil
}
