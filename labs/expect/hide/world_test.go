package hide_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/kind-lab/lab/collectors"
)

var base = time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC)

func at(seconds float64) time.Time {
	return base.Add(time.Duration(seconds * 1e9).Round(time.Millisecond))
}

// world is what happens to a Job with a pod, to another pod that is made anew
// under its name, and to a Deployment, for some 40 seconds.
type world struct {
	rnd     *rand.Rand
	records []collectors.Record
	end     float64
	version map[string]int
}

func newWorld(rnd *rand.Rand) *world {
	w := &world{rnd: rnd, end: 40, version: map[string]int{}}
	created := 0.5 + rnd.Float64()*3
	w.job(created)
	w.pod("myapp-x", "p1", true, created+0.1, []string{"main", "side"})
	if rnd.IntN(3) == 0 {
		w.pod("myapp-y", "p2", true, created+8+rnd.Float64()*6, []string{"main", "side"})
	}
	first := 1 + rnd.Float64()*4
	gone := w.pod("web", "w1", false, first, []string{"main"})
	if rnd.IntN(2) == 0 {
		w.pod("web", "w2", false, gone+0.2, []string{"main"})
	}
	w.deployment()
	slices.SortStableFunc(w.records, func(a, b collectors.Record) int { return a.Received.Compare(b.Received) })
	return w
}

func (w *world) add(r collectors.Record) {
	if r.Received.IsZero() {
		r.Received = r.Time
	}
	w.records = append(w.records, r)
}

// lag is how far the API is behind the runtime: at times the kubelet is slow.
func (w *world) lag() float64 {
	if w.rnd.IntN(5) == 0 {
		return 1.5 + w.rnd.Float64()*3
	}
	return 0.05 + w.rnd.Float64()*1.4
}

func (w *world) api(seconds float64, r collectors.Record) {
	r.Time, r.Precision, r.Source = at(seconds), time.Second, collectors.SourceAPI
	w.add(r)
}

func (w *world) job(created float64) {
	o := collectors.Object{Kind: "Job", Namespace: "ns", Name: "myapp", UID: "j"}
	j := collectors.Job{CreatedAt: at(created).Truncate(time.Second), Conditions: map[string]string{}}
	when := created + 0.05
	for i := range 2 + w.rnd.IntN(4) {
		now := j
		now.Active, now.Failed = w.rnd.IntN(2), min(i, w.rnd.IntN(3))
		if i > 2 && w.rnd.IntN(2) == 0 {
			now.Conditions = map[string]string{[]string{"Complete", "Failed"}[w.rnd.IntN(2)]: "True"}
		}
		now.ResourceVersion = fmt.Sprint(i + 1)
		w.api(when, collectors.Record{Type: collectors.TypeJob, Object: o, Job: &now})
		j = now
		when += 0.3 + w.rnd.Float64()*9
	}
}

// moment is a change in the life of a container.
type moment struct {
	at        float64
	container int
	run       int
	ends      bool
	code      int
}

// pod lives; it returns when it is gone, or would be.
func (w *world) pod(name, uid string, ofJob bool, created float64, names []string) float64 {
	o := collectors.Object{Kind: "Pod", Namespace: "ns", Name: name, UID: uid}
	state := collectors.Pod{Phase: "Pending", Status: "Pending", Ready: "0/" + fmt.Sprint(len(names)), CreatedAt: at(created).Truncate(time.Second), QOS: "BestEffort", Node: "n"}
	if ofJob {
		state.Owner = &collectors.Object{Kind: "Job", Namespace: "ns", Name: "myapp", UID: "j"}
	}
	for _, n := range names {
		state.Containers = append(state.Containers, collectors.Container{Name: n, Kind: "main", Image: "busybox"})
	}
	w.tellPod(created+0.02, o, &state, false)
	moments, last := w.lives(o, names, created)
	told := created + 0.1
	for len(moments) > 0 { // the kubelet looks now and then
		told = max(told, moments[0].at+w.lag())
		for len(moments) > 0 && moments[0].at <= told {
			change(&state, uid, moments[0])
			moments = moments[1:]
		}
		phases(&state, w.rnd, len(moments) == 0)
		w.tellPod(told, o, &state, false)
		told += 0.05
	}
	last = max(last, told)
	if !ofJob || w.rnd.IntN(3) == 0 {
		deleted := last + 0.5 + w.rnd.Float64()*4
		state.DeletedAt = at(deleted).Truncate(time.Second)
		w.tellPod(deleted, o, &state, false)
		last = deleted + 0.3 + w.rnd.Float64()
		w.tellPod(last, o, &state, true)
	}
	return last
}

// lives are the runs of the containers, with what the runtime and the logs tell.
func (w *world) lives(o collectors.Object, names []string, created float64) (moments []moment, last float64) {
	for i, name := range names {
		start := created + 0.4 + w.rnd.Float64()*3
		for run := range 1 + w.rnd.IntN(3) {
			id := fmt.Sprintf("%s-%s-%d", o.UID, name, run)
			w.task(collectors.TypeTaskStart, start, o, name, id, 0)
			moments = append(moments, moment{at: start, container: i, run: run})
			length := 0.02 + w.rnd.Float64()*w.rnd.Float64()*14
			end := start + length
			goesOn := w.rnd.IntN(4) == 0
			w.lines(o, name, run, start, min(end, w.end), goesOn)
			last = max(last, end)
			if goesOn {
				break
			}
			code := []int{0, 0, 1, 137}[w.rnd.IntN(4)]
			w.task(collectors.TypeTaskExit, end, o, name, id, code)
			moments = append(moments, moment{at: end, container: i, run: run, ends: true, code: code})
			start = end + 0.1 + w.rnd.Float64()*5
		}
	}
	slices.SortFunc(moments, func(a, b moment) int {
		if a.at < b.at {
			return -1
		}
		return 1
	})
	return moments, last
}

