package engine

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// kinds are the kinds of the plan's changes, in order.
func kinds(p UpPlan) []string {
	var list []string
	for _, c := range p.Changes {
		list = append(list, string(c.Kind))
	}
	return list
}

// machinePrograms are the programs of a machine with apt and docker.
var machinePrograms = []string{"apt-get", "apt-cache", "docker"}

// planUpCases are machines, with what is to be done on each.
var planUpCases = map[string]struct {
	settings fakeSettings
	programs []string
	runtime  string
	prepare  func(t *testing.T, w fakeWorld, g *ground)
	want     []string
	err      error
	text     string
}{
	"bare": {settings: fakeSettings{Lists: []string{"docker.io"}}, programs: machinePrograms,
		want: []string{"runtime", "config", "packages", "start", "limits"}},
	"bare, without package lists": {settings: fakeSettings{Lists: []string{"docker.io"}, Stale: true}, programs: machinePrograms,
		want: []string{"runtime", "config", "package-lists", "packages", "start", "limits"}},
	"bare, with all capabilities": {settings: fakeSettings{Lists: []string{"docker.io"}}, programs: machinePrograms,
		prepare: func(t *testing.T, w fakeWorld, _ *ground) { w.goodHost(t) },
		want:    []string{"packages", "start"}},
	"installed, not started": {programs: []string{"docker", "dockerd"}, want: []string{"runtime", "config", "start", "limits"}},
	"installed, with systemd": {programs: []string{"docker", "dockerd"},
		prepare: func(t *testing.T, w fakeWorld, g *ground) { w.withSystemd(t, g) },
		want:    []string{"runtime", "config", "systemctl-start", "limits"}},
	"starting just now": {programs: []string{"docker", "dockerd"},
		prepare: func(t *testing.T, w fakeWorld, g *ground) {
			write(t, w.path("root", daemonPID), "41")
			g.comm = func(int) string { return "dockerd" }
		},
		want: []string{"runtime", "config", "wait", "limits"}},
	"runs without the runtime": {settings: fakeSettings{Needs: "lab"}, programs: []string{"docker", "dockerd"}, runtime: "runc",
		want: []string{"runtime", "config", "reload", "limits"}},
	"works": {settings: fakeSettings{}, programs: []string{"docker"}, runtime: "runc", want: []string{"limits"}},
	"works on a good host": {settings: fakeSettings{}, programs: []string{"docker"}, runtime: "runc",
		prepare: func(t *testing.T, w fakeWorld, _ *ground) { w.goodHost(t) }},
	"works, and not root": {settings: fakeSettings{}, programs: []string{"docker"}, runtime: "runc",
		prepare: func(_ *testing.T, _ fakeWorld, g *ground) { g.euid = func() int { return 1000 } }},
	"works on another machine": {settings: fakeSettings{}, programs: []string{"docker"}, runtime: "runc",
		prepare: func(_ *testing.T, _ fakeWorld, g *ground) {
			g.hostname = func() (string, error) { return "laptop", nil }
		}},
	"works with ours": {settings: fakeSettings{Needs: "lab"}, programs: []string{"docker"}, runtime: "lab", want: []string{"limits"},
		prepare: func(t *testing.T, w fakeWorld, _ *ground) { w.installOurs(t, staticELF) }},
	"works with an older one of ours": {settings: fakeSettings{Needs: "lab"}, programs: []string{"docker"}, runtime: "lab",
		prepare: func(t *testing.T, w fakeWorld, _ *ground) { w.installOurs(t, "older") },
		want:    []string{"runtime", "limits"}},
	"works with an older one, and not root": {settings: fakeSettings{Needs: "lab"}, programs: []string{"docker"}, runtime: "lab",
		prepare: func(t *testing.T, w fakeWorld, g *ground) {
			w.installOurs(t, "older")
			g.euid = func() int { return 1000 }
		}},
	"works, but our runtime is gone": {settings: fakeSettings{Fail: map[string]string{"docker run": runtimePath + ": no such file or directory"}}, programs: []string{"docker"}, runtime: "lab",
		want: []string{"runtime", "config", "limits"}},
	"podman works": {programs: []string{"podman", "docker"}, settings: fakeSettings{Fail: map[string]string{"docker": silence}}, runtime: "crun"},
	"not root": {programs: []string{"docker", "dockerd"}, prepare: func(_ *testing.T, _ fakeWorld, g *ground) { g.euid = func() int { return 1000 } },
		want: []string{"runtime", "config", "start"}, err: ErrNeedsRoot, text: "run `sudo lab engine up`; it would do this: Install this program"},
	"not Debian": {programs: []string{"docker"},
		prepare: func(t *testing.T, w fakeWorld, _ *ground) {
			write(t, w.path("root/etc/os-release"), "PRETTY_NAME=\"Fedora Linux 42\"\nID=fedora\n")
		},
		err: ErrCannotHelp, text: "docker is not installed, and Fedora Linux 42 has no apt-get; install and start it by hand, as root: dnf install -y moby-engine"},
	"nothing is known of it": {programs: []string{"docker"},
		prepare: func(t *testing.T, w fakeWorld, _ *ground) { write(t, w.path("root/etc/os-release"), "") },
		err:     ErrCannotHelp, text: "this system has no apt-get; install and start it by hand, as root: see https://docs.docker.com"},
	"DOCKER_HOST": {programs: []string{"docker", "dockerd"}, prepare: func(_ *testing.T, _ fakeWorld, g *ground) { g.getenv = env("DOCKER_HOST", "tcp://10.0.0.1:2375") },
		err: ErrCannotHelp, text: `DOCKER_HOST is "tcp://10.0.0.1:2375"`},
	"elsewhere, broken": {settings: fakeSettings{Needs: "lab"}, programs: []string{"docker"}, runtime: "runc",
		prepare: func(_ *testing.T, _ fakeWorld, g *ground) {
			g.hostname = func() (string, error) { return "laptop", nil }
		},
		err: ErrCannotHelp, text: "runs on another machine: privileged container: docker: Error response from daemon"},
	"podman, broken": {settings: fakeSettings{Needs: "lab"}, programs: []string{"podman"}, runtime: "crun",
		err: ErrCannotHelp, text: "lab mends docker only"},
	"broken in another way": {settings: fakeSettings{Fail: map[string]string{"docker run": "no space left on device"}}, programs: []string{"docker"}, runtime: "runc",
		prepare: func(t *testing.T, w fakeWorld, _ *ground) { w.goodHost(t) },
		err:     ErrCannotHelp, text: "what is wrong with it is not of the kind that lab mends: privileged container: no space left on device (the disk"},
	"a configuration that is not JSON": {programs: []string{"docker", "dockerd"},
		prepare: func(t *testing.T, w fakeWorld, _ *ground) { write(t, w.path("root", daemonConfig), "{,}") },
		err:     errAny, text: "correct it by hand"},
	"an engine that is none": {programs: []string{"docker"}, prepare: func(_ *testing.T, _ fakeWorld, g *ground) { g.getenv = env(EnvEngine, "lxc") },
		err: ErrUnknownEngine, text: "LAB_ENGINE"},
}

