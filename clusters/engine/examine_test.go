package engine

import (
	"bytes"
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kind-lab/lab/clusters"
)

// goodHost makes everything as it should be.
func (w fakeWorld) goodHost(t *testing.T) {
	t.Helper()
	write(t, w.path("proc/self/status"), "CapBnd:\t000001ffffffffff\n")
	write(t, w.path("proc/sys/fs/inotify/max_user_instances"), "8192\n")
	write(t, w.path("proc/sys/fs/inotify/max_user_watches"), "1048576\n")
	info := strings.ReplaceAll(read(t, w.path("docker-info.json")), `"CgroupVersion": "1"`, `"CgroupVersion": "2"`)
	write(t, w.path("docker-info.json"), info)
}

func TestExamineGolden(t *testing.T) {
	for name, c := range map[string]struct {
		settings fakeSettings
		runtime  string
		prepare  func(t *testing.T, w fakeWorld, g *ground)
	}{
		"good": {settings: fakeSettings{Registry: true}, runtime: "runc",
			prepare: func(t *testing.T, w fakeWorld, _ *ground) { w.goodHost(t) }},
		"sandbox":        {settings: fakeSettings{Needs: "lab"}, runtime: "lab"},
		"sandbox-broken": {settings: fakeSettings{Needs: "lab"}, runtime: "runc"},
		"no-engine":      {},
		"poor": {settings: fakeSettings{Registry: true}, runtime: "runc",
			prepare: func(t *testing.T, w fakeWorld, g *ground) {
				write(t, w.path("proc/self/status"), "CapBnd:\t000001ffffdfffff\n")
				write(t, w.path("proc/meminfo"), "MemAvailable: 500000 kB\n")
				info := strings.NewReplacer(`"overlay2"`, `"vfs"`, `"SecurityOptions": [`, `"SecurityOptions": ["name=rootless",`).Replace(read(t, w.path("docker-info.json")))
				write(t, w.path("docker-info.json"), info)
				g.free = func(string) (int64, error) { return 9 << 30, nil }
			}},
		"elsewhere": {settings: fakeSettings{Registry: true, Facts: facts{Missing: []string{"CAP_SYS_RESOURCE"}, InotifyInstances: 8192, InotifyWatches: 1048576}}, runtime: "runc",
			prepare: func(_ *testing.T, _ fakeWorld, g *ground) {
				g.hostname = func() (string, error) { return "laptop", nil }
			}},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, c.settings, "docker")
			g := w.ground()
			if c.runtime != "" {
				w.up(t, c.runtime)
			}
			if c.prepare != nil {
				c.prepare(t, w, &g)
			}
			report, err := examine(context.Background(), Options{}, g)
			if err != nil {
				t.Fatal(err)
			}
			w.golden(t, filepath.Join("doctor", name+".json"), encode(t, report))
			var text bytes.Buffer
			if err := WriteText(&text, report); err != nil {
				t.Fatal(err)
			}
			w.golden(t, filepath.Join("doctor", name+".txt"), text.String())
			if left := w.leftBehind(t); len(left) != 0 {
				t.Errorf("left behind: %v", left)
			}
		})
	}
}

