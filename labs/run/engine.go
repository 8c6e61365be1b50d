package run

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/kind-lab/lab/labs/expect"
	"github.com/kind-lab/lab/labs/journal"
	"github.com/kind-lab/lab/labs/plan"
	"github.com/kind-lab/lab/labs/report"
	"github.com/kind-lab/lab/labs/step"
)

// The bounds of what the engine waits for by itself.
const (
	// collectorsReady bounds the wait until everything is observed.
	collectorsReady = time.Minute
	// sealing bounds the completion of the evidence.
	sealing = time.Minute
	// destroying bounds the destruction of a cluster; hurried after a second
	// signal.
	destroying = 2 * time.Minute
	hurried    = 20 * time.Second
)

// Engine carries out plans.
type Engine struct {
	// Provisioners are by the names of their providers.
	Provisioners map[string]Provisioner
	Images       Images
	Connect      Connect
	Clock        Clock
	Observer     Observer
	Journal      *journal.Journal
	// Verbs are those that the plan's steps have.
	Verbs step.Table
	// ID names the run; clusters are named after it.
	ID string
	// LabVersion is written into the report.
	LabVersion string
	// MaxCreates bounds how many clusters boot at once; 0 means 1.
	MaxCreates int
	// MaxClusters bounds how many clusters are in use at once, from the making
	// of each until it is given back; 0 means all of the plan. They take their
	// turns in the plan's order.
	MaxClusters int
	// AllowHostExec says that scenarios may run commands on this machine.
	AllowHostExec bool
	// ShowLogs says that the Observer gets the containers' lines, as fast
	// as they can be shown. They are recorded all the same.
	ShowLogs bool
	// Keep leaves the clusters there, with what the scenarios made; KeepOnFailure
	// those on which something did not come out as expected.
	Keep, KeepOnFailure bool
	// ForceStop is closed when somebody asked to stop for the second time: no
	// more evidence is collected. It may be nil.
	ForceStop <-chan struct{}
}

// invocation is one `lab run` while it goes on.
type invocation struct {
	engine  *Engine
	plan    *plan.Plan
	begin   time.Time
	images  sync.Mutex
	creates chan struct{}

	mu     sync.Mutex
	errors []string
}

// Run carries out the plan and returns what came of it. When ctx ends, steps
// stop, the evidence is sealed and the clusters are destroyed all the same;
// what was not decided by then is reported as an error.
func (e *Engine) Run(ctx context.Context, p *plan.Plan) report.Report {
	in := &invocation{engine: e, plan: p, begin: e.Clock.Now(), creates: make(chan struct{}, max(1, e.MaxCreates))}
	r := report.Report{
		Version: report.ModelVersion, ID: e.ID, File: p.File, Folder: e.Journal.Dir(),
		LabVersion: e.LabVersion, StartedAt: in.begin,
		Clusters: make([]report.Cluster, len(p.Clusters)),
	}
	for _, s := range p.Skipped {
		r.Skipped = append(r.Skipped, report.SkippedCluster{Name: s.Name, Kubernetes: s.Kubernetes, Reason: s.Reason})
	}
	runs := make([][]report.ScenarioRun, len(p.Clusters))
	var group sync.WaitGroup
	places := make(chan struct{}, in.concurrency())
	for i, c := range p.Clusters {
		leave := in.enter(ctx, c, places)
		group.Go(func() {
			defer leave()
			r.Clusters[i], runs[i] = in.cluster(ctx, c)
		})
	}
	group.Wait()
	r.Runs = inPlanOrder(p, runs)
	r.Interrupted = errors.Is(ctx.Err(), context.Canceled)
	r.FinishedAt = e.Clock.Now()
	r.Errors = in.errors
	r.Status = worst(r)
	return r
}

// concurrency is how many clusters of the plan may be in use at once.
func (i *invocation) concurrency() int {
	all := len(i.plan.Clusters)
	if i.engine.MaxClusters <= 0 {
		return all
	}
	return min(i.engine.MaxClusters, all)
}

// enter waits for the cluster's turn and returns what ends it. When ctx ends
// there is none to wait for.
func (i *invocation) enter(ctx context.Context, c plan.Cluster, places chan struct{}) (leave func()) {
	leave = func() { <-places }
	select {
	case places <- struct{}{}:
		return leave
	default:
	}
	i.event(report.Event{Kind: report.EventProgress, Cluster: c.Name,
		Text: fmt.Sprintf("waiting for its turn: at most %s in use at once", bounded(cap(places)))})
	select {
	case places <- struct{}{}:
		return leave
	case <-ctx.Done():
		return func() {}
	}
}