func TestPlanUp(t *testing.T) {
	for name, c := range planUpCases {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, c.settings, c.programs...)
			g := w.ground()
			if c.runtime != "" {
				w.up(t, c.runtime)
			}
			if c.prepare != nil {
				c.prepare(t, w, &g)
			}
			p, err := planUp(context.Background(), UpOptions{}, g)
			checkError(t, err, c.err, c.text)
			if diff := cmp.Diff(c.want, kinds(p)); diff != "" {
				t.Errorf("changes (-want +got):\n%s", diff)
			}
			if left := w.leftBehind(t); len(left) != 0 {
				t.Errorf("left behind: %v", left)
			}
		})
	}
}

// errAny stands for an error that is no sentinel.
var errAny = errors.New("any")

func checkError(t *testing.T, got, want error, text string) {
	t.Helper()
	if (got == nil) != (want == nil) || (want != errAny && !errors.Is(got, want)) {
		t.Fatalf("got %v; want %v", got, want)
	}
	if got != nil && !strings.Contains(got.Error(), text) {
		t.Errorf("said %q\nwant %q", got, text)
	}
}

func (w fakeWorld) withSystemd(t *testing.T, g *ground) {
	t.Helper()
	write(t, w.path("root/run/systemd/system/x"), "")
	real := g.comm
	g.comm = func(pid int) string {
		if pid == 1 {
			return "systemd"
		}
		return real(pid)
	}
	for _, name := range []string{"systemctl", "journalctl"} {
		self, err := os.Executable()
		if err == nil {
			err = os.Symlink(self, w.path("bin", name))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// installOurs puts a runtime where ours is, and registers it.
func (w fakeWorld) installOurs(t *testing.T, program string) {
	t.Helper()
	write(t, w.path("root", runtimePath), program)
	write(t, w.path("root", daemonConfig), `{"default-runtime":"lab","runtimes":{"lab":{"path":"`+w.path("root", runtimePath)+`"}}}`)
}

func TestUp(t *testing.T) {
	for name, c := range map[string]struct {
		settings fakeSettings
		programs []string
		prepare  func(t *testing.T, w fakeWorld, g *ground)
		// runtime is the default runtime that the engine has in the end.
		runtime string
	}{
		"bare": {settings: fakeSettings{Lists: []string{"docker.io"}, Stale: true, Needs: "lab"}, programs: []string{"apt-get", "apt-cache"}, runtime: "lab"},
		"bare, with all capabilities": {settings: fakeSettings{Lists: []string{"docker.io"}}, programs: []string{"apt-get", "apt-cache"}, runtime: "runc",
			prepare: func(t *testing.T, w fakeWorld, _ *ground) { w.goodHost(t) }},
		"with settings of the user": {settings: fakeSettings{Needs: "lab"}, programs: []string{"docker", "dockerd"}, runtime: "lab",
			prepare: func(t *testing.T, w fakeWorld, _ *ground) {
				write(t, w.path("root", daemonConfig), `{"log-level":"warn"}`)
			}},
		"with systemd": {settings: fakeSettings{Needs: "lab"}, programs: []string{"docker", "dockerd"}, runtime: "lab",
			prepare: func(t *testing.T, w fakeWorld, g *ground) { w.withSystemd(t, g) }},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, c.settings, c.programs...)
			g := w.ground()
			if c.prepare != nil {
				c.prepare(t, w, &g)
			}
			p := w.mustPlan(t, g)
			var told []string
			report, err := up(context.Background(), UpOptions{Progress: func(s string) { told = append(told, s) }}, p, g)
			if err != nil {
				t.Fatalf("%v after %q", err, told)
			}
			if low := g.low(); len(low) != 0 {
				t.Errorf("these limits are still low: %v", low)
			}
			if f, _ := report.Finding(FindingExec); f.Status != StatusOK || report.Status != StatusOK {
				t.Errorf("%+v", report)
			}
			if got := w.runtime(); got != c.runtime {
				t.Errorf("the default runtime is %q; want %q", got, c.runtime)
			}
			if again := w.mustPlan(t, g); len(again.Changes) != 0 {
				t.Errorf("a second time it would %v", kinds(again))
			}
		})
	}
}

