package kind

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"

	"github.com/kind-lab/lab/clusters"
)

// fakeControllers are an API server with the controllers of Deployments and
// ReplicaSets, as far as CoreDNS needs them.
type fakeControllers struct {
	*fake.Clientset
	t *testing.T

	mu sync.Mutex
	// sets are the ReplicaSets ever made, pods the pods, bound whether they get
	// a node at once.
	sets, pods int
	bound      bool
	// moody lets every third request fail.
	moody bool
	asked int
	// ready says that a node takes pods, early counts those let go before.
	ready bool
	early int
	// proxied says that kube-proxy is on its way.
	proxied bool
}

func newFakeControllers(t *testing.T, period int32) *fakeControllers {
	t.Helper()
	two := int32(2)
	labels := map[string]string{"k8s-app": "kube-dns"}
	template := corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labels}, Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "coredns"}}}}
	if period >= 0 {
		template.Spec.Containers[0].ReadinessProbe = &corev1.Probe{PeriodSeconds: period, FailureThreshold: 3}
	}
	f := &fakeControllers{t: t, Clientset: fake.NewClientset(&appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: "coredns", Namespace: "kube-system", UID: "d", Generation: 1},
		Spec:       appsv1.DeploymentSpec{Replicas: &two, Selector: &metav1.LabelSelector{MatchLabels: labels}, Template: template},
	})}
	f.PrependReactor("*", "*", func(clienttesting.Action) (bool, runtime.Object, error) {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.asked++
		if f.moody && f.asked%3 == 1 {
			return true, nil, errors.New("the server is currently unable to handle the request")
		}
		return false, nil, nil
	})
	f.PrependReactor("patch", "*", f.patch)
	f.PrependReactor("create", "pods", f.bind)
	return f
}

// patch counts an object's generation, as a real API server does.
func (f *fakeControllers) patch(action clienttesting.Action) (bool, runtime.Object, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	_, changed, err := clienttesting.ObjectReaction(f.Tracker())(action)
	if err != nil {
		return true, nil, err
	}
	switch o := changed.(type) {
	case *corev1.Pod:
		if !f.ready {
			f.early++
		}
	case *appsv1.Deployment:
		o.Generation++
	case *appsv1.ReplicaSet:
		o.Generation++
	}
	return true, changed, f.Tracker().Update(action.GetResource(), changed, action.GetNamespace())
}

// bind gives a pod its node, unless it may not be scheduled.
func (f *fakeControllers) bind(action clienttesting.Action) (bool, runtime.Object, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	binding := action.(clienttesting.CreateAction).GetObject().(*corev1.Binding)
	o, err := f.Tracker().Get(action.GetResource(), action.GetNamespace(), binding.Name)
	if err != nil {
		return true, nil, err
	}
	pod := o.(*corev1.Pod)
	if len(pod.Spec.SchedulingGates) > 0 || pod.Spec.NodeName != "" {
		return true, nil, errors.New("the pod may not be scheduled, or is already")
	}
	if !f.ready || !f.proxied {
		f.early++
	}
	pod.Spec.NodeName = binding.Target.Name
	return true, binding, f.Tracker().Update(action.GetResource(), pod, action.GetNamespace())
}

// getReady makes a node that is ready, and a moment later takes pods.
func (f *fakeControllers) getReady(name string) {
	node := &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec:       corev1.NodeSpec{Taints: []corev1.Taint{{Key: corev1.TaintNodeNotReady, Effect: corev1.TaintEffectNoSchedule}}},
		Status:     corev1.NodeStatus{Conditions: []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}}},
	}
	f.must(f.Tracker().Add(node))
	time.Sleep(10 * time.Millisecond)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.ready = true
	open := node.DeepCopy()
	open.Spec.Taints = nil
	f.must(f.Tracker().Update(corev1.SchemeGroupVersion.WithResource("nodes"), open, ""))
}

// proxy waits for a moment.
func (f *fakeControllers) proxy(ctx context.Context) {
	_ = clusters.Pause(ctx, 5*time.Millisecond)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.proxied = true
}

// run lets the controllers work until the test's end.
func (f *fakeControllers) run(ctx context.Context) {
	for ctx.Err() == nil {
		f.sync()
		_ = clusters.Pause(ctx, 3*time.Millisecond) // the loop ends with ctx
	}
}

func (f *fakeControllers) sync() {
	f.mu.Lock()
	defer f.mu.Unlock()
	deployment := f.deployment()
	sets := f.replicaSets()
	i := slices.IndexFunc(sets, func(s *appsv1.ReplicaSet) bool { return period(s.Spec.Template) == period(deployment.Spec.Template) })
	if i < 0 && !deployment.Spec.Paused {
		f.sets++
		f.must(f.Tracker().Create(appsv1.SchemeGroupVersion.WithResource("replicasets"), &appsv1.ReplicaSet{
			ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("coredns-%d", f.sets), Namespace: "kube-system", Labels: deployment.Spec.Template.Labels, UID: types.UID(fmt.Sprint("r", f.sets)), Generation: 1,
				OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(deployment, appsv1.SchemeGroupVersion.WithKind("Deployment"))}},
			Spec: appsv1.ReplicaSetSpec{Replicas: deployment.Spec.Replicas, Selector: deployment.Spec.Selector, Template: deployment.Spec.Template},
		}, "kube-system"))
	}
	deployment.Status.ObservedGeneration = deployment.Generation
	f.must(f.Tracker().Update(appsv1.SchemeGroupVersion.WithResource("deployments"), deployment, "kube-system"))
	for _, set := range sets {
		for range int(*set.Spec.Replicas) - len(f.list()) {
			f.pods++
			pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("coredns-%d", f.pods), Namespace: "kube-system", Labels: set.Spec.Template.Labels}, Spec: *set.Spec.Template.Spec.DeepCopy()}
			if f.bound {
				pod.Spec.NodeName = "node"
			}
			f.must(f.Tracker().Create(corev1.SchemeGroupVersion.WithResource("pods"), pod, "kube-system"))
		}
		set.Status.ObservedGeneration = set.Generation
		f.must(f.Tracker().Update(appsv1.SchemeGroupVersion.WithResource("replicasets"), set, "kube-system"))
	}
}

