//go:build e2e

package engine

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kind-lab/lab/clusters"
)

// These tests need root, a docker that answers, dockerd, and util-linux.

// buildHidden builds the program that is runtime and probe, static.
func buildHidden(t *testing.T) string {
	t.Helper()
	out := filepath.Join(t.TempDir(), "lab")
	cmd := exec.Command("go", "build", "-o", out, "./testdata/hidden")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if said, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	return out
}

func realWithout(t *testing.T, program string) ground {
	g := realGround(nil)
	g.executable = func() (string, error) { return program, nil }
	return g
}

func TestRealHost(t *testing.T) {
	began := time.Now()
	_, host, err := DetectHost(context.Background(), os.Getenv)
	if err != nil || host.CPUs == 0 || host.Memory == 0 || host.Cgroup == 0 {
		t.Errorf("%+v, %v", host, err)
	}
	if passed := time.Since(began); passed > time.Second {
		t.Errorf("took %v; want less than a second", passed)
	}
}

func TestRealExamine(t *testing.T) {
	report, err := examine(context.Background(), Options{}, realWithout(t, buildHidden(t)))
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{FindingEngine, FindingPrivileged, FindingExec} {
		if f, ok := report.Finding(id); !ok || f.Status != StatusOK {
			t.Errorf("%+v", f)
		}
	}
	assertNoProbes(t, clusters.Engine{Name: "docker"})
}

func assertNoProbes(t *testing.T, e clusters.Engine) {
	t.Helper()
	for _, args := range [][]string{
		{"ps", "--all", "--quiet", "--filter", "label=" + probeLabel},
		{"images", "--quiet", "lab.local/probe"},
	} {
		out, err := e.Output(context.Background(), args...)
		if err != nil || len(out) != 0 {
			t.Errorf("%v: left behind %s (%v)", args, out, err)
		}
	}
}

// secondDockerd is a place for a dockerd beside the host's own, which cannot
// have CAP_SYS_RESOURCE. It has a network namespace of its own: two dockerds
// in one take each other's bridge away.
func secondDockerd(t *testing.T) ground {
	t.Helper()
	// Its own folder: a socket's path is short.
	root, err := os.MkdirTemp("/tmp", "lab-e2e-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		// A dockerd that fails early leaves its folder mounted on itself.
		if err := syscall.Unmount(root+"/data", syscall.MNT_DETACH); err != nil && !errors.Is(err, syscall.EINVAL) && !errors.Is(err, os.ErrNotExist) {
			t.Error(err)
		}
		if err := os.RemoveAll(root); err != nil {
			t.Error(err)
		}
	})
	real := findProgram("dockerd", "/usr/sbin/dockerd")
	if real == "" {
		t.Fatal("no dockerd")
	}
	write(t, root+"/bin/dockerd", "#!/bin/sh\nexec unshare --net setpriv --bounding-set -sys_resource "+real+" \"$@\"\n")
	t.Setenv("PATH", root+"/bin:"+os.Getenv("PATH"))
	t.Setenv("DOCKER_HOST", "unix://"+root+daemonSocket)
	g := realWithout(t, buildHidden(t))
	g.root = root
	g.dockerdArgs = []string{
		"--host", "unix://" + root + daemonSocket, "--pidfile", root + daemonPID, "--config-file", root + daemonConfig,
		"--data-root", root + "/data", "--exec-root", root + "/exec",
	}
	write(t, root+daemonConfig, `{"log-level":"info"}`)
	for _, dir := range []string{daemonSocket, daemonLog} {
		if _, err := folderOf(root + dir); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() { endDockerd(t, g) })
	return g
}

func endDockerd(t *testing.T, g ground) {
	pid := g.dockerdPID()
	if pid == 0 {
		return
	}
	if err := syscall.Kill(pid, syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	deadline := time.NewTimer(30 * time.Second)
	ticker := time.NewTicker(50 * time.Millisecond)
	defer ticker.Stop()
	for g.comm(pid) == "dockerd" {
		select {
		case <-ticker.C:
		case <-deadline.C:
			t.Fatal("dockerd does not end")
		}
	}
}

func TestRealUp(t *testing.T) {
	g := secondDockerd(t)
	ctx, docker := context.Background(), clusters.Engine{Name: "docker"}
	tell := func(s string) { t.Log(s) }

	w := work{ground: g, tell: tell, engine: docker}
	if err := w.start(ctx); err != nil {
		t.Fatal(err)
	}
	host, err := hostOf(ctx, docker, g)
	if err != nil || !host.Lacks("CAP_SYS_RESOURCE") {
		t.Fatalf("%+v, %v: CAP_SYS_RESOURCE was taken away from it", host, err)
	}
	p, err := planUp(ctx, UpOptions{}, g)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"runtime", "config", "reload"}, kinds(p)); diff != "" {
		t.Fatalf("%s: %+v", diff, p.Findings)
	}
	if f := p.Findings[0]; f.Status != StatusFail || !strings.Contains(f.Cause, "lacks a capability") {
		t.Errorf("before, a privileged container is to fail for the capability: %+v", f)
	}
	pid := g.dockerdPID()
	report, err := up(ctx, UpOptions{Progress: tell}, p, g)
	if err != nil {
		t.Fatal(err)
	}
	if report.Status == StatusFail || g.dockerdPID() != pid {
		t.Errorf("dockerd was %d and is %d: %+v", pid, g.dockerdPID(), report)
	}
	p, err = planUp(ctx, UpOptions{}, g)
	if err != nil || len(p.Changes) != 0 {
		t.Errorf("a second time it would %v (%v)", kinds(p), err)
	}
	var settings map[string]any
	if err := json.Unmarshal([]byte(read(t, g.path(daemonConfig))), &settings); err != nil || settings["log-level"] != "info" {
		t.Errorf("the user's settings: %v, %v", settings, err)
	}
	assertNoProbes(t, docker)
	restart(t, g, docker)
}

// restart ends dockerd, and lets Up find that it has only to be started.
func restart(t *testing.T, g ground, docker clusters.Engine) {
	t.Helper()
	endDockerd(t, g)
	if err := os.Remove(g.path(runtimePath)); err != nil {
		t.Fatal(err)
	}
	p, err := planUp(context.Background(), UpOptions{}, g)
	if err != nil || !slices.Equal(kinds(p), []string{"runtime", "start"}) {
		t.Fatalf("%v, %v", kinds(p), err)
	}
	began := time.Now()
	if _, err := up(context.Background(), UpOptions{}, p, g); err != nil {
		t.Fatal(err)
	}
	t.Logf("started and tried in %v", time.Since(began))
	assertNoProbes(t, docker)
}

func TestRealUpFailure(t *testing.T) {
	g := secondDockerd(t)
	write(t, g.path(daemonConfig), `{"storage-driver":"of-tomorrow"}`)
	p, err := planUp(context.Background(), UpOptions{}, g)
	if err != nil {
		t.Fatal(err)
	}
	_, err = up(context.Background(), UpOptions{}, p, g)
	if err == nil || !strings.Contains(err.Error(), "dockerd ended before it answered") || !strings.Contains(err.Error(), "of-tomorrow") {
		t.Errorf("got %v", err)
	}
}
