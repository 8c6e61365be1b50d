package labtest

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kind-lab/lab/dsl"
	"github.com/kind-lab/lab/dsl/diag"
	"github.com/kind-lab/lab/labs/expect"
	"github.com/kind-lab/lab/labs/plan"
	"github.com/kind-lab/lab/labs/report"
	"github.com/kind-lab/lab/labs/report/live"
	"github.com/kind-lab/lab/labs/report/text"
	"github.com/kind-lab/lab/labs/validate"
	"github.com/kind-lab/lab/labs/wiring"
)

// Run runs the scenario that is named, a file, a folder or a lab of the catalog,
// on its clusters, and reports each scenario, below it each cluster, and below
// that each expectation as a subtest. It returns when all is over and the
// clusters were given back. A scenario that is wrong, or that cannot be run
// here, ends the test.
//
// An expectation that fails is a subtest that fails, with what `lab run` prints
// about it; one that could not be decided fails too, and says so; one that was
// skipped is skipped. A step that fails is a subtest that fails.
//
// The flag -run chooses what is run: TestX/native/v129 runs the scenario native
// on the cluster v129 alone. Further elements choose which expectations are
// reported. -skip leaves scenarios and clusters out.
func Run(t *testing.T, scenario string, options ...Option) report.Report {
	t.Helper()
	s := newSettings(options)
	m := load(t, scenario, s)
	s = s.chosen(t, m)
	if s.scenarios == nil {
		t.Skipf("-run and -skip select none of the scenarios of %s", scenario)
	}
	r := s.carryOut(t, m, byFlags(t))
	tell(t, r)
	return r
}

// load reads the scenario; what is wrong with it ends the test.
func load(t *testing.T, scenario string, s settings) *dsl.Module {
	t.Helper()
	m, problems, err := validate.Load(scenario, s.language())
	if err != nil {
		t.Fatal(err)
	}
	fatal(t, "the scenario is wrong", problems)
	return m
}

// fatal logs diagnostics, and ends the test where there are errors among them.
func fatal(t *testing.T, what string, problems diag.List) {
	t.Helper()
	if len(problems) == 0 {
		return
	}
	var text strings.Builder
	if err := diag.WriteText(&text, problems, diag.Style{}); err != nil {
		t.Error(err)
	}
	if problems.HasErrors() {
		t.Fatalf("%s:\n%s", what, text.String())
	}
	t.Log(text.String())
}

// pair is a scenario on a cluster.
type pair struct{ scenario, cluster string }

// byFlags says of a pair whether -run and -skip want it run.
func byFlags(t *testing.T) func(pair) bool {
	f := testFlags()
	return func(p pair) bool { return f.want(t.Name(), p.scenario, p.cluster) }
}

// chosen narrows the choice to what -run and -skip want, so that no version is
// looked up for nothing; no scenario if that is nothing.
func (s settings) chosen(t *testing.T, m *dsl.Module) settings {
	want := byFlags(t)
	of := plan.Options{Clusters: s.clusters, Scenarios: s.scenarios}
	s.clusters, s.scenarios = nil, nil
	runs, problems := plan.Choose(m, of)
	fatal(t, "the selection is wrong", problems)
	for _, r := range runs {
		if !want(pair{r.Scenario, r.Cluster}) {
			continue
		}
		if !slices.Contains(s.scenarios, r.Scenario) {
			s.scenarios = append(s.scenarios, r.Scenario)
		}
		if !slices.Contains(s.clusters, r.Cluster) {
			s.clusters = append(s.clusters, r.Cluster)
		}
	}
	return s
}

// carryOut runs those of the chosen scenarios and clusters that are wanted
// together.
func (s settings) carryOut(t *testing.T, m *dsl.Module, want func(pair) bool) report.Report {
	t.Helper()
	ctx, cancel := untilDeadline(t)
	defer cancel()
	w, err := s.open(ctx)
	if err != nil {
		t.Fatalf("clusters are not available here: %v", err)
	}
	if s.fresh {
		w.UseFresh()
	}
	p := s.plan(ctx, t, m, w, want)
	session, err := w.Begin(p, wiring.RunOptions{Root: s.root(t), KeepOnFailure: s.keepBad, AllowHostExec: s.hostExec, ShowLogs: s.logs})
	if err != nil {
		t.Fatalf("beginning the run: %v", err)
	}
	var names []string
	for _, c := range p.Clusters {
		names = append(names, c.Name)
	}
	live := live.New(t.Output(), live.Options{Clusters: names, Logs: s.logs})
	r := session.Run(ctx, live)
	if err := errors.Join(live.Close(), session.End(r)); err != nil {
		t.Errorf("ending the run: %v", err)
	}
	return r
}

