package expect

import (
	"slices"
	"time"

	"github.com/kind-lab/lab/collectors"
	"github.com/kind-lab/lab/dsl/value"
)

// Values is what the timeline knows of a namespace, as expressions see it;
// every namespace if it is empty.
//
// What a source does not see now, or may have missed, is said to be so. What may
// still come is unknown: the exit code of a container that runs, the
// time of a start that was not seen yet. What cannot come any more is null:
// both for a container that never started of a pod that is over. If the
// times do not show the start or exit order, the order is nil.
func Values(tl *collectors.Timeline, namespace string) Observed {
	return folder{tl: tl, gaps: gapsOf(tl, namespace), logs: &logs{tl: tl}}.values(namespace)
}

func (f folder) values(namespace string) Observed {
	tl := f.tl
	o := Observed{
		Pods:    map[string]*value.Pod{},
		Jobs:    map[string]*value.Job{},
		Steps:   map[string]*value.Step{},
		Objects: map[value.ObjectKey]*value.Object{},
		Missed:  f.missed(),
	}
	pods := inNamespace(tl, namespace)
	byState := make([]*value.Pod, len(pods))
	for i, p := range pods {
		byState[i] = f.pod(p)
		o.Pods[p.Object.Name] = byState[i]
	}
	for _, j := range newestJobs(tl, namespace) {
		v := f.job(j)
		v.PodsLack = f.gaps.lost(value.Read{Stream: value.PodStream, Job: j.Object.Name}, j.Job().CreatedAt)
		for i, p := range pods {
			if ownedBy(p, j.Object) {
				v.Pods = append(v.Pods, byState[i])
			}
		}
		o.Jobs[j.Object.Name] = v
	}
	for _, s := range tl.Steps() {
		o.Steps[s.Name] = f.step(s)
	}
	for _, s := range newestObjects(tl, namespace) {
		o.Objects[keyOf(s)] = f.object(s)
	}
	return o
}

// jobKind is the kind of Jobs.
const jobKind = "Job"

// inNamespace are the namespace's pods, oldest first by CreatedAt and, where
// that is the same second, by when they were first seen.
func inNamespace(tl *collectors.Timeline, namespace string) []*collectors.PodState {
	var pods []*collectors.PodState
	for _, p := range tl.Pods() {
		if namespace == "" || p.Object.Namespace == namespace {
			pods = append(pods, p)
		}
	}
	slices.SortStableFunc(pods, func(a, b *collectors.PodState) int {
		return a.CreatedAt.Time.Compare(b.CreatedAt.Time)
	})
	return pods
}

// newestJobs are the namespace's Jobs, the newest of each name.
func newestJobs(tl *collectors.Timeline, namespace string) map[string]*collectors.JobState {
	jobs := map[string]*collectors.JobState{}
	for _, j := range tl.Jobs() {
		if namespace != "" && j.Object.Namespace != namespace {
			continue
		}
		old := jobs[j.Object.Name]
		if old == nil || !j.Job().CreatedAt.Before(old.Job().CreatedAt) {
			jobs[j.Object.Name] = j
		}
	}
	return jobs
}

// ownedBy says whether the object controls the pod. UIDs decide where both
// are known.
func ownedBy(p *collectors.PodState, o collectors.Object) bool {
	owner := p.Pod().Owner
	if owner == nil || owner.Kind != o.Kind || owner.Name != o.Name || p.Object.Namespace != o.Namespace {
		return false
	}
	return owner.UID == "" || o.UID == "" || owner.UID == o.UID
}

// folder turns states into values.
type folder struct {
	tl   *collectors.Timeline
	gaps gaps
	logs *logs
	// before are values of states that need not be made again; now takes
	// those that are. Both may be nil.
	before, now map[*collectors.PodState]*value.Pod
}

// missed says of the streams of objects why one that was not observed may have
// been there.
func (f folder) missed() map[value.Stream]string {
	if len(f.gaps.all) == 0 {
		return nil
	}
	missed := map[value.Stream]string{}
	streams := []value.Stream{value.PodStream, value.JobStream}
	for _, gap := range f.gaps.all {
		streams = append(streams, value.ObjectStream(gap.Object.Kind))
	}
	for _, root := range value.Roots() {
		if kind, ok := value.KindOf(root); ok {
			streams = append(streams, value.ObjectStream(kind.Kind))
		}
	}
	for _, s := range streams {
		if why := f.gaps.lost(value.Read{Stream: s}, f.tl.Begin()); why != "" {
			missed[s] = why
		}
	}
	return missed
}

