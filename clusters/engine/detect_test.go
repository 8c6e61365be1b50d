package engine

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kind-lab/lab/clusters"
)

func env(pairs ...string) func(string) string {
	return func(name string) string {
		for i := 0; i+1 < len(pairs); i += 2 {
			if pairs[i] == name {
				return pairs[i+1]
			}
		}
		return ""
	}
}

func TestDetect(t *testing.T) {
	const says = "the client is there, the engine does not answer: " + silence
	for name, c := range map[string]struct {
		programs []string
		up       bool
		fail     map[string]string
		env      func(string) string
		want     clusters.Engine
		err      error
		text     string
	}{
		"docker first": {programs: []string{"docker", "podman", "nerdctl"}, up: true, want: clusters.Engine{Name: "docker"}},
		"a client without an engine": {programs: []string{"docker"}, err: ErrNoEngine,
			text: "no container engine answers: docker: " + says + "; nerdctl: no client on the PATH; finch: no client on the PATH; podman: no client on the PATH; run `lab engine up`"},
		"nothing at all": {err: ErrNoEngine, text: "docker: no client on the PATH; nerdctl"},
		"past a client that does not answer": {programs: []string{"docker", "podman"}, up: true, fail: map[string]string{"docker": silence},
			want: clusters.Engine{Name: "podman"}},
		"finch is nerdctl": {programs: []string{"finch"}, up: true, want: clusters.Engine{Name: "nerdctl", Path: "finch"}},
		"asked for":        {programs: []string{"docker", "podman"}, up: true, env: env(EnvEngine, "podman"), want: clusters.Engine{Name: "podman"}},
		"asked for in kind's way": {programs: []string{"docker", "podman"}, up: true, env: env(EnvKind, "podman"),
			want: clusters.Engine{Name: "podman"}},
		"asked for in both ways": {programs: []string{"docker", "podman"}, up: true, env: env(EnvKind, "podman", EnvEngine, "docker"),
			want: clusters.Engine{Name: "docker"}},
		"asked for, and not there": {programs: []string{"docker"}, up: true, env: env(EnvEngine, "podman"), err: ErrNoEngine,
			text: "no container engine answers (asked for by LAB_ENGINE=podman): podman: no client on the PATH; run"},
		"an engine that is none": {programs: []string{"docker"}, up: true, env: env(EnvKind, "lxc"), err: ErrUnknownEngine,
			text: `unknown container engine: KIND_EXPERIMENTAL_PROVIDER is "lxc"; kind has docker, podman`},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, fakeSettings{Fail: c.fail}, c.programs...)
			if c.up {
				w.up(t, "runc")
			}
			if c.env == nil {
				c.env = env()
			}
			got, err := Detect(context.Background(), c.env)
			if !errors.Is(err, c.err) || got != c.want {
				t.Fatalf("got %v, %v; want %v, %v", got, err, c.want, c.err)
			}
			if err != nil && !strings.Contains(err.Error(), c.text) {
				t.Errorf("said %q\nwant %q", err, c.text)
			}
		})
	}
}

func TestDetectImitation(t *testing.T) {
	w := newWorld(t, fakeSettings{}, "docker", "podman")
	w.up(t, "runc")
	write(t, w.path("docker-info.json"), read(t, "testdata/podman-info.json"))
	got, err := Detect(context.Background(), env())
	if err != nil || got.Name != "podman" {
		t.Errorf("got %v, %v: podman's docker is not docker", got, err)
	}
}

