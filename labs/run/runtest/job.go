package runtest

import (
	"context"
	"fmt"
	"strconv"
	"sync"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/kind-lab/lab/collectors"
)

// job is a Job with its one pod, or a pod without one.
type job struct {
	cluster *Cluster
	object  collectors.Object
	pod     collectors.Object
	cancel  context.CancelFunc
	over    <-chan struct{}
	grace   time.Duration
	// held says that a finalizer keeps it; gone is closed when it is.
	held bool
	gone chan struct{}

	mu         sync.Mutex
	containers []*container
	scheduled  bool
	complete   bool
	created    time.Time
	deleted    time.Time
}

// container is a container of the pod and its one run.
type container struct {
	collectors.Container
	runsFor  time.Duration
	exitCode int
	// onTerm is the exit code with which it ends when it is asked to; -1 where
	// it does not.
	onTerm int
	// kill takes the exit code with which it is ended.
	kill  chan int
	ended chan struct{}
}

// end ends the container, if it was not yet.
func (c *container) end(code int) {
	select {
	case c.kill <- code:
	default:
	}
}

// terminate tells the container to end: SIGTERM, and SIGKILL after a while.
func (c *container) terminate(grace time.Duration) {
	if c.onTerm >= 0 {
		c.end(c.onTerm)
		return
	}
	time.AfterFunc(grace, func() { c.end(137) })
}

// startJob starts a Job or a pod; the caller holds the cluster's lock.
func startJob(c *Cluster, o *unstructured.Unstructured, object collectors.Object) *job {
	ctx, cancel := context.WithCancel(context.Background())
	j := &job{cluster: c, object: object, cancel: cancel, created: time.Now(),
		pod: collectors.Object{Kind: "Pod", Namespace: object.Namespace, Name: object.Name + "-x7k2p", UID: "uid-" + object.Name + "-pod"}}
	j.over = ctx.Done()
	j.held, j.gone = len(o.GetFinalizers()) > 0, make(chan struct{})
	var spec corev1.PodSpec
	if object.Kind == "Pod" {
		var typed corev1.Pod
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(o.Object, &typed); err != nil {
			return j
		}
		spec, j.pod = typed.Spec, object
	} else {
		var typed batchv1.Job
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(o.Object, &typed); err != nil {
			return j
		}
		spec = typed.Spec.Template.Spec
	}
	j.grace = 3 * time.Second
	if s := spec.TerminationGracePeriodSeconds; s != nil {
		j.grace = time.Duration(*s) * time.Second / 10
	}
	for _, i := range spec.InitContainers {
		kind := collectors.KindInit
		if c.native && i.RestartPolicy != nil {
			kind = collectors.KindSidecar
		}
		j.containers = append(j.containers, newContainer(i, kind))
	}
	for _, m := range spec.Containers {
		j.containers = append(j.containers, newContainer(m, collectors.KindMain))
	}
	go j.live(ctx)
	return j
}

func newContainer(c corev1.Container, kind string) *container {
	out := &container{Container: collectors.Container{Name: c.Name, Kind: kind, Image: c.Image, State: "waiting", Reason: "ContainerCreating"},
		runsFor: -1, onTerm: -1, kill: make(chan int, 1), ended: make(chan struct{})}
	for _, e := range c.Env {
		switch e.Name {
		case "RUNS_FOR":
			if d, err := time.ParseDuration(e.Value); err == nil {
				out.runsFor = d
			}
		case "EXIT_CODE":
			if n, err := strconv.Atoi(e.Value); err == nil {
				out.exitCode = n
			}
		case "ON_TERM":
			if n, err := strconv.Atoi(e.Value); err == nil {
				out.onTerm = n
			}
		}
	}
	return out
}

// live is the pod's life.
func (j *job) live(ctx context.Context) {
	j.observed()
	j.change(func() { j.scheduled = true })
	for _, c := range j.containers {
		j.start(ctx, c)
		if c.Kind == collectors.KindInit && !wait(ctx, c.ended) {
			return
		}
	}
	for _, c := range j.containers {
		if c.Kind == collectors.KindMain && !wait(ctx, c.ended) {
			return
		}
	}
	j.stopSidecars(ctx)
	if ctx.Err() == nil {
		j.change(func() { j.complete = true })
	}
}

// stopSidecars ends them: one after the other from the last, or at once.
func (j *job) stopSidecars(ctx context.Context) {
	for i := len(j.containers) - 1; i >= 0; i-- {
		c := j.containers[i]
		if c.Kind != collectors.KindSidecar {
			continue
		}
		c.terminate(j.grace)
		if j.cluster.ordered && !wait(ctx, c.ended) {
			return
		}
	}
	for _, c := range j.containers {
		if !wait(ctx, c.ended) {
			return
		}
	}
}

