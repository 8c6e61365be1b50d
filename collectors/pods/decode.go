package pods

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kind-lab/lab/collectors"
)

// decoded is one object as a record and what the watch needs to know of it.
type decoded struct {
	record  collectors.Record
	uid     string
	version string
}

// decodePod turns a row of the pods' table into a record.
func decodePod(r row) (decoded, error) {
	var pod corev1.Pod
	if err := json.Unmarshal(r.object, &pod); err != nil {
		return decoded{}, fmt.Errorf("reading a pod that the API server sent: %w", err)
	}
	manifest, err := withoutManagedFields(r.object, "Pod", "v1")
	if err != nil {
		return decoded{}, err
	}
	p := &collectors.Pod{
		ResourceVersion: pod.ResourceVersion,
		Owner:           owner(&pod.ObjectMeta),
		Node:            pod.Spec.NodeName,
		IP:              pod.Status.PodIP,
		Phase:           string(pod.Status.Phase),
		Status:          r.cells["Status"],
		Ready:           r.cells["Ready"],
		Reason:          pod.Status.Reason,
		QOS:             string(pod.Status.QOSClass),
		CreatedAt:       pod.CreationTimestamp.Time,
		DeletedAt:       timeOf(pod.DeletionTimestamp),
		Containers:      containers(&pod),
		Manifest:        manifest,
	}
	for _, c := range pod.Status.Conditions {
		p.Conditions = with(p.Conditions, string(c.Type), string(c.Status))
		p.ConditionDetails = withDetails(p.ConditionDetails, string(c.Type), c.Reason, c.Message, c.LastTransitionTime.Time)
	}
	return decoded{uid: string(pod.UID), version: pod.ResourceVersion, record: collectors.Record{
		Type: collectors.TypePod, Object: object("Pod", &pod.ObjectMeta), Pod: p,
	}}, nil
}

// decodeJob turns a row of the Jobs' table into a record.
func decodeJob(r row) (decoded, error) {
	var job batchv1.Job
	if err := json.Unmarshal(r.object, &job); err != nil {
		return decoded{}, fmt.Errorf("reading a Job that the API server sent: %w", err)
	}
	manifest, err := withoutManagedFields(r.object, "Job", "batch/v1")
	if err != nil {
		return decoded{}, err
	}
	j := &collectors.Job{
		ResourceVersion: job.ResourceVersion,
		Active:          int(job.Status.Active),
		Succeeded:       int(job.Status.Succeeded),
		Failed:          int(job.Status.Failed),
		CreatedAt:       job.CreationTimestamp.Time,
		StartedAt:       timeOf(job.Status.StartTime),
		CompletedAt:     timeOf(job.Status.CompletionTime),
		DeletedAt:       timeOf(job.DeletionTimestamp),
		Manifest:        manifest,
	}
	for _, c := range job.Status.Conditions {
		j.Conditions = with(j.Conditions, string(c.Type), string(c.Status))
		j.ConditionDetails = withDetails(j.ConditionDetails, string(c.Type), c.Reason, c.Message, c.LastTransitionTime.Time)
	}
	return decoded{uid: string(job.UID), version: job.ResourceVersion, record: collectors.Record{
		Type: collectors.TypeJob, Object: object("Job", &job.ObjectMeta), Job: j,
	}}, nil
}

func with(m map[string]string, key, value string) map[string]string {
	if m == nil {
		m = map[string]string{}
	}
	m[key] = value
	return m
}

// withDetails notes what else is known of a condition, if anything is.
func withDetails(m map[string]collectors.Condition, key, reason, message string, changed time.Time) map[string]collectors.Condition {
	c := collectors.Condition{Reason: bounded(reason), Message: bounded(message), ChangedAt: changed}
	if c == (collectors.Condition{}) || len(m) >= collectors.MaxConditions {
		return m
	}
	if m == nil {
		m = map[string]collectors.Condition{}
	}
	m[key] = c
	return m
}

