package logs

import (
	"hash/maphash"
	"maps"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kind-lab/lab/collectors"
)

// book is what is known of the namespace's containers and their runs.
type book struct {
	mu      sync.Mutex
	pods    map[types.UID]*pod
	names   map[string]types.UID // the latest pod of a name
	changed chan struct{}        // closed and replaced at each change
	lines   int                  // recorded lines of all containers
}

// pod is one pod, also after it is gone.
type pod struct {
	object     collectors.Object
	gone       bool
	containers map[string]*container
}

// container is one container of one pod. Its own mutex guards what is recorded
// of it; the book's guards runs and latest.
type container struct {
	pod    *pod
	name   string
	color  string
	runs   map[int]*run
	latest int // the number of the last run that is known; -1 before any

	mu      sync.Mutex
	seed    maphash.Seed
	seen    map[uint64]uint32 // how often a line of a time was recorded
	passes  map[*pass]bool    // those that are open
	began   int               // how many passes there were
	bytes   int
	dropped int
	from    time.Time // the time of the first line that was dropped
	told    int       // dropped lines that are declared
	shown   time.Time // of the newest line, where lines are shown and not kept

	// following says whether the log is followed, asking whether it could be read
	// when that was asked.
	following, asking sight
}

// run is one run of a container. The book's mutex guards it.
type run struct {
	startedAt time.Time // whole seconds
	ended     bool
	read      bool      // the whole log was read through the API after its end
	openedAt  time.Time // when the following of its log began last
	eof       bool      // the log was followed to its end
	first     time.Time // the first line
	last      time.Time // the last line
	declared  bool      // its gap is declared
	why       error     // why its log could not be read when the next run began
}

// pass is one reading of a container's log, which may bring lines that another
// one brought before. Nil counts mean that it is the only one so far.
type pass struct {
	counts map[uint64]uint32
}

func newBook() *book {
	return &book{pods: map[types.UID]*pod{}, names: map[string]types.UID{}, changed: make(chan struct{})}
}

// previous is a run that was over when the next one was seen.
type previous struct {
	container *container
	number    int
}

// observe takes a pod's state. It returns the runs that it newly shows to be
// the one before the last: their log is there until the next restart.
func (b *book) observe(p *corev1.Pod, gone bool) []previous {
	b.mu.Lock()
	defer b.mu.Unlock()
	known := b.pods[p.UID]
	if known == nil {
		known = &pod{
			object:     collectors.Object{Kind: "Pod", Namespace: p.Namespace, Name: p.Name, UID: string(p.UID)},
			containers: map[string]*container{},
		}
		b.pods[p.UID] = known
		b.names[p.Name] = p.UID
	}
	known.gone = known.gone || gone
	var out []previous
	for _, statuses := range [][]corev1.ContainerStatus{
		p.Status.InitContainerStatuses, p.Status.ContainerStatuses, p.Status.EphemeralContainerStatuses,
	} {
		for i := range statuses {
			if c, restarted := known.observe(&statuses[i]); restarted {
				out = append(out, previous{container: c, number: c.latest - 1})
			}
		}
	}
	b.tell()
	return out
}

// observe takes one container's status and says whether it shows a new run
// after another one.
func (p *pod) observe(s *corev1.ContainerStatus) (c *container, restarted bool) {
	c = p.container(s.Name)
	if s.ContainerID == "" && s.State.Running == nil && s.State.Terminated == nil {
		return c, false // not created yet
	}
	number := int(s.RestartCount)
	if number < c.latest {
		return c, false // an older state
	}
	restarted = number > c.latest && number > 0
	for n := max(c.latest+1, 0); n <= number; n++ {
		c.runs[n] = &run{}
	}
	for n := range number {
		c.runs[n].ended = true
	}
	c.latest = number
	r := c.runs[number]
	switch {
	case s.State.Running != nil:
		r.startedAt = s.State.Running.StartedAt.Time
	case s.State.Terminated != nil:
		r.startedAt, r.ended = s.State.Terminated.StartedAt.Time, true
	default:
		r.ended = s.LastTerminationState.Terminated != nil
	}
	return c, restarted
}

func (p *pod) container(name string) *container {
	c := p.containers[name]
	if c == nil {
		c = &container{
			pod: p, name: name, latest: -1, color: colorOf(p.object.Name, name), runs: map[int]*run{},
			seed: maphash.MakeSeed(), seen: map[uint64]uint32{}, passes: map[*pass]bool{},
		}
		p.containers[name] = c
	}
	return c
}

// find returns the container of the latest pod of a name, and its last run.
func (b *book) find(podName, name string) (*container, int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	p := b.pods[b.names[podName]]
	if p == nil {
		return nil, -1
	}
	c := p.container(name)
	return c, max(c.latest, 0)
}

// runOf corrects the run of a line: who asks for a container's log gets that of
// the run that is the last by then, of which the API may not know yet. A run's
// start is known in whole seconds; within that second the number stays.
func (b *book) runOf(c *container, number int, at time.Time) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	for n := c.latest; n > number; n-- {
		if r := c.runs[n]; !r.startedAt.IsZero() && !at.Before(r.startedAt.Add(time.Second)) {
			return n
		}
	}
	return number
}

// note changes what is known of a run.
func (b *book) note(c *container, number int, change func(*run)) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if c.runs[number] == nil {
		c.runs[number] = &run{}
	}
	change(c.runs[number])
	b.tell()
}

// tell wakes who waits for a change. The caller holds b.mu.
func (b *book) tell() {
	close(b.changed)
	b.changed = make(chan struct{})
}

// over says whether a run has ended or its pod is gone, and returns what is
// closed when that may have changed.
func (b *book) over(c *container, number int) (bool, <-chan struct{}) {
	b.mu.Lock()
	defer b.mu.Unlock()
	r := c.runs[number]
	return c.pod.gone || r != nil && r.ended, b.changed
}

// begin opens a pass. The counts of a pass that was alone are what is seen.
func (c *container) begin() *pass {
	c.mu.Lock()
	defer c.mu.Unlock()
	for p := range c.passes {
		if p.counts == nil {
			p.counts = maps.Clone(c.seen)
		}
	}
	p := &pass{}
	if c.began > 0 {
		p.counts = map[uint64]uint32{}
	}
	c.began++
	c.passes[p] = true
	return p
}

func (c *container) end(p *pass) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.passes, p)
	p.counts = map[uint64]uint32{}
}

// isNew says whether a line that a pass brings was not recorded yet. The same
// text at the same nanosecond counts as often as one pass brings it. The
// caller holds c.mu.
func (c *container) isNew(p *pass, l line) bool {
	var h maphash.Hash
	h.SetSeed(c.seed)
	h.WriteString(l.stamp)
	h.WriteByte(0)
	h.WriteString(l.text)
	key := h.Sum64()
	if p.counts != nil {
		p.counts[key]++
		if p.counts[key] <= c.seen[key] {
			return false
		}
	}
	c.seen[key]++
	return true
}