func (f folder) time(m collectors.Moment) value.Time {
	return value.Time{Seconds: f.tl.Seconds(m.Time), Precision: m.Precision, Source: string(m.Source)}
}

// moment is the time, or if it is not known absent or unknown.
func (f folder) moment(m collectors.Moment, absent bool) value.Opt[value.Time] {
	if m.Known() {
		return value.Some(f.time(m))
	}
	return missing[value.Time](absent)
}

// missing is a value that is absent, or not observed yet.
func missing[T any](absent bool) value.Opt[T] {
	if absent {
		return value.None[T]()
	}
	return value.Opt[T]{}
}

// orMissing is the value if it is not its type's zero.
func orMissing[T comparable](v T, absent bool) value.Opt[T] {
	var zero T
	if v != zero {
		return value.Some(v)
	}
	return missing[T](absent)
}

func (f folder) pod(s *collectors.PodState) *value.Pod {
	v := f.before[s]
	if v == nil {
		v = f.newPod(s)
	}
	if f.now != nil {
		f.now[s] = v
	}
	return v
}

func (f folder) newPod(s *collectors.PodState) *value.Pod {
	p, gone := s.Pod(), s.GoneAt.Known()
	v := &value.Pod{
		Name: s.Object.Name, UID: s.Object.UID,
		IP:         orMissing(p.IP, s.Over()),
		Node:       orMissing(p.Node, s.Over()),
		Phase:      p.Phase,
		Status:     p.Status,
		Statuses:   s.Statuses,
		Ready:      p.Ready,
		Reason:     orMissing(p.Reason, true),
		Conditions: conditions(p.Conditions),
		CreatedAt:  f.time(s.CreatedAt),
		DeletedAt:  f.moment(s.DeletedAt, gone),
		GoneAt:     f.heard(s.GoneAt, false),
		QOS:        p.QOS,
		Events:     f.events(s.Object),
	}
	read := value.Read{Stream: value.PodStream, Name: v.Name}
	v.Blind, v.StatusesLack = f.gaps.open(read), f.gaps.lost(read, s.CreatedAt.Time)
	if owner := p.Owner; gone && v.Blind == "" && (owner == nil || owner.Kind != jobKind) { // each pod of a Job has a name of its own
		v.Blind = f.gaps.lost(read, s.GoneAt.Time)
	}
	v.EventsLack = f.gaps.lost(value.Read{Stream: value.EventStream, Name: v.Name}, s.CreatedAt.Time)
	for _, c := range s.Containers {
		v.Containers = append(v.Containers, f.container(s, c))
		if v.OrderLacks == "" {
			v.OrderLacks = v.Containers[len(v.Containers)-1].RunsLack
		}
	}
	if order, ok := s.StartOrder(); ok {
		v.StartOrder = order
	}
	if order, ok := s.ExitOrder(); ok {
		v.ExitOrder = order
	}
	return v
}

// conditions says of each condition whether it is "True"; "Unknown" is not.
func conditions(in map[string]string) map[string]bool {
	out := make(map[string]bool, len(in))
	for name, status := range in {
		out[name] = status == "True"
	}
	return out
}

func (f folder) container(p *collectors.PodState, c *collectors.ContainerState) *value.Container {
	never := p.Over() && len(c.Runs) == 0
	life := lifeOf(c)
	v := &value.Container{
		Name: c.Name, Kind: c.Kind, Image: c.Image,
		State:      orMissing(life.state, never),
		Reason:     life.reason,
		Ready:      life.ready,
		Started:    life.started,
		Restarts:   life.restarts,
		StartedAt:  missing[value.Time](never),
		ReadyAt:    f.heard(c.ReadyAt, p.Over()),
		FinishedAt: missing[value.Time](never),
		ExitCode:   missing[int](never),
		Signal:     missing[int](never),
		OOMKilled:  oomKilled(p, c),
		Log:        f.logs.of(p.Object, c.Name, p.CreatedAt.Time, f.gaps),
	}
	if never {
		v.Reason = value.None[string]()
		if v.Started.State != value.Known {
			v.Started = value.None[bool]()
		}
	}
	if r := c.Started(); r != nil {
		v.StartedAt = f.moment(r.StartedAt, false)
	}
	if r := c.Exited(); r != nil {
		v.FinishedAt = f.moment(r.FinishedAt, r.Reported)
		v.ExitCode = value.Some(r.ExitCode)
		v.Signal = orMissing(r.Signal, true)
	}
	for i := range c.Runs {
		v.Runs = append(v.Runs, f.run(&c.Runs[i]))
	}
	f.unseen(v, p, c)
	return v
}

