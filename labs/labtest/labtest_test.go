package labtest_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kind-lab/lab/clusters"
	"github.com/kind-lab/lab/labs/labtest"
	"github.com/kind-lab/lab/labs/plan"
	"github.com/kind-lab/lab/labs/run"
	"github.com/kind-lab/lab/labs/run/runtest"
	"github.com/kind-lab/lab/labs/wiring"
)

// envInner makes the tests of this file that are run by others do something.
const envInner = "LABTEST_INNER"

// leaveInner leaves out what other tests run in a process of its own: by itself
// it is no test, and some of it is meant to fail.
func leaveInner() error {
	if os.Getenv(envInner) != "" {
		return nil
	}
	others := "^TestInner"
	if given := flag.Lookup("test.skip").Value.String(); given != "" {
		others += "|" + given
	}
	return flag.Set("test.skip", others)
}

// fake is a world of nothing; what is made and asked for is printed.
func fake(fails ...string) labtest.Option {
	w := &runtest.World{CreateFails: map[string]error{}, Creating: func(name string) { fmt.Println("creating", name) }}
	for _, name := range fails {
		w.CreateFails[name] = errors.New("the kubelet does not start")
	}
	return labtest.In(func(context.Context) (*wiring.Parts, error) {
		return &wiring.Parts{
			Provisioners: map[string]run.Provisioner{clusters.ProviderKind: w}, Images: w, Connect: w.Connect, MaxCreates: 4, Getenv: os.Getenv,
			Resolve: func(_ context.Context, constraint, image string) (plan.Image, error) {
				fmt.Println("resolving", constraint)
				return runtest.Resolve(constraint, image)
			},
		}, nil
	})
}

func TestInnerOutcomes(t *testing.T) {
	labtest.Run(t, "testdata/outcomes", fake("v128"), labtest.Scenarios("outcomes"))
}

func TestInnerGood(t *testing.T) {
	r := labtest.Run(t, "testdata/outcomes/scenario.hcl", fake(), labtest.Scenarios("good"), labtest.Clusters("v129"), labtest.Var("code", "0"))
	if len(r.Runs) != 1 || r.Runs[0].Steps[1].Name != "main exits" {
		t.Errorf("report = %+v", r)
	}
}

func TestInnerAll(t *testing.T) {
	labtest.Run(t, "testdata/outcomes", fake(), labtest.Evidence(os.Getenv(envInner)))
}

func TestInnerWrong(t *testing.T) {
	labtest.Run(t, "testdata/wrong", fake())
}

func TestInnerAbsent(t *testing.T) {
	labtest.Run(t, "testdata/none", fake())
}

func TestInnerUnknownChoice(t *testing.T) {
	labtest.Run(t, "testdata/outcomes", fake(), labtest.Clusters("v130"))
}

func TestInnerSlow(t *testing.T) {
	labtest.Run(t, "testdata/slow", fake(), labtest.Evidence(os.Getenv(envInner)))
}

func TestInnerKept(t *testing.T) {
	t.Chdir(os.Getenv(envInner)) // relative to which evidence is kept
	labtest.Run(t, filepath.Join(os.Getenv(envInner), "..", "outcomes"), fake(), labtest.KeepOnFailure(), labtest.Scenarios("outcomes"))
}

func TestInnerHost(t *testing.T) {
	labtest.Run(t, "testdata/host", fake())
}

// result is what a test's binary printed.
type result struct {
	out      string
	outcomes map[string]string
}

var outcomeLine = regexp.MustCompile(`(?m)^\s*--- (PASS|FAIL|SKIP): (\S+) \(`)

// goTest runs a test of this file in a process of its own, as `go test -v` does.
func goTest(t *testing.T, flags ...string) result {
	t.Helper()
	return goTestIn(t, t.TempDir(), flags...)
}

// goTestIn does so with a folder for the evidence.
func goTestIn(t *testing.T, dir string, flags ...string) result {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], append([]string{"-test.v"}, flags...)...)
	cmd.Env = append(os.Environ(), envInner+"="+filepath.Join(dir, "runs"), "LAB_CACHE="+filepath.Join(dir, "cache"))
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	r := result{out: string(out), outcomes: map[string]string{}}
	for _, m := range outcomeLine.FindAllStringSubmatch(r.out, -1) {
		r.outcomes[m[2]] = m[1]
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Log(r.out)
		}
	})
	return r
}

