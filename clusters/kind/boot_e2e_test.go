//go:build e2e

package kind

import (
	"archive/tar"
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/kind-lab/lab/clusters"
)

// realHost finds out what the engine's host is like.
func realHost(t *testing.T) clusters.Host {
	t.Helper()
	p := New(clusters.Engine{Name: "docker"}, clusters.Host{}, Options{})
	out, err := p.output(t.Context(), "info", "--format", "{{.CgroupVersion}}")
	if err != nil {
		t.Fatal(err)
	}
	host := clusters.Host{Cgroup: 2}
	if strings.TrimSpace(string(out)) == "1" {
		host.Cgroup = 1
	}
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	_, bounding, _ := strings.Cut(string(status), "CapBnd:")
	set, err := strconv.ParseUint(strings.Fields(bounding)[0], 16, 64)
	if err != nil {
		t.Fatal(err)
	}
	const sysResource = 24
	if set&(1<<sysResource) == 0 {
		host.MissingCapabilities = []string{"CAP_SYS_RESOURCE"}
	}
	return host
}

// tinyImage makes an image that only this engine has.
func tinyImage(t *testing.T, p *Provisioner, ref string) {
	t.Helper()
	var archive bytes.Buffer
	w := tar.NewWriter(&archive)
	text := []byte(rand.Text())
	err := w.WriteHeader(&tar.Header{Name: "hello", Mode: 0o644, Size: int64(len(text))})
	if err == nil {
		_, err = w.Write(text)
	}
	if err = errors.Join(err, w.Close()); err == nil {
		err = p.run(t.Context(), &archive, nil, "import", "--change", "LABEL lab-e2e="+ref, "-", ref)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.run(context.WithoutCancel(t.Context()), nil, nil, "image", "prune", "--all", "--force", "--filter", "label=lab-e2e="+ref); err != nil {
			t.Error(err)
		}
	})
}

func realSpec(version string) clusters.Spec {
	return clusters.Spec{Name: "v" + strings.ReplaceAll(version, ".", ""), Version: version, Image: "kindest/node:v" + version}
}

// realCluster is a provisioner of the real engine, a name and a kubeconfig's path.
// Whatever becomes of the test, the cluster is destroyed and seen to be gone.
func realCluster(t *testing.T) (p *Provisioner, id, kubeconfig string) {
	t.Helper()
	p = New(clusters.Engine{Name: "docker"}, realHost(t), Options{})
	id = fmt.Sprintf("lab-e2e%d", time.Now().UnixNano()%1e8)
	kubeconfig = filepath.Join(t.TempDir(), "kubeconfig.yaml")
	before := volumes(t, p)
	t.Cleanup(func() {
		ctx := context.WithoutCancel(t.Context())
		if err := p.Destroy(ctx, id); err != nil {
			t.Error(err)
		}
		gone(t, p, id, kubeconfig, before)
	})
	return p, id, kubeconfig
}

// volumes are those that no container has: whose container is there may be of
// anybody's cluster.
func volumes(t *testing.T, p *Provisioner) []string {
	t.Helper()
	out, err := p.output(context.WithoutCancel(t.Context()), "volume", "ls", "--quiet", "--filter", "dangling=true")
	if err != nil {
		t.Fatal(err)
	}
	return strings.Fields(string(out))
}

// gone checks that nothing is left of the cluster. Other people's containers
// come and go meanwhile, and for a moment their volumes have none.
func gone(t *testing.T, p *Provisioner, id, kubeconfig string, volumesBefore []string) {
	t.Helper()
	ctx := context.WithoutCancel(t.Context())
	out, err := p.output(ctx, "ps", "--all", "--format", "{{.Names}} {{.Status}}", "--filter", "name="+id)
	if err != nil || len(out) > 0 {
		t.Errorf("containers left: %s (%v)", out, err)
	}
	isOld := func(name string) bool { return slices.Contains(volumesBefore, name) }
	left := slices.DeleteFunc(volumes(t, p), isOld)
	for end := time.Now().Add(20 * time.Second); len(left) > 0 && time.Now().Before(end); {
		if err := clusters.Pause(ctx, 500*time.Millisecond); err != nil {
			t.Fatal(err)
		}
		there := volumes(t, p)
		left = slices.DeleteFunc(left, func(name string) bool { return !slices.Contains(there, name) })
	}
	if len(left) > 0 {
		t.Errorf("volumes left: %v", left)
	}
	if files, err := filepath.Glob(kubeconfig + "*"); err != nil || len(files) > 0 {
		t.Errorf("files left: %v (%v)", files, err)
	}
}

// TestBoot boots three clusters at once, which is no strain for 2 CPUs.
func TestBoot(t *testing.T) {
	for _, version := range []string{"1.27.3", "1.28.15", "1.29.15"} {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			p, id, kubeconfig := realCluster(t)
			spec := realSpec(version)
			if version == "1.28.15" {
				spec.FeatureGates = map[string]bool{"SidecarContainers": true}
			}
			began := time.Now()
			since := func() time.Duration { return time.Since(began).Round(100 * time.Millisecond) }
			handle, err := p.Create(t.Context(), spec, id, kubeconfig, func(line string) { t.Logf("%6v %s", since(), line) })
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%6v ready: %+v", since(), handle)
			if handle.Version != version || !strings.HasPrefix(handle.Runtime, "containerd://") {
				t.Errorf("handle is %+v", handle)
			}
			if info, err := os.Stat(kubeconfig); err != nil || info.Mode().Perm() != 0o600 {
				t.Errorf("kubeconfig: %v, %v", info, err)
			}
			load(t, p, handle)
			var gates bytes.Buffer
			if err := p.NodeExec(t.Context(), handle.Nodes[0].Name, nil, &gates, nil,
				"sh", "-c", "cat /etc/kubernetes/manifests/kube-apiserver.yaml /var/lib/kubelet/config.yaml"); err != nil {
				t.Fatal(err)
			}
			if on := strings.Count(gates.String(), "SidecarContainers"); on != 2*len(spec.FeatureGates) {
				t.Errorf("the gate is set in %d places", on)
			}
			began = time.Now()
			if err := p.Destroy(t.Context(), id); err != nil {
				t.Fatal(err)
			}
			t.Logf("%6v destroyed", since())
		})
	}
}

