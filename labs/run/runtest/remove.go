package runtest

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/kind-lab/lab/collectors"
	"github.com/kind-lab/lab/labs/step"
	"github.com/kind-lab/lab/labs/step/apply"
)

// Delete deletes what was applied, and the pods of Jobs.
func (c *Cluster) Delete(ctx context.Context, in step.Delete) (step.Result, error) {
	var out step.Result
	keys, err := keysOf(in)
	if err != nil {
		return out, err
	}
	for _, key := range keys {
		object, j, there := c.find(key)
		if !there && in.IgnoreNotFound {
			out.Did(object, "was not there")
			continue
		}
		if !there {
			return out, notFound(object)
		}
		action := "is being deleted"
		if j != nil {
			j.remove(in.GracePeriod)
		} else {
			c.forget(key)
		}
		if in.Wait {
			if action = "deleted"; j != nil {
				if err := j.awaitGone(ctx, object); err != nil {
					return out, err
				}
			}
		}
		out.Did(object, action)
	}
	return out, nil
}

// keysOf names what is to be deleted.
func keysOf(in step.Delete) ([]string, error) {
	var keys []string
	for _, text := range in.Objects {
		kind, name, _ := strings.Cut(text, "/")
		kind, _, _ = strings.Cut(kind, ".")
		if kind = strings.TrimSuffix(strings.ToLower(kind), "s"); kind == "po" {
			kind = "pod"
		}
		keys = append(keys, keyOf(in.Namespace, kind, name))
	}
	manifests, err := apply.DecodeAll(in.Manifests)
	if err != nil {
		return nil, err
	}
	for _, m := range manifests {
		keys = append(keys, keyOf(in.Namespace, m.GetKind(), m.GetName()))
	}
	return keys, nil
}

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

func notFound(o collectors.Object) error {
	return &step.RefusedError{Object: o, Code: 404, Reason: "NotFound", Message: fmt.Sprintf("%ss %q not found", strings.ToLower(o.Kind), o.Name)}
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

func (j *job) awaitGone(ctx context.Context, object collectors.Object) error {
	select {
	case <-j.gone:
		return nil
	case <-ctx.Done():
		if ctx.Err() == context.DeadlineExceeded && j.held {
			return step.Failed("%s %q is still there: it waits for its finalizer", object.Kind, object.Name)
		}
		return ctx.Err()
	}
}
