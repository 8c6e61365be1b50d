package kind

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kind-lab/lab/clusters"
)

func TestLogger(t *testing.T) {
	var told []string
	l := newLogger(func(line string) { told = append(told, line) })
	l.V(0).Infof("Creating cluster %q ...\n", "lab-t")
	l.V(0).Infof(" • %s  ...\n", "Ensuring node image (kindest/node:v1.28.15) 🖼️")
	l.V(0).Infof(" ✓ %s\n", "Ensuring node image (kindest/node:v1.28.15) 🖼️")
	l.V(0).Infof(" • %s  ...\n", "Preparing nodes 📦 📦 ")
	select {
	case <-l.booted:
		t.Error("the nodes are said to have booted")
	default:
	}
	l.V(1).Info("Pulling image")
	l.V(0).Infof(" • %s  ...\n", "Starting control-plane 🕹️")
	<-l.booted
	l.Warn("something \x1b[31modd\x1b[0m")
	want := []string{"Ensuring node image (kindest/node:v1.28.15)", "Preparing nodes", "Starting control-plane", "something [31modd[0m"}
	if diff := cmp.Diff(want, told); diff != "" {
		t.Error(diff)
	}
	if l.current() != "Starting control-plane" {
		t.Errorf("current step is %q", l.current())
	}
}

func TestFullName(t *testing.T) {
	for ref, want := range map[string]string{
		"busybox":                            "docker.io/library/busybox:latest",
		"busybox:1.35":                       "docker.io/library/busybox:1.35",
		"kindest/node:v1":                    "docker.io/kindest/node:v1",
		"localhost/a":                        "localhost/a:latest",
		"localhost:5000/a:1":                 "localhost:5000/a:1",
		"registry.k8s.io/pause:3.9":          "registry.k8s.io/pause:3.9",
		"registry.k8s.io/a@sha256:0":         "registry.k8s.io/a@sha256:0",
		"docker.io/library/busybox@sha256:0": "docker.io/library/busybox@sha256:0",
	} {
		if got := fullName(ref); got != want {
			t.Errorf("%s is %s, want %s", ref, got, want)
		}
	}
}

