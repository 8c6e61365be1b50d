package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/kind-lab/lab/labs/expect"
	"github.com/kind-lab/lab/labs/journal"
	"github.com/kind-lab/lab/labs/replay"
	"github.com/kind-lab/lab/labs/report"
)

// asLab makes the test's binary the program lab, which ends as it says: pass,
// fail, none, or flaky, which fails the first time; slow passes after the last
// moment, and fails late fails then; hangs ends when it is asked to, stuck never.
const asLab = "BATCH_TEST_AS_LAB"

func TestMain(m *testing.M) {
	if how := os.Getenv(asLab); how != "" {
		os.Exit(fakeLab(how, os.Args[1:]))
	}
	os.Exit(m.Run())
}

// fakeLab is lab: run leaves a run's folder and prints its report.
func fakeLab(how string, args []string) int {
	if args[0] == "report" {
		fmt.Println("the report of", args[1])
		return 0
	}
	fmt.Fprintln(os.Stderr, "lab", strings.Join(args, " "))
	if args[0] == "image" {
		fmt.Println(`{"images": [{"ref": "istio/proxyv2:1.28", "role": "pod"}]}`)
		return 0
	}
	interrupted := false
	switch how {
	case "none":
		return exitUsage
	case "slow", "fails late":
		time.Sleep(time.Until(lastMoment()) + 50*time.Millisecond)
	case "hangs":
		asked := make(chan os.Signal, 1)
		signal.Notify(asked, syscall.SIGTERM)
		<-asked
		interrupted = true
	case "stuck":
		signal.Ignore(syscall.SIGTERM)
		time.Sleep(time.Hour)
	}
	status := expect.Pass
	folder := os.Getenv("BATCH_TEST_RUN")
	_, err := os.Stat(folder)
	if how == "fail" || how == "fails late" || how == "flaky" && err != nil {
		status = expect.Fail
	}
	for err == nil {
		folder += "-again"
		_, err = os.Stat(folder)
	}
	r := report.Report{Version: report.ModelVersion, ID: "20260102-030405-abcdef", Folder: folder, Status: status, Interrupted: interrupted,
		Clusters: []report.Cluster{{Name: "v127", Kubernetes: "1.27", Status: expect.Pass}},
		Skipped:  []report.SkippedCluster{{Name: "v136", Kubernetes: "1.36", Reason: "there is no image"}},
		Runs: []report.ScenarioRun{{Scenario: "classic", Cluster: "v127", Status: status,
			Steps: []report.Step{{Name: "it ends", Verb: "expect", Status: status}}}}}
	if err := leave(r); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return exitUsage
	}
	data, err := json.Marshal(r)
	if err != nil {
		return exitUsage
	}
	fmt.Println(string(data))
	return report.ExitCode(r)
}

func leave(r report.Report) error {
	log, err := journal.Create(filepath.Dir(r.Folder), filepath.Base(r.Folder))
	if err != nil {
		return err
	}
	if err := log.Head(time.Now(), journal.Head{ID: r.ID, File: os.Getenv("BATCH_TEST_FILE")}); err != nil {
		return err
	}
	if err := log.Close(); err != nil {
		return err
	}
	return report.Save(r.Folder, r)
}

// invoke runs batch on the catalog's folder of the test.
func invoke(t *testing.T, how string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	t.Setenv(asLab, how)
	t.Setenv("BATCH_TEST_RUN", filepath.Join(t.TempDir(), "20260102-030405-abcdef"))
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var out, errs bytes.Buffer
	code = run(append([]string{"-lab", program}, args...), &out, &errs)
	return code, out.String(), errs.String()
}

func TestRun(t *testing.T) {
	summary := filepath.Join(t.TempDir(), "summary.json")
	code, stdout, stderr := invoke(t, "pass", "-o", summary, "-skip-unavailable", "-concurrency", "2", "-cluster", "v127,v136", "run", "job-sidecar")
	if code != exitPass {
		t.Errorf("code = %d, want %d: %s", code, exitPass, stderr)
	}
	want := "lab run --json --no-logs --cluster v127,v136 --concurrency 2 --skip-unavailable " + filepath.Join("labs", "catalog", "job-sidecar")
	if !strings.Contains(stderr, want) {
		t.Errorf("standard error has no %q:\n%s", want, stderr)
	}
	for _, want := range []string{"the report of ", "job-sidecar  pass ", "1 left out", "job-sidecar: v136 (1.36) was left out: there is no image", "1 of 1 labs as expected."} {
		if !strings.Contains(stdout, want) {
			t.Errorf("standard output has no %q:\n%s", want, stdout)
		}
	}
	data, err := os.ReadFile(summary)
	var results []result
	if err != nil || json.Unmarshal(data, &results) != nil || len(results) != 1 || results[0].Elapsed <= 0 || results[0].Expectations.Pass != 1 {
		t.Errorf("the summary is %s, %v", data, err)
	}
}

