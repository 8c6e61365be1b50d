package wiring_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/kind-lab/lab/clusters"
	"github.com/kind-lab/lab/dsl"
	"github.com/kind-lab/lab/labs/expect"
	"github.com/kind-lab/lab/labs/journal"
	"github.com/kind-lab/lab/labs/plan"
	"github.com/kind-lab/lab/labs/report"
	"github.com/kind-lab/lab/labs/run"
	"github.com/kind-lab/lab/labs/run/runtest"
	"github.com/kind-lab/lab/labs/validate"
	"github.com/kind-lab/lab/labs/wiring"
)

// remote is a provider of clusters that are somewhere else: they have a version
// of their own, pull their images, and nobody reaches their nodes. This type and
// the row below are all that adds it.
type remote struct {
	*runtest.World
	asked []string
}

// row is the provider's row in the table.
func (r *remote) row() wiring.Provider {
	return wiring.Provider{
		Provider: &clusters.Provider{
			Name: "remote", Summary: "takes one from the rack in the cellar",
			Capabilities: func(clusters.Spec) clusters.Capabilities {
				return clusters.Capabilities{CanAnswerBeforeRuns: true, CanWatchNodes: true}
			},
			Hints: map[clusters.Capability]string{clusters.ExecOnNodes: "go down and log in"},
		},
		Open: func(context.Context, *wiring.Parts) (wiring.Backend, error) { return r, nil },
	}
}

func (r *remote) Create(ctx context.Context, spec clusters.Spec, id, kubeconfig string, progress func(string)) (clusters.Handle, error) {
	handle, err := r.World.Create(ctx, spec, id, kubeconfig, progress)
	handle.Provider, handle.Capabilities = "remote", r.row().Capabilities(spec)
	return handle, err
}

func (r *remote) Nodes(clusters.Handle) clusters.Nodes { return nil }

func (r *remote) Ask(_ context.Context, constraint string, spec clusters.Spec) (clusters.Answer, error) {
	r.asked = append(r.asked, spec.Name+" "+constraint)
	return clusters.Answer{Version: clusters.Version{Major: 1, Minor: 29, Patch: 3}, Why: "the label on its door says so"}, nil
}

const remoteScenario = `
cluster "c" { provider = "remote" }

scenario "pod" {
  clusters = [cluster.c]
  apply "pod" { manifests = [file("pod.yaml")] }
  expect "it runs" {
    condition = pod.web.phase == "Running" && target.minor == 29
    within    = "5s"
  }
}
`

const remotePod = `apiVersion: v1
kind: Pod
metadata: {name: web}
spec:
  containers: [{name: main, image: "busybox:1.35"}]
`

// load loads a scenario with the table of providers and a row more.
func (r *remote) load(t *testing.T, scenario string) (*dsl.Module, string) {
	t.Helper()
	dir := t.TempDir()
	err := errors.Join(os.WriteFile(filepath.Join(dir, "scenario.hcl"), []byte(scenario), 0o600), os.WriteFile(filepath.Join(dir, "pod.yaml"), []byte(remotePod), 0o600))
	if err != nil {
		t.Fatal(err)
	}
	m, problems, err := validate.Load(dir, dsl.Options{Providers: wiring.Language(append(wiring.Providers(), r.row()))})
	if err != nil {
		t.Fatal(err)
	}
	return m, problems.Error()
}