func TestParseSnapshotter(t *testing.T) {
	for text, want := range map[string]string{
		"": "overlayfs",
		"  [plugins.'io.containerd.cri.v1.images']\n    snapshotter = 'native'\n  [x]\n    snapshotter = ''\n": "native",
		"[plugins.\"x\".runtimes.runc]\nsnapshotter = \"\"\n[y]\nsnapshotter = \"fuse-overlayfs\"\n":           "fuse-overlayfs",
	} {
		if got := parseSnapshotter(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// A stat's second field holds whatever the program is called.
func TestChildren(t *testing.T) {
	root := t.TempDir()
	self := os.Getpid()
	for pid, p := range map[int]struct {
		parent int
		args   []string
	}{
		101: {self, []string{"docker", "run", "--name", "lab-t-control-plane", "--label", clusterLabel + "=lab-t"}},
		102: {self, []string{"docker", "exec", "lab-t-worker2", "kubeadm"}},
		103: {self, []string{"docker", "exec", "lab-t-x-worker", "kubeadm"}},
		104: {1, []string{"docker", "exec", "lab-t-worker", "kubeadm"}},
		105: {self, []string{"docker", "ps", "--filter", "label=" + clusterLabel + "=lab-t"}},
		106: {self, nil},
	} {
		dir := filepath.Join(root, fmt.Sprint(pid))
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		stat := fmt.Sprintf("%d (a) 1 (b)) S %d 5 5", pid, p.parent)
		if err := os.WriteFile(filepath.Join(dir, "stat"), []byte(stat), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "cmdline"), []byte(strings.Join(p.args, "\x00")+"\x00"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	got := map[int]bool{}
	for _, c := range children(root, "lab-t") {
		got[c.pid] = c.makes()
	}
	if diff := cmp.Diff(map[int]bool{101: true, 102: false, 105: false}, got); diff != "" {
		t.Error(diff)
	}
}

func TestParentOfOddStats(t *testing.T) {
	for _, stat := range []string{"", "1", "1 (x", "1 (x)", "1 (x) S", "1 (x) S y"} {
		if got := parent([]byte(stat)); got != 0 {
			t.Errorf("%q: %d", stat, got)
		}
	}
}

func TestRemedy(t *testing.T) {
	for text, want := range map[string]string{
		"unrecognized feature gate: SidecarContainers":                                  "has no feature gate SidecarContainers",
		"cannot set feature gate SidecarContainers to false, feature is locked to true": "1.27.3 has SidecarContainers for good",
		"unknown flag: --nope": "no flag --nope",
		"kubelet is configured to not run on a host using cgroup v1. cgroup v1 support is unsupported": "failCgroupV1: false",
		"bind: address already in use": "try again",
		"all is well":                  "",
	} {
		if got := remedy(text, "1.27.3"); !strings.Contains(got, want) || (want == "") != (got == "") {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestLastErrors(t *testing.T) {
	log := "I1120 22:00:00.000000 1 a.go:1] fine\nE1120 22:00:00.000000     12 b.go:1] \"bad\" err=\"1\"\n" +
		"E1120 22:00:01.000000     12 b.go:1] \"bad\" err=\"1\"\nF1120 22:00:01.000000 1 c.go:1] worse\nkubelet.service: Failed\n" +
		`E1120 22:00:01.000000     101 run.go:74] "command failed" err="failed to run Kubelet: \"x\" is odd"` + "\n"
	want := []string{`"bad" err="1"`, "worse", `failed to run Kubelet: "x" is odd`}
	if diff := cmp.Diff(want, lastErrors(log, 5)); diff != "" {
		t.Error(diff)
	}
	if got := lastErrors(log, 1); len(got) != 1 || got[0] != want[2] {
		t.Errorf("the last one is %q", got)
	}
}

func TestIsVersion(t *testing.T) {
	for _, tt := range []struct {
		runs, want string
		is         bool
	}{{"1.28.15", "1.28.15", true}, {"1.28.15+lab", "1.28.15", true}, {"1.28.15", "1.28", true}, {"1.28.15", "1.28.1", false}, {"1.29.0", "1.28.15", false}} {
		if isVersion(tt.runs, tt.want) != tt.is {
			t.Errorf("%s as %s: not %t", tt.runs, tt.want, tt.is)
		}
	}
}

func TestListAndDestroy(t *testing.T) {
	fake := newFakeEngine(t, behaviour{})
	fake.add("lab-a-control-plane", "lab-a", roleControlPlane)
	fake.add("lab-a-worker", "lab-a", roleWorker)
	fake.add("kind-control-plane", "kind", roleControlPlane)
	p := New(fake.engine(), clusters.Host{}, Options{})
	fake.behave(behaviour{Going: []string{"c02a5eb4e7ef", "63cc98d82268"}}) // somebody else's
	list, err := p.Orphans(t.Context())
	fake.behave(behaviour{})
	if err != nil || len(list) != 1 || list[0].ID != "lab-a" || list[0].Created.IsZero() {
		t.Fatalf("list is %+v, %v", list, err)
	}
	if diff := cmp.Diff([]string{"lab-a-control-plane (running)", "lab-a-worker (running)"}, list[0].Nodes); diff != "" {
		t.Error(diff)
	}
	for _, id := range []string{"kind", "", "lab-"} {
		if err := p.Destroy(t.Context(), id); !errors.Is(err, ErrName) {
			t.Errorf("destroying %q: %v", id, err)
		}
	}
	if err := p.Destroy(t.Context(), "lab-a"); err != nil {
		t.Error(err)
	}
	if left := fake.left(); len(left) != 2 {
		t.Errorf("left are %v, want the one of the other's", left)
	}
}

func TestDestroySaysWhatIsLeft(t *testing.T) {
	fake := newFakeEngine(t, behaviour{RmFails: true})
	fake.add("lab-a-control-plane", "lab-a", roleControlPlane)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ended := make(chan error, 1)
	go func() { ended <- New(fake.engine(), clusters.Host{}, Options{}).Destroy(ctx, "lab-a") }()
	// Its time ends when it tries for the second time: the engine has answered once.
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for strings.Count(strings.Join(fake.calls(), "\n"), "rm --force --volumes") < 2 {
		<-tick.C
	}
	cancel()
	err := <-ended
	if !errors.Is(err, ErrLeft) || !strings.Contains(err.Error(), "device or resource busy") {
		t.Errorf("error is %v", err)
	}
}

func TestDestroyFreesWhatIsFrozen(t *testing.T) {
	// It is tried until the end: soon where it cannot succeed.
	for cgroup, limit := range map[int]time.Duration{1: time.Minute, 2: 2 * time.Second} {
		fake := newFakeEngine(t, behaviour{Frozen: true})
		fake.add("lab-a-control-plane", "lab-a", roleControlPlane)
		ctx, cancel := context.WithTimeout(t.Context(), limit)
		defer cancel()
		err := New(fake.engine(), clusters.Host{Cgroup: cgroup}, Options{}).Destroy(ctx, "lab-a")
		thawed := strings.Contains(strings.Join(fake.calls(), "\n"), "/sys/fs/cgroup/freezer:/freezer --entrypoint sh sha256:node -c")
		if (err == nil) != (cgroup == 1) || thawed != (cgroup == 1) {
			t.Errorf("cgroup v%d: thawed %t, error is %v", cgroup, thawed, err)
		}
	}
}

func TestLoadImages(t *testing.T) {
	handle := clusters.Handle{ID: "lab-t", Nodes: []clusters.Node{{Name: "lab-t-control-plane"}}}
	t.Run("is not available", func(t *testing.T) {
		fake := newFakeEngine(t, behaviour{})
		why := errors.New("image busybox:9.99 is not available: no registry answers")
		p := New(fake.engine(), clusters.Host{}, Options{EnsureImage: func(context.Context, string, func(string)) error { return why }})
		err := p.LoadImages(t.Context(), handle, []string{"busybox:9.99"}, nil)
		if !errors.Is(err, ErrNoImage) || !errors.Is(err, why) || err.Error() != why.Error() {
			t.Errorf("error is %v", err)
		}
	})
	t.Run("the node takes it under no name", func(t *testing.T) {
		fake := newFakeEngine(t, behaviour{Images: map[string]string{"busybox@sha256:1": "sha256:b"}})
		err := New(fake.engine(), clusters.Host{}, Options{}).LoadImages(t.Context(), handle, []string{"busybox@sha256:1"}, nil)
		if !errors.Is(err, ErrNoImage) || !strings.Contains(err.Error(), "by a tag") {
			t.Errorf("error is %v", err)
		}
		if calls := strings.Join(fake.calls(), "\n"); !strings.Contains(calls, "save busybox@sha256:1") || !strings.Contains(calls, "images import") {
			t.Errorf("calls are\n%s", calls)
		}
	})
}

func TestImageDigests(t *testing.T) {
	table := "REF TYPE DIGEST SIZE PLATFORMS LABELS\n" +
		"docker.io/library/busybox:1.35 application/vnd.docker.distribution.manifest.v2+json sha256:aa 2.1 MiB linux/amd64 -\n" +
		"sha256:bb application/vnd.docker.distribution.manifest.v2+json sha256:aa 2.1 MiB linux/amd64 -\n"
	want := map[string]string{"docker.io/library/busybox:1.35": "sha256:aa", "sha256:bb": "sha256:aa"}
	if diff := cmp.Diff(want, imageDigests(table)); diff != "" {
		t.Error(diff)
	}
}

// An input that never ends does not keep a command that has ended.
func TestRunWithEndlessInput(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	defer r.Close()
	if err := runFed(exec.Command("true"), struct{ *os.File }{r}); err != nil {
		t.Error(err)
	}
}

func TestEngineOfAnotherPath(t *testing.T) {
	newFakeEngine(t, behaviour{})
	p := New(clusters.Engine{Name: "docker", Path: "/opt/docker"}, clusters.Host{}, Options{})
	if err := p.client(); err == nil || !strings.Contains(err.Error(), "/opt/docker") {
		t.Errorf("error is %v", err)
	}
}

func FuzzJudged(f *testing.F) {
	f.Add(gateJournal)
	f.Add(`"command failed" err="\q"`)
	f.Fuzz(func(_ *testing.T, text string) {
		for line := range lines(strings.NewReader(text)) {
			commandFailed(line)
			crashed(line)
		}
		lastFailure(text)
		lastErrors(text, 3)
		imageDigests(text)
		parseSnapshotter(text)
		parent([]byte(text))
		plain(text)
	})
}
