package wiring_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/kind-lab/lab/clusters"
	"github.com/kind-lab/lab/labs/expect"
	"github.com/kind-lab/lab/labs/journal"
	"github.com/kind-lab/lab/labs/plan"
	"github.com/kind-lab/lab/labs/reaper"
	"github.com/kind-lab/lab/labs/report"
	"github.com/kind-lab/lab/labs/run"
	"github.com/kind-lab/lab/labs/run/runtest"
	"github.com/kind-lab/lab/labs/wiring"
)

// rows are a provider that lists what it finds, and one that cannot be used.
func rows(found []clusters.Orphan, err error) []wiring.Provider {
	lists := func(clusters.Spec) clusters.Capabilities { return clusters.Capabilities{CanListOrphans: true} }
	return []wiring.Provider{{
		Provider: &clusters.Provider{Name: "listing", Capabilities: lists},
		Open: func(context.Context, *wiring.Parts) (wiring.Backend, error) {
			return &listing{remote: remote{World: &runtest.World{}}, found: found, err: err}, nil
		},
	}}
}

type listing struct {
	remote
	found []clusters.Orphan
	err   error
}

func (l *listing) Orphans(context.Context) ([]clusters.Orphan, error) { return l.found, l.err }

// opened are the parts of some providers, with a cache of the test's own.
func opened(t *testing.T, all []wiring.Provider) *wiring.Parts {
	t.Helper()
	cache := t.TempDir()
	w, err := wiring.Open(t.Context(), wiring.Options{Providers: all, Getenv: func(name string) string { return map[string]string{"LAB_CACHE": cache}[name] }})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func TestOrphansOfAllProviders(t *testing.T) {
	away := errors.New("the engine is away")
	closed := rows(nil, nil)[0]
	closed.Provider = &clusters.Provider{Name: "closed", Capabilities: closed.Capabilities}
	closed.Open = func(context.Context, *wiring.Parts) (wiring.Backend, error) { return nil, away }
	mute := (&remote{World: &runtest.World{}}).row()
	mute.Provider = &clusters.Provider{Name: "mute", Capabilities: rows(nil, nil)[0].Capabilities}
	mute.Open = func(context.Context, *wiring.Parts) (wiring.Backend, error) {
		return &remote{World: &runtest.World{}}, nil
	}
	a, b := rows([]clusters.Orphan{{ID: "lab-a"}}, nil), rows([]clusters.Orphan{{ID: "lab-b"}, {ID: "lab-c"}}, nil)
	b[0].Provider = &clusters.Provider{Name: "other", Capabilities: a[0].Capabilities}
	for name, tt := range map[string]struct {
		rows []wiring.Provider
		want []string
		err  string
	}{
		"none":                     {[]wiring.Provider{(&remote{}).row()}, nil, ""},
		"of two":                   {append(a, b...), []string{"lab-a", "lab-b", "lab-c"}, ""},
		"one fails":                {append(rows(nil, away), b...), nil, "the engine is away"},
		"one cannot be used":       {append(slices.Clone(a), closed), nil, "the engine is away"},
		"one claims that it lists": {[]wiring.Provider{mute}, nil, "cannot"},
	} {
		t.Run(name, func(t *testing.T) {
			found, err := opened(t, tt.rows).Orphans(t.Context())
			var ids []string
			for _, o := range found {
				ids = append(ids, o.ID)
			}
			if !slices.Equal(ids, tt.want) || (err != nil) != (tt.err != "") || err != nil && !strings.Contains(err.Error(), tt.err) {
				t.Errorf("found %v, %v", ids, err)
			}
		})
	}
}

// TestAnUnavailableProviderIsNamedOnlyIfItWasAskedFor holds that a scenario that
// needs no node image does not fail because the engine is missing.
func TestAnUnavailableProviderIsNamedOnlyIfItWasAskedFor(t *testing.T) {
	away := errors.New("the engine is away")
	kind := wiring.Provider{Provider: &clusters.Provider{Name: clusters.ProviderKind, Capabilities: func(clusters.Spec) clusters.Capabilities { return clusters.Capabilities{} }},
		Open: func(context.Context, *wiring.Parts) (wiring.Backend, error) { return nil, away }}
	w := opened(t, []wiring.Provider{kind})
	if err := w.WhyUnavailable(); err != nil {
		t.Errorf("nobody asked, and it says %v", err)
	}
	if _, err := w.Resolver(t.Context())("1.29", ""); !errors.Is(err, away) {
		t.Errorf("to resolve: %v", err)
	}
	if err := w.WhyUnavailable(); !errors.Is(err, away) {
		t.Errorf("after it was asked for: %v", err)
	}
	if _, err := w.Acquire(t.Context(), t.TempDir(), clusters.Spec{Version: "1.29"}, func(string) {}); !errors.Is(err, away) {
		t.Errorf("to acquire: %v", err)
	}
	if _, err := w.Destroyer(clusters.ProviderKind); err == nil || !strings.Contains(err.Error(), `no provider "kind"`) {
		t.Errorf("to destroy: %v", err)
	}
	none := opened(t, []wiring.Provider{(&remote{}).row()})
	if _, err := none.Resolver(t.Context())("1.29", ""); err == nil || !strings.Contains(err.Error(), "no provider that boots clusters") {
		t.Errorf("without such a provider: %v", err)
	}
}

func TestFreshClustersAreNotThoseOfThePool(t *testing.T) {
	pooled, fresh := &runtest.World{}, &runtest.World{}
	w := &wiring.Parts{Provisioners: map[string]run.Provisioner{clusters.ProviderKind: pooled}}
	w.UseFresh()
	if w.Provisioners[clusters.ProviderKind] != run.Provisioner(pooled) {
		t.Error("where nothing makes new ones the pool is not used any more")
	}
	w.Fresh = fresh
	w.UseFresh()
	if w.Provisioners[clusters.ProviderKind] != run.Provisioner(fresh) {
		t.Error("the pool is used")
	}
}

// TestALeaseWithoutToolsReachesNoNodes holds that what needs the nodes says so, and
// does not fail in another way.
func TestALeaseWithoutToolsReachesNoNodes(t *testing.T) {
	p, guard := &pooled{World: &runtest.World{}}, &watcher{}
	lease, err := newParts(t, p, guard).Acquire(t.Context(), t.TempDir(), clusters.Spec{Name: "main", Version: "1.29"}, func(string) {})
	if err != nil {
		t.Fatal(err)
	}
	_, state := lease.NodeState(t.Context(), "n")
	for what, err := range map[string]error{"state": state, "action": lease.NodeAction(t.Context(), "n", "stop"), "archive": lease.LoadArchive(t.Context(), "x.tar"), "logs": lease.ExportLogs(t.Context(), "d")} {
		if err == nil || !strings.Contains(err.Error(), "nodes of these clusters cannot be reached") {
			t.Errorf("%s: %v", what, err)
		}
	}
	if err := lease.LoadImages(t.Context(), nil); err != nil {
		t.Errorf("no images: %v", err)
	}
	if err := lease.LoadImages(t.Context(), []string{"nowhere/x"}); err == nil || !strings.Contains(err.Error(), "loading images: ") {
		t.Errorf("an image that is not there: %v", err)
	}
	if _, err := lease.Release(t.Context(), ""); err != nil {
		t.Error(err)
	}
}

func TestARunThatCannotBeWatchedDoesNotBegin(t *testing.T) {
	r := &remote{World: &runtest.World{}}
	m, _ := r.load(t, remoteScenario)
	w := r.open(t)
	w.Reaper = func(string, bool) (wiring.Guard, error) { return nil, errors.New("no process may be started") }
	p, problems := plan.Build(m, plan.Options{Resolve: w.Resolver(t.Context()), Ask: w.Asker(t.Context())})
	if problems.HasErrors() {
		t.Fatal(problems)
	}
	if _, err := w.Begin(p, wiring.RunOptions{Root: t.TempDir()}); err == nil || !strings.Contains(err.Error(), "no process may be started") {
		t.Errorf("got %v", err)
	}
	if noted, err := os.ReadDir(wiring.RunsDir(w.Getenv)); err != nil || len(noted) != 0 {
		t.Errorf("it is still noted as a run: %v, %v", noted, err)
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Begin(p, wiring.RunOptions{Root: file}); err == nil {
		t.Error("a run began below a file")
	}
}

// TestASessionLeavesItsReport looks at the folder that a run leaves.
func TestASessionLeavesItsReport(t *testing.T) {
	r, guard := &remote{World: &runtest.World{}}, &watcher{}
	m, _ := r.load(t, remoteScenario)
	w := r.open(t)
	w.Reaper = guard.start
	p, problems := plan.Build(m, plan.Options{Resolve: w.Resolver(t.Context()), Ask: w.Asker(t.Context())})
	if problems.HasErrors() {
		t.Fatal(problems)
	}
	s, err := w.Begin(p, wiring.RunOptions{Root: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	if s.ID() != filepath.Base(s.Dir()) || !slices.Equal(guard.dirs, []string{s.Dir()}) {
		t.Errorf("ID %s in %s, watched %v", s.ID(), s.Dir(), guard.dirs)
	}
	stopped, cancel := context.WithCancel(t.Context())
	cancel()
	result := s.Run(stopped, &listener{})
	if err := s.End(result); err != nil {
		t.Error(err)
	}
	kept, err := report.Load(filepath.Join(s.Dir(), report.FileName))
	if err != nil || !kept.Interrupted || kept.Status != expect.Error || report.ExitCode(kept) != report.ExitInterrupted {
		t.Errorf("the report says %s, interrupted %t: %v", kept.Status, kept.Interrupted, err)
	}
	for _, name := range []string{"junit.xml", journal.File, filepath.Join(journal.ScenarioFolder, "scenario.hcl"), filepath.Join(journal.ScenarioFolder, "pod.yaml")} {
		if info, err := os.Stat(filepath.Join(s.Dir(), name)); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
	if noted, err := os.ReadDir(wiring.RunsDir(w.Getenv)); err != nil || len(noted) != 0 || len(guard.released) != 1 {
		t.Errorf("after its end it is noted %v, released %v: %v", noted, guard.released, err)
	}
}

// TestAReaperRemovesWhatIsLeft is the life of a reaper whose run cleaned up, and of
// those whose run did not.
func TestAReaperRemovesWhatIsLeft(t *testing.T) {
	t.Cleanup(func() { signal.Reset(os.Interrupt, syscall.SIGTERM, syscall.SIGHUP) })
	for name, tt := range map[string]struct {
		pipe   string
		opens  error
		reaped bool
		says   string
		logs   string
	}{
		"cleaned up":       {pipe: reaper.Word},
		"killed":           {reaped: true, logs: "nothing is left"},
		"killed in a word": {pipe: reaper.Word[:2], reaped: true, logs: "nothing is left"},
		"no engine":        {opens: errors.New("connection refused"), says: "the container engine cannot be reached: connection refused", logs: "has not cleaned up"},
	} {
		t.Run(name, func(t *testing.T) {
			r := &remote{World: &runtest.World{}}
			log, err := journal.Create(t.TempDir(), "20260102-030405-abcdef")
			if err != nil {
				t.Fatal(err)
			}
			kubeconfig := clusters.KubeconfigPath(log.Dir(), "c")
			if err := log.Intent(time.Now(), journal.Intent{Action: journal.ActionCreate, Provider: "remote", ID: "lab-abcdef-c", Kubeconfig: kubeconfig}); err != nil {
				t.Fatal(err)
			}
			if _, err := r.Create(t.Context(), clusters.Spec{Name: "c", Provider: "remote", Version: "1.29.3"}, "lab-abcdef-c", kubeconfig, func(string) {}); err != nil {
				t.Fatal(err)
			}
			if err := log.Close(); err != nil {
				t.Fatal(err)
			}
			var logged bytes.Buffer
			err = wiring.Reap(strings.NewReader(tt.pipe), reaper.Invocation{Dir: log.Dir(), ID: "of-no-process"}, slog.New(slog.NewTextHandler(&logged, nil)),
				func(context.Context) (*wiring.Parts, error) { return r.open(t), tt.opens })
			if (err != nil) != (tt.says != "") || err != nil && !strings.Contains(err.Error(), tt.says) {
				t.Errorf("got %v", err)
			}
			if gone := len(r.Left()) == 0; gone != tt.reaped || !strings.Contains(logged.String(), tt.logs) {
				t.Errorf("left %v, logged %s", r.Left(), &logged)
			}
		})
	}
}