func (s settings) plan(ctx context.Context, t *testing.T, m *dsl.Module, w *wiring.Parts, want func(pair) bool) *plan.Plan {
	t.Helper()
	p, problems := plan.Build(m, plan.Options{Clusters: s.clusters, Scenarios: s.scenarios, Resolve: w.Resolver(ctx), Ask: w.Asker(ctx)})
	if err := w.WhyUnavailable(); err != nil {
		t.Fatalf("clusters cannot be created here: %v", err)
	}
	fatal(t, "the scenario cannot be run", problems)
	p.Runs = slices.DeleteFunc(p.Runs, func(r plan.ScenarioRun) bool { return !want(pair{r.Scenario, r.Cluster}) })
	p.Clusters = slices.DeleteFunc(p.Clusters, func(c plan.Cluster) bool {
		return !slices.ContainsFunc(p.Runs, func(r plan.ScenarioRun) bool { return r.Cluster == c.Name })
	})
	validate.Needs(p)
	if problems := validate.HostCommands(p); !s.hostExec && problems.HasErrors() {
		fatal(t, "the scenario runs commands on this machine, which labtest.AllowHostExec allows", problems)
	}
	return p
}

// root is the folder in which a run makes its own.
func (s settings) root(t *testing.T) string {
	switch {
	case s.evidence != "":
		return s.evidence
	case s.keepBad:
		return filepath.Join(".lab", "runs")
	}
	return t.ArtifactDir()
}

// Time that is left for keeping the evidence and giving the clusters back before
// the test's deadline.
const (
	ending      = 2 * time.Minute
	endingShare = 4
)

// untilDeadline is the test's context, which ends early enough before -timeout
// that nothing is left behind.
func untilDeadline(t *testing.T) (context.Context, context.CancelFunc) {
	deadline, ok := t.Deadline()
	if !ok {
		return context.WithCancel(t.Context())
	}
	return context.WithDeadline(t.Context(), deadline.Add(-min(ending, time.Until(deadline)/endingShare)))
}

// tell reports what came of a run as subtests.
func tell(t *testing.T, r report.Report) {
	t.Helper()
	for _, text := range outside(r) {
		t.Error(text)
	}
	var names []string
	for _, run := range r.Runs {
		if !slices.Contains(names, run.Scenario) {
			names = append(names, run.Scenario)
		}
	}
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			for _, run := range r.Runs {
				if run.Scenario == name {
					t.Run(run.Cluster, func(t *testing.T) { tellRun(t, run) })
				}
			}
		})
	}
}

// outside is what belongs to no scenario.
func outside(r report.Report) []string {
	var texts []string
	for _, c := range r.Clusters {
		if c.Error != "" {
			texts = append(texts, fmt.Sprintf("cluster %s could not be used: %s", c.Name, c.Error))
		}
	}
	if r.Interrupted {
		texts = append(texts, "the run was stopped before its end")
	}
	return append(texts, r.Errors...)
}

// tellRun reports one scenario on one cluster.
func tellRun(t *testing.T, run report.ScenarioRun) {
	for _, step := range run.Steps {
		if step.Expects() || step.Status >= expect.Fail {
			t.Run(step.Name, func(t *testing.T) { tellStep(t, step, run.StartedAt) })
		}
	}
}

// tellStep reports an expectation, or a step.
func tellStep(t *testing.T, step report.Step, begin time.Time) {
	t.Helper()
	switch step.Status {
	case expect.Pass:
		t.Log(step.Reason())
	case expect.Skip:
		t.Skip(step.Reason())
	default:
		t.Errorf("%s:\n%s", unexpected(step), text.Step(step, begin))
	}
}

// unexpected says in a few words the result of a step that neither passed
// nor was skipped.
func unexpected(step report.Step) string {
	switch {
	case step.Expects() && step.Status == expect.Fail:
		return "failed"
	case step.Expects():
		return "could not be decided, which is neither a pass nor a fail"
	case step.Status == expect.Fail:
		return step.Verb + " failed"
	}
	return step.Verb + " could not be done"
}
