package run

import (
	"context"
	"fmt"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/kind-lab/lab/collectors"
	"github.com/kind-lab/lab/dsl/value"
	"github.com/kind-lab/lab/labs/expect"
	"github.com/kind-lab/lab/labs/journal"
	"github.com/kind-lab/lab/labs/plan"
	"github.com/kind-lab/lab/labs/player"
	"github.com/kind-lab/lab/labs/report"
)

// scenarioRun is one scenario on one cluster. Its timeline belongs to the
// goroutine that runs the scenario: collectors hand their records over a
// bounded channel, and wait where it is full.
type scenarioRun struct {
	in       *invocation
	on       *clusterRun
	planned  plan.ScenarioRun
	begin    time.Time
	dir      string
	key      string
	records  chan collectors.Record
	timeline *collectors.Timeline
	seq      uint64
	// lines counts the log lines; waits and waited are how often and for how
	// many nanoseconds a collector waited for room.
	lines         uint64
	waits, waited atomic.Int64
	target        *value.Target
	shared        *value.Shared
	// secrets are the sensitive values that are not printed or kept.
	secrets []string
	report  report.ScenarioRun
	player  *player.Player
	// question is what the sources have not answered yet; nil where nothing is.
	question *question
	// finishing says that only the steps of finally are left.
	finishing bool

	stop       context.CancelFunc
	collecting sync.WaitGroup
	collectors []Collector
	// broken receives the failure of a collector that gave up.
	broken chan error
}

// scenario runs one scenario and returns what came of it.
func (c *clusterRun) scenario(ctx context.Context, planned plan.ScenarioRun) report.ScenarioRun {
	begin := c.in.now()
	s := &scenarioRun{
		in: c.in, on: c, planned: planned, begin: begin,
		dir:      filepath.Join(c.in.engine.Journal.Dir(), planned.Folder),
		key:      planned.Scenario + "/" + planned.Cluster,
		records:  make(chan collectors.Record, 1024),
		timeline: collectors.NewTimeline(begin),
		broken:   make(chan error, 8),
		report: report.ScenarioRun{Scenario: planned.Scenario, Description: planned.Source.Description, Cluster: planned.Cluster,
			Namespace: planned.Namespace, StartedAt: begin},
	}
	s.target = newTarget(c.planned, c.handle)
	s.shared = s.in.plan.Module.Shared()
	s.secrets = value.Secrets(s.in.plan.Module.Vars, s.in.plan.Module.Locals)
	s.player = player.New(s, planned.Source, begin)
	s.Progress("running")
	if err := s.open(ctx); err != nil {
		s.player.Abandon(planned.Source.Steps, expect.Error, err)
		s.player.Abandon(planned.Source.Finally, expect.Error, err)
	} else {
		s.player.Steps(ctx)
		s.finally(ctx)
	}
	s.report.Steps, s.report.Status = s.player.Results(), s.player.Status()
	s.seal(ctx)
	s.report.FinishedAt = s.in.now()
	s.report.Pods, s.report.Observed = pods(s.timeline), s.observed()
	return s.report
}

// observed says how much was observed, and what was not.
func (s *scenarioRun) observed() report.Observed {
	o := report.Observed{Records: s.seq, Lines: s.lines, Waits: uint64(s.waits.Load()), Waited: time.Duration(s.waited.Load())}
	o.Clocks = report.ClocksOf(s.timeline)
	for _, g := range s.timeline.Gaps() {
		o.Gaps++
		o.Lost += max(0, g.Gap.Count)
	}
	return o
}

// open makes the namespace and returns once everything in it is observed.
func (s *scenarioRun) open(ctx context.Context) error {
	on := journal.Origin{
		Scenario: s.planned.Scenario, Cluster: s.planned.Cluster, Namespace: s.planned.Namespace,
		Kubernetes: s.target.Kubernetes, Nodes: s.target.Nodes, Runtime: s.target.Runtime, Cgroup: s.target.Cgroup,
	}
	if err := s.in.engine.Journal.Begin(s.key, s.begin, &on); err != nil {
		s.in.fail(s.planned.Cluster, err) // it can be judged all the same
	}
	limited, cancel := context.WithTimeout(ctx, collectorsReady)
	defer cancel()
	if err := s.on.cluster.Namespace(limited, s.planned.Namespace); err != nil {
		return err
	}
	observers, err := s.on.cluster.Collectors(s.planned.Namespace, s.dir, s.kinds(), collectors.SinkFunc(s.add), s.show(), s.warn)
	if err != nil {
		return fmt.Errorf("setting up the collectors: %w", err)
	}
	s.collectors = observers
	observing, stop := context.WithCancel(context.WithoutCancel(ctx))
	s.stop = stop
	for _, c := range observers {
		s.collecting.Go(func() {
			if err := c.Run(observing); err != nil && observing.Err() == nil {
				s.broken <- err
			}
		})
	}
	for _, c := range observers {
		if err := s.pump(limited, c.Ready(), nil); err != nil {
			return fmt.Errorf("waiting until everything is observed: %w", err)
		}
	}
	return nil
}

