package collectors

import (
	"fmt"
	"slices"
)

// PodState is what is known of a pod: one UID, so that a pod made anew under
// the same name has a state of its own. It is a snapshot that later records
// do not change; it must not be changed.
type PodState struct {
	Object Object
	// First and Last are the first and the newest record of the API that have
	// its state; after its removal Last is the last one before it, unless the
	// removal itself reported more.
	First, Last Record
	// Statuses are the distinct values of the STATUS column, each once, in the
	// order in which they were first seen.
	Statuses  []string
	CreatedAt Moment
	// DeletedAt is when the deletion was asked for, by the API.
	DeletedAt Moment
	// GoneAt is when the removal from the API was received.
	GoneAt Moment
	// Containers are in the spec's order, as in Pod.
	Containers []*ContainerState
}

// ContainerState is what is known of a container of a pod.
type ContainerState struct {
	// Container is what the API said last. It lags the runtime by a second or
	// more: State, Ready and Restarts are the API's alone, and may still say
	// "running" where Runs has the end already.
	Container
	// ReadyAt is when the API was first seen to call it ready; the time of
	// the receipt, which is up to seconds after the fact.
	ReadyAt Moment
	// Runs are all runs that either source reported, oldest first.
	Runs []RunState
}

// Pod is what the newest record says.
func (p *PodState) Pod() *Pod { return p.Last.Pod }

// Container is the container of that name; nil if the pod has none.
func (p *PodState) Container(name string) *ContainerState {
	for _, c := range p.Containers {
		if c.Name == name {
			return c
		}
	}
	return nil
}

// Over says that no container of the pod will start any more: its phase is
// terminal or it is gone.
func (p *PodState) Over() bool {
	return p.GoneAt.Known() || p.Pod().Phase == "Succeeded" || p.Pod().Phase == "Failed"
}

// Started is the newest run whose start is known; nil if there is none.
func (c *ContainerState) Started() *RunState {
	return c.newest(func(r *RunState) bool { return r.StartedAt.Known() })
}

// Exited is the newest run that ended; nil if none did.
func (c *ContainerState) Exited() *RunState {
	return c.newest(func(r *RunState) bool { return r.Exited })
}

func (c *ContainerState) newest(match func(*RunState) bool) *RunState {
	for i := len(c.Runs) - 1; i >= 0; i-- {
		if match(&c.Runs[i]) {
			return &c.Runs[i]
		}
	}
	return nil
}

// StartOrder are the names of the containers that started, by their first
// run's start. It is false where two of the times cannot be distinguished, or a
// start was not seen of a container that ran: then there is no order to give.
func (p *PodState) StartOrder() ([]string, bool) {
	return p.orderBy(func(c *ContainerState) (Moment, bool) {
		if len(c.Runs) == 0 {
			return Moment{}, false
		}
		return c.Runs[0].StartedAt, true
	})
}

// ExitOrder are the names of the containers whose newest run ended, by that
// end. It is false where two of the times cannot be distinguished or one is not
// known.
func (p *PodState) ExitOrder() ([]string, bool) {
	return p.orderBy(func(c *ContainerState) (Moment, bool) {
		if len(c.Runs) == 0 || !c.Runs[len(c.Runs)-1].Exited {
			return Moment{}, false
		}
		return c.Runs[len(c.Runs)-1].FinishedAt, true
	})
}

// orderBy orders the containers for which at has a moment.
func (p *PodState) orderBy(at func(*ContainerState) (Moment, bool)) ([]string, bool) {
	type entry struct {
		name string
		at   Moment
	}
	var entries []entry
	for _, c := range p.Containers {
		if m, ok := at(c); ok {
			entries = append(entries, entry{c.Name, m})
		}
	}
	slices.SortStableFunc(entries, func(a, b entry) int { return a.at.Time.Compare(b.at.Time) })
	names := make([]string, 0, len(entries))
	for i, e := range entries {
		if !e.at.Known() {
			return nil, false
		}
		if i > 0 && !allBefore(entries[:i], e, func(x entry) Moment { return x.at }) {
			return nil, false
		}
		names = append(names, e.name)
	}
	return names, true
}

