package world

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/kind-lab/lab/labs/journal"
	"github.com/kind-lab/lab/labs/plan"
	"github.com/kind-lab/lab/labs/report"
	"github.com/kind-lab/lab/labs/run"
)

// Order says how a plan is to be carried out.
type Order struct {
	// Root is the folder in which the run's own folder is made.
	Root string
	// Keep, KeepOnFailure, AllowHostExec, ShowLogs and Hurry are as in
	// run.Engine; Parallel is its MaxCreates, 0 for what the machine bears, and
	// Concurrency its MaxClusters, 0 for all.
	Keep, KeepOnFailure, AllowHostExec, ShowLogs bool
	Hurry                                        <-chan struct{}
	Parallel, Concurrency                        int
}

// Session is one run, from the making of its folder to its report.
type Session struct {
	world   *World
	plan    *plan.Plan
	order   Order
	log     *journal.Journal
	release func() error
	guard   Guard
}

// Begin makes the run's folder and notes on this host that the run goes on; from
// then on something watches over it. End has to be called.
func (w *World) Begin(p *plan.Plan, o Order) (*Session, error) {
	log, err := journal.Create(o.Root, newRunID(time.Now()))
	if err != nil {
		return nil, err
	}
	s := &Session{world: w, plan: p, order: o, log: log}
	s.release, err = journal.Register(RunsDir(w.Getenv), log.Dir())
	if err != nil {
		return nil, errors.Join(err, log.Close())
	}
	m := p.Module
	head := journal.Head{ID: s.ID(), File: m.Path, LabVersion: Version(), Host: runtime.GOOS + "/" + runtime.GOARCH}
	err = errors.Join(log.Head(time.Now(), head), log.KeepScenario(m.FS, m.Read(), m.Given()))
	if err == nil && w.Reaper != nil {
		s.guard, err = w.Reaper(log.Dir(), o.Keep)
	}
	if err != nil {
		return nil, errors.Join(err, log.Close(), s.release())
	}
	return s, nil
}

// Dir is the run's folder, and ID its name.
func (s *Session) Dir() string { return s.log.Dir() }

// ID names the run.
func (s *Session) ID() string { return filepath.Base(s.log.Dir()) }

// Run carries out the plan, as run.Engine does.
func (s *Session) Run(ctx context.Context, observer run.Observer) report.Report {
	engine := &run.Engine{
		Provisioners: s.world.Provisioners, Images: s.world.Images, Connect: s.world.Connect, Clock: run.SystemClock{},
		Observer: observer, Journal: s.log, ID: s.ID(), LabVersion: Version(),
		Keep: s.order.Keep, KeepOnFailure: s.order.KeepOnFailure, Hurry: s.order.Hurry,
		MaxCreates: s.order.Parallel, MaxClusters: s.order.Concurrency, AllowHostExec: s.order.AllowHostExec, ShowLogs: s.order.ShowLogs,
	}
	if engine.MaxCreates <= 0 {
		engine.MaxCreates = s.world.MaxCreates
	}
	return engine.Run(ctx, s.plan)
}

// End writes the report beside the records and ends what watches.
func (s *Session) End(r report.Report) error {
	m := s.plan.Module
	err := errors.Join(s.log.KeepScenario(m.FS, m.Read(), nil), s.log.Close(), report.Save(s.log.Dir(), r), saveJUnit(s.log.Dir(), r), s.release())
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
	return errors.Join(report.WriteJUnit(file, r), file.Close())
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