func TestALabThatFailsIsAFailure(t *testing.T) {
	for how, want := range map[string]string{"fail": "job-sidecar  fail ", "none": "there was no run, exit code 2"} {
		code, stdout, _ := invoke(t, how, "run", "job-sidecar")
		if code != exitFail || !strings.Contains(stdout, want) || !strings.Contains(stdout, "0 of 1 labs as expected.") {
			t.Errorf("%s: code %d, want %d and %q:\n%s", how, code, exitFail, want, stdout)
		}
	}
}

func TestALabIsRunOnceMore(t *testing.T) {
	for _, tt := range []struct {
		how   string
		code  int
		count int
		want  string
	}{
		{"pass", exitPass, 1, "1 of 1 labs as expected."},
		{"flaky", exitPass, 2, "1 of 1 labs as expected, 1 of them only when run once more."},
		{"fail", exitFail, 2, "0 of 1 labs as expected."},
	} {
		code, stdout, stderr := invoke(t, tt.how, "-again", "run", "job-sidecar")
		if count := strings.Count(stderr, "lab run "); code != tt.code || count != tt.count || !strings.Contains(stdout, tt.want) {
			t.Errorf("%s: code %d after %d runs; want %d, %d, %q:\n%s", tt.how, code, count, tt.code, tt.count, tt.want, stdout)
		}
		if noted := strings.Contains(stdout, "run once more, at first: fail, 2026"); noted != (tt.count == 2) {
			t.Errorf("%s: its first result is noted: %t:\n%s", tt.how, noted, stdout)
		}
	}
}

func TestMistakes(t *testing.T) {
	for _, tt := range []struct {
		args []string
		want string
	}{
		{nil, "want run, record or matrix"},
		{[]string{"walk"}, `"walk" is none of`},
		{[]string{"-order", "size", "run"}, "-order size is neither given nor need"},
		{[]string{"-needs", "istio", "run"}, `"istio" is not of the form LAB=IMAGE`},
		{[]string{"-until", "noon", "run"}, `invalid value "noon" for flag -until`},
		{[]string{"run", "nothing"}, "the catalog has "},
		{[]string{"-cluster", "v999", "run"}, `none of the labs has a scenario on a cluster "v999"`},
	} {
		code, _, stderr := invoke(t, "pass", tt.args...)
		if code != exitUsage || !strings.Contains(stderr, tt.want) {
			t.Errorf("%v: code %d, %q; want %d, %q", tt.args, code, stderr, exitUsage, tt.want)
		}
	}
}

func TestRecord(t *testing.T) {
	root := t.TempDir()
	dir := filepath.Join(root, "job-sidecar", "recordings")
	names := func() []string {
		entries, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, e := range entries {
			names = append(names, e.Name())
		}
		return names
	}
	record := func(how, file string) (int, string) {
		t.Setenv("BATCH_TEST_FILE", file)
		code, stdout, _ := invoke(t, how, "-catalog", root, "record", "job-sidecar")
		return code, stdout
	}
	if code, stdout := record("pass", "labs/catalog/job-sidecar"); code != exitPass || !strings.Contains(stdout, replay.ArchiveSuffix+", 1 KiB") {
		t.Errorf("code %d, want %d and the archive with its size:\n%s", code, exitPass, stdout)
	}
	want := []string{"20260102-030405-abcdef" + replay.ArchiveSuffix}
	if got := names(); !slices.Equal(got, want) {
		t.Fatalf("recorded %v, want %v", got, want)
	}
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	if code, stdout := record("pass", filepath.Join(here, "scenario.hcl")); code != exitFail || !strings.Contains(stdout, "of this machine") {
		t.Errorf("with a path of this machine: code %d, want %d:\n%s", code, exitFail, stdout)
	}
	if code, _ := record("fail", "labs/catalog/job-sidecar"); code != exitFail {
		t.Errorf("of what failed: code %d, want %d", code, exitFail)
	}
	if got := names(); !slices.Equal(got, want) {
		t.Errorf("what was not to be kept left %v, want %v", got, want)
	}
	former := filepath.Join("..", "..", "job-sidecar", "recordings")
	real, err := filepath.Glob(filepath.Join(former, "*"+replay.ArchiveSuffix))
	if err != nil || len(real) != 1 {
		t.Fatal(real, err)
	}
	data, err := os.ReadFile(real[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, want[0]), data, 0o644); err != nil {
		t.Fatal(err)
	}
	if code, stdout := record("pass", "labs/catalog/job-sidecar"); code != exitFail || !strings.Contains(stdout, "the former recording also has") {
		t.Errorf("of less than there was: code %d, want %d:\n%s", code, exitFail, stdout)
	}
}

func TestTheRecordingsAreSmall(t *testing.T) {
	archives, err := filepath.Glob(filepath.Join("..", "..", "*", "recordings", "*"+replay.ArchiveSuffix))
	if err != nil || len(archives) == 0 {
		t.Fatal(archives, err)
	}
	for _, name := range archives {
		if info, err := os.Stat(name); err != nil || info.Size() > maxArchive {
			t.Errorf("%s is longer than %d KiB; %v", name, maxArchive>>10, err)
		}
	}
}
