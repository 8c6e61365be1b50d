package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestOrderByNeed(t *testing.T) {
	now := time.Date(2026, 1, 20, 12, 0, 0, 0, time.UTC)
	judged := map[string]judgement{
		"old":        {At: now.Add(-9 * 24 * time.Hour), Result: "pass"},
		"new":        {At: now.Add(-90 * time.Minute), Result: "pass"},
		"failed":     {At: now.Add(-5 * time.Hour), Result: "fail"},
		"broke":      {At: now.Add(-72 * time.Hour), Result: "error"},
		"changed":    {At: now.Add(-time.Minute), Commit: "c1", Result: "pass"},
		"unchanged":  {At: now.Add(-3 * time.Hour), Commit: "c2", Result: "pass"},
		"is no more": {At: now, Result: "pass"},
	}
	var jobs []job
	for _, name := range []string{"new", "never", "failed", "unchanged", "old", "changed", "broke", "never too", "added"} {
		jobs = append(jobs, job{name: name})
	}
	touched := func(lab, commit string) (string, error) {
		switch {
		case lab == "changed" && commit == "c1", lab == "added" && commit == "":
			return "changed since " + commit, nil
		}
		return "", nil
	}
	if err := byNeed(jobs, judged, touched, now); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, j := range jobs {
		got = append(got, j.name+": "+strings.TrimSpace(j.why))
	}
	want := []string{
		"added: changed since", "changed: changed since c1",
		"broke: error 3 days ago", "failed: fail 5 hours ago",
		"never: never judged", "never too: never judged",
		"old: last judged 9 days ago", "unchanged: last judged 3 hours ago", "new: last judged 90 minutes ago",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// repository is a git repository with a catalog of two labs.
type repository struct {
	t   *testing.T
	dir string
}

func newRepository(t *testing.T) repository {
	r := repository{t, t.TempDir()}
	r.git("init", "--quiet", "--initial-branch=main")
	r.write("labs/catalog/a/scenario.hcl", "one")
	r.write("labs/catalog/b/scenario.hcl", "one")
	r.commit()
	return r
}

func (r repository) git(args ...string) string {
	r.t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "user.name=t", "-c", "user.email=t@example.com"}, args...)...)
	cmd.Dir = r.dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		r.t.Fatalf("git %v: %v: %s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func (r repository) write(name, text string) {
	r.t.Helper()
	path := filepath.Join(r.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		r.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		r.t.Fatal(err)
	}
}

func (r repository) commit() string {
	r.t.Helper()
	r.git("add", "--all")
	r.git("commit", "--quiet", "--message", "change")
	return r.git("rev-parse", "HEAD")
}

// touched are the labs that a change touches, by the commits at which they were
// last judged.
func (r repository) touched(judged map[string]string) []string {
	r.t.Helper()
	c := findChanges(filepath.Join(r.dir, "labs", "catalog"))
	var found []string
	for _, lab := range []string{"a", "b"} {
		why, err := c.touched(lab, judged[lab])
		if err != nil {
			r.t.Fatal(err)
		}
		if why != "" {
			found = append(found, lab)
		}
	}
	return found
}

func TestChangesThatTouchALab(t *testing.T) {
	for _, tt := range []struct {
		name string
		// change works on a repository of one commit, which it is given, and
		// returns the commits at which the labs were last judged.
		change func(r repository, first string) map[string]string
		want   []string
	}{
		{"the first commit of all", func(repository, string) map[string]string { return nil }, nil},
		{"the last commit", func(r repository, _ string) map[string]string {
			r.write("labs/catalog/a/scenario.hcl", "two")
			r.commit()
			return nil
		}, []string{"a"}},
		{"a branch of several commits", func(r repository, first string) map[string]string {
			r.git("update-ref", "refs/remotes/origin/main", first)
			r.write("labs/catalog/a/scenario.hcl", "two")
			r.commit()
			r.write("README.md", "two")
			r.commit()
			return nil
		}, []string{"a"}},
		{"since the lab was last judged", func(r repository, first string) map[string]string {
			r.write("labs/catalog/a/pod.yaml", "two")
			second := r.commit()
			r.write("labs/catalog/b/pod.yaml", "two")
			r.commit()
			return map[string]string{"a": second, "b": first}
		}, []string{"b"}},
		{"a change that was left out the last time", func(r repository, first string) map[string]string {
			r.write("labs/catalog/a/scenario.hcl", "two")
			r.commit()
			r.write("README.md", "two")
			return map[string]string{"a": first, "b": r.commit()}
		}, []string{"a"}},
		{"what is not committed", func(r repository, first string) map[string]string {
			r.write("labs/catalog/a/scenario.hcl", "two")
			r.write("labs/catalog/b/new.yaml", "new")
			return map[string]string{"a": first, "b": first}
		}, []string{"a", "b"}},
		{"files that are not judged", func(r repository, _ string) map[string]string {
			r.write("labs/catalog/a/README.md", "two")
			r.write("labs/catalog/a/recordings/x.lab.tgz", "two")
			r.write("labs/catalog/catalog.go", "two")
			r.commit()
			return nil
		}, nil},
		{"a commit that is not there", func(r repository, _ string) map[string]string {
			r.write("labs/catalog/b/scenario.hcl", "two")
			r.commit()
			return map[string]string{"b": strings.Repeat("0123", 10)}
		}, []string{"b"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := newRepository(t)
			judged := tt.change(r, r.git("rev-parse", "HEAD"))
			if got := r.touched(judged); !slices.Equal(got, tt.want) {
				t.Errorf("touched are %v, want %v", got, tt.want)
			}
		})
	}
}

