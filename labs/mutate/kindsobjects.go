package mutate

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/kind-lab/lab/collectors"
)

func phase(at *place) (found []change) {
	for _, p := range at.pods {
		var seen []string
		for _, i := range p.records {
			seen = appendNew(seen, at.records[i].Pod.Phase)
		}
		for _, from := range seen {
			for _, to := range []string{pending, running, succeeded, failed} {
				if from != to {
					found = append(found, change{fmt.Sprintf("%s is %s instead of %s", p.object.Name, to, from), func(d *draft) {
						d.eachPod(p, func(now *collectors.Pod) {
							if now.Phase == from {
								now.Phase = to
							}
						})
						d.settleJob(p)
					}})
				}
			}
		}
	}
	return found
}

// eachPod changes every state of a pod; STATUS follows.
func (d *draft) eachPod(p *pod, change func(*collectors.Pod)) {
	for _, i := range d.statesOf(p) {
		r := &d.entries[i].record
		was, now := r.Pod, *r.Pod
		now.Containers = slices.Clone(was.Containers)
		change(&now)
		if p.statusOf(was) == was.Status {
			now.Status = p.statusOf(&now)
		}
		r.Pod = &now
	}
}

func podField(at *place) (found []change) {
	for _, p := range at.pods {
		last := at.last(p)
		if last == nil {
			continue
		}
		add := func(text string, change1 func(*collectors.Pod)) {
			found = append(found, change{p.object.Name + " " + text, func(d *draft) { d.eachPod(p, change1) }})
		}
		if last.Node != "" {
			add("is on no node", func(now *collectors.Pod) { now.Node, now.IP = "", "" })
		}
		if last.IP != "" {
			add("has another IP address", func(now *collectors.Pod) { now.IP = "10.244.99.99" })
		}
		if last.Reason != "" {
			add("has no reason", func(now *collectors.Pod) { now.Reason = "" })
			add("has another reason", func(now *collectors.Pod) { now.Reason = "Evicted" })
		}
	}
	return found
}

// setSpec changes what the spec says of a container.
func (at *place) setSpec(p *pod, n int, text string, do func(*collectors.Container)) change {
	return change{p.name(p.containers[n]) + " " + text, func(d *draft) {
		d.eachPod(p, func(now *collectors.Pod) {
			if n < len(now.Containers) {
				do(&now.Containers[n])
			}
		})
	}}
}

func image(at *place) (found []change) {
	for _, p := range at.pods {
		for n := range p.containers {
			found = append(found, at.setSpec(p, n, "has another image", func(in *collectors.Container) { in.Image = "example.com/other:1" }))
			if images := at.images(p, n); len(images) > 1 {
				found = append(found, at.setSpec(p, n, "keeps the image "+images[0], func(in *collectors.Container) { in.Image = images[0] }))
			}
		}
	}
	return found
}

// otherKinds are the kinds that a container of a kind may have had.
var otherKinds = map[string]string{collectors.KindInit: collectors.KindSidecar, collectors.KindSidecar: collectors.KindInit, collectors.KindMain: collectors.KindSidecar}

func containerKind(at *place) (found []change) {
	for _, p := range at.pods {
		for n, c := range p.containers {
			if other := otherKinds[c.kind]; other != "" {
				found = append(found, at.setSpec(p, n, "is of the kind "+other, func(in *collectors.Container) { in.Kind = other }))
			}
		}
	}
	return found
}

// images are those that a container of a pod had, oldest first.
func (h *history) images(p *pod, n int) []string {
	var all []string
	for _, i := range p.records {
		if cs := h.records[i].Pod.Containers; n < len(cs) {
			all = appendNew(all, cs[n].Image)
		}
	}
	return all
}

func podMissing(at *place) (found []change) {
	for _, p := range at.pods {
		found = append(found, change{"the pod " + p.object.Name + " is never seen", func(d *draft) { d.removeAbout(p.object.UID) }})
	}
	return found
}

// removeAbout takes away all that is about an object.
func (d *draft) removeAbout(uid string) {
	for i := range d.entries {
		if d.entries[i].record.Object.UID == uid {
			d.remove(i)
		}
	}
}

// podMore adds the states and runs of a pod again, under another name and UID,
// a second later.
func podMore(at *place) (found []change) {
	for _, p := range at.pods {
		if p.owner == nil {
			continue
		}
		found = append(found, change{"there is one more pod as " + p.object.Name, func(d *draft) {
			for i := range d.h.records {
				r := d.h.records[i]
				if r.Object.UID != p.object.UID {
					continue
				}
				r.Object.Name, r.Object.UID = r.Object.Name+"-more", r.Object.UID+"-more"
				d.addCopy(r, d.h.arrivals[i].Add(time.Second))
			}
		}})
	}
	return found
}

// addCopy adds what another pod did, with runs of its own.
func (d *draft) addCopy(r collectors.Record, arrival time.Time) {
	r.Time = r.Time.Add(time.Second)
	if r.Task != nil {
		task := *r.Task
		task.ID += "-more"
		r.Task = &task
	}
	if r.Pod != nil {
		p := *r.Pod
		p.Containers = slices.Clone(p.Containers)
		for i := range p.Containers {
			c := &p.Containers[i]
			for _, run := range []**collectors.ContainerRun{&c.Current, &c.Last} {
				if *run != nil {
					copied := **run
					copied.ID += "-more"
					*run = &copied
				}
			}
		}
		r.Pod = &p
	}
	d.add(r, arrival)
}