// load loads an image, again, and another one of the same name.
func load(t *testing.T, p *Provisioner, handle clusters.Handle) {
	t.Helper()
	ref := "lab-e2e/tiny:" + handle.ID
	for _, want := range []int{len(handle.Nodes), 0, len(handle.Nodes)} {
		if want > 0 {
			tinyImage(t, p, ref)
		}
		told := 0
		began := time.Now()
		if err := p.LoadImages(t.Context(), handle, []string{ref}, func(line string) { t.Log(line); told++ }); err != nil {
			t.Fatal(err)
		}
		t.Logf("%v for %d of %d nodes", time.Since(began).Round(time.Millisecond), told, len(handle.Nodes))
		if told != want {
			t.Errorf("it was loaded into %d nodes, want %d", told, want)
		}
	}
}

// TestCancelAt cancels a creation as a step of it begins, or in its middle.
func TestCancelAt(t *testing.T) {
	for _, at := range []struct {
		step string
		wait time.Duration
	}{
		{"Preparing nodes", 500 * time.Millisecond}, {"Writing configuration", 0}, {"Starting control-plane", 2 * time.Second}, {"Waiting for readiness", 0},
	} {
		t.Run(fmt.Sprintf("%s +%s", at.step, at.wait), func(t *testing.T) {
			t.Parallel()
			p, id, kubeconfig := realCluster(t)
			before := volumes(t, p)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			last := ""
			var cancelled time.Time
			_, err := p.Create(ctx, realSpec("1.28.15"), id, kubeconfig, func(line string) {
				if ctx.Err() != nil {
					return
				}
				last = line
				if strings.HasPrefix(line, at.step) {
					end := func() { cancelled = time.Now(); cancel() }
					if at.wait == 0 {
						end()
						return
					}
					time.AfterFunc(at.wait, end)
				}
			})
			if !errors.Is(err, context.Canceled) || errors.Is(err, ErrLeft) {
				t.Errorf("error is %v", err)
			}
			t.Logf("cancelled at %q, over %v later: %v", last, time.Since(cancelled).Round(time.Millisecond), err)
			gone(t, p, id, kubeconfig, before)
		})
	}
}

func TestNodeImageIsMissing(t *testing.T) {
	p, id, kubeconfig := realCluster(t)
	began := time.Now()
	_, err := p.Create(t.Context(), realSpec("1.28.99"), id, kubeconfig, nil)
	t.Logf("after %v: %v", time.Since(began).Round(time.Millisecond), err)
	if !errors.Is(err, ErrNoImage) || !strings.Contains(err.Error(), "kindest/node:v1.28.99") {
		t.Errorf("error is %v", err)
	}
}

func TestCannotStart(t *testing.T) {
	tests := []struct {
		name, version string
		change        func(*clusters.Spec)
		want          []string
	}{
		{"gate that no component knows", "1.27.3", func(s *clusters.Spec) { s.FeatureGates = map[string]bool{"SidecarContainers": true} },
			[]string{"unrecognized feature gate: SidecarContainers", "Kubernetes 1.27.3 has no feature gate SidecarContainers"}},
		{"gate that the API server does not know", "1.28.15", func(s *clusters.Spec) {
			s.Components = []clusters.Component{{Name: "kube-apiserver", FeatureGates: map[string]bool{"NoSuchGate": true}}}
		}, []string{"kube-apiserver", "unrecognized feature gate: NoSuchGate"}},
		{"flag that the scheduler does not know", "1.28.15", func(s *clusters.Spec) {
			s.Components = []clusters.Component{{Name: "kube-scheduler", ExtraArgs: map[string]string{"no-such-flag": "1"}}}
		}, []string{"kube-scheduler", "unknown flag: --no-such-flag"}},
		{"flag that the kubelet does not know", "1.28.15", func(s *clusters.Spec) {
			s.Components = []clusters.Component{{Name: "kubelet", ExtraArgs: map[string]string{"no-such-flag": "1"}}}
		}, []string{"kubelet", "unknown flag: --no-such-flag"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p, id, kubeconfig := realCluster(t)
			spec := realSpec(tt.version)
			tt.change(&spec)
			began := time.Now()
			_, err := p.Create(t.Context(), spec, id, kubeconfig, nil)
			t.Logf("after %v: %v", time.Since(began).Round(time.Millisecond), err)
			if err == nil {
				t.Fatal("it started")
			}
			for _, part := range tt.want {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("the error does not say %q", part)
				}
			}
		})
	}
}

func TestWorkersAndAPodThatCannotBePulled(t *testing.T) {
	p, id, kubeconfig := realCluster(t)
	spec := realSpec("1.28.15")
	spec.Workers = 1
	began := time.Now()
	handle, err := p.Create(t.Context(), spec, id, kubeconfig, func(line string) { t.Log(time.Since(began).Round(100*time.Millisecond), line) })
	if err != nil {
		t.Fatal(err)
	}
	load(t, p, handle)
	err = p.LoadImages(t.Context(), handle, []string{"no-such-image:1"}, nil)
	t.Log(err)
	if !errors.Is(err, ErrNoImage) {
		t.Errorf("error is %v", err)
	}
}
