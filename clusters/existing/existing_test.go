package existing

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/klog/v2"

	"github.com/kind-lab/lab/clusters"
)

func TestMain(m *testing.M) {
	klog.SetSlogLogger(slog.New(slog.NewTextHandler(io.Discard, nil)))
	os.Exit(m.Run())
}

// quick is a Provisioner whose Leases expire within a second or two.
func quick(host string) *Provisioner {
	return New(Options{Host: host, Expires: 2 * time.Second, GivesUp: 500 * time.Millisecond, Renews: 100 * time.Millisecond})
}

// patient is a Provisioner whose Leases do not expire while a test runs, however
// slow the machine is.
func patient(host string) *Provisioner {
	return New(Options{Host: host, Expires: time.Hour, GivesUp: 30 * time.Minute, Renews: time.Minute})
}

func specOf(kubeconfig, namespace string) clusters.Spec {
	return clusters.Spec{Name: "stage", Provider: Name, Settings: map[string]string{settingKubeconfig: kubeconfig, settingNamespace: namespace}}
}

// progressLog keeps the progress of a creation.
type progressLog struct {
	mu    sync.Mutex
	lines []string
}

func (to *progressLog) tell(line string) {
	to.mu.Lock()
	defer to.mu.Unlock()
	to.lines = append(to.lines, line)
}

func (to *progressLog) has(text string) bool {
	to.mu.Lock()
	defer to.mu.Unlock()
	return slices.ContainsFunc(to.lines, func(line string) bool { return strings.Contains(line, text) })
}

// created is a cluster in use.
func created(t *testing.T, p *Provisioner, spec clusters.Spec, id string) (clusters.Handle, *progressLog) {
	t.Helper()
	to := &progressLog{}
	handle, err := p.Create(t.Context(), spec, id, filepath.Join(t.TempDir(), "kubeconfig", "c.yaml"), to.tell)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if c := p.of(id); c != nil {
			c.lock.stop()
		}
	})
	return handle, to
}

const leasePath = "/apis/coordination.k8s.io/v1/namespaces/default/leases/lab"

func TestTheHandleAndTheKubeconfig(t *testing.T) {
	f := newFakeAPI(t)
	f.git = "v1.29.15-gke.100"
	mine := f.kubeconfig(t)
	before, err := os.ReadFile(mine)
	if err != nil {
		t.Fatal(err)
	}
	p := quick("here")
	handle, _ := created(t, p, specOf(mine, ""), "lab-a")
	want := clusters.Handle{Name: "stage", Provider: "existing", ID: "lab-a", Version: "1.29.15", Kubeconfig: handle.Kubeconfig,
		Nodes: []clusters.Node{{Name: "n1", Role: "control-plane"}, {Name: "n0", Role: "worker"}}, Runtime: "containerd://1.7.1", Capabilities: clusters.Capabilities{CanAnswerBeforeRuns: true, CanCheckRights: true, CanWatchNodes: true}}
	if diff := cmp.Diff(want, handle); diff != "" {
		t.Errorf("handle differs (-want +got):\n%s", diff)
	}
	text, err := os.ReadFile(handle.Kubeconfig)
	if err != nil || strings.Contains(string(text), "theirs") || strings.Contains(string(text), "other") || !strings.Contains(string(text), "secret") {
		t.Errorf("the run's kubeconfig is not of its context alone: %v\n%s", err, text)
	}
	after, err := os.ReadFile(mine)
	if err != nil || string(after) != string(before) {
		t.Errorf("the user's kubeconfig was changed: %v", err)
	}
}