func containerMissing(at *place) (found []change) {
	for _, p := range at.pods {
		if len(p.containers) < 2 {
			continue
		}
		for _, c := range p.containers {
			found = append(found, change{p.name(c) + " is not in the pod's spec", func(d *draft) { d.withoutContainer(p, c) }})
		}
	}
	return found
}

func (d *draft) withoutContainer(p *pod, c *container) {
	for i := range d.h.records {
		if r := &d.entries[i].record; r.Object.UID == p.object.UID && r.Container == c.name {
			d.remove(i)
		}
	}
	var before *collectors.Pod
	for _, i := range d.statesOf(p) {
		r := &d.entries[i].record
		now := *r.Pod
		now.Containers = slices.DeleteFunc(slices.Clone(now.Containers), func(x collectors.Container) bool { return x.Name == c.name })
		p.derive(before, r.Pod, &now)
		r.Pod, before = &now, &now
	}
	d.settleJob(p)
}

func jobOpen(at *place) (found []change) {
	for _, o := range at.objects(collectors.TypeJob) {
		found = append(found, change{"the Job " + o.Name + " never ends", func(d *draft) {
			for i := range d.h.records {
				if r := &d.h.records[i]; r.Object == o && r.Job != nil && (r.Job.Conditions[complete] != "" || r.Job.Conditions[jobFailed] != "") {
					d.remove(i)
				}
			}
		}})
	}
	return found
}

func jobOther(at *place) (found []change) {
	for _, o := range at.objects(collectors.TypeJob) {
		found = append(found, change{"the Job " + o.Name + " ends in the opposite way, and so does its newest pod", func(d *draft) { d.otherEnd(o) }})
		found = append(found, change{"the Job " + o.Name + " is failed, as after its deadline", func(d *draft) {
			for i := range d.h.records {
				r := &d.entries[i].record
				if r.Object != o || r.Job == nil || r.Job.Conditions[jobFailed] == "True" {
					continue
				}
				now := *r.Job
				now.Active, now.Failed, now.Conditions = 0, now.Failed+now.Active, map[string]string{jobFailed: "True"}
				r.Job = &now
			}
		}})
	}
	return found
}

// otherEnd lets the newest pod of a Job end in the other way by the exit code of
// a main container.
func (d *draft) otherEnd(o collectors.Object) {
	p := d.h.newestOf(o.UID)
	if p == nil {
		return
	}
	bad := d.h.endingOf(p).is(failed)
	for _, c := range p.containers {
		if c.kind == collectors.KindSidecar || len(c.runs) == 0 {
			continue
		}
		n := len(c.runs) - 1
		l := c.runs[n]
		if !l.exited || bad && l.code == 0 || !bad && c.kind != collectors.KindMain {
			continue
		}
		code := 1
		if bad {
			code = 0
		}
		d.removeAll([]int{l.oom})
		d.setExit(p, c, n, code, reasonOf(code))
	}
}

// maxLeaves bounds the fields of one object that are changed.
const maxLeaves = 40

func objectField(at *place) (found []change) {
	for _, o := range at.objects(collectors.TypeObject) {
		paths := map[string]bool{}
		for i := range at.records {
			if r := &at.records[i]; r.Object == o && r.Content != nil {
				leaves(decoded(r.Content.JSON), "", func(path string) {
					if o.Kind != "Node" || strings.HasPrefix(path, "/status/allocatable") || strings.HasPrefix(path, "/status/capacity") {
						paths[path] = true
					}
				})
			}
		}
		all := slices.SortedFunc(maps.Keys(paths), func(a, b string) int {
			return cmp.Or(cmp.Compare(at.spokenIn(b), at.spokenIn(a)), cmp.Compare(len(a), len(b)), cmp.Compare(a, b))
		})
		for _, path := range all[:min(len(all), maxLeaves)] {
			found = append(found,
				change{fmt.Sprintf("%s %s has another value at %s", o.Kind, o.Name, path[1:]), func(d *draft) { d.setField(o, path, false) }},
				change{fmt.Sprintf("%s %s has nothing at %s", o.Kind, o.Name, path[1:]), func(d *draft) { d.setField(o, path, true) }})
		}
	}
	return found
}

// spokenIn is how many of the names of a path the scenario's conditions speak of.
func (at *place) spokenIn(path string) int {
	n := 0
	for name := range strings.SplitSeq(path, "/") {
		if at.spoken[name] {
			n++
		}
	}
	return n
}

func decoded(document json.RawMessage) map[string]any {
	var all map[string]any
	if len(document) == 0 || json.Unmarshal(document, &all) != nil {
		return nil
	}
	return all
}

// skipped are fields that no condition is about.
func skipped(path string) bool {
	return slices.Contains([]string{"/kind", "/apiVersion", "/metadata/resourceVersion", "/metadata/uid", "/metadata/namespace", "/metadata/name",
		"/metadata/creationTimestamp", "/metadata/generation"}, path)
}

// leaves calls f for the path of every value of a document that holds no others.
func leaves(v any, path string, f func(string)) {
	switch v := v.(type) {
	case map[string]any:
		for key, below := range v {
			if !strings.Contains(key, "/") { // as those of labels and annotations do
				leaves(below, path+"/"+key, f)
			}
		}
	case []any:
		for i, below := range v {
			leaves(below, path+"/"+strconv.Itoa(i), f)
		}
	default:
		if !skipped(path) {
			f(path)
		}
	}
}
