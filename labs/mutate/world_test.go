package mutate

import (
	"encoding/json"
	"slices"
	"testing"
	"time"

	"github.com/kind-lab/lab/collectors"
)

var begin = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// at is a time in seconds after the begin.
func at(s float64) time.Time { return begin.Add(time.Duration(s * float64(time.Second))) }

var (
	jobPod   = collectors.Object{Kind: "Pod", Namespace: "ns", Name: "batch-x1", UID: "u1"}
	barePod  = collectors.Object{Kind: "Pod", Namespace: "ns", Name: "bare", UID: "u2"}
	batchJob = collectors.Object{Kind: "Job", Namespace: "ns", Name: "batch", UID: "j1"}
	settings = collectors.Object{Kind: "ConfigMap", Namespace: "ns", Name: "settings", UID: "c1"}
)

// script makes a journal.
type script struct{ records []collectors.Record }

func (s *script) add(when float64, r collectors.Record) {
	r.Time, r.Received = at(when), at(when)
	if r.Precision == 0 {
		r.Precision = 1
	}
	s.records = append(s.records, r)
}

func (s *script) task(when float64, t collectors.Type, o collectors.Object, container, id string, code int) {
	s.add(when, collectors.Record{Source: collectors.SourceRuntime, Type: t, Object: o, Container: container, Task: &collectors.Task{ID: id, Node: "n", PID: 7, ExitCode: code}})
}

func (s *script) line(when float64, o collectors.Object, container string, run int, text string) {
	s.add(when, collectors.Record{Source: collectors.SourceLog, Type: collectors.TypeLog, Object: o, Container: container, Log: &collectors.Log{Run: run, Text: text}})
}

func (s *script) step(when float64, verb, name string, out collectors.Step) {
	out.Verb, out.Name, out.StartedAt, out.FinishedAt = verb, name, at(when-0.01), at(when)
	begins := collectors.Step{Verb: verb, Name: name, StartedAt: at(when - 0.01)}
	s.add(when-0.01, collectors.Record{Source: collectors.SourceLab, Type: collectors.TypeStepBegin, Step: &begins})
	s.add(when, collectors.Record{Source: collectors.SourceLab, Type: collectors.TypeStep, Step: &out})
}

// pod adds a state of a pod, with what is computed of its containers.
func (s *script) pod(when float64, o collectors.Object, owner *collectors.Object, policy policy, cs ...collectors.Container) {
	p := &collectors.Pod{Owner: owner, Node: "n", IP: "10.0.0.1", CreatedAt: at(0), Containers: cs}
	p.Phase = phaseOf(p, policy)
	p.Conditions = conditionsOf(p)
	p.Status, p.Ready = (&pod{policy: policy}).statusOf(p), readyOf(p)
	s.add(when, collectors.Record{Source: collectors.SourceAPI, Type: collectors.TypePod, Object: o, Precision: time.Second, Pod: p})
}

func (s *script) job(when float64, j collectors.Job) {
	j.CreatedAt = at(0)
	s.add(when, collectors.Record{Source: collectors.SourceAPI, Type: collectors.TypeJob, Object: batchJob, Precision: time.Second, Job: &j})
}

func waits(name, kind string) collectors.Container {
	return collectors.Container{Name: name, Kind: kind, Image: "i:1", State: waiting, Reason: "PodInitializing"}
}

func up(name, kind, id string, since float64) collectors.Container {
	yes := true
	return collectors.Container{Name: name, Kind: kind, Image: "i:1", ID: id, State: runs, Ready: true, Started: &yes,
		Current: &collectors.ContainerRun{ID: id, StartedAt: at(since).Truncate(time.Second)}}
}

func ended(name, kind, id string, since, until float64, code int) collectors.Container {
	c := up(name, kind, id, since)
	c.State, c.Ready, c.Started, c.Reason = terminated, false, new(bool), reasonOf(code)
	c.Current = &collectors.ContainerRun{ID: id, StartedAt: at(since).Truncate(time.Second), FinishedAt: at(until).Truncate(time.Second), ExitCode: code, Reason: reasonOf(code)}
	return c
}

const sidecar, mainKind = collectors.KindSidecar, collectors.KindMain