func wait(ctx context.Context, done <-chan struct{}) bool {
	select {
	case <-done:
		return true
	case <-ctx.Done():
		return false
	}
}

// start runs a container and returns; ended is closed when it has ended.
func (j *job) start(ctx context.Context, c *container) {
	at := time.Now()
	id := j.pod.UID + "/" + c.Name
	j.change(func() {
		c.ID, c.State, c.Reason, c.Ready = id, "running", "", c.Kind != collectors.KindInit
		c.Current = &collectors.ContainerRun{ID: id, StartedAt: at.Truncate(time.Second)}
	})
	j.task(c, collectors.TypeTaskStart, at, 0)
	j.cluster.tell(collectors.Record{Time: at, Precision: 1, Source: collectors.SourceLog, Type: collectors.TypeLog,
		Object: j.pod, Container: c.Name, Log: &collectors.Log{Stream: "stdout", Text: c.Name + " is starting"}})
	go func() {
		code := c.exitCode
		var over <-chan time.Time
		if c.runsFor >= 0 {
			over = time.After(c.runsFor)
		}
		select {
		case <-over:
		case code = <-c.kill:
		case <-ctx.Done():
			return
		}
		ended := time.Now()
		j.task(c, collectors.TypeTaskExit, ended, code)
		j.change(func() {
			c.State, c.Ready, c.Reason = "terminated", false, "Completed"
			if code != 0 {
				c.Reason = "Error"
			}
			c.Current = &collectors.ContainerRun{ID: id, StartedAt: at.Truncate(time.Second), FinishedAt: ended.Truncate(time.Second), ExitCode: code, Reason: c.Reason}
		})
		close(c.ended)
	}()
}

func (j *job) task(c *container, kind collectors.Type, at time.Time, code int) {
	j.cluster.tell(collectors.Record{Time: at, Precision: 1, Source: collectors.SourceRuntime, Type: kind, Object: j.pod,
		Container: c.Name, Task: &collectors.Task{ID: j.pod.UID + "/" + c.Name, Node: j.cluster.handle.Nodes[0].Name, ExitCode: code}})
}

func (j *job) change(do func()) {
	j.mu.Lock()
	do()
	j.mu.Unlock()
	j.observed()
}

// observed tells of the Job and its pod as the API shows them now.
func (j *job) observed() {
	j.mu.Lock()
	pod := &collectors.Pod{DeletedAt: j.deleted, Node: j.cluster.handle.Nodes[0].Name, CreatedAt: j.created.Truncate(time.Second), QOS: "BestEffort"}
	if j.object.Kind == "Job" {
		pod.Owner = &j.object
	}
	ready, running, total := 0, 0, 0
	for _, c := range j.containers {
		if c.Kind != collectors.KindInit {
			total++
		}
		if c.Ready {
			ready++
		}
		if c.State == "running" {
			running++
		}
		pod.Containers = append(pod.Containers, c.Container)
	}
	pod.Ready = fmt.Sprintf("%d/%d", ready, total)
	pod.Phase, pod.Status = j.standing(running, ready, total)
	told := &collectors.Job{CreatedAt: pod.CreatedAt, StartedAt: pod.CreatedAt, Active: 1, Conditions: map[string]string{}}
	if j.complete {
		told.Active, told.Succeeded, told.CompletedAt = 0, 1, time.Now().Truncate(time.Second)
		told.Conditions["Complete"] = "True"
	}
	j.mu.Unlock()
	now := time.Now()
	j.cluster.tell(collectors.Record{Time: now, Precision: time.Second, Source: collectors.SourceAPI, Type: collectors.TypePod, Object: j.pod, Pod: pod})
	if j.object.Kind == "Pod" {
		return
	}
	j.cluster.tell(collectors.Record{Time: now, Precision: time.Second, Source: collectors.SourceAPI, Type: collectors.TypeJob, Object: j.object, Job: told})
}

// standing is the pod's phase and STATUS; the caller holds the lock.
func (j *job) standing(running, ready, total int) (phase, status string) {
	inits, waiting, creating := 0, false, running == 0
	for _, c := range j.containers {
		creating = creating || c.State == "waiting"
		if c.Kind == collectors.KindInit {
			inits++
			waiting = waiting || c.State != "terminated"
		}
	}
	switch {
	case !j.deleted.IsZero():
		return "Running", "Terminating"
	case j.complete:
		return "Succeeded", "Completed"
	case !j.scheduled:
		return "Pending", "Pending"
	case waiting:
		return "Pending", fmt.Sprintf("Init:0/%d", inits)
	case creating:
		return "Pending", "ContainerCreating"
	case ready < total:
		return "Running", "NotReady"
	}
	return "Running", "Running"
}