func (f *fakeControllers) must(err error) {
	f.t.Helper()
	if err != nil {
		f.t.Error(err)
	}
}

func (f *fakeControllers) deployment() *appsv1.Deployment {
	o, err := f.Tracker().Get(appsv1.SchemeGroupVersion.WithResource("deployments"), "kube-system", "coredns")
	f.must(err)
	return o.(*appsv1.Deployment)
}

func (f *fakeControllers) replicaSets() []*appsv1.ReplicaSet {
	o, err := f.Tracker().List(appsv1.SchemeGroupVersion.WithResource("replicasets"), appsv1.SchemeGroupVersion.WithKind("ReplicaSet"), "kube-system")
	f.must(err)
	var all []*appsv1.ReplicaSet
	for i := range o.(*appsv1.ReplicaSetList).Items {
		all = append(all, &o.(*appsv1.ReplicaSetList).Items[i])
	}
	return all
}

func (f *fakeControllers) list() []corev1.Pod {
	o, err := f.Tracker().List(corev1.SchemeGroupVersion.WithResource("pods"), corev1.SchemeGroupVersion.WithKind("Pod"), "kube-system")
	f.must(err)
	return o.(*corev1.PodList).Items
}

func period(template corev1.PodTemplateSpec) int32 {
	_, seconds := probed(template)
	return seconds
}

// dnsCases are what a cluster has when its DNS is made faster.
var dnsCases = []struct {
	name          string
	period        int32
	bound, moody  bool
	pods, patches int32
}{
	{name: "as kubeadm writes it", period: 0, pods: 1, patches: 4},
	{name: "with a period", period: 30, pods: 1, patches: 4},
	{name: "an API server that is away at times", period: 0, moody: true, pods: 1, patches: 4},
	{name: "pods that have nodes already", period: 20, bound: true, pods: 20, patches: 4},
	{name: "pods that are asked every second already", period: 1, pods: 1},
	{name: "pods that are not asked", period: -1},
}

// What CoreDNS is at the end, whenever its pods came and however often the API
// server is away.
func TestDNSIsHurried(t *testing.T) {
	for _, tt := range dnsCases {
		t.Run(tt.name, func(t *testing.T) {
			f := newFakeControllers(t, tt.period)
			f.bound, f.moody = tt.bound, tt.moody
			before := f.deployment().Spec
			running, stop := context.WithCancel(t.Context())
			var group sync.WaitGroup
			group.Go(func() { f.run(running) })
			wait, done := context.WithTimeout(t.Context(), 20*time.Second)
			defer done()
			told := 0
			err := dnsPods{client: f, look: 2 * time.Millisecond, proxy: f.proxy}.speedUp(wait, func() {
				told++
				group.Go(func() { f.getReady("node") })
			})
			for len(f.list()) < 2 && clusters.Pause(wait, time.Millisecond) == nil {
			}
			stop()
			group.Wait()
			if err != nil {
				t.Fatal(err)
			}
			deployment, sets := f.deployment(), f.replicaSets()
			if got := period(deployment.Spec.Template); deployment.Spec.Paused || got != period(before.Template) {
				t.Errorf("the Deployment is left paused %t, with a probe every %d s", deployment.Spec.Paused, got)
			}
			if len(sets) != 1 || period(sets[0].Spec.Template) != period(before.Template) {
				t.Errorf("%d ReplicaSets were made, want one as the Deployment is: %+v", len(sets), sets)
			}
			pods := f.list()
			for _, pod := range pods {
				if len(pod.Spec.SchedulingGates) > 0 || len(sets[0].Spec.Template.Spec.SchedulingGates) > 0 {
					t.Errorf("pod %s or those to come may not be scheduled", pod.Name)
				}
				if tt.patches > 0 && pod.Spec.NodeName != "node" {
					t.Errorf("pod %s has node %q", pod.Name, pod.Spec.NodeName)
				}
				if got := period(corev1.PodTemplateSpec{Spec: pod.Spec}); got != tt.pods {
					t.Errorf("pod %s is asked every %d s, want %d", pod.Name, got, tt.pods)
				}
			}
			if len(pods) != 2 {
				t.Errorf("%d pods, want 2", len(pods))
			}
			if f.early > 0 {
				t.Errorf("%d pods were let go before there was a node for them", f.early)
			}
			if patches := deployment.Generation + sets[0].Generation - 2; patches != int64(tt.patches) || told > 1 || (told == 1) != (patches > 0) {
				t.Errorf("%d patches, %d calls about pods that wait", patches, told)
			}
		})
	}
}

// A creation that ends does not wait for what never comes.
func TestDNSIsNotHurriedForEver(t *testing.T) {
	f := newFakeControllers(t, 0) // whose controllers do not run
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if err := (dnsPods{client: f, look: time.Millisecond}).speedUp(ctx, func() {}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error is %v", err)
	}
}
