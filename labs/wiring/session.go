package wiring

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/kind-lab/lab/dsl"
	"github.com/kind-lab/lab/labs/journal"
	"github.com/kind-lab/lab/labs/plan"
	"github.com/kind-lab/lab/labs/report"
	"github.com/kind-lab/lab/labs/report/junit"
	"github.com/kind-lab/lab/labs/run"
)

// RunOptions say how a plan is to be carried out.
type RunOptions struct {
	// Root is the folder in which the run's own folder is made.
	Root string
	// Keep, KeepOnFailure, AllowHostExec, ShowLogs and ForceStop are as in
	// run.Engine; Parallel is its MaxCreates, 0 for what the machine bears, and
	// Concurrency its MaxClusters, 0 for all.
	Keep, KeepOnFailure, AllowHostExec, ShowLogs bool
	ForceStop                                    <-chan struct{}
	Parallel, Concurrency                        int
}

// Session is one run, from the making of its folder to its report.
type Session struct {
	parts   *Parts
	plan    *plan.Plan
	options RunOptions
	log     *journal.Journal
	release func() error
	guard   Guard
}

// Begin makes the run's folder and notes on this host that the run goes on; from
// then on something watches over it. End has to be called.
func (w *Parts) Begin(p *plan.Plan, o RunOptions) (*Session, error) {
	log, err := journal.Create(o.Root, newRunID(time.Now()))
	if err != nil {
		return nil, err
	}
	s := &Session{parts: w, plan: p, options: o, log: log}
	s.release, err = journal.Register(RunsDir(w.Getenv), log.Dir())
	if err != nil {
		return nil, errors.Join(err, log.Close())
	}
	m := p.Module
	head := journal.Head{ID: s.ID(), File: m.Path, LabVersion: Version(), Host: runtime.GOOS + "/" + runtime.GOARCH}
	given, err := givenTo(m)
	err = errors.Join(err, log.Head(time.Now(), head), log.KeepScenario(m.FS, m.Read(), given))
	if err == nil && w.Reaper != nil {
		s.guard, err = w.Reaper(log.Dir(), o.Keep)
	}
	if err != nil {
		return nil, errors.Join(err, log.Close(), s.release())
	}
	return s, nil
}

// givenTo is what a module was given beside its files.
func givenTo(m *dsl.Module) (journal.Given, error) {
	given := journal.Given{Variables: m.Given()}
	if len(m.ClusterSets) == 0 {
		return given, nil
	}
	var err error
	if given.ClusterSets, err = json.MarshalIndent(m.ClusterSets, "", "  "); err != nil {
		return given, fmt.Errorf("keeping the cluster sets of the scenario: %w", err)
	}
	return given, nil
}

// renderedIn is what a module's charts and kustomizations were rendered to.
func renderedIn(m *dsl.Module) (journal.Given, error) {
	all := m.Shared().Renderings()
	if len(all) == 0 {
		return journal.Given{}, nil
	}
	data, err := json.MarshalIndent(all, "", "  ")
	if err != nil {
		return journal.Given{}, fmt.Errorf("keeping what charts were rendered to: %w", err)
	}
	return journal.Given{Rendered: data}, nil
}

// Dir is the run's folder, and ID its name.
func (s *Session) Dir() string { return s.log.Dir() }

// ID names the run.
func (s *Session) ID() string { return filepath.Base(s.log.Dir()) }

// Run carries out the plan, as run.Engine does.
func (s *Session) Run(ctx context.Context, observer run.Observer) report.Report {
	engine := &run.Engine{
		Provisioners: s.parts.Provisioners, Images: s.parts.Images, Connect: s.parts.Connect, Clock: run.SystemClock{},
		Observer: observer, Journal: s.log, ID: s.ID(), LabVersion: Version(), Verbs: s.parts.verbs(),
		Keep: s.options.Keep, KeepOnFailure: s.options.KeepOnFailure, ForceStop: s.options.ForceStop,
		MaxCreates: s.options.Parallel, MaxClusters: s.options.Concurrency, AllowHostExec: s.options.AllowHostExec, ShowLogs: s.options.ShowLogs,
	}
	if engine.MaxCreates <= 0 {
		engine.MaxCreates = s.parts.MaxCreates
	}
	return engine.Run(ctx, s.plan)
}

// End writes the report beside the records and ends what watches.
func (s *Session) End(r report.Report) error {
	m := s.plan.Module
	given, err := renderedIn(m)
	err = errors.Join(err, s.log.KeepScenario(m.FS, m.Read(), given), s.log.Close(), report.Save(s.log.Dir(), r), saveJUnit(s.log.Dir(), r), s.release())
	if s.guard != nil {
		err = errors.Join(err, s.guard.Release())
	}
	return err
}

func saveJUnit(dir string, r report.Report) error {
	file, err := os.Create(filepath.Join(dir, "junit.xml"))
	if err != nil {
		return fmt.Errorf("writing junit.xml: %w", err)
	}
	return errors.Join(junit.Write(file, r), file.Close())
}

// newRunID names a run by its time and something random. The names of runs are
// in the order of their starts, also of those of one second.
func newRunID(now time.Time) string {
	return now.UTC().Format("20060102-150405.000") + "-" + RandomLower(6)
}

// RandomLower returns n random characters that host names may hold.
func RandomLower(n int) string {
	text := []byte(rand.Text())[:n]
	for i, c := range text {
		if c >= 'A' && c <= 'Z' {
			text[i] = c + 'a' - 'A'
		}
	}
	return string(text)
}
