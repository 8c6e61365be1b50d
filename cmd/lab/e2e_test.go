//go:build e2e

package main

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestJobSidecarOnRealClusters runs the lab as a user does, on four clusters
// of three Kubernetes versions, and holds what each version does to what is
// known of it.
func TestJobSidecarOnRealClusters(t *testing.T) {
	dir := t.TempDir()
	if _, code := labIn(t, dir, "run", "--no-logs", "--cluster", "v127,v128,v128_on,v129", "job-sidecar"); code != exitPass {
		t.Errorf("exit code %d, want %d", code, exitPass)
	}
	r := theReport(t, dir)
	got := map[string]string{}
	for _, run := range r.Runs {
		for _, s := range run.Steps {
			if s.Verdict != nil && (s.Name == "the Job completes" || s.Name == "the Job does not complete" ||
				s.Name == "the sidecar is killed after the grace period") {
				found := s.Verdict.Got
				if s.Status.String() == "skip" {
					found = "skip"
				}
				got[run.Cluster+": "+s.Name] = found
			}
		}
		for _, pod := range run.Pods {
			if run.Scenario == "classic" {
				got[run.Cluster+": STATUS"] = strings.Join(pod.Statuses, " ")
			}
		}
	}
	want := map[string]string{}
	for cluster, completes := range map[string]string{"v127": "false", "v128": "false", "v128_on": "true", "v129": "true"} {
		want[cluster+": the Job completes"] = completes
		want[cluster+": the Job does not complete"] = "true"
		want[cluster+": STATUS"] = "Pending ContainerCreating Running NotReady"
		want[cluster+": the sidecar is killed after the grace period"] = "true"
		if completes == "false" {
			want[cluster+": the sidecar is killed after the grace period"] = "skip"
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("what the versions do differs (-want +got):\n%s", diff)
	}
}

// TestTheLanguageOnARealCluster runs a scenario with what the language has
// beside the steps: a matrix, for_each, dynamic blocks, objects of any kind, events,
// charts and kustomizations.
func TestTheLanguageOnARealCluster(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	text, code := labIn(t, dir, "run", "--no-logs", inTestdata(t, "language"))
	if code != exitPass {
		t.Errorf("exit code %d, want %d", code, exitPass)
	}
	if strings.Contains(text, "hunter2") || strings.Contains(text, "aHVudGVyMg") {
		t.Error("the Secret is shown")
	}
	r := theReport(t, dir)
	if len(r.Runs) != 3 {
		t.Errorf("%d runs, want one for each of 2 rows, and one of what is rendered", len(r.Runs))
	}
	for _, run := range r.Runs {
		for _, pod := range run.Pods {
			for _, c := range pod.Containers {
				if c.Source != "runtime" {
					t.Errorf("%s: %s/%s: its times are from %q, not from the runtime", run.Scenario, pod.Name, c.Name, c.Source)
				}
			}
		}
	}
}
