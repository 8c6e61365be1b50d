package run_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kind-lab/lab/clusters"
	"github.com/kind-lab/lab/clusters/existing"
	"github.com/kind-lab/lab/dsl"
	"github.com/kind-lab/lab/labs/expect"
	"github.com/kind-lab/lab/labs/journal"
	"github.com/kind-lab/lab/labs/plan"
	"github.com/kind-lab/lab/labs/run"
	"github.com/kind-lab/lab/labs/run/runtest"
	"github.com/kind-lab/lab/labs/step/verbs"
)

// noImages fails whoever asks for a node image.
type noImages struct{}

func (noImages) Ensure(context.Context, plan.Image, func(string)) error {
	return errors.New("a node image was asked for")
}

func TestScenariosOnClustersThatExist(t *testing.T) {
	m, problems := dsl.Load("testdata/existing", dsl.Options{Providers: []dsl.Provider{existing.Provider()}})
	if problems.HasErrors() {
		t.Fatal(problems)
	}
	p, problems := plan.Build(m, plan.Options{Ask: func(string, clusters.Spec) (plan.Image, error) {
		return plan.Image{Version: "1.29.3", Source: "existing"}, nil
	}})
	if problems.HasErrors() {
		t.Fatal(problems)
	}
	log, err := journal.Create(t.TempDir(), "20260102-030405-abcdef")
	if err != nil {
		t.Fatal(err)
	}
	w, told := &runtest.World{}, &events{}
	engine := run.Engine{Verbs: verbs.Default(), Provisioners: map[string]run.Provisioner{existing.Name: w}, Images: noImages{}, Connect: w.Connect,
		Clock: run.SystemClock{}, Observer: told, Journal: log, ID: "20260102-030405-abcdef"}
	r := engine.Run(t.Context(), p)
	if err := log.Close(); err != nil {
		t.Error(err)
	}
	if r.Status != expect.Pass {
		t.Errorf("status %s: %v", r.Status, failures(r))
	}
	var namespaces []string
	for _, of := range r.Runs {
		namespaces = append(namespaces, of.Cluster+": "+of.Namespace)
	}
	want := []string{
		"stage: lab-abcdef-short", "team: team",
		"stage: lab-abcdef-a-scenario-with-a-name-that-is-so-long-that-4e83186c", "team: team",
	}
	if diff := cmp.Diff(want, namespaces); diff != "" {
		t.Errorf("namespaces (-want +got):\n%s", diff)
	}
	if cut := strings.TrimPrefix(want[2], "stage: "); len(cut) > 63 {
		t.Errorf("%s has %d characters", cut, len(cut))
	}
	var text strings.Builder
	for _, e := range told.told {
		text.WriteString(e.Text + "\n")
	}
	for _, line := range []string{"connecting to Kubernetes 1.29.3", "connected: Kubernetes 1.29.3", "cleaning up", "cleaned up and given back"} {
		if !strings.Contains(text.String(), line) {
			t.Errorf("%q is not printed:\n%s", line, text.String())
		}
	}
	for e, err := range journal.Entries(log.Dir()) {
		if err != nil {
			t.Fatal(err)
		}
		if e.Intent != nil && e.Intent.Provider != existing.Name {
			t.Errorf("intent %+v", e.Intent)
		}
	}
}
