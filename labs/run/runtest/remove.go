package runtest

import (
	"strings"
	"time"

	"github.com/kind-lab/lab/collectors"
)

// find returns the object of a key, the Job or pod that it is or belongs to,
// and whether it is there.
func (c *Cluster) find(key string) (collectors.Object, *job, bool) {
	parts := strings.SplitN(key, "/", 3)
	object := collectors.Object{Kind: parts[1], Namespace: parts[0], Name: parts[2]}
	c.mu.Lock()
	defer c.mu.Unlock()
	if j := c.jobs[key]; j != nil {
		return j.object, j, true
	}
	for _, j := range c.jobs {
		if parts[1] == "pod" && j.pod.Namespace == parts[0] && j.pod.Name == parts[2] {
			return j.pod, j, true
		}
	}
	if o := c.things[key]; o != nil {
		object.Kind = o.GetKind()
		return object, nil, true
	}
	return object, nil, false
}

func (c *Cluster) forget(key string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.jobs, key)
	delete(c.things, key)
}

// remove ends the pod's containers and then the pod.
func (j *job) remove(grace *time.Duration) {
	j.mu.Lock()
	again := !j.deleted.IsZero()
	j.deleted = time.Now()
	j.mu.Unlock()
	if again {
		return
	}
	j.observed()
	after := j.grace
	if grace != nil {
		after = *grace
	}
	for _, c := range j.containers {
		c.terminate(after)
	}
	go func() {
		for _, c := range j.containers {
			select {
			case <-c.ended:
			case <-j.over:
				return
			}
		}
		if j.held {
			return
		}
		now := time.Now()
		j.mu.Lock()
		pod := &collectors.Pod{Phase: "Failed", Status: "Error", DeletedAt: j.deleted, CreatedAt: j.created}
		for _, c := range j.containers {
			pod.Containers = append(pod.Containers, c.Container)
		}
		j.mu.Unlock()
		j.cancel()
		j.cluster.tell(collectors.Record{Time: now, Precision: time.Second, Source: collectors.SourceAPI, Type: collectors.TypePodGone, Object: j.pod, Pod: pod})
		if j.object.Kind == "Job" {
			j.cluster.tell(collectors.Record{Time: now, Precision: time.Second, Source: collectors.SourceAPI, Type: collectors.TypeJobGone, Object: j.object,
				Job: &collectors.Job{CreatedAt: j.created, DeletedAt: now}})
		}
		j.cluster.forget(keyOf(j.object.Namespace, j.object.Kind, j.object.Name))
		close(j.gone)
	}()
}
