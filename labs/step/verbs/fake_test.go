package verbs_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kind-lab/lab/clusters"
	"github.com/kind-lab/lab/dsl"
	"github.com/kind-lab/lab/dsl/action"
	"github.com/kind-lab/lab/dsl/schema"
	"github.com/kind-lab/lab/labs/journal"
	"github.com/kind-lab/lab/labs/plan"
	"github.com/kind-lab/lab/labs/replay"
	"github.com/kind-lab/lab/labs/report"
	"github.com/kind-lab/lab/labs/report/junit"
	"github.com/kind-lab/lab/labs/run"
	"github.com/kind-lab/lab/labs/run/runtest"
	"github.com/kind-lab/lab/labs/step"
	"github.com/kind-lab/lab/labs/step/verbs"
	"github.com/kind-lab/lab/labs/validate"
)

// tables are the two tables with the verb fake.
func tables(t *testing.T) (action.Table, step.Table) {
	t.Helper()
	language, err := action.Default().With(fakeVerb())
	if err != nil {
		t.Fatal(err)
	}
	steps := verbs.Default().With(fakeStep())
	if err := steps.Covers(language); err != nil {
		t.Fatal(err)
	}
	return language, steps
}

const scenario = `cluster "v129" { kubernetes = "1.29" }
cluster "stage" { provider = "existing" }

scenario "greetings" {
  clusters = [cluster.CLUSTER]
  apply "web" {
    manifests = yamlencode({ apiVersion = "v1", kind = "Pod", metadata = { name = "web" }, spec = { containers = [{ name = "main", image = "i:1" }] } })
  }
  fake "hello" {
    greeting = "hello"
    pod      = pod.web.name
    timeout  = "7s"
  }
  fake "nobody" {
    greeting     = "hello"
    loud         = false
    expect_error = "nobody"
  }
  expect "its result" {
    condition = step.hello.error == null && step.nobody.error == "nobody is there"
  }
}
`

func load(t *testing.T, language action.Table, cluster string) *dsl.Module {
	t.Helper()
	src := strings.Replace(scenario, "CLUSTER", cluster, 1)
	m, problems := dsl.LoadFS(fstest.MapFS{"scenario.hcl": {Data: []byte(src)}}, "scenario.hcl", dsl.Options{Verbs: language})
	if problems.HasErrors() {
		t.Fatal(problems)
	}
	return m
}

// pool is a world that takes clusters back, and notes what cannot be undone on
// them.
type pool struct {
	*runtest.World
	tainted []string
}

// Release implements run.Releaser.
func (p *pool) Release(ctx context.Context, id, tainted string, _ func(string)) (string, error) {
	p.tainted = append(p.tainted, tainted)
	return "given back", p.Destroy(ctx, id)
}

// carriedOut is what came of the scenario on a cluster that lab makes, and the
// run's folder.
func carriedOut(t *testing.T, language action.Table, steps step.Table) (report.Report, string, *pool) {
	t.Helper()
	p, problems := plan.Build(load(t, language, "v129"), plan.Options{Resolve: runtest.Resolve})
	if problems.HasErrors() {
		t.Fatal(problems)
	}
	log, err := journal.Create(t.TempDir(), "20260102-030405-abcdef")
	if err != nil {
		t.Fatal(err)
	}
	w := &pool{World: &runtest.World{}}
	engine := run.Engine{Verbs: steps, Provisioners: map[string]run.Provisioner{clusters.ProviderKind: w}, Images: w, Connect: w.Connect,
		Clock: run.SystemClock{}, Observer: silent{}, Journal: log, ID: "20260102-030405-abcdef"}
	r := engine.Run(t.Context(), p)
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	return r, log.Dir(), w
}

type silent struct{}

// Event implements run.Observer.
func (silent) Event(report.Event) {}