func TestChangesInAShallowClone(t *testing.T) {
	r := newRepository(t)
	first := r.git("rev-parse", "HEAD")
	r.write("labs/catalog/a/scenario.hcl", "two")
	second := r.commit()
	clone := repository{t, filepath.Join(t.TempDir(), "clone")}
	r.git("clone", "--quiet", "--depth", "1", "file://"+r.dir, clone.dir)
	if got := clone.touched(map[string]string{"a": first}); len(got) > 0 {
		t.Errorf("touched are %v though no earlier commit is there", got)
	}
	clone.write("labs/catalog/b/scenario.hcl", "three")
	clone.commit()
	if got := clone.touched(map[string]string{"a": second, "b": second}); !slices.Equal(got, []string{"b"}) {
		t.Errorf("touched are %v, want b", got)
	}
}

func TestNoRepository(t *testing.T) {
	c := findChanges(t.TempDir())
	if why, err := c.touched("a", "abc"); c.head() != "" || why != "" || err != nil {
		t.Errorf("head %q, touched %q, %v", c.head(), why, err)
	}
}

func TestJudgementsAreKept(t *testing.T) {
	file := filepath.Join(t.TempDir(), "lab", "judged.json")
	read := func() map[string]string {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var judged map[string]judgement
		if err := json.Unmarshal(text, &judged); err != nil {
			t.Fatalf("%v: %s", err, text)
		}
		results := map[string]string{}
		for lab, j := range judged {
			if results[lab] = j.Result; time.Since(j.At) > time.Minute {
				t.Errorf("%s was judged at %s", lab, j.At)
			}
		}
		return results
	}
	for _, step := range []struct {
		how    string
		args   []string
		before []byte
		order  string // what is printed of the order
		want   map[string]string
	}{
		{"pass", []string{"job-sidecar"}, nil, "  1. job-sidecar: never judged", map[string]string{"job-sidecar": "pass"}},
		{"fail", []string{"job-sidecar", "gates"}, nil, "  1. gates: never judged\n  2. job-sidecar: last judged 0 minutes ago", map[string]string{"job-sidecar": "fail", "gates": "fail"}},
		{"none", []string{"gates"}, nil, "  1. gates: fail 0 minutes ago", map[string]string{"job-sidecar": "fail", "gates": "error"}},
		{"pass", []string{"gates"}, []byte("{torn"), "  1. gates: never judged", map[string]string{"gates": "pass"}},
	} {
		if step.before != nil {
			if err := os.WriteFile(file, step.before, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		_, stdout, stderr := invoke(t, step.how, append([]string{"-catalog", t.TempDir(), "-order", "need", "-judged", file, "run"}, step.args...)...)
		if !strings.Contains(stdout, step.order) {
			t.Errorf("no %q in:\n%s%s", step.order, stdout, stderr)
		}
		if diff := cmp.Diff(step.want, read()); diff != "" {
			t.Errorf("judged (-want +got):\n%s", diff)
		}
	}
}

func TestALabWhoseImageIsMissingIsLeftOut(t *testing.T) {
	code, stdout, stderr := invoke(t, "pass", "-needs", "gates=kruise/manager:1.7, job-sidecar=istio/proxyv2:1.28", "-needs", "gates=kruise/daemon:1.7", "run", "job-sidecar", "gates")
	if runs := strings.Count(stderr, "lab run "); code != exitPass || runs != 1 {
		t.Errorf("code %d after %d runs:\n%s", code, runs, stderr)
	}
	for _, want := range []string{"job-sidecar  pass ", "gates        left out ", "not there: kruise/manager:1.7, kruise/daemon:1.7", "1 of 1 labs as expected. Left out, not judged: gates."} {
		if !strings.Contains(stdout, want) {
			t.Errorf("standard output has no %q:\n%s", want, stdout)
		}
	}
}