func (w *world) task(t collectors.Type, seconds float64, o collectors.Object, container, id string, code int) {
	w.add(collectors.Record{Time: at(seconds), Received: at(seconds + 0.01), Precision: 1, Source: collectors.SourceRuntime, Type: t,
		Object: o, Container: container, Task: &collectors.Task{ID: id, Node: "n", ExitCode: code}})
}

func (w *world) lines(o collectors.Object, container string, run int, from, to float64, goesOn bool) {
	if goesOn {
		to = w.end
	}
	for i := range w.rnd.IntN(4) {
		when := from + (to-from)*(float64(i)+w.rnd.Float64())/4
		text := []string{"serves", "ERROR", "works", "stops"}[w.rnd.IntN(4)]
		w.add(collectors.Record{Time: at(when), Received: at(when + 0.02), Precision: 1, Source: collectors.SourceLog, Type: collectors.TypeLog,
			Object: o, Container: container, Log: &collectors.Log{Run: run, Text: text}})
	}
}

// change makes a pod's state what the kubelet saw.
func change(p *collectors.Pod, uid string, m moment) {
	p.Containers = slices.Clone(p.Containers)
	c := p.Containers[m.container]
	id := fmt.Sprintf("%s-%s-%d", uid, c.Name, m.run)
	if !m.ends {
		if c.Current != nil {
			c.Last = c.Current
		}
		on := true
		c.ID, c.State, c.Reason, c.Restarts, c.Started, c.Ready = id, "running", "", m.run, &on, true
		c.Current = &collectors.ContainerRun{ID: id, StartedAt: at(m.at).Truncate(time.Second)}
	} else {
		off := false
		c.State, c.Reason, c.Started, c.Ready = "terminated", "Completed", &off, false
		if m.code != 0 {
			c.Reason = "Error"
		}
		ended := *c.Current
		ended.FinishedAt, ended.ExitCode, ended.Reason = at(m.at).Truncate(time.Second), m.code, c.Reason
		c.Current = &ended
	}
	p.Containers[m.container] = c
}

// phases are those of a pod; one that is over does not begin again.
func phases(p *collectors.Pod, rnd *rand.Rand, isLast bool) {
	ready, running := 0, 0
	for _, c := range p.Containers {
		if c.Ready {
			ready++
		}
		if c.State == "running" {
			running++
		}
	}
	p.Ready = fmt.Sprintf("%d/%d", ready, len(p.Containers))
	is := "False"
	if ready == len(p.Containers) {
		is = "True"
	}
	p.Conditions = map[string]string{"Ready": is}
	switch {
	case running > 0:
		p.Phase, p.Status = "Running", "Running"
	case !isLast || rnd.IntN(2) == 0:
		p.Phase, p.Status = "Running", "NotReady"
	default:
		p.Phase, p.Status = []string{"Succeeded", "Failed"}[rnd.IntN(2)], []string{"Completed", "Error"}[rnd.IntN(2)]
	}
}

func (w *world) tellPod(seconds float64, o collectors.Object, state *collectors.Pod, gone bool) {
	now := *state
	w.version[o.UID]++
	now.ResourceVersion = fmt.Sprint(w.version[o.UID])
	r := collectors.Record{Type: collectors.TypePod, Object: o, Pod: &now}
	if gone {
		r.Type = collectors.TypePodGone
	}
	w.api(seconds, r)
	if w.rnd.IntN(3) == 0 {
		w.api(seconds+0.01, collectors.Record{Type: collectors.TypeEvent, Object: o, Event: &collectors.Event{
			Reason: []string{"Killing", "Started", "BackOff"}[w.rnd.IntN(3)], EventType: "Normal", Count: 1, FirstAt: at(seconds), LastAt: at(seconds),
			Message: fmt.Sprint(w.rnd.IntN(99)),
		}})
	}
}

func (w *world) deployment() {
	o := collectors.Object{Kind: "Deployment", Namespace: "ns", Name: "web", UID: "d"}
	when := 0.5 + w.rnd.Float64()*8
	for i := range 2 + w.rnd.IntN(4) {
		document, err := json.Marshal(map[string]any{
			"spec":   map[string]any{"replicas": 1 + w.rnd.IntN(3)},
			"status": map[string]any{"readyReplicas": w.rnd.IntN(3), "conditions": []any{map[string]any{"type": "Available", "status": []string{"True", "False"}[w.rnd.IntN(2)]}}},
		})
		if err != nil {
			panic(err)
		}
		w.api(when, collectors.Record{Type: collectors.TypeObject, Object: o, Content: &collectors.Content{
			APIVersion: "apps/v1", ResourceVersion: fmt.Sprint(i + 1), CreatedAt: at(when).Truncate(time.Second), JSON: document,
		}})
		when += 0.3 + w.rnd.Float64()*9
	}
}