func (w fakeWorld) mustPlan(t *testing.T, g ground) UpPlan {
	t.Helper()
	p, err := planUp(context.Background(), UpOptions{}, g)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestUpReload(t *testing.T) {
	w := newWorld(t, fakeSettings{}, "docker", "dockerd")
	w.goodHost(t)
	g := w.ground()
	if _, err := up(context.Background(), UpOptions{}, w.mustPlan(t, g), g); err != nil {
		t.Fatal(err)
	}
	pid := g.dockerdPID()
	write(t, w.path("settings.json"), encode(t, fakeSettings{Needs: "lab"}))
	write(t, w.path("proc/self/status"), withoutResource)
	p := w.mustPlan(t, g)
	if diff := cmp.Diff([]string{"runtime", "config", "reload"}, kinds(p)); diff != "" {
		t.Fatal(diff)
	}
	if _, err := up(context.Background(), UpOptions{}, p, g); err != nil {
		t.Fatal(err)
	}
	if g.dockerdPID() != pid || w.runtime() != "lab" {
		t.Errorf("dockerd was %d and is %d, its runtime is %q", pid, g.dockerdPID(), w.runtime())
	}
	if read(t, w.path("root", runtimePath)) != staticELF {
		t.Error("the runtime is not this program")
	}
}

func TestUpFailures(t *testing.T) {
	for name, c := range map[string]struct {
		settings fakeSettings
		programs []string
		prepare  func(t *testing.T, w fakeWorld, g *ground)
		want     []string
	}{
		"apt fails": {settings: fakeSettings{Lists: []string{"docker.io"}, AptFails: "E: Failed to fetch docker.io_20.10.deb"}, programs: []string{"apt-get", "apt-cache"},
			want: []string{"Install docker from the distribution's packages", "apt-get install -y", "exit status 100", "E: Failed to fetch docker.io_20.10.deb"}},
		"dockerd dies": {settings: fakeSettings{Dockerd: "dies"}, programs: []string{"docker", "dockerd"},
			want: []string{"dockerd ended before it answered: exit status 1", "the end of WORLD/root/var/log/docker-lab.log:", "iptables failed", "remedy: iptables does not work here"}},
		"dockerd never answers": {settings: fakeSettings{Dockerd: "mute"}, programs: []string{"docker", "dockerd"},
			want: []string{"the engine was not ready within", silence, `level=info msg="Starting up"`}},
		"dockerd does not take the runtime over": {settings: fakeSettings{Dockerd: "stubborn", Needs: "lab"}, programs: []string{"docker", "dockerd"},
			prepare: func(t *testing.T, w fakeWorld, g *ground) { w.startWithoutOurs(t, *g) },
			want:    []string{"the engine was not ready within", `it answers, and its default runtime is still "runc"`}},
		"the unit fails": {settings: fakeSettings{Dockerd: "dies"}, programs: []string{"docker", "dockerd"},
			prepare: func(t *testing.T, w fakeWorld, g *ground) { w.withSystemd(t, g) },
			want:    []string{"systemctl start docker: exit status 1: Job for docker.service failed", "overlay2 not supported", "remedy: overlay2 does not work on the file system"}},
		"it runs, and is of no use": {settings: fakeSettings{Needs: "kata"}, programs: []string{"docker", "dockerd"},
			want: []string{"the container engine was brought up, but it cannot run clusters: privileged container: docker: Error response"}},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, c.settings, c.programs...)
			g := w.ground()
			g.patience = 2 * time.Second
			if c.prepare != nil {
				c.prepare(t, w, &g)
			}
			_, err := up(context.Background(), UpOptions{}, w.mustPlan(t, g), g)
			if err == nil {
				t.Fatal("no error")
			}
			said := strings.ReplaceAll(err.Error(), w.dir, "WORLD")
			for _, want := range c.want {
				if !strings.Contains(said, want) {
					t.Errorf("said %s\nwant %q", said, want)
				}
			}
			if c.settings.Dockerd == "mute" && g.dockerdPID() != 0 {
				t.Error("the dockerd that never answered still runs")
			}
			if left := w.leftBehind(t); len(left) != 0 {
				t.Errorf("left behind: %v", left)
			}
		})
	}
}

