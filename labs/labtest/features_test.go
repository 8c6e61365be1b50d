package labtest_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/e2e-framework/pkg/env"
	"sigs.k8s.io/e2e-framework/pkg/envconf"
	"sigs.k8s.io/e2e-framework/pkg/types"

	"github.com/kind-lab/lab/labs/labtest"
)

// testenv is the framework's environment, as its flags want it.
var testenv types.Environment

func TestMain(m *testing.M) {
	cfg, err := envconf.NewFromFlags()
	if err != nil {
		panic(err)
	}
	if err := leaveInner(); err != nil {
		panic(err)
	}
	testenv = env.NewWithConfig(cfg)
	os.Exit(testenv.Run(m))
}

func TestInnerFeatures(t *testing.T) {
	testenv.TestInParallel(t, labtest.Features(t, "testdata/outcomes", fake(), labtest.Evidence(os.Getenv(envInner)))...)
}

// below are the outcomes of the subtests so many levels down, those that were
// skipped left out.
func (r result) below(test string, levels int) map[string]string {
	out := map[string]string{}
	for name, outcome := range r.outcomes {
		if rest, ok := strings.CutPrefix(name, test+"/"); ok && strings.Count(name, "/") == levels && outcome != "SKIP" {
			out[rest] = outcome
		}
	}
	return out
}

func TestFeaturesAreScenariosOnClusters(t *testing.T) {
	r := goTest(t, "-test.run=^TestInnerFeatures$")
	want := map[string]string{
		"good/v129/main_exits":     "PASS",
		"outcomes/v128/main_exits": "PASS", "outcomes/v128/main_fails": "FAIL", "outcomes/v128/what_is_unknown": "FAIL",
		"outcomes/v129/main_exits": "PASS", "outcomes/v129/main_fails": "FAIL", "outcomes/v129/what_is_unknown": "FAIL",
	}
	if diff := cmp.Diff(want, r.below("TestInnerFeatures", 3)); diff != "" {
		t.Errorf("assessments (-want +got):\n%s", diff)
	}
	if got := r.outcomes["TestInnerFeatures/refused/v129"]; got != "FAIL" {
		t.Errorf("the feature of a step that fails: %q", got)
	}
	r.says(t, "exec a command that fails: exec failed:", "Processing Feature: A Job, and what can be said of it.", "could not be decided, which is neither a pass nor a fail:")
}

func TestTheFrameworksFlagsChoose(t *testing.T) {
	tests := []struct {
		name  string
		flags []string
		made  []string
		want  map[string]string
	}{
		{"labels", []string{"-labels=kubernetes=1.28"}, []string{"v128"},
			map[string]string{"outcomes/v128/main_exits": "PASS", "outcomes/v128/main_fails": "FAIL", "outcomes/v128/what_is_unknown": "FAIL"}},
		{"labels of gates, and skipped ones", []string{"-labels=SidecarContainers=true", "-skip-labels=scenario=outcomes,scenario=refused"}, []string{"v129"},
			map[string]string{"good/v129/main_exits": "PASS"}},
		{"feature", []string{"-feature=^good/"}, []string{"v129"}, map[string]string{"good/v129/main_exits": "PASS"}},
		{"assess", []string{"-labels=kubernetes=1.28", "-assess=exits"}, []string{"v128"}, map[string]string{"outcomes/v128/main_exits": "PASS"}},
		{"parallel", []string{"-feature=good|v128", "-assess=exits", "-parallel"}, []string{"v128", "v129"},
			map[string]string{"good/v129/main_exits": "PASS", "outcomes/v128/main_exits": "PASS"}},
		{"dry run", []string{"-dry-run", "-feature=good"}, nil, map[string]string{"good/v129/main_exits": "PASS"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r := goTest(t, slices.Concat([]string{"-test.run=^TestInnerFeatures$"}, test.flags)...)
			if diff := cmp.Diff(test.made, r.made()); diff != "" {
				t.Errorf("clusters that were made (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(test.want, r.below("TestInnerFeatures", 3)); diff != "" {
				t.Errorf("assessments (-want +got):\n%s", diff)
			}
		})
	}
}