func TestExamineFailures(t *testing.T) {
	for name, c := range map[string]struct {
		fail    map[string]string
		id      string
		status  Status
		detail  string
		cause   string
		remedy  string
		program string
	}{
		"no room": {fail: map[string]string{"docker run": "docker: Error: mkdir /var/lib/docker/x: no space left on device."},
			id: FindingPrivileged, status: StatusFail, detail: "no space left on device", cause: "is full", remedy: "docker system df"},
		"words that are not known": {fail: map[string]string{"docker run": "docker: Error: the moon is full."},
			id: FindingPrivileged, status: StatusFail, detail: "the moon is full", cause: "privileged containers", remedy: "journalctl"},
		"a bridge that is gone": {fail: map[string]string{"docker run": "docker: Error response from daemon: failed to create endpoint lab-probe-wv2gxeieqx on network bridge: adding interface veth07b0878 to bridge docker0 failed: could not find bridge docker0: route ip+net: no such network interface"},
			id: FindingPrivileged, status: StatusFail, detail: "could not find bridge docker0", cause: "a second dockerd", remedy: "restart the engine"},
		"exec alone": {fail: map[string]string{"docker exec": "OCI runtime exec failed: exec failed: unable to apply caps: operation not permitted: unknown"},
			id: FindingExec, status: StatusFail, detail: "unable to apply caps", cause: "lacks a capability", remedy: "lab engine up"},
		"an image that cannot be loaded": {fail: map[string]string{"docker load": "open /var/lib/docker/tmp: read-only file system"},
			id: FindingPrivileged, status: StatusSkip, detail: "loading the probe's image: open /var/lib/docker/tmp: read-only file system"},
		"not static, and no image": {program: "#!/bin/sh\n", fail: map[string]string{},
			id: FindingPrivileged, status: StatusSkip, detail: "registry.k8s.io/pause:3.10 cannot be pulled"},
		"a registry with a limit": {fail: map[string]string{"docker pull": "toomanyrequests: You have reached your pull rate limit."},
			id: FindingRegistry, status: StatusWarn, detail: "toomanyrequests", cause: "how often", remedy: "docker login"},
		"a registry behind a wall": {fail: map[string]string{"docker pull": "Error response from daemon: x509: certificate signed by unknown authority"},
			id: FindingRegistry, status: StatusWarn, detail: "x509", cause: "certificate", remedy: "certificate"},
		"a socket that is closed to us": {fail: map[string]string{"docker info": "permission denied while trying to connect to the Docker daemon socket at unix:///var/run/docker.sock"},
			id: FindingEngine, status: StatusFail, detail: "permission denied", cause: "may not speak", remedy: "usermod -aG docker"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, fakeSettings{Fail: c.fail}, "docker")
			w.up(t, "runc")
			if c.program != "" {
				write(t, w.path("lab"), c.program)
			}
			report, err := examine(context.Background(), Options{}, w.ground())
			if err != nil {
				t.Fatal(err)
			}
			f, ok := report.Finding(c.id)
			if !ok || f.Status != c.status {
				t.Fatalf("%+v", report)
			}
			for _, pair := range [][2]string{{f.Detail, c.detail}, {f.Cause, c.cause}, {f.Remedy, c.remedy}} {
				if !strings.Contains(pair[0], pair[1]) {
					t.Errorf("%q has no %q", pair[0], pair[1])
				}
			}
			if left := w.leftBehind(t); len(left) != 0 {
				t.Errorf("left behind: %v", left)
			}
		})
	}
}

func TestExamineBorrowsAnImage(t *testing.T) {
	w := newWorld(t, fakeSettings{Registry: true}, "docker")
	w.up(t, "runc")
	write(t, w.path("lab"), "#!/bin/sh\n")
	report, err := examine(context.Background(), Options{}, w.ground())
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{FindingPrivileged, FindingExec} {
		if f, _ := report.Finding(id); f.Status != StatusOK {
			t.Errorf("%+v", f)
		}
	}
	if left := w.leftBehind(t); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
	write(t, w.path("images", safe(pauseImage)), "")
	write(t, w.path("images", safe(DefaultRegistryImage)), "")
	if _, err = examine(context.Background(), Options{}, w.ground()); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"images/docker.io_library_hello-world:latest", "images/registry.k8s.io_pause:3.10"}, w.leftBehind(t)); diff != "" {
		t.Errorf("images that were there before are the user's: %s", diff)
	}
}