func TestDetectCancelled(t *testing.T) {
	newWorld(t, fakeSettings{}, "docker").up(t, "runc")
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Detect(ctx, env()); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestHost(t *testing.T) {
	w := newWorld(t, fakeSettings{}, "docker", "podman")
	w.up(t, "runc")
	elsewhere := w.ground()
	elsewhere.hostname = func() (string, error) { return "laptop", nil }
	dockerd := w.ground()
	dockerd.comm = func(pid int) string { return map[int]string{41: "dockerd"}[pid] }
	write(t, w.path("proc/41/status"), "CapBnd:\t000001ffffffffff\n")
	for name, c := range map[string]struct {
		engine string
		ground ground
		pid    int
		want   clusters.Host
	}{
		"here":                    {engine: "docker", ground: w.ground(), want: clusters.Host{Local: true, Cgroup: 1, CPUs: 2, Memory: 25276502016, MissingCapabilities: []string{"CAP_SYS_RESOURCE"}}},
		"elsewhere":               {engine: "docker", ground: elsewhere, want: clusters.Host{Cgroup: 1, CPUs: 2, Memory: 25276502016}},
		"podman":                  {engine: "podman", ground: w.ground(), want: clusters.Host{Cgroup: 2, CPUs: 8, Memory: 16777216000}},
		"dockerd has more":        {engine: "docker", ground: dockerd, pid: 41, want: clusters.Host{Local: true, Cgroup: 1, CPUs: 2, Memory: 25276502016}},
		"a pid of something else": {engine: "docker", ground: dockerd, pid: 42, want: clusters.Host{Local: true, Cgroup: 1, CPUs: 2, Memory: 25276502016, MissingCapabilities: []string{"CAP_SYS_RESOURCE"}}},
	} {
		t.Run(name, func(t *testing.T) {
			write(t, w.path("root", daemonPID), pidText(c.pid))
			began := time.Now()
			got, err := hostOf(context.Background(), clusters.Engine{Name: c.engine}, c.ground)
			if err != nil || time.Since(began) > 5*time.Second {
				t.Fatalf("%v after %v", err, time.Since(began))
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// hostOf asks the engine about its machine, which the test's ground plays.
func hostOf(ctx context.Context, e clusters.Engine, g ground) (clusters.Host, error) {
	facts, err := ask(ctx, e)
	if err != nil {
		return clusters.Host{}, err
	}
	return hostFrom(facts, g)
}

func TestHostOfNothing(t *testing.T) {
	newWorld(t, fakeSettings{}, "docker")
	_, _, err := DetectHost(context.Background(), env())
	if err == nil || !strings.Contains(err.Error(), "docker: the client is there") {
		t.Errorf("got %v", err)
	}
}

func TestParseInfo(t *testing.T) {
	for name, c := range map[string]struct{ engine, text, want string }{
		"not JSON":                     {"docker", "Server:", "reading what the engine says of itself"},
		"errors in place of an answer": {"docker", `{"ServerErrors":["Cannot connect","\u001b[31mred"]}`, "does not answer: Cannot connect [31mred"},
		"no version":                   {"nerdctl", `{}`, "names no server version"},
		"podman without a version":     {"podman", `{}`, "names no version"},
		"podman, not JSON":             {"podman", `host:`, "reading what the engine says of itself"},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := parseInfo(c.engine, []byte(c.text)); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v; want %q", err, c.want)
			}
		})
	}
	rootless, err := parseInfo("docker", []byte(`{"ServerVersion":"27","CgroupVersion":"2","Architecture":"aarch64","SecurityOptions":["name=seccomp,profile=builtin","name=rootless"]}`))
	if err != nil || !rootless.rootless || rootless.cgroup != 2 || rootless.arch != "arm64" {
		t.Errorf("%+v, %v", rootless, err)
	}
}

func FuzzParseInfo(f *testing.F) {
	f.Add("docker", []byte(`{"ServerVersion":"27","NCPU":2}`))
	f.Add("podman", []byte(`{"host":{"cpus":1},"version":{"Version":"5"}}`))
	f.Fuzz(func(t *testing.T, engine string, text []byte) {
		facts, err := parseInfo(engine, text)
		if err == nil && (facts.version == "" || facts.cgroup < 1 || facts.cgroup > 2) {
			t.Errorf("no error, and %+v", facts)
		}
	})
}
