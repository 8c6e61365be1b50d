package collectors

import (
	"cmp"
	"slices"
	"time"
)

// RunState is what is known of one run of a container, from the runtime and
// the API together. The runtime's times win over the API's.
type RunState struct {
	// ID is the runtime's id; for a run that the API reported without one it is a
	// made-up name that begins with "?".
	ID string
	// StartedAt is not known where nobody saw the start; FinishedAt is not
	// known while it runs. A start that was reported to be after the end, as happens
	// to very short runs, is put just before it.
	StartedAt, FinishedAt Moment
	// Exited says that it ended; only then ExitCode, Signal and Reason mean
	// anything. It may be known before FinishedAt is.
	Exited   bool
	ExitCode int
	// Signal is the number of the signal that ended it; 0 if it ended by
	// itself.
	Signal int
	// Reason is the API's, such as "Completed" or "OOMKilled"; empty before
	// the API reported the end.
	Reason string
	// OOM says that the kernel killed for memory in it.
	OOM bool
	// Reported says that the API reported its end, so that Reason is known and
	// OOM will not change.
	Reported bool
}

// ByRuntime says that the container runtime reported it: its start, and its end if
// it has one.
func (r *RunState) ByRuntime() bool {
	return r.StartedAt.Source == SourceRuntime && (!r.Exited || r.FinishedAt.Source == SourceRuntime)
}

// runKey names a container of a pod by the pod's UID.
type runKey struct{ uid, container string }

// run holds what each source reported about one run, apart, so that the order in
// which they reported it does not matter.
type run struct {
	id    string
	owner runKey
	// named says that a pod record named the owner, which beats a task's.
	named bool
	// index is the restart count that it belongs to; -1 if it is not known.
	index            int
	start, exit, oom Moment
	exitCode         int
	api              ContainerRun
	apiExited        bool
}

// maxSignal is the greatest signal number of Linux.
const maxSignal = 64

// SignalOf is the signal that an exit code of a container stands for, such as
// 9 for 137; 0 if it stands for none.
func SignalOf(exitCode int) int {
	if n := exitCode - 128; n > 0 && n <= maxSignal {
		return n
	}
	return 0
}

// state merges what the sources reported.
func (r *run) state() RunState {
	s := RunState{
		ID:         r.id,
		StartedAt:  r.start.orElse(APIMoment(r.api.StartedAt)),
		FinishedAt: r.exit.orElse(APIMoment(r.api.FinishedAt)),
		Exited:     r.exit.Known() || r.apiExited,
		OOM:        r.oom.Known() || r.api.Reason == reasonOOM,
		Reason:     r.api.Reason,
		Reported:   r.apiExited,
	}
	switch {
	case r.exit.Known():
		s.ExitCode = r.exitCode
	case r.apiExited:
		s.ExitCode = r.api.ExitCode
	}
	s.StartedAt = beforeEnd(s.StartedAt, s.FinishedAt)
	if s.Exited {
		s.Signal = cmp.Or(r.api.Signal, SignalOf(s.ExitCode))
	}
	return s
}

// beforeEnd is a run's start where that may be before its end, else a
// nanosecond before it, or as near as its precision allows. The runtime stamps a
// start when the call to start has returned, which on a busy machine is late: by
// then a short-lived run has ended, at a time that the kernel's notice gave. The
// API cuts both to the second, and takes its start from the same late stamp.
func beforeEnd(start, end Moment) Moment {
	if !start.Known() || !end.Known() {
		return start
	}
	latest := end.Time
	if end.Precision > time.Nanosecond {
		latest = latest.Add(end.Precision)
	}
	if start.Time.Before(latest) {
		return start
	}
	start.Time = latest.Add(-time.Nanosecond)
	if start.Precision > time.Nanosecond {
		start.Time = start.Time.Truncate(start.Precision)
	}
	return start
}

// reasonOOM is the reason that the API gives for a memory kill.
const reasonOOM = "OOMKilled"

// runOf is the run of that id, made if there was none.
func (t *Timeline) runOf(id string) *run {
	r := t.runs[id]
	if r == nil {
		r = &run{id: id, index: -1}
		t.runs[id] = r
	}
	return r
}

// assign gives a run to a container and marks the pod as changed.
func (t *Timeline) assign(r *run, owner runKey, named bool) {
	if (!r.named || named) && r.owner != owner && owner.uid != "" && owner.container != "" {
		t.runsOf[r.owner] = slices.DeleteFunc(t.runsOf[r.owner], func(x *run) bool { return x == r })
		t.touch(r.owner.uid)
		r.owner = owner
		t.runsOf[owner] = append(t.runsOf[owner], r)
	}
	r.named = r.named || named
	t.touch(r.owner.uid)
}

// addTask merges what the runtime reported about a run.
func (t *Timeline) addTask(rec Record) {
	if rec.Task == nil || rec.Task.ID == "" {
		return
	}
	r := t.runOf(rec.Task.ID)
	at := recordMoment(rec)
	switch rec.Type {
	case TypeTaskStart:
		r.start = earliest(r.start, at)
	case TypeTaskExit:
		if !r.exit.Known() || at.Time.Before(r.exit.Time) {
			r.exit, r.exitCode = at, rec.Task.ExitCode
		}
	case TypeTaskOOM:
		r.oom = finest(r.oom, at)
	}
	t.assign(r, runKey{rec.Object.UID, rec.Container}, false)
}

// addAPIRun merges what the API reported about a run.
func (t *Timeline) addAPIRun(owner runKey, id string, index int, reported ContainerRun, exited bool) {
	r := t.runOf(id)
	r.index = index
	if !reported.StartedAt.IsZero() {
		r.api.StartedAt = reported.StartedAt
	}
	if exited {
		started := r.api.StartedAt
		r.api, r.apiExited = reported, true
		if reported.StartedAt.IsZero() {
			r.api.StartedAt = started
		}
	}
	t.assign(r, owner, true)
}

// runStates are the runs of a container, oldest first.
func (t *Timeline) runStates(owner runKey) []RunState {
	runs := slices.Clone(t.runsOf[owner])
	sortRuns(runs)
	states := make([]RunState, len(runs))
	for i, r := range runs {
		states[i] = r.state()
	}
	return states
}

// sortRuns puts a container's runs into their order: by restart count where
// the API reported all of them, else by when they began, or ended where that is
// not known.
func sortRuns(runs []*run) {
	counted := !slices.ContainsFunc(runs, func(r *run) bool { return r.index < 0 })
	slices.SortFunc(runs, func(a, b *run) int {
		if counted && a.index != b.index {
			return cmp.Compare(a.index, b.index)
		}
		sa, sb := a.state(), b.state()
		ta := sa.StartedAt.orElse(sa.FinishedAt).orElse(a.oom)
		tb := sb.StartedAt.orElse(sb.FinishedAt).orElse(b.oom)
		return cmp.Or(ta.Time.Compare(tb.Time), cmp.Compare(a.index, b.index), cmp.Compare(a.id, b.id))
	})
}