func TestExamineSaysWhatItLeaves(t *testing.T) {
	w := newWorld(t, fakeSettings{Fail: map[string]string{"docker rm ": "Error response from daemon: container is stuck"}}, "docker")
	w.up(t, "runc")
	report, err := examine(context.Background(), Options{}, w.ground())
	if err == nil || !strings.Contains(err.Error(), "removing the doctor's own container lab-probe-") || !strings.Contains(err.Error(), "container is stuck") {
		t.Errorf("got %v", err)
	}
	if len(report.Findings) != 10 {
		t.Errorf("the report is not whole: %+v", report)
	}
}

func TestExamineCancelled(t *testing.T) {
	w := newWorld(t, fakeSettings{}, "docker")
	w.up(t, "runc")
	ctx, cancel := context.WithCancel(context.Background())
	var told []string
	_, err := examine(ctx, Options{Progress: func(s string) {
		told = append(told, s)
		if len(told) == 2 {
			cancel()
		}
	}}, w.ground())
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if left := w.leftBehind(t); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestFindings(t *testing.T) {
	for name, c := range map[string]struct {
		got    Finding
		status Status
		detail string
		remedy string
	}{
		"cgroup 2":              {cgroupFinding(info{cgroup: 2}), StatusOK, "v2", ""},
		"rootless on cgroup 1":  {cgroupFinding(info{cgroup: 1, rootless: true}), StatusFail, "v1", "systemd.unified_cgroup_hierarchy"},
		"disk full":             {diskFinding("/d", 9*gib, nil), StatusFail, "9.0 GiB free where images live (/d)", "docker system df"},
		"disk low":              {diskFinding("/d", 24*gib, nil), StatusWarn, "24.0 GiB", "lab image prune"},
		"disk enough":           {diskFinding("/d", 25*gib, nil), StatusOK, "25.0 GiB", ""},
		"disk unknown":          {diskFinding("", 0, errElsewhere), StatusSkip, "unknown: ", ""},
		"memory enough":         {memoryFinding(8*gib, 4*gib, nil), StatusOK, "4.0 GiB available of 8.0 GiB: room for about 7 quiet nodes", ""},
		"memory low":            {memoryFinding(8*gib, gib+gib/2, nil), StatusWarn, "about 2 quiet nodes", "lab gc"},
		"memory gone":           {memoryFinding(8*gib, gib/2, nil), StatusFail, "512 MiB available", "lab gc"},
		"memory in all":         {memoryFinding(8*gib, 0, errElsewhere), StatusOK, "8.0 GiB in all", ""},
		"capabilities unknown":  {capabilitiesFinding(clusters.Host{}, false), StatusSkip, "not on this machine", ""},
		"other capabilities":    {capabilitiesFinding(clusters.Host{MissingCapabilities: []string{"CAP_SYSLOG"}}, true), StatusWarn, "missing: CAP_SYSLOG", "asks for no more than the host has"},
		"no network capability": {capabilitiesFinding(clusters.Host{MissingCapabilities: []string{"CAP_NET_ADMIN"}}, true), StatusFail, "CAP_NET_ADMIN", "run on a host"},
		"inotify unknown":       {inotifyFinding(nil), StatusSkip, "not on this machine", ""},
		"few watches":           {inotifyFinding(&facts{InotifyInstances: 1024, InotifyWatches: 8192}), StatusWarn, "8192", "`sysctl -w fs.inotify.max_user_watches=524288`"},
		"storage unknown":       {storageFinding(info{}), StatusSkip, "does not tell", ""},
	} {
		t.Run(name, func(t *testing.T) {
			if c.got.Status != c.status || !strings.Contains(c.got.Detail, c.detail) || !strings.Contains(c.got.Remedy, c.remedy) || (c.remedy == "") != (c.got.Remedy == "") {
				t.Errorf("got %+v", c.got)
			}
		})
	}
}

func TestStatusOrder(t *testing.T) {
	order := []Status{StatusOK, StatusSkip, StatusWarn, StatusFail}
	for i, s := range order {
		if s.rank() != i {
			t.Errorf("%s has rank %d; want %d", s, s.rank(), i)
		}
	}
}