// open opens a world that has no other provider.
func (r *remote) open(t *testing.T) *wiring.Parts {
	t.Helper()
	cache := t.TempDir()
	w, err := wiring.Open(t.Context(), wiring.Options{
		Providers: []wiring.Provider{r.row()},
		Getenv:    func(name string) string { return map[string]string{"LAB_CACHE": cache}[name] },
	})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func TestAProviderIsATypeAndARow(t *testing.T) {
	r := &remote{World: &runtest.World{}}
	m, said := r.load(t, remoteScenario)
	if said != "" {
		t.Fatal(said)
	}
	w := r.open(t)
	p, problems := plan.Build(m, plan.Options{Resolve: w.Resolver(t.Context()), Ask: w.Asker(t.Context())})
	if problems.HasErrors() {
		t.Fatal(problems)
	}
	if c := p.Clusters[0]; c.Image.Version != "1.29.3" || c.Image.Source != "remote" || c.Image.Why != "the label on its door says so" || c.Capabilities.CanConfigure {
		t.Errorf("planned %+v", c)
	}
	if paths := p.Estimate(plan.Bounds{Creates: 1}).Paths; paths[0].Boot.Seconds() != 1 {
		t.Errorf("it takes a slot of this machine: %+v", paths)
	}
	session, err := w.Begin(p, wiring.RunOptions{Root: t.TempDir(), ShowLogs: true})
	if err != nil {
		t.Fatal(err)
	}
	heard := &listener{}
	result := session.Run(t.Context(), heard)
	if err := session.End(result); err != nil {
		t.Error(err)
	}
	if result.Status != expect.Pass || len(r.Left()) > 0 {
		t.Errorf("status %s, left %v:\n%s", result.Status, r.Left(), heard.said.String())
	}
	for _, want := range []string{"connecting to Kubernetes 1.29.3", "images are not loaded onto this cluster: its nodes pull busybox:1.35", "cleaned up and given back"} {
		if !strings.Contains(heard.said.String(), want) {
			t.Errorf("%q is not said:\n%s", want, heard.said.String())
		}
	}
	if result.Runs[0].Namespace == p.Runs[0].Namespace || len(r.asked) != 1 {
		t.Errorf("namespace %s on a cluster of others, asked %v", result.Runs[0].Namespace, r.asked)
	}
}

func TestWhatAProviderCannotDoIsRefusedBeforeARun(t *testing.T) {
	for _, tt := range []struct{ name, scenario, want string }{
		{"a gate", `cluster "c" {
  provider      = "remote"
  feature_gates = { SidecarContainers = true }
}`, `The argument "feature_gates" is not for provider = "remote", whose clusters cannot be configured`},
		{"a signal", remoteScenario + `scenario "s" {
  clusters = [cluster.c]
  apply "pod" { manifests = [file("pod.yaml")] }
  signal "stop" {
    pod       = "web"
    container = "main"
  }
}`, `cluster c (provider "remote") cannot run commands on its nodes: go down and log in`},
		{"a node", remoteScenario + `scenario "s" {
  clusters = [cluster.c]
  node "away" {
    node   = "n"
    action = "drain"
  }
}`, `cluster c (provider "remote") cannot operate the machines of its nodes`},
		{"a misspelled name", `cluster "c" { provider = "remot" }`, `"remote" (takes one from the rack in the cellar). Did you mean "remote"?`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if _, said := (&remote{}).load(t, tt.scenario); !strings.Contains(said, tt.want) {
				t.Errorf("%q is not said:\n%s", tt.want, said)
			}
		})
	}
}

func TestAProviderThatCannotBeUsedIsUnavailable(t *testing.T) {
	r := &remote{World: &runtest.World{}}
	row := r.row()
	row.Open = func(context.Context, *wiring.Parts) (wiring.Backend, error) {
		return nil, errors.New("the cellar is locked")
	}
	w, err := wiring.Open(t.Context(), wiring.Options{Providers: []wiring.Provider{row}, Getenv: func(string) string { return "" }})
	if err != nil {
		t.Fatal(err)
	}
	m, _ := r.load(t, remoteScenario)
	_, problems := plan.Build(m, plan.Options{Resolve: w.Resolver(t.Context()), Ask: w.Asker(t.Context())})
	if len(problems) != 1 || problems[0].Summary != "This cluster cannot be used" || !strings.Contains(problems[0].Detail, "the cellar is locked") {
		t.Errorf("problems %v", problems)
	}
	if _, err := w.Connect(clusters.Handle{Provider: "remote"}); err == nil || !strings.Contains(err.Error(), "locked") {
		t.Errorf("Connect: %v", err)
	}
	if _, err := w.Connect(clusters.Handle{}); err == nil || !strings.Contains(err.Error(), `no provider "kind"`) {
		t.Errorf("Connect to one of no provider: %v", err)
	}
	if all, err := w.Orphans(t.Context()); len(all) > 0 || err != nil {
		t.Errorf("orphans of providers that cannot list them: %v, %v", all, err)
	}
	if err := w.Discard(t.Context(), clusters.Orphan{ID: "lab-a", Provider: "remote"}); err == nil {
		t.Error("something was removed")
	}
}

// TestWhatIsLeftOfARunIsRemoved lets a run's cluster be removed by its orphan.
func TestWhatIsLeftOfARunIsRemoved(t *testing.T) {
	r := &remote{World: &runtest.World{}}
	log, err := journal.Create(t.TempDir(), "20260102-030405-abcdef")
	if err != nil {
		t.Fatal(err)
	}
	kubeconfig := clusters.KubeconfigPath(log.Dir(), "c")
	if _, err := r.Create(t.Context(), clusters.Spec{Name: "c", Provider: "remote", Version: "1.29.3"}, "lab-abcdef-c", kubeconfig, func(string) {}); err != nil {
		t.Fatal(err)
	}
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	orphan := clusters.Orphan{Provider: "remote", ID: "lab-abcdef-c", Kubeconfig: kubeconfig, Run: log.Dir()}
	if err := r.open(t).Discard(t.Context(), orphan); err != nil || len(r.Left()) > 0 {
		t.Errorf("%v, left %v", err, r.Left())
	}
}

// listener keeps what a run reports.
type listener struct {
	mu   sync.Mutex
	said strings.Builder
}

func (l *listener) Event(e report.Event) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.said.WriteString(e.Text + "\n")
}

var _ run.Observer = (*listener)(nil)