// made are the clusters that were made, sorted.
func (r result) made() []string {
	var names []string
	for line := range strings.Lines(r.out) {
		if name, ok := strings.CutPrefix(strings.TrimSpace(line), "creating "); ok {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// says checks that all the texts were printed.
func (r result) says(t *testing.T, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if !strings.Contains(r.out, text) {
			t.Errorf("%q was not printed", text)
		}
	}
}

func TestEveryOutcomeIsASubtest(t *testing.T) {
	r := goTest(t, "-test.run=^TestInnerOutcomes$")
	want := map[string]string{
		"TestInnerOutcomes":                                "FAIL",
		"TestInnerOutcomes/outcomes":                       "FAIL",
		"TestInnerOutcomes/outcomes/v128":                  "FAIL",
		"TestInnerOutcomes/outcomes/v128/job":              "FAIL",
		"TestInnerOutcomes/outcomes/v128/main_exits":       "FAIL",
		"TestInnerOutcomes/outcomes/v128/main_fails":       "FAIL",
		"TestInnerOutcomes/outcomes/v128/only_on_old_ones": "FAIL",
		"TestInnerOutcomes/outcomes/v128/what_is_unknown":  "FAIL",
		"TestInnerOutcomes/outcomes/v129":                  "FAIL",
		"TestInnerOutcomes/outcomes/v129/main_exits":       "PASS",
		"TestInnerOutcomes/outcomes/v129/main_fails":       "FAIL",
		"TestInnerOutcomes/outcomes/v129/only_on_old_ones": "SKIP",
		"TestInnerOutcomes/outcomes/v129/what_is_unknown":  "FAIL",
	}
	if diff := cmp.Diff(want, r.outcomes); diff != "" {
		t.Errorf("outcomes (-want +got):\n%s", diff)
	}
	r.says(t,
		"failed:", "It ended as it should.", `job.myapp.pod.container["main"].exit_code == var.code + 7`, "The last records about it:",
		"could not be decided, which is neither a pass nor a fail:", `regex("x+y", job.myapp.name)`,
		"apply could not be done:", "cluster v128 could not be used: creating cluster v128: the kubelet does not start",
		"target.minor < 28")
}

func TestWhatComesOutAsExpectedPasses(t *testing.T) {
	r := goTest(t, "-test.run=^TestInnerGood$")
	want := map[string]string{
		"TestInnerGood": "PASS", "TestInnerGood/good": "PASS", "TestInnerGood/good/v129": "PASS", "TestInnerGood/good/v129/main_exits": "PASS",
	}
	if diff := cmp.Diff(want, r.outcomes); diff != "" {
		t.Errorf("outcomes (-want +got):\n%s", diff)
	}
	r.says(t, "v129")
}

func TestAStepThatFailsIsASubtest(t *testing.T) {
	r := goTest(t, "-test.run=^TestInnerAll$/^refused$")
	if got := r.outcomes["TestInnerAll/refused/v129/a_command_that_fails"]; got != "FAIL" {
		t.Errorf("outcome = %q", got)
	}
	r.says(t, "exec failed:", `pods "nobody" not found`)
}

func TestFlagsChooseWhatIsRun(t *testing.T) {
	tests := []struct {
		flags    []string
		made     []string
		reported []string
	}{
		{[]string{"-test.run=^TestInnerAll$/good"}, []string{"v129"}, []string{"good/v129/main_exits"}},
		{[]string{"-test.run=^TestInnerAll$/outcomes/v129/main"}, []string{"v129"}, []string{"outcomes/v129/main_exits", "outcomes/v129/main_fails"}},
		{[]string{"-test.run=^TestInnerAll$//v129/exits$"}, []string{"v129"}, []string{"good/v129/main_exits", "outcomes/v129/main_exits"}},
		{[]string{"-test.run=^TestInnerAll$/(good|outcomes)//exits", "-test.skip=TestInnerAll/outcomes/v128"}, []string{"v129"},
			[]string{"good/v129/main_exits", "outcomes/v129/main_exits"}},
		{[]string{"-test.run=^TestInnerAll$/nothing"}, nil, nil},
	}
	for _, test := range tests {
		t.Run(strings.Join(test.flags, " "), func(t *testing.T) {
			r := goTest(t, test.flags...)
			if diff := cmp.Diff(test.made, r.made()); diff != "" {
				t.Errorf("clusters that were made (-want +got):\n%s", diff)
			}
			if len(test.made) == 1 && strings.Contains(r.out, "resolving 1.28") {
				t.Error("a version was looked up for nothing")
			}
			var reported []string
			for name := range r.outcomes {
				if strings.Count(name, "/") == 3 {
					reported = append(reported, strings.TrimPrefix(name, "TestInnerAll/"))
				}
			}
			slices.Sort(reported)
			if diff := cmp.Diff(test.reported, reported); diff != "" {
				t.Errorf("reported (-want +got):\n%s", diff)
			}
		})
	}
}

func TestWhatIsWrongIsSaid(t *testing.T) {
	for test, texts := range map[string][]string{
		"TestInnerWrong":         {"the scenario is wrong:", "testdata/wrong/scenario.hcl", "cluster.v128", "^"},
		"TestInnerAbsent":        {"no file or folder testdata/none", "job-sidecar"},
		"TestInnerUnknownChoice": {"the selection is wrong:", "v130"},
		"TestInnerHost":          {"labtest.AllowHostExec allows", "testdata/host/scenario.hcl"},
	} {
		t.Run(test, func(t *testing.T) {
			r := goTest(t, "-test.run=^"+test+"$")
			if r.outcomes[test] != "FAIL" || r.made() != nil {
				t.Errorf("outcomes %v, made %v", r.outcomes, r.made())
			}
			r.says(t, texts...)
		})
	}
}

// TestADeadlineEndsARunInOrder gives a test less time than its scenario wants.
func TestADeadlineEndsARunInOrder(t *testing.T) {
	r := goTest(t, "-test.run=^TestInnerSlow$", "-test.timeout=6s")
	want := map[string]string{
		"TestInnerSlow": "FAIL", "TestInnerSlow/slow": "FAIL", "TestInnerSlow/slow/v129": "FAIL", "TestInnerSlow/slow/v129/what_never_comes": "FAIL",
	}
	if diff := cmp.Diff(want, r.outcomes); diff != "" {
		t.Errorf("outcomes (-want +got):\n%s", diff)
	}
	r.says(t, "could not be decided, which is neither a pass nor a fail:", "deadline", "destroyed")
	if strings.Contains(r.out, "panic: test timed out") {
		t.Error("the test's binary ended the test")
	}
}

func TestWhatFailedIsKept(t *testing.T) {
	dir := t.TempDir()
	if err := os.CopyFS(filepath.Join(dir, "outcomes"), os.DirFS(filepath.Join("testdata", "outcomes"))); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "runs"), 0o700); err != nil {
		t.Fatal(err)
	}
	r := goTestIn(t, dir, "-test.run=^TestInnerKept$")
	r.says(t, "kept as asked: look at it with: kubectl --kubeconfig")
	for _, pattern := range []string{"kubeconfig/v129.yaml", "run.json", "junit.xml"} {
		if found, err := filepath.Glob(filepath.Join(dir, "runs", ".lab", "runs", "*", pattern)); err != nil || len(found) != 1 {
			t.Errorf("%s: %v, %v", pattern, found, err)
		}
	}
}