func TestContextsThatCannotBeUsed(t *testing.T) {
	f := newFakeAPI(t)
	path := f.kubeconfig(t)
	empty := filepath.Join(t.TempDir(), "empty")
	if err := os.WriteFile(empty, []byte("apiVersion: v1\nkind: Config\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name       string
		on         map[string]string
		constraint string
		git        string
		away       bool
		want       error
		text       string
	}{
		{"no such file", map[string]string{settingKubeconfig: "/no/such/file"}, "", "", false, ErrContext, "there is no kubeconfig /no/such/file"},
		{"no such context", map[string]string{settingKubeconfig: path, settingContext: "satge"}, "", "", false, ErrContext, `has no context "satge"; it has other, stage`},
		{"an empty file", map[string]string{settingKubeconfig: empty}, "", "", false, ErrContext, "has no context"},
		{"another version", map[string]string{settingKubeconfig: path}, "1.28", "", false, ErrVersion, `context "stage" has Kubernetes 1.29.15, and kubernetes = "1.28" does not allow it`},
		{"too old", map[string]string{settingKubeconfig: path}, "", "v1.22.1", false, ErrVersion, "the oldest is 1.27"},
		{"no version", map[string]string{settingKubeconfig: path}, "", "unknown", false, ErrVersion, "not a Kubernetes version"},
		{"away", map[string]string{settingKubeconfig: path}, "", "", true, ErrUnreachable, "is the cluster up"},
		{"all right", map[string]string{settingKubeconfig: path}, "~> 1.28", "v1.29.15+k3s1", false, nil, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f.mu.Lock()
			f.away, f.git = tt.away, "v1.29.15"
			if tt.git != "" {
				f.git = tt.git
			}
			f.mu.Unlock()
			found, err := quick("here").Ask(t.Context(), tt.constraint, clusters.Spec{Settings: tt.on})
			if !errors.Is(err, tt.want) || err != nil && !strings.Contains(err.Error(), tt.text) {
				t.Errorf("error %v, want %q", err, tt.text)
			}
			if err == nil && (!strings.Contains(found.Why, `"stage"`) || found.Version.String() != "1.29.15") {
				t.Errorf("found %+v", found)
			}
		})
	}
}

func TestAllMissingRightsAreTold(t *testing.T) {
	f := newFakeAPI(t)
	for _, right := range []string{"get pods/log", "create namespaces", "delete namespaces", "create pods/exec", "update leases@default", "watch nodes"} {
		f.denied[right] = true
	}
	spec := specOf(f.kubeconfig(t), "")
	spec.Needs = []clusters.Need{
		{APIVersion: "v1", Kind: "Pod", Subresource: "exec", Verbs: []string{"create"}},
		{APIVersion: "example.com/v1", Kind: "Unknown", Verbs: []string{"create"}},
		{APIVersion: "v1", Kind: "ConfigMap", Verbs: []string{"create"}},
	}
	kubeconfig := filepath.Join(t.TempDir(), "c.yaml")
	_, err := quick("here").Create(t.Context(), spec, "lab-a", kubeconfig, func(string) {})
	var lacking *RightsError
	if !errors.As(err, &lacking) {
		t.Fatalf("error %v", err)
	}
	want := []string{"create,delete namespaces", "get pods/log in all namespaces", "update leases in namespace default", "create pods/exec in all namespaces"}
	if diff := cmp.Diff(want, lacking.Missing); diff != "" {
		t.Errorf("missing differs (-want +got):\n%s", diff)
	}
	text, err := os.ReadFile(lacking.File)
	if err != nil || string(text) != lacking.Grant || !strings.Contains(lacking.Error(), "kubectl apply -f "+lacking.File) {
		t.Errorf("the roles are not in a file: %v, %s", err, lacking)
	}
	for _, part := range []string{"kind: ClusterRole\n", "- pods/exec\n", "kind: Role\n", "namespace: default", "- configmaps\n", "kind: ServiceAccount\n  name: runner\n  namespace: people"} {
		if !strings.Contains(lacking.Grant, part) {
			t.Errorf("the roles lack %q:\n%s", part, lacking.Grant)
		}
	}
	if left := f.paths("/apis"); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

func TestNodesThatMayNotBeSeen(t *testing.T) {
	f := newFakeAPI(t)
	f.denied["list nodes"] = true
	handle, to := created(t, quick("here"), specOf(f.kubeconfig(t), "team"), "lab-a")
	if len(handle.Nodes) > 0 || !to.has("may not list and watch nodes") {
		t.Errorf("nodes %v, progress %q", handle.Nodes, to.lines)
	}
}

func TestASecondRunIsRefused(t *testing.T) {
	f := newFakeAPI(t)
	config := f.kubeconfig(t)
	first := patient("here")
	created(t, first, specOf(config, ""), "lab-a")
	created(t, first, specOf(config, "team"), "lab-t") // another Lease
	to := &progressLog{}
	_, err := patient("there").Create(t.Context(), specOf(config, ""), "lab-b", filepath.Join(t.TempDir(), "c.yaml"), to.tell)
	var held *HeldError
	if !errors.As(err, &held) || held.Holder != "lab-a@here" || held.Since.IsZero() || !strings.Contains(err.Error(), "lab-a@here holds the Lease default/lab since") {
		t.Errorf("error %v", err)
	}
	if to.has("waiting") {
		t.Errorf("it waited for a Lease that is held: %q", to.lines)
	}
	if err := first.Held("lab-a"); err != nil {
		t.Errorf("the first has lost it: %v", err)
	}
	if err := first.Destroy(t.Context(), "lab-a"); err != nil {
		t.Fatal(err)
	}
	created(t, patient("there"), specOf(config, ""), "lab-b")
}

func TestALeaseOfARunThatIsGoneIsTaken(t *testing.T) {
	f := newFakeAPI(t)
	config := f.kubeconfig(t)
	gone := quick("here")
	handle, _ := created(t, gone, specOf(config, ""), "lab-a")
	if err := gone.Claim(t.Context(), "lab-a", "lab-a-job"); err != nil {
		t.Fatal(err)
	}
	gone.of("lab-a").lock.stop() // as if it were killed
	f.mu.Lock()
	spec := f.objects[leasePath].Object["spec"].(map[string]any)
	spec["renewTime"] = time.Now().Add(-time.Minute).UTC().Format("2006-01-02T15:04:05.000000Z")
	f.mu.Unlock()

	second := quick("there")
	_, to := created(t, second, specOf(config, ""), "lab-b")
	if !to.has("waiting 2s to be sure") || !to.has("lab gc lab-a") {
		t.Errorf("progress %q", to.lines)
	}
	if err := second.Destroy(t.Context(), "lab-b"); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"/api/v1/namespaces/lab-a-job"}, f.paths("/api/v1/namespaces/")); diff != "" {
		t.Errorf("the second run touched what the first left: %s", diff)
	}
	// gc, or the reaper of the first.
	third := quick("here")
	third.Adopt("lab-a", handle.Kubeconfig)
	if err := third.Destroy(t.Context(), "lab-a"); err != nil {
		t.Fatal(err)
	}
	if left := append(f.paths("/api/v1/namespaces/"), f.paths("/apis")...); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
	if _, err := os.Stat(handle.Kubeconfig); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the kubeconfig is left: %v", err)
	}
}

