package existing

import (
	"bytes"
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kind-lab/lab/clusters"
)

// settles says that the DaemonSet's pods run, once it is there: one on n0 alone.
func (f *fakeAPI) settles(namespace string, ready bool) {
	set := "/apis/apps/v1/namespaces/" + namespace + "/daemonsets/" + accessName
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		f.mu.Lock()
		o := f.objects[set]
		if o == nil {
			f.mu.Unlock()
			continue
		}
		n := int64(0)
		if ready {
			n = 1
		}
		o.Object["status"] = map[string]any{"desiredNumberScheduled": int64(1), "numberReady": n}
		f.mu.Unlock()
		waiting := map[string]any{"reason": "ImagePullBackOff", "message": "no such image"}
		pod := map[string]any{"spec": map[string]any{"nodeName": "n0"}, "status": map[string]any{"containerStatuses": []any{map[string]any{"name": accessName, "state": map[string]any{"waiting": waiting}}}}}
		f.put("/api/v1/namespaces/"+namespace+"/pods/access-1", "Pod", pod)
		return
	}
}

func TestPodsThatReachTheNodes(t *testing.T) {
	f := newFakeAPI(t)
	spec := specOf(f.kubeconfig(t), "")
	spec.Settings[settingNodeAccess] = "busybox:1.35"
	p := quick("here")
	go f.settles("lab-a-nodes", true)
	handle, _ := created(t, p, spec, "lab-a")
	if diff := cmp.Diff([]clusters.Node{{Name: "n0", Role: "worker"}}, handle.Nodes); diff != "" || !handle.Capabilities.CanExecOnNodes {
		t.Errorf("nodes, can exec %t (-want +got):\n%s", handle.Capabilities.CanExecOnNodes, diff)
	}
	if labels := f.labels("/api/v1/namespaces/lab-a-nodes"); labels["pod-security.kubernetes.io/enforce"] != "privileged" || labels[runLabel] != "lab-a" {
		t.Errorf("labels %v", labels)
	}
	set := f.get("/apis/apps/v1/namespaces/lab-a-nodes/daemonsets/" + accessName)
	if hostPID, _, err := unstructured.NestedBool(set.Object, "spec", "template", "spec", "hostPID"); err != nil || !hostPID {
		t.Errorf("hostPID %t, %v", hostPID, err)
	}
	nodes := p.Nodes(handle)
	if err := nodes.NodeExec(t.Context(), "n1", nil, nil, nil, "true"); !errors.Is(err, &clusters.CapabilityError{}) {
		t.Errorf("a node without a pod: %v", err)
	}
	if err := nodes.NodeExec(t.Context(), "n0", nil, nil, nil); err == nil {
		t.Error("no command is no error")
	}
	if err := nodes.NodeAction(t.Context(), "n0", "stop"); !errors.Is(err, &clusters.CapabilityError{}) {
		t.Errorf("stopping a node: %v", err)
	}
	if err := p.Destroy(t.Context(), "lab-a"); err != nil {
		t.Fatal(err)
	}
	if left := append(f.paths("/api/v1/namespaces/"), f.paths("/apis/coordination")...); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

func TestNodesThatAreLeftAlone(t *testing.T) {
	f := newFakeAPI(t)
	p := quick("here")
	created(t, p, specOf(f.kubeconfig(t), ""), "lab-a")
	for _, id := range []string{"lab-a", "lab-unknown"} {
		if err := p.Nodes(clusters.Handle{Name: "stage", ID: id}).NodeExec(t.Context(), "n0", nil, nil, nil, "true"); !errors.Is(err, &clusters.CapabilityError{}) {
			t.Errorf("%s: %v", id, err)
		}
		if _, err := p.Nodes(clusters.Handle{Name: "stage", ID: id}).NodeState(t.Context(), "n0"); !errors.Is(err, &clusters.CapabilityError{}) {
			t.Errorf("%s: %v", id, err)
		}
	}
}

func TestPodsThatDoNotReachTheNodesAreTakenAway(t *testing.T) {
	f := newFakeAPI(t)
	spec := specOf(f.kubeconfig(t), "")
	spec.Settings[settingNodeAccess] = "nowhere/busybox"
	spec.ReadyTimeout = 800 * time.Millisecond
	p := quick("here")
	go f.settles("lab-a-nodes", false)
	_, err := p.Create(t.Context(), spec, "lab-a", filepath.Join(t.TempDir(), "c.yaml"), func(string) {})
	if !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "0 of 1 pods are ready: ImagePullBackOff: no such image") {
		t.Errorf("error %v", err)
	}
	if left := append(f.paths("/api/v1/namespaces/"), f.paths("/apis/coordination")...); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

func TestWhatACommandSaidIsKeptToItsEnd(t *testing.T) {
	var said tail
	var whole bytes.Buffer
	w := tee(&whole, &said)
	for range 3 {
		if _, err := w.Write(bytes.Repeat([]byte("x"), mostSaid)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := w.Write([]byte("the end")); err != nil || !strings.HasSuffix(said.String(), "x"+"the end") || said.Len() != mostSaid || whole.Len() != 3*mostSaid+7 {
		t.Errorf("kept %d of %d, %v", said.Len(), whole.Len(), err)
	}
}

func (f *fakeAPI) get(path string) *unstructured.Unstructured {
	f.mu.Lock()
	defer f.mu.Unlock()
	if o := f.objects[path]; o != nil {
		return o.DeepCopy()
	}
	return &unstructured.Unstructured{Object: map[string]any{}}
}

func (f *fakeAPI) labels(path string) map[string]string { return f.get(path).GetLabels() }

func TestHowFarClocksAreApart(t *testing.T) {
	at := func(s float64) time.Time { return time.Unix(1000, 0).Add(time.Duration(s * float64(time.Second))) }
	for _, tt := range []struct{ said, from, to, want float64 }{
		{5, 5.2, 5.3, 0}, {5, 5.9, 6.1, 0}, {6, 5.9, 6.1, 0}, {8, 5.9, 6, 2}, {3, 5.5, 5.6, -1.5}, {4, 4.9, 9, 0},
	} {
		if got := apart(at(tt.said), at(tt.from), at(tt.to)); got != time.Duration(tt.want*float64(time.Second)) {
			t.Errorf("a clock that says %v between %v and %v is %s ahead, want %vs", tt.said, tt.from, tt.to, got, tt.want)
		}
	}
}