// bounded is a text of at most MaxConditionText bytes, which ends in … where it
// was cut.
func bounded(text string) string {
	const cut = "…"
	if len(text) <= collectors.MaxConditionText {
		return text
	}
	return strings.ToValidUTF8(text[:collectors.MaxConditionText-len(cut)], "") + cut
}

func object(kind string, meta *metav1.ObjectMeta) collectors.Object {
	return collectors.Object{Kind: kind, Namespace: meta.Namespace, Name: meta.Name, UID: string(meta.UID)}
}

func owner(meta *metav1.ObjectMeta) *collectors.Object {
	ref := metav1.GetControllerOfNoCopy(meta)
	if ref == nil {
		return nil
	}
	return &collectors.Object{Kind: ref.Kind, Namespace: meta.Namespace, Name: ref.Name, UID: string(ref.UID)}
}

func timeOf(t *metav1.Time) time.Time {
	if t == nil {
		return time.Time{}
	}
	return t.Time
}

// containers lists the spec's containers, init containers first and ephemeral
// ones last, each with its status where the kubelet reported one.
func containers(pod *corev1.Pod) []collectors.Container {
	out := []collectors.Container{}
	statuses := byName(pod.Status.InitContainerStatuses)
	for _, c := range pod.Spec.InitContainers {
		kind := collectors.KindInit
		if c.RestartPolicy != nil && *c.RestartPolicy == corev1.ContainerRestartPolicyAlways {
			kind = collectors.KindSidecar
		}
		out = append(out, container(c.Name, kind, c.Image, statuses[c.Name]))
	}
	statuses = byName(pod.Status.ContainerStatuses)
	for _, c := range pod.Spec.Containers {
		out = append(out, container(c.Name, collectors.KindMain, c.Image, statuses[c.Name]))
	}
	statuses = byName(pod.Status.EphemeralContainerStatuses)
	for _, c := range pod.Spec.EphemeralContainers {
		out = append(out, container(c.Name, collectors.KindEphemeral, c.Image, statuses[c.Name]))
	}
	return out
}

func byName(statuses []corev1.ContainerStatus) map[string]*corev1.ContainerStatus {
	out := make(map[string]*corev1.ContainerStatus, len(statuses))
	for i := range statuses {
		out[statuses[i].Name] = &statuses[i]
	}
	return out
}

// container joins one container of the spec with its status, which may be nil.
func container(name, kind, image string, s *corev1.ContainerStatus) collectors.Container {
	c := collectors.Container{Name: name, Kind: kind, Image: image}
	if s == nil {
		return c
	}
	c.Ready, c.Started, c.Restarts = s.Ready, s.Started, int(s.RestartCount)
	switch {
	case s.State.Running != nil:
		c.State, c.ID = "running", plainID(s.ContainerID)
		c.Current = &collectors.ContainerRun{ID: c.ID, StartedAt: s.State.Running.StartedAt.Time}
	case s.State.Terminated != nil:
		t := s.State.Terminated
		c.State, c.Reason, c.Message = "terminated", t.Reason, t.Message
		c.Current = ended(t)
		if c.Current.ID == "" {
			c.Current.ID = plainID(s.ContainerID)
		}
		c.ID = c.Current.ID
	case s.State.Waiting != nil:
		c.State, c.Reason, c.Message = "waiting", s.State.Waiting.Reason, s.State.Waiting.Message
	}
	if t := s.LastTerminationState.Terminated; t != nil {
		c.Last = ended(t)
	}
	return c
}

func ended(t *corev1.ContainerStateTerminated) *collectors.ContainerRun {
	return &collectors.ContainerRun{
		ID: plainID(t.ContainerID), StartedAt: t.StartedAt.Time, FinishedAt: t.FinishedAt.Time,
		ExitCode: int(t.ExitCode), Signal: int(t.Signal), Reason: t.Reason,
	}
}

// plainID is a container's id without the runtime's scheme.
func plainID(id string) string {
	if _, plain, found := strings.Cut(id, "://"); found {
		return plain
	}
	return id
}