func TestALostLeaseIsToldAndTakenAgain(t *testing.T) {
	f := newFakeAPI(t)
	p := quick("here")
	_, to := created(t, p, specOf(f.kubeconfig(t), ""), "lab-a")
	f.mu.Lock()
	f.away = true
	f.mu.Unlock()
	eventually(t, "it is lost", func() bool { return p.Held("lab-a") != nil })
	if !to.has("could not be renewed") {
		t.Errorf("progress %q", to.lines)
	}
	f.mu.Lock()
	f.away = false
	f.mu.Unlock()
	eventually(t, "it is held again", func() bool { return p.Held("lab-a") == nil })
}

func eventually(t *testing.T, what string, is func() bool) {
	t.Helper()
	for end := time.Now().Add(10 * time.Second); !is(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("not within 10 s: %s", what)
		}
	}
}

func TestOnlyTheRunsNamespacesGo(t *testing.T) {
	f := newFakeAPI(t)
	f.put("/api/v1/namespaces/theirs", "Namespace", map[string]any{})
	p := quick("here")
	created(t, p, specOf(f.kubeconfig(t), ""), "lab-a")
	if err := p.Claim(t.Context(), "lab-a", "theirs"); err == nil {
		t.Error("a namespace that is there was claimed")
	}
	for _, name := range []string{"lab-a-one", "lab-a-two"} {
		if err := p.Claim(t.Context(), "lab-a", name); err != nil {
			t.Fatal(err)
		}
	}
	f.put("/api/v1/namespaces/lab-a-two/pods/web", "Pod", map[string]any{})
	if err := p.Leave(t.Context(), "lab-a", "lab-a-one"); err != nil {
		t.Fatal(err)
	}
	if err := p.Destroy(t.Context(), "lab-a"); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"/api/v1/namespaces/theirs"}, f.paths("/api/v1/namespaces/")); diff != "" {
		t.Errorf("namespaces differ (-want +got):\n%s", diff)
	}
}

