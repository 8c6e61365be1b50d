package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/kind-lab/lab/clusters"
	"github.com/kind-lab/lab/clusters/existing"
	"github.com/kind-lab/lab/clusters/kind"
	"github.com/kind-lab/lab/clusters/pool"
	"github.com/kind-lab/lab/labs/journal"
	labrun "github.com/kind-lab/lab/labs/run"
	"github.com/kind-lab/lab/labs/wiring"
)

// TestClustersThatExistNeedNoEngine has no container engine on the PATH.
func TestClustersThatExistNeedNoEngine(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("PATH", dir)
	t.Setenv("LAB_CACHE", dir)
	t.Chdir(dir)
	const scenario = "\nscenario \"s\" {\n  clusters = [cluster.c]\n  sleep \"a\" { duration = \"1ms\" }\n}\n"
	for name, cluster := range map[string]string{
		"existing.hcl": "cluster \"c\" {\n  provider = \"existing\"\n  kubeconfig = \"no-such-file\"\n}",
		"made.hcl":     "cluster \"c\" { kubernetes = \"1.29\" }",
	} {
		if err := os.WriteFile(name, []byte(cluster+scenario), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct {
		args []string
		code int
		text string
	}{
		{[]string{"plan", "existing.hcl"}, exitUsage, "there is no kubeconfig no-such-file"},
		{[]string{"plan", "made.hcl"}, exitBroken, "engine"},
		{[]string{"run", "made.hcl"}, exitBroken, "engine"},
		{[]string{"clusters"}, exitBroken, "engine"},
		{[]string{"gc"}, exitBroken, "engine"},
	} {
		var out bytes.Buffer
		a := &app{stdin: strings.NewReader(""), stdout: &out, stderr: &out, env: os.LookupEnv, open: openParts}
		if code := a.main(t.Context(), tt.args); code != tt.code || !strings.Contains(out.String(), tt.text) {
			t.Errorf("lab %s: exit code %d, want %d and %q:\n%s", strings.Join(tt.args, " "), code, tt.code, tt.text, out.String())
		}
	}
}

// adopting is a provisioner that needs a kubeconfig to clean up.
type adopting struct {
	labrun.Provisioner
	adopted, destroyed []string
}

func (p *adopting) Adopt(id, kubeconfig string) { p.adopted = append(p.adopted, id+" by "+kubeconfig) }

func (p *adopting) Destroy(_ context.Context, id string) error {
	p.destroyed = append(p.destroyed, id)
	return nil
}

// TestGcFindsWhatRunsLeftOnClustersThatExist looks at the journals of runs that
// are gone.
func TestGcFindsWhatRunsLeftOnClustersThatExist(t *testing.T) {
	cache := t.TempDir()
	t.Chdir(t.TempDir())
	log, err := journal.Create(filepath.Join(".lab", "runs"), "20260102-030405-abcdef")
	if err != nil {
		t.Fatal(err)
	}
	kubeconfig := clusters.KubeconfigPath(log.Dir(), "stage")
	if err := os.MkdirAll(filepath.Dir(kubeconfig), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(kubeconfig, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, i := range []journal.Intent{
		{Action: journal.ActionCreate, Provider: existing.Name, ID: "lab-abcdef-stage", Kubeconfig: kubeconfig},
		{Action: journal.ActionCreate, Provider: existing.Name, ID: "lab-abcdef-never", Kubeconfig: kubeconfig + "-never"},
		{Action: journal.ActionCreate, Provider: clusters.ProviderKind, ID: "lab-abcdef-made", Kubeconfig: kubeconfig},
	} {
		if err := log.Intent(time.Now(), i); err != nil {
			t.Fatal(err)
		}
	}
	p := &adopting{}
	fake := &wiring.Parts{
		Providers:    clusters.Providers{kind.Provider(), existing.Provider()},
		Provisioners: map[string]labrun.Provisioner{existing.Name: p}, Pool: pool.New(nil, pool.Options{Dir: filepath.Join(cache, "pool")}),
		Orphans: func(context.Context) ([]clusters.Orphan, error) { return nil, nil },
	}
	gc := func(args ...string) string {
		t.Helper()
		var out bytes.Buffer
		a := &app{stdin: strings.NewReader(""), stdout: &out, stderr: &out, env: func(name string) (string, bool) { return cache, name == "LAB_CACHE" },
			open: func(context.Context, *app) (*wiring.Parts, error) { return fake, nil }}
		if code := a.main(t.Context(), append([]string{"gc"}, args...)); code != exitPass {
			t.Errorf("exit code %d: %s", code, out.String())
		}
		return out.String()
	}
	if said := gc("--yes"); !strings.Contains(said, "Nothing to remove") {
		t.Errorf("of a run that goes on: %s", said)
	}
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	if said := gc("--yes", "lab-abcdef-stage"); !strings.Contains(said, "lab-abcdef-stage  on a cluster of the provider existing") || !strings.Contains(said, "removed lab-abcdef-stage") {
		t.Errorf("gc: %s", said)
	}
	if len(p.adopted) != 1 || p.adopted[0] != "lab-abcdef-stage by "+kubeconfig || len(p.destroyed) != 1 {
		t.Errorf("adopted %v, destroyed %v", p.adopted, p.destroyed)
	}
	if said := gc("--yes"); !strings.Contains(said, "Nothing to remove") {
		t.Errorf("once it is removed: %s", said)
	}
}