// world is the journal that changes are tried on: a Job that completes, with a
// sidecar, and a pod whose container was killed for memory and runs again.
func world() []collectors.Record {
	s := &script{}
	s.step(0.05, "apply", "strict", collectors.Step{Error: "unknown field \"x\""})
	s.step(0.2, "apply", "all", collectors.Step{Warnings: []string{"unknown field \"y\""}, Objects: []collectors.Object{batchJob}})
	s.add(0.25, collectors.Record{Source: collectors.SourceAPI, Type: collectors.TypeObject, Object: settings,
		Content: &collectors.Content{APIVersion: "v1", JSON: json.RawMessage(`{"kind":"ConfigMap","data":{"a":"b"},"spec":{"replicas":2,"on":true,"list":["x"]}}`)}})
	s.job(0.3, collectors.Job{Active: 1, StartedAt: at(0)})
	s.pod(0.4, jobPod, &batchJob, never, waits("proxy", sidecar), waits("app", mainKind), waits("helper", mainKind))
	s.pod(0.5, barePod, nil, always, waits("crash", mainKind))
	s.add(0.6, collectors.Record{Source: collectors.SourceAPI, Type: collectors.TypeEvent, Object: barePod, Event: &collectors.Event{Reason: "Scheduled", Message: "to n"}})
	s.task(1, collectors.TypeTaskStart, jobPod, "proxy", "P", 0)
	s.line(1.1, jobPod, "proxy", 0, "serves")
	s.pod(1.3, jobPod, &batchJob, never, up("proxy", sidecar, "P", 1), waits("app", mainKind), waits("helper", mainKind))
	s.task(2, collectors.TypeTaskStart, jobPod, "app", "A", 0)
	s.task(2.2, collectors.TypeTaskStart, barePod, "crash", "C", 0)
	s.task(2.5, collectors.TypeTaskStart, jobPod, "helper", "H", 0)
	s.pod(2.8, jobPod, &batchJob, never, up("proxy", sidecar, "P", 1), up("app", mainKind, "A", 2), up("helper", mainKind, "H", 2))
	s.pod(2.9, barePod, nil, always, up("crash", mainKind, "C", 2))
	s.line(3, jobPod, "app", 0, "works")
	s.step(3.5, "exec", "look", collectors.Step{Stdout: "hello\n", ExitCode: new(int)})
	s.task(4.2, collectors.TypeTaskOOM, barePod, "crash", "C", 0)
	s.task(4.2, collectors.TypeTaskExit, barePod, "crash", "C", sigkill)
	killed := ended("crash", mainKind, "C", 2, 4, sigkill)
	killed.Reason, killed.Current.Reason = oomKilled, oomKilled
	s.pod(4.4, barePod, nil, always, killed)
	s.task(5.2, collectors.TypeTaskStart, barePod, "crash", "D", 0)
	again := up("crash", mainKind, "D", 5)
	again.Restarts, again.Last = 1, killed.Current
	s.pod(5.4, barePod, nil, always, again)
	s.line(6, barePod, "crash", 1, "again")
	s.task(10, collectors.TypeTaskExit, jobPod, "app", "A", 0)
	s.pod(10.3, jobPod, &batchJob, never, up("proxy", sidecar, "P", 1), ended("app", mainKind, "A", 2, 10, 0), up("helper", mainKind, "H", 2))
	s.task(14, collectors.TypeTaskExit, jobPod, "helper", "H", 0)
	s.task(16, collectors.TypeTaskExit, jobPod, "proxy", "P", sigkill)
	s.pod(16.3, jobPod, &batchJob, never, ended("proxy", sidecar, "P", 1, 16, sigkill), ended("app", mainKind, "A", 2, 10, 0), ended("helper", mainKind, "H", 2, 14, 0))
	s.job(16.6, collectors.Job{Succeeded: 1, StartedAt: at(0), CompletedAt: at(16), Conditions: map[string]string{complete: "True"}})
	s.add(17, collectors.Record{Source: "future", Type: "asked"})
	for i := range s.records {
		s.records[i].Seq = uint64(i + 1)
	}
	return s.records
}

// place is the world as a place for changes, with what another run has.
func newPlace() *place {
	h := newHistory(begin, world())
	h.know(known{})
	o := newOthers()
	o.add(h)
	other := &script{}
	other.line(1, jobPod, "app", 0, "elsewhere")
	other.add(2, collectors.Record{Source: collectors.SourceAPI, Type: collectors.TypeEvent, Object: barePod, Event: &collectors.Event{Reason: "Pulled", Message: "image i:2"}})
	other.job(3, collectors.Job{Conditions: map[string]string{successCriteria: "True"}})
	o.add(newHistory(begin, other.records))
	return &place{history: h, others: o}
}

// changed applies the change of a kind that is described so, and returns the
// records and their history.
func changed(t *testing.T, kind, text string) *history {
	t.Helper()
	p := newPlace()
	k := kindOf(t, kind)
	var texts []string
	for _, c := range k.candidates(p) {
		if c.text == text {
			d := newDraft(p.history)
			c.apply(d)
			return newHistory(begin, d.records())
		}
		texts = append(texts, c.text)
	}
	t.Fatalf("%s: no change %q; there are %q", kind, text, texts)
	return nil
}

func kindOf(t *testing.T, name string) Kind {
	t.Helper()
	all := Kinds()
	i := slices.IndexFunc(all, func(k Kind) bool { return k.Name == name })
	if i < 0 {
		t.Fatalf("no kind %q", name)
	}
	return all[i]
}

// fold is the state that a timeline has of the records.
func fold(h *history) *collectors.Timeline {
	timeline := collectors.NewTimeline(h.begin)
	for _, r := range h.records {
		timeline.Add(r)
	}
	return timeline
}