// allBefore says whether every one of earlier was surely before e.
func allBefore[T any](earlier []T, e T, at func(T) Moment) bool {
	for _, x := range earlier {
		if n, ok := Order(at(x), at(e)); !ok || n >= 0 {
			return false
		}
	}
	return true
}

// pod is the fold of one pod's records.
type pod struct {
	first, last Record
	statuses    []string
	gone        Moment
	readyAt     map[string]Moment
	// snapshot is nil where something changed since it was made.
	snapshot *PodState
}

// addPod folds a pod record.
func (t *Timeline) addPod(r Record) {
	p := t.podOf[r.Object]
	if p == nil {
		if r.Pod == nil {
			return
		}
		p = &pod{first: r, last: r, readyAt: map[string]Moment{}}
		t.podOf[r.Object] = p
		t.podByUID[r.Object.UID] = p
		t.pods = append(t.pods, p)
	}
	p.snapshot = nil
	if r.Type == TypePodGone && !p.gone.Known() {
		p.gone = recordMoment(r)
	}
	if r.Pod == nil {
		return
	}
	p.last = r
	if s := r.Pod.Status; s != "" && !slices.Contains(p.statuses, s) {
		p.statuses = append(p.statuses, s)
	}
	for _, c := range r.Pod.Containers {
		t.addContainer(p, r, c)
	}
}

// addContainer folds a container's state in a pod record.
func (t *Timeline) addContainer(p *pod, r Record, c Container) {
	if _, seen := p.readyAt[c.Name]; c.Ready && !seen {
		p.readyAt[c.Name] = recordMoment(r)
	}
	owner := runKey{r.Object.UID, c.Name}
	if c.Last != nil {
		index := c.Restarts
		if c.Current != nil {
			index--
		}
		t.addAPIRun(owner, runID(owner, c.Last.ID, index), index, *c.Last, true)
	}
	if c.Current != nil {
		id := c.Current.ID
		if id == "" {
			id = c.ID
		}
		exited := c.State == "terminated" || !c.Current.FinishedAt.IsZero()
		t.addAPIRun(owner, runID(owner, id, c.Restarts), c.Restarts, *c.Current, exited)
	}
}

// runID is the run's id, or a made-up one where the API reported none.
func runID(owner runKey, id string, restarts int) string {
	if id != "" {
		return id
	}
	return fmt.Sprintf("?%s/%s/%d", owner.uid, owner.container, restarts)
}

// touch marks the pod of that UID as changed.
func (t *Timeline) touch(uid string) {
	if p := t.podByUID[uid]; p != nil {
		p.snapshot = nil
	}
}

// Pods are all pods that the API showed, those that are gone among them, in
// the order in which they were first seen.
func (t *Timeline) Pods() []*PodState {
	states := make([]*PodState, len(t.pods))
	for i, p := range t.pods {
		if p.snapshot == nil {
			p.snapshot = t.podState(p)
		}
		states[i] = p.snapshot
	}
	return states
}

func (t *Timeline) podState(p *pod) *PodState {
	now := p.last.Pod
	s := &PodState{
		Object:    p.first.Object,
		First:     p.first,
		Last:      p.last,
		Statuses:  slices.Clone(p.statuses),
		CreatedAt: APIMoment(now.CreatedAt),
		DeletedAt: APIMoment(now.DeletedAt),
		GoneAt:    p.gone,
	}
	for _, c := range now.Containers {
		s.Containers = append(s.Containers, &ContainerState{
			Container: c,
			ReadyAt:   p.readyAt[c.Name],
			Runs:      t.runStates(runKey{p.first.Object.UID, c.Name}),
		})
	}
	return s
}
