package pods

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kind-lab/lab/collectors"
)

func TestDecodePod(t *testing.T) {
	p := testPod("myapp", "u1")
	at := metav1.NewTime(time.Date(2026, 1, 2, 3, 4, 6, 0, time.UTC))
	p.Status.Conditions = []corev1.PodCondition{
		{Type: corev1.PodReady, Status: corev1.ConditionFalse, Reason: "ContainersNotReady", Message: "containers with unready status: [main]", LastTransitionTime: at},
		{Type: corev1.PodInitialized, Status: corev1.ConditionTrue},
	}
	p.Status.ContainerStatuses = []corev1.ContainerStatus{{
		Name: "main", ContainerID: "containerd://c2", RestartCount: 1,
		State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "CrashLoopBackOff", Message: "back-off 10s"}},
		LastTerminationState: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{
			ContainerID: "containerd://c1", ExitCode: 137, Reason: "OOMKilled", StartedAt: at, FinishedAt: at,
		}},
	}}
	p.Status.InitContainerStatuses = []corev1.ContainerStatus{
		{Name: "proxy", ContainerID: "containerd://p1", Ready: true, Started: new(true), State: corev1.ContainerState{
			Running: &corev1.ContainerStateRunning{StartedAt: at},
		}},
		{Name: "setup", State: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{
			ContainerID: "containerd://s1", StartedAt: at, FinishedAt: at, Reason: "Completed",
		}}},
	}
	raw, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	got, err := decodePod(row{cells: map[string]string{"Status": "CrashLoopBackOff", "Ready": "1/2"}, object: raw})
	if err != nil {
		t.Fatal(err)
	}
	want := []collectors.Container{
		{Name: "setup", Kind: "init", Image: "busybox:1.35", ID: "s1", State: "terminated", Reason: "Completed",
			Current: &collectors.ContainerRun{ID: "s1", StartedAt: at.Time, FinishedAt: at.Time, Reason: "Completed"}},
		{Name: "proxy", Kind: "sidecar", Image: "busybox:1.35", ID: "p1", State: "running", Ready: true, Started: new(true),
			Current: &collectors.ContainerRun{ID: "p1", StartedAt: at.Time}},
		{Name: "main", Kind: "main", Image: "busybox:1.35", State: "waiting", Reason: "CrashLoopBackOff", Message: "back-off 10s",
			Restarts: 1, Last: &collectors.ContainerRun{ID: "c1", StartedAt: at.Time, FinishedAt: at.Time, ExitCode: 137, Reason: "OOMKilled"}},
	}
	if diff := cmp.Diff(want, got.record.Pod.Containers); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(&collectors.Object{Kind: "Job", Namespace: "lab", Name: "myapp", UID: "job-uid"}, got.record.Pod.Owner); diff != "" {
		t.Error(diff)
	}
	wantDetails := map[string]collectors.Condition{
		"Ready": {Reason: "ContainersNotReady", Message: "containers with unready status: [main]", ChangedAt: at.Time},
	}
	if diff := cmp.Diff(wantDetails, got.record.Pod.ConditionDetails); diff != "" {
		t.Error(diff)
	}
	if got.record.Pod.Conditions["Ready"] != "False" || !strings.Contains(string(got.record.Pod.Manifest), `"kind":"Pod"`) {
		t.Errorf("pod %+v", got.record.Pod)
	}
}

func TestDecodeJobKeepsWhyItFailed(t *testing.T) {
	j := testJob("myapp")
	at := metav1.NewTime(time.Date(2026, 1, 2, 3, 4, 6, 0, time.UTC))
	long := strings.Repeat("x", collectors.MaxConditionText-4) + "äöü"
	j.Status.Conditions = []batchv1.JobCondition{
		{Type: batchv1.JobFailed, Status: corev1.ConditionTrue, Reason: "BackoffLimitExceeded", Message: long, LastTransitionTime: at},
	}
	for i := range 2 * collectors.MaxConditions {
		j.Status.Conditions = append(j.Status.Conditions, batchv1.JobCondition{Type: batchv1.JobConditionType(fmt.Sprint(i)), Reason: "Many"})
	}
	raw, err := json.Marshal(j)
	if err != nil {
		t.Fatal(err)
	}
	got, err := decodeJob(row{object: raw})
	if err != nil {
		t.Fatal(err)
	}
	details := got.record.Job.ConditionDetails
	failed := details["Failed"]
	if failed.Reason != "BackoffLimitExceeded" || !failed.ChangedAt.Equal(at.Time) {
		t.Errorf("Failed has %+v", failed)
	}
	if !utf8.ValidString(failed.Message) || len(failed.Message) > collectors.MaxConditionText || !strings.HasSuffix(failed.Message, "x…") {
		t.Errorf("the message of %d bytes ends in %q", len(failed.Message), failed.Message[len(failed.Message)-8:])
	}
	if len(details) != collectors.MaxConditions || len(got.record.Job.Conditions) != 2*collectors.MaxConditions+1 {
		t.Errorf("%d conditions, %d with details", len(got.record.Job.Conditions), len(details))
	}
}