func TestWhatKeepsANamespaceIsTold(t *testing.T) {
	f := newFakeAPI(t)
	p := quick("here")
	handle, _ := created(t, p, specOf(f.kubeconfig(t), ""), "lab-a")
	if err := p.Claim(t.Context(), "lab-a", "lab-a-one"); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	f.endsWaiting("/api/v1/namespaces/lab-a-one", "/api/v1/namespaces/lab-a-one", cancel)
	err := p.Destroy(ctx, "lab-a")
	if !errors.Is(err, ErrLeft) || !strings.Contains(err.Error(), "namespace lab-a-one is still there: Some content in the namespace has finalizers remaining: example.com/held") {
		t.Errorf("error %v", err)
	}
	if _, err := os.Stat(handle.Kubeconfig); err != nil {
		t.Errorf("the kubeconfig is gone, by which it could be removed later: %v", err)
	}
	f.mu.Lock()
	f.stuck = map[string]bool{}
	f.mu.Unlock()
	if err := p.Destroy(t.Context(), "lab-a"); err != nil {
		t.Errorf("once it is free: %v", err)
	}
}

// TestInANamedNamespaceOnlyTheRunsObjectsGo has others' objects beside the run's.
func TestInANamedNamespaceOnlyTheRunsObjectsGo(t *testing.T) {
	f := newFakeAPI(t)
	const team = "/api/v1/namespaces/team/"
	old := f.put(team+"configmaps/older", "ConfigMap", map[string]any{})
	old.SetManagedFields(nil)
	f.put(team+"configmaps/theirs", "ConfigMap", map[string]any{})
	p := quick("here")
	handle, _ := created(t, p, specOf(f.kubeconfig(t), "team"), "lab-a")
	mine := func(path, kind string, owner *unstructured.Unstructured) *unstructured.Unstructured {
		o := f.put(path, kind, map[string]any{})
		f.mu.Lock()
		defer f.mu.Unlock()
		fields := o.GetManagedFields()
		fields[0].Manager = "lab"
		if owner != nil {
			fields[0].Manager = "kube-controller-manager"
			o.Object["metadata"].(map[string]any)["ownerReferences"] = []any{map[string]any{"uid": string(owner.GetUID()), "kind": owner.GetKind(), "name": owner.GetName(), "apiVersion": "v1"}}
		}
		o.SetManagedFields(fields)
		return o
	}
	job := mine("/apis/batch/v1/namespaces/team/jobs/work", "Job", nil)
	mine(team+"pods/work-1", "Pod", job)
	mine(team+"configmaps/settings", "ConfigMap", nil)
	if err := p.Leave(t.Context(), "lab-a", "team"); err != nil {
		t.Fatal(err)
	}
	mine(team+"configmaps/late", "ConfigMap", nil)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	f.endsWaiting(team+"configmaps/late", team+"configmaps", cancel)
	if err := p.Destroy(ctx, "lab-a"); !errors.Is(err, ErrLeft) || !strings.Contains(err.Error(), "configmaps/late (finalizers example.com/held)") {
		t.Errorf("error %v", err)
	}
	f.mu.Lock()
	f.stuck = map[string]bool{}
	f.mu.Unlock()
	p.of("lab-a").lock.stop()
	other := quick("here") // as the reaper does
	other.Adopt("lab-a", handle.Kubeconfig)
	if err := other.Destroy(t.Context(), "lab-a"); err != nil {
		t.Fatal(err)
	}
	want := []string{team + "configmaps/older", team + "configmaps/theirs"}
	if diff := cmp.Diff(want, append(f.paths("/api/v1/namespaces/"), f.paths("/apis")...)); diff != "" {
		t.Errorf("objects differ (-want +got):\n%s", diff)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, did := range f.did {
		if strings.Contains(did, "theirs") || strings.Contains(did, "older") || did == "DELETE /api/v1/namespaces/team" {
			t.Errorf("it did %s", did)
		}
	}
}
