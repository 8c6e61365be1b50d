package mutate

import (
	"fmt"
	"slices"
	"time"

	"github.com/kind-lab/lab/collectors"
)

// beside is how far behind or before another thing one is put.
const beside = 10 * tick

// maxMarks bounds past how many things one is moved.
const maxMarks = 24

// farthest bounds by how much something is moved past another thing.
const farthest = 5 * time.Minute

// mark is something that a container does, past which another container's doing is
// moved.
type mark struct {
	at   time.Time
	what string
}

// marks are what the other containers of a pod do: their starts, their ends, and
// the lines of which a condition speaks, each text once.
func (at *place) marks(p *pod, but *container) (all []mark) {
	add := func(when time.Time, what string) {
		if !when.IsZero() && len(all) < maxMarks && !slices.ContainsFunc(all, func(m mark) bool { return m.what == what }) {
			all = append(all, mark{when, what})
		}
	}
	for _, c := range p.containers {
		if c == but {
			continue
		}
		for n, l := range c.runs {
			add(l.began, p.run(c, n)+" starts")
			if l.exited {
				add(l.ended, p.run(c, n)+" ends")
			}
			for _, i := range l.lines {
				if at.isSpoken(p, c, i) {
					add(at.records[i].Time, p.name(c)+" writes "+quoted(at.records[i].Log.Text))
				}
			}
		}
	}
	return all
}

// isSpoken says whether a condition of the scenario looks for a line.
func (at *place) isSpoken(p *pod, c *container, i int) bool {
	job := jobOf(&at.records[i], p)
	for _, r := range at.readings {
		if r.looksFor(fact{name: p.object.Name, job: job, container: c.name, text: at.records[i].Log.Text}) {
			return true
		}
	}
	return false
}

// past calls f for every way in which what a container does at a time can be put on
// the other side of what another container of its pod does: by how much it is
// moved, and what that is.
func (at *place) past(p *pod, c *container, when time.Time, f func(by time.Duration, where string)) {
	for _, m := range at.marks(p, c) {
		by, where := m.at.Sub(when), "just before "
		switch {
		case by > 0:
			by, where = by+beside, "just after "
		default:
			by -= beside
		}
		if by.Abs() < farthest {
			f(by, fmt.Sprintf("%s, %s%s", sooner(by), where, m.what))
		}
	}
}

// mayStart says whether a container of a pod may start by so much later or sooner,
// as far as the time of the pod's creation tells.
func (h *history) mayStart(p *pod, l *life, by time.Duration) bool {
	return len(p.records) == 0 || !l.began.Add(by).Before(h.records[p.records[0]].Pod.CreatedAt)
}

// inOrder says whether one container starts only after another one before it has,
// or is done.
func inOrder(before *container) bool {
	return before.kind == collectors.KindInit || before.kind == collectors.KindSidecar
}