// startWithoutOurs starts a dockerd that has its own runtime.
func (w fakeWorld) startWithoutOurs(t *testing.T, g ground) {
	t.Helper()
	work := work{ground: g, tell: func(string) {}, engine: candidates()[0]}
	if err := work.start(context.Background()); err != nil {
		t.Fatal(err)
	}
}

func TestUpWithoutDockerd(t *testing.T) {
	w := newWorld(t, fakeSettings{})
	work := work{ground: w.ground(), tell: func(string) {}}
	if err := work.start(context.Background()); err == nil || !strings.Contains(err.Error(), "there is no dockerd on the PATH") {
		t.Errorf("start: %v", err)
	}
	if err := work.reload(context.Background()); err == nil || !strings.Contains(err.Error(), "names no process of that name; restart docker") {
		t.Errorf("reload: %v", err)
	}
}

func TestPlanText(t *testing.T) {
	w := newWorld(t, fakeSettings{Lists: []string{"docker.io", "docker-cli"}, Stale: true, Needs: "lab"}, "apt-get", "apt-cache")
	write(t, w.path("root", daemonConfig), `{"default-runtime":"nvidia"}`)
	p := w.mustPlan(t, w.ground())
	var text bytes.Buffer
	if err := p.WriteText(&text); err != nil {
		t.Fatal(err)
	}
	w.golden(t, filepath.Join("up", "bare.txt"), text.String())
	text.Reset()
	if err := (UpPlan{}).WriteText(&text); err != nil {
		t.Fatal(err)
	}
	w.golden(t, filepath.Join("up", "nothing.txt"), text.String())
}