func bounded(clusters int) string {
	if clusters == 1 {
		return "1 cluster is"
	}
	return fmt.Sprintf("%d clusters are", clusters)
}

// inPlanOrder puts the runs of all clusters in the order of the plan.
func inPlanOrder(p *plan.Plan, byCluster [][]report.ScenarioRun) []report.ScenarioRun {
	var runs []report.ScenarioRun
	for _, planned := range p.Runs {
		for _, of := range byCluster {
			for _, r := range of {
				if r.Scenario == planned.Scenario && r.Cluster == planned.Cluster {
					runs = append(runs, r)
				}
			}
		}
	}
	return runs
}

func worst(r report.Report) expect.Status {
	status := expect.Pending
	for _, c := range r.Clusters {
		status = max(status, c.Status)
	}
	for _, run := range r.Runs {
		status = max(status, run.Status)
	}
	if len(r.Errors) > 0 || r.Interrupted {
		status = expect.Error
	}
	return status
}

// cluster makes one cluster, runs its scenarios one after the other and
// destroys it.
func (i *invocation) cluster(ctx context.Context, c plan.Cluster) (report.Cluster, []report.ScenarioRun) {
	out := report.Cluster{
		Name: c.Name, Kubernetes: c.Constraint, Version: c.Image.Version, FeatureGates: c.Spec.FeatureGates,
		Image: c.Image.Ref, ImageSource: c.Image.Source, Status: expect.Pass,
	}
	var planned []plan.ScenarioRun
	for _, r := range i.plan.Runs {
		if r.Cluster == c.Name {
			r.Namespace = namespaceOn(c, i.engine.ID, r.Namespace)
			planned = append(planned, r)
		}
	}
	on := &clusterRun{in: i, planned: c, provisioner: i.engine.Provisioners[c.Spec.ProviderName()], report: &out, id: clusterID(i.engine.ID, c), kept: i.engine.Keep}
	if err := on.up(ctx); err != nil {
		out.Status, out.Error = expect.Error, err.Error()
		i.event(report.Event{Kind: report.EventError, Cluster: c.Name, Text: err.Error()})
		on.down()
		return out, unstarted(planned, "the cluster could not be used: "+firstLine(err.Error()))
	}
	var runs []report.ScenarioRun
	began := i.now()
	for _, r := range planned {
		done := on.scenario(ctx, r)
		on.kept = on.kept || on.keeps(ctx, done.Status)
		runs = append(runs, done)
	}
	on.phase("run", began)
	on.down()
	return out, runs
}

// unstarted are the runs of a cluster that never began.
func unstarted(planned []plan.ScenarioRun, reason string) []report.ScenarioRun {
	var runs []report.ScenarioRun
	for _, p := range planned {
		r := report.ScenarioRun{Scenario: p.Scenario, Description: p.Source.Description, Cluster: p.Cluster, Namespace: p.Namespace, Status: expect.Error}
		for _, s := range p.Steps {
			r.Steps = append(r.Steps, report.Step{Name: s.Name, Verb: s.Verb, Status: expect.Error, Detail: reason})
		}
		runs = append(runs, r)
	}
	return runs
}

// fail notes a failure that belongs to no run, and tells of it, once.
func (i *invocation) fail(cluster string, err error) {
	text := err.Error()
	if cluster != "" {
		text = cluster + ": " + text
	}
	i.mu.Lock()
	told := slices.Contains(i.errors, text)
	if !told {
		i.errors = append(i.errors, text)
	}
	i.mu.Unlock()
	if !told {
		i.event(report.Event{Kind: report.EventError, Cluster: cluster, Text: err.Error()})
	}
}

// now is the time.
func (i *invocation) now() time.Time { return i.engine.Clock.Now() }

func (i *invocation) event(e report.Event) {
	e.At = i.now().Sub(i.begin)
	i.engine.Observer.Event(e)
}

// hurry says whether somebody asked to stop for the second time.
func (i *invocation) forceStopped() bool {
	select {
	case <-i.engine.ForceStop:
		return true
	default:
		return false
	}
}

// clusterID is a name that no other run uses, as host names allow it: a run's
// ID ends in what is random of it.
func clusterID(run string, c plan.Cluster) string {
	return "lab-" + token(run) + "-" + c.Host
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}

func seconds(from, to time.Time) float64 {
	return to.Sub(from).Seconds()
}

func titled(c plan.Cluster) string {
	return fmt.Sprintf("Kubernetes %s", c.Title())
}

// token is what is random of a run's ID.
func token(run string) string { return run[strings.LastIndex(run, "-")+1:] }