// unseen says what of a container is not known, or may lack something, since a
// source saw nothing.
func (f folder) unseen(v *value.Container, p *collectors.PodState, c *collectors.ContainerState) {
	if len(c.Runs) > 0 {
		v.ByRuntime = c.Runs[len(c.Runs)-1].ByRuntime()
	}
	if len(f.gaps.all) == 0 {
		return
	}
	created := p.CreatedAt.Time
	life := value.Read{Stream: value.LifeStream, Name: p.Object.Name, Container: c.Name}
	byRuntime := life
	byRuntime.Stream = value.RuntimeStream
	v.ByRuntime = v.ByRuntime && f.gaps.lost(byRuntime, created) == ""
	ends := life
	if v.ByRuntime {
		ends = byRuntime
	}
	v.Blind, v.EndBlind = f.gaps.open(life), f.gaps.open(ends)
	if v.EndBlind != "" || !isWhole(c) {
		v.RunsLack = f.gaps.lost(ends, created)
	}
	api := value.Read{Stream: value.PodStream, Name: p.Object.Name}
	v.ReadyBlind = f.gaps.open(api)
	if v.ReadyBlind == "" && c.ReadyAt.Known() {
		if gap := f.gaps.between([]value.Read{api}, created, c.ReadyAt.Time); gap != nil {
			v.ReadyBlind = f.gaps.text(gap)
		}
	}
}

// oomKilled tells of the newest run that ended, and of one that goes on where
// the kernel killed in it already. The runtime tells a memory kill and an end
// apart, so that "no" is known only once the API reported the end, or where
// nothing can come any more.
func oomKilled(p *collectors.PodState, c *collectors.ContainerState) value.Opt[bool] {
	if n := len(c.Runs); n > 0 && c.Runs[n-1].OOM {
		return value.Some(true)
	}
	r := c.Exited()
	switch {
	case r == nil && p.Over() && len(c.Runs) == 0:
		return value.None[bool]()
	case r == nil:
		return value.Opt[bool]{}
	case r.OOM:
		return value.Some(true)
	case r.Reported || p.Over():
		return value.Some(false)
	}
	return value.Opt[bool]{}
}

func (f folder) run(r *collectors.RunState) value.ContainerRun {
	v := value.ContainerRun{
		StartedAt:  f.moment(r.StartedAt, r.Reported),
		FinishedAt: f.moment(r.FinishedAt, r.Reported),
	}
	if r.Exited {
		v.ExitCode = value.Some(r.ExitCode)
	}
	return v
}

func (f folder) job(s *collectors.JobState) *value.Job {
	j := s.Job()
	all := conditions(j.Conditions)
	read := value.Read{Stream: value.JobStream, Name: s.Object.Name}
	blind := f.gaps.open(read)
	if s.GoneAt.Known() && blind == "" { // another may have had the name since
		blind = f.gaps.lost(read, s.GoneAt.Time)
	}
	return &value.Job{
		Name:        s.Object.Name,
		Complete:    all["Complete"],
		Failed:      all["Failed"],
		Active:      j.Active,
		Succeeded:   j.Succeeded,
		Failures:    j.Failed,
		Conditions:  all,
		StartedAt:   f.moment(collectors.APIMoment(j.StartedAt), s.GoneAt.Known()),
		CompletedAt: f.moment(collectors.APIMoment(j.CompletedAt), all["Failed"] || s.GoneAt.Known()),
		Blind:       blind,
	}
}

func (f folder) step(s collectors.Step) *value.Step {
	at := func(t time.Time) value.Time {
		return f.here(collectors.Moment{Time: t, Precision: time.Nanosecond, Source: collectors.SourceLab})
	}
	v := &value.Step{
		StartedAt:  at(s.StartedAt),
		FinishedAt: at(s.FinishedAt),
		Error:      orMissing(s.Error, true),
		Warnings:   s.Warnings,
		Stdout:     value.None[string](),
		Stderr:     value.None[string](),
		ExitCode:   value.None[int](),
	}
	if s.RanCommand() {
		v.Stdout, v.Stderr = value.Some(s.Stdout), value.Some(s.Stderr)
	}
	if s.ExitCode != nil {
		v.ExitCode = value.Some(*s.ExitCode)
	}
	return v
}
