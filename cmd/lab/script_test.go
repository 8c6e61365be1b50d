package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/kind-lab/lab/clusters"
	"github.com/kind-lab/lab/clusters/existing"
	"github.com/kind-lab/lab/clusters/pool"
	"github.com/kind-lab/lab/labs/plan"
	labrun "github.com/kind-lab/lab/labs/run"
	"github.com/kind-lab/lab/labs/run/runtest"
	"github.com/kind-lab/lab/labs/wiring"
)

var updateScripts = flag.Bool("update", false, "write what commands print into the scripts' golden files")

// asProgramVariable makes the test's binary the program.
const asProgramVariable = "LAB_TEST_AS_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgramVariable) != "" || len(os.Args) > 1 && os.Args[1] == "reap" { // a run of an end-to-end test started it
		os.Exit(run(context.Background(), os.Args, os.Stdin, os.Stdout, os.Stderr, os.LookupEnv))
	}
	testscript.Main(tests{m}, map[string]func(){
		// lab is the program over a world that behaves, without clusters.
		"lab": func() {
			a := &app{stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr, env: os.LookupEnv, open: openFake}
			os.Exit(a.main(context.Background(), os.Args[1:]))
		},
	})
}

// around runs all tests; end-to-end tests clean up behind them there.
var around = func(all func() int) int { return all() }

type tests struct{ *testing.M }

func (t tests) Run() int { return around(t.M.Run) }

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Setup: func(env *testscript.Env) error {
			env.Setenv("LAB_CACHE", filepath.Join(env.WorkDir, ".cache"))
			return nil
		},
		Dir: "testdata/script", UpdateScripts: *updateScripts, RequireExplicitExec: true,
	})
}

// openFake makes the world as WORLD says: words of the form KIND or
// KIND=CLUSTER, of no-engine, create-fails, destroy-fails, slow,
// slow-to-resolve, and unavailable=CONSTRAINT.
func openFake(_ context.Context, a *app) (*wiring.Parts, error) {
	w := &runtest.World{CreateFails: map[string]error{}, DestroyFails: map[string]error{}}
	for _, word := range strings.Fields(os.Getenv("WORLD")) {
		kind, name, _ := strings.Cut(word, "=")
		switch kind {
		case "no-engine":
			return nil, errors.New("no container engine answers: run `lab engine up`")
		case "create-fails":
			w.CreateFails[name] = errors.New("the kubelet does not start: unrecognized feature gate: SidecarContainers")
		case "destroy-fails":
			w.DestroyFails[name] = errors.New("device or resource busy")
		case "slow":
			w.CreateTakes = 20 * time.Second
		}
	}
	return &wiring.Parts{
		Provisioners: map[string]labrun.Provisioner{clusters.ProviderKind: w, existing.Name: w}, Fresh: w, Getenv: a.get,
		Ask: func(_ context.Context, constraint string, spec clusters.Spec) (plan.Image, error) {
			if spec.Settings["context"] == "nowhere" {
				return plan.Image{}, errors.New("no such cluster: config has no context \"nowhere\"")
			}
			return plan.Image{Version: "1.29.3", Source: "existing", Why: "the API server of context \"stage\" says so"}, nil
		},
		Pool: pool.New(nil, pool.Options{Dir: wiring.PoolDir(a.get)}), Images: w, Connect: w.Connect, MaxCreates: 4,
		Resolve: func(_ context.Context, constraint, image string) (plan.Image, error) {
			if slices.Contains(strings.Fields(os.Getenv("WORLD")), "slow-to-resolve") {
				time.Sleep(2500 * time.Millisecond)
			}
			if slices.Contains(strings.Fields(os.Getenv("WORLD")), "unavailable="+constraint) {
				return plan.Image{}, fmt.Errorf("%w: no image of %s", plan.ErrUnavailable, constraint)
			}
			return runtest.Resolve(constraint, image)
		},
		Orphans: func(context.Context) ([]clusters.Orphan, error) { return nil, nil },
	}, nil
}