// TestAVerbIsARoom adds a verb to both tables and takes it through everything
// that is made of them.
func TestAVerbIsARoom(t *testing.T) {
	language, steps := tables(t)
	t.Run("explained", func(t *testing.T) {
		topics := schema.Lookup(language.Language(), "fake.timeout")
		if len(topics) != 1 || topics[0].Argument.Default != `"45s"` {
			t.Errorf("topics = %+v", topics)
		}
		if text := schema.Reference(language.Language()); !strings.Contains(text, "### fake\n\nGreets a pod from its node.") {
			t.Error("the reference does not have it")
		}
	})
	t.Run("planned", func(t *testing.T) {
		p, problems := plan.Build(load(t, language, "v129"), plan.Options{Resolve: runtest.Resolve})
		if problems.HasErrors() {
			t.Fatal(problems)
		}
		var text strings.Builder
		if err := p.WriteText(&text); err != nil || !strings.Contains(text.String(), "fake    hello (at most 7s)\n  fake    nobody (at most 45s)") {
			t.Errorf("%v\n%s", err, text.String())
		}
	})
	t.Run("validated", func(t *testing.T) {
		v := validate.Validator{Verbs: steps}
		if problems := v.Check(load(t, language, "v129")); problems.HasErrors() {
			t.Error(problems)
		}
		problems := v.Check(load(t, language, "stage"))
		if !problems.HasErrors() || !strings.Contains(problems.Error(), `The step greets from a node, but cluster stage (provider "existing") cannot operate the machines of its nodes.`) ||
			!strings.Contains(problems.Error(), "Greet with exec.") {
			t.Errorf("problems: %v", problems)
		}
	})
	r, dir, w := carriedOut(t, language, steps)
	want := []string{"pass web: pod/web created", "pass hello: pod/web heard HELLO", "pass nobody: refused as expected: nobody is there", "pass its result"}
	t.Run("run", func(t *testing.T) {
		if diff := cmp.Diff(want[:3], lines(r.Runs[0])[:3]); diff != "" || len(r.Runs[0].Steps) != 4 {
			t.Errorf("steps (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff([]string{"a pod was greeted"}, w.tainted); diff != "" {
			t.Errorf("what cannot be undone (-want +got):\n%s", diff)
		}
	})
	t.Run("reported", func(t *testing.T) {
		var text strings.Builder
		if err := junit.Write(&text, r); err != nil || !strings.Contains(text.String(), "fake nobody") {
			t.Errorf("%v\n%s", err, text.String())
		}
	})
	t.Run("replayed", func(t *testing.T) { replayed(t, load(t, language, "v129"), r, dir) })
}

// replayed judges a run again: without its report, so that what is known of its
// steps is in their records.
func replayed(t *testing.T, m *dsl.Module, r report.Report, dir string) {
	t.Helper()
	if _, err := os.Stat(filepath.Join(dir, report.FileName)); err == nil {
		t.Fatal("there is a report")
	}
	rec, err := replay.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	again, err := rec.Judge(m, rec.Runs[0])
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(lines(r.Runs[0])[:3], lines(again)[:3]); diff != "" || again.Status != r.Runs[0].Status {
		t.Errorf("replayed, it is %s (-want +got):\n%s", again.Status, diff)
	}
	if again.Steps[2].Outcome != "refused" {
		t.Errorf("outcome = %q", again.Steps[2].Outcome)
	}
}

// lines are the steps as "status name: detail".
func lines(r report.ScenarioRun) []string {
	var out []string
	for _, s := range r.Steps {
		out = append(out, s.Status.String()+" "+s.Name+": "+s.Detail)
	}
	return out
}

// TestTheTablesAgree fails if a verb was forgotten in one of the tables.
func TestTheTablesAgree(t *testing.T) {
	if err := verbs.Default().Covers(action.Default()); err != nil {
		t.Error(err)
	}
	language, steps := tables(t)
	if err := steps.Covers(action.Default()); err == nil || !strings.Contains(err.Error(), `"fake" is in labs/step/verbs, and not in dsl/action`) {
		t.Errorf("a verb that the language lacks: %v", err)
	}
	if err := verbs.Default().Covers(language); err == nil || !strings.Contains(err.Error(), `"fake" is in dsl/action, and not in labs/step/verbs`) {
		t.Errorf("a verb that is not carried out: %v", err)
	}
	if err := steps.With(fakeStep()).Covers(language); err == nil || !strings.Contains(err.Error(), "twice") {
		t.Errorf("a verb that is there twice: %v", err)
	}
}

// TestAVerbThatIsNotCarriedOutIsAnError runs a scenario whose verb the engine
// does not have.
func TestAVerbThatIsNotCarriedOutIsAnError(t *testing.T) {
	language, _ := tables(t)
	r, _, _ := carriedOut(t, language, verbs.Default())
	if got := lines(r.Runs[0])[1]; got != `error hello: the verb "fake" is not known to this version` {
		t.Errorf("got %q", got)
	}
}

// TestEveryVerbIsPreparedAsItsBlockIsDecoded wants each verb to take the action
// that its block is decoded to, and to have a limit.
func TestEveryVerbIsPreparedAsItsBlockIsDecoded(t *testing.T) {
	const src = `cluster "v129" { kubernetes = "1.29" }
scenario "all" {
  clusters = [cluster.v129]
  STEP
}
`
	language := action.Default()
	for _, b := range language.Language().Find("scenario").Blocks {
		verb, ok := verbs.Default().Verb(b.Type)
		if !ok {
			continue
		}
		t.Run(b.Type, func(t *testing.T) {
			text := strings.Replace(src, "STEP", b.Example, 1)
			m, _ := dsl.LoadFS(fstest.MapFS{"scenario.hcl": {Data: []byte(text)}, "job.yaml": {Data: []byte("kind: Job\n")}}, "scenario.hcl", dsl.Options{})
			a := &step.Arguments{Step: m.Scenarios[0].Steps[0], Surroundings: step.Surroundings{Clock: run.SystemClock{}}}
			if a.Step.Action.Times().Longest() <= 0 {
				t.Error("it may take no time at all")
			}
			a.Fail(context.Canceled) // no argument is evaluated
			if p := verb.Prepare(a); p.Do == nil || p.Limit < time.Second {
				t.Errorf("prepared %+v", p)
			}
		})
	}
}
