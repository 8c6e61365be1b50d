package mutate

import (
	"slices"
	"time"

	"github.com/kind-lab/lab/collectors"
)

// history is what a run recorded, with an index of its pods and containers. It
// is not changed once it is made: changes are made to a draft of it.
type history struct {
	begin   time.Time
	records []collectors.Record
	// arrivals are when the records arrived, never one before the one before it.
	arrivals []time.Time
	pods     []*pod
	byUID    map[string]*pod
}

// pod is a pod of a history.
type pod struct {
	object collectors.Object
	owner  *collectors.Object
	// records are the indexes of its states, and gone that of its removal, which
	// may have its last state; -1 if it was not removed.
	records []int
	gone    int
	// policy is its restartPolicy, of which sure says that it is known; minor is
	// the minor version of Kubernetes, 0 if that is not known.
	policy policy
	sure   bool
	minor  int
	// containers are in the spec's order.
	containers []*container
}

// container is a container of a pod, with its runs, oldest first.
type container struct {
	name, kind string
	runs       []*life
}

// life is one run of a container.
type life struct {
	id string
	// start, exit and oom are the indexes of the runtime's records; -1 if there
	// is none.
	start, exit, oom int
	// began and ended are when it did; zero if that is not known. The time of
	// the runtime is taken before that of the API.
	began, ended time.Time
	exited       bool
	code         int
	// lines are the indexes of its log lines.
	lines []int
}

// newHistory makes the index of records, which are in the order of their
// arrival.
func newHistory(begin time.Time, records []collectors.Record) *history {
	h := &history{begin: begin, records: records, arrivals: make([]time.Time, len(records)), byUID: map[string]*pod{}}
	var last time.Time
	for i := range records {
		if at := received(&records[i]); at.After(last) {
			last = at
		}
		h.arrivals[i] = last
	}
	h.findPods()
	for _, p := range h.pods {
		h.findRuns(p)
		h.findLines(p)
	}
	return h
}

// know adds what is known of a run beside its records.
func (h *history) know(k known) {
	for _, p := range h.pods {
		p.minor = k.minor
		if p.policy, p.sure = k.policyOf(p); !p.sure {
			p.policy = h.guessPolicy(p)
		}
	}
}

// received is when a record arrived.
func received(r *collectors.Record) time.Time {
	if r.Received.IsZero() {
		return r.Time
	}
	return r.Received
}

func (h *history) findPods() {
	for i := range h.records {
		r := &h.records[i]
		if r.Type != collectors.TypePod && r.Type != collectors.TypePodGone {
			continue
		}
		p := h.byUID[r.Object.UID]
		if p == nil {
			p = &pod{object: r.Object, gone: -1}
			h.byUID[r.Object.UID] = p
			h.pods = append(h.pods, p)
		}
		if r.Type == collectors.TypePodGone {
			p.gone = i
		}
		if r.Pod == nil {
			continue
		}
		p.records = append(p.records, i)
		p.owner = r.Pod.Owner
		for _, c := range r.Pod.Containers {
			if p.container(c.Name) == nil {
				p.containers = append(p.containers, &container{name: c.Name, kind: c.Kind})
			}
		}
	}
}

func (p *pod) container(name string) *container {
	for _, c := range p.containers {
		if c.name == name {
			return c
		}
	}
	return nil
}

// last is the newest state of the pod; nil if it has none.
func (h *history) last(p *pod) *collectors.Pod {
	if len(p.records) == 0 {
		return nil
	}
	return h.records[p.records[len(p.records)-1]].Pod
}

// findRuns joins what the runtime and the API have of the runs of a pod's
// containers.
func (h *history) findRuns(p *pod) {
	for i := range h.records {
		r := &h.records[i]
		if r.Task == nil || r.Object.UID != p.object.UID {
			continue
		}
		c := p.container(r.Container)
		if c == nil {
			continue
		}
		l := c.life(r.Task.ID)
		switch r.Type {
		case collectors.TypeTaskStart:
			l.start, l.began = i, r.Time
		case collectors.TypeTaskExit:
			l.exit, l.ended, l.exited, l.code = i, r.Time, true, r.Task.ExitCode
		case collectors.TypeTaskOOM:
			l.oom = i
		}
	}
	for _, i := range p.records {
		for _, c := range h.records[i].Pod.Containers {
			for _, run := range []*collectors.ContainerRun{c.Last, c.Current} {
				if run != nil && run.ID != "" {
					p.container(c.Name).life(run.ID).reported(run)
				}
			}
		}
	}
	for _, c := range p.containers {
		slices.SortStableFunc(c.runs, func(a, b *life) int { return a.first().Compare(b.first()) })
	}
}

func (c *container) life(id string) *life {
	for _, l := range c.runs {
		if l.id == id {
			return l
		}
	}
	l := &life{id: id, start: -1, exit: -1, oom: -1}
	c.runs = append(c.runs, l)
	return l
}

// reported adds what the API has of a run.
func (l *life) reported(run *collectors.ContainerRun) {
	if l.began.IsZero() {
		l.began = run.StartedAt
	}
	if run.FinishedAt.IsZero() {
		return
	}
	if l.exit < 0 {
		l.ended, l.code = run.FinishedAt, run.ExitCode
	}
	l.exited = true
}

// first is the earliest time that is known of a run.
func (l *life) first() time.Time {
	if l.began.IsZero() {
		return l.ended
	}
	return l.began
}

// findLines gives the log lines to the runs that wrote them.
func (h *history) findLines(p *pod) {
	for i := range h.records {
		r := &h.records[i]
		if r.Log == nil || r.Object.UID != p.object.UID {
			continue
		}
		c := p.container(r.Container)
		if c != nil && r.Log.Run >= 0 && r.Log.Run < len(c.runs) {
			l := c.runs[r.Log.Run]
			l.lines = append(l.lines, i)
		}
	}
}

// name is what a person calls a container: POD/CONTAINER.
func (p *pod) name(c *container) string { return p.object.Name + "/" + c.name }

// deleted says whether the pod's deletion was asked for.
func (h *history) deleted(p *pod) bool {
	last := h.last(p)
	return p.gone >= 0 || last != nil && !last.DeletedAt.IsZero()
}

// names are the words in the names of what the records are about. The pod of a
// Job has the Job's name.
func (h *history) names() map[string]bool {
	all := map[string]bool{}
	for i := range h.records {
		r := &h.records[i]
		for _, name := range []string{r.Object.Name, r.Container} {
			for w := range wordsOf(name) {
				all[w] = true
			}
		}
	}
	for _, p := range h.pods {
		if p.owner != nil {
			all[p.owner.Name] = true
		}
		for _, c := range p.containers {
			all[c.name] = true
		}
	}
	return all
}