// add is the collectors' way in; it waits where the scenario is behind.
func (s *scenarioRun) add(r collectors.Record) {
	if r.Received.IsZero() {
		r.Received = s.in.now()
	}
	select {
	case s.records <- r:
	default:
		began := time.Now()
		s.records <- r
		s.waits.Add(1)
		s.waited.Add(int64(time.Since(began)))
	}
}

// take keeps a record, and lets the invariants look at it.
func (s *scenarioRun) take(r collectors.Record) {
	s.keep(&r)
	s.look(s.in.now(), &r)
}

// keep folds a record into the timeline and tells of it.
func (s *scenarioRun) keep(r *collectors.Record) {
	s.seq++
	r.Seq = s.seq
	kept := s.redacted(*r)
	if err := s.in.engine.Journal.Record(s.key, kept); err != nil {
		s.in.fail(s.planned.Cluster, fmt.Errorf("from here on nothing is recorded, though it is judged all the same: %w", err))
	}
	s.timeline.Add(*r)
	switch r.Type {
	case collectors.TypeLog:
		s.lines++ // they are shown as they come, if they are
	case collectors.TypeAsked: // of no interest to people
	default:
		s.shown(kept)
	}
}

// shown tells of a record.
func (s *scenarioRun) shown(r collectors.Record) {
	s.in.event(report.Event{Kind: report.EventRecord, Cluster: s.planned.Cluster, Scenario: s.planned.Scenario, Record: &r})
}

// show is where lines go that are to be seen: past the timeline, which has
// them from the collector that keeps them.
func (s *scenarioRun) show() collectors.Sink {
	if !s.in.engine.ShowLogs {
		return nil
	}
	return collectors.SinkFunc(s.shown)
}

// redacted is a record as it is kept and printed. The timeline has the step's true
// output, so that expectations can look at it.
func (s *scenarioRun) redacted(r collectors.Record) collectors.Record {
	if r.Step == nil || len(s.secrets) == 0 {
		return r
	}
	told := *r.Step
	told.Stdout, told.Stderr, told.Error = s.redact(told.Stdout), s.redact(told.Stderr), s.redact(told.Error)
	told.Warnings = nil
	for _, w := range r.Step.Warnings {
		told.Warnings = append(told.Warnings, s.redact(w))
	}
	r.Step = &told
	return r
}

// seal completes the evidence and ends the observation.
func (s *scenarioRun) seal(ctx context.Context) {
	if s.stop == nil {
		return
	}
	if !s.in.forceStopped() {
		s.reconcile(ctx)
	}
	s.stop()
	gone := make(chan struct{})
	go func() {
		s.collecting.Wait()
		close(gone)
	}()
	if err := s.drain(gone); err != nil {
		s.in.fail(s.planned.Cluster, err)
	}
	if err := s.in.engine.Journal.Flush(); err != nil {
		s.in.fail(s.planned.Cluster, err)
	}
	if s.on.keeps(ctx, s.report.Status) {
		return // its namespace too
	}
	limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), hurried)
	defer cancel()
	if err := s.on.cluster.DeleteNamespace(limited, s.planned.Namespace); err != nil && !s.lastOnCluster() {
		s.in.fail(s.planned.Cluster, err)
	}
}

// reconcile lets every collector that can complete its record.
func (s *scenarioRun) reconcile(ctx context.Context) {
	limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), sealing)
	defer cancel()
	for _, c := range s.collectors {
		reconciler, ok := c.(Reconciler)
		if !ok {
			continue
		}
		done := make(chan struct{})
		var failure error
		go func() {
			defer close(done)
			failure = reconciler.Reconcile(limited)
		}()
		if err := s.drain(done); err != nil {
			s.in.fail(s.planned.Cluster, err)
		}
		if failure != nil {
			s.warn(fmt.Sprintf("the record may not be whole: %v", failure))
		}
	}
}

// drain takes records until done is closed, and those that arrived before it.
func (s *scenarioRun) drain(done <-chan struct{}) error {
	bound, give := s.in.engine.Clock.At(s.in.now().Add(sealing))
	defer give()
	for {
		select {
		case r := <-s.records:
			s.take(r)
		case <-done:
			for n := len(s.records); n > 0; n-- {
				s.take(<-s.records)
			}
			return nil
		case <-bound:
			return fmt.Errorf("an observer of %s did not end within %s", s.key, sealing)
		}
	}
}

func (s *scenarioRun) lastOnCluster() bool {
	last := ""
	for _, r := range s.in.plan.Runs {
		if r.Cluster == s.planned.Cluster {
			last = r.Scenario
		}
	}
	return last == s.planned.Scenario
}

func (s *scenarioRun) warn(text string) {
	s.in.event(report.Event{Kind: report.EventWarning, Cluster: s.planned.Cluster, Scenario: s.planned.Scenario, Text: text})
}