func TestPatternsAreReadAsPackageTestingDoes(t *testing.T) {
	tests := []struct {
		run, skip string
		below     []string
		want      bool
	}{
		{"", "", []string{"native", "v129"}, true},
		{"TestX", "", []string{"native", "v129"}, true},
		{"TestY", "", []string{"native", "v129"}, false},
		{"TestX/nat", "", []string{"native", "v129"}, true},
		{"TestX/native/v128", "", []string{"native", "v129"}, false},
		{"TestX/native/v129/the Job completes", "", []string{"native", "v129"}, true},
		{"TestY|TestX/classic", "", []string{"classic", "v129"}, true},
		{"TestX/(classic|native)/v129", "", []string{"native", "v129"}, true},
		{"TestX/a b", "", []string{"a b", "v129"}, true},
		{"TestX/[/]", "", []string{"native", "v129"}, false},
		{`TestX/native\[grace=5\]`, "", []string{"native[grace=5]", "v129"}, true},
		{"", "TestX/native", []string{"native", "v129"}, false},
		{"", "TestX/native/v129/the Job", []string{"native", "v129"}, true},
		{"", "TestX/native/v128", []string{"native", "v129"}, true},
	}
	for _, test := range tests {
		if got := labtest.Wants(test.run, test.skip, "TestX", test.below...); got != test.want {
			t.Errorf("-run %q -skip %q wants %v: %t", test.run, test.skip, test.below, got)
		}
	}
}
