package compare

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/kind-lab/lab/collectors"
	"github.com/kind-lab/lab/labs/report/document"
)

// Together is how far apart ends may be that count as one.
const Together = time.Second

// moment is when a container started or ended.
type moment struct {
	container string
	kind      string
	document.Instant
}

// sequence is the order in which things happened: groups that have no order
// within.
type sequence struct {
	moments []moment
	groups  [][]moment
	// starts are when the same containers started.
	starts []moment
}

// sequenceOf puts moments in order. Those that are less than apart from the
// first of their group, or than their precision, are one group.
func sequenceOf(moments []moment, apart time.Duration) sequence {
	s := sequence{moments: slices.Clone(moments)}
	slices.SortStableFunc(s.moments, func(a, b moment) int { return cmp.Compare(a.At, b.At) })
	for _, m := range s.moments {
		if n := len(s.groups); n > 0 && !follows(s.groups[n-1][0], m, apart) {
			s.groups[n-1] = append(s.groups[n-1], m)
			continue
		}
		s.groups = append(s.groups, []moment{m})
	}
	return s
}

// follows says whether m is known to be after first, by at least apart.
func follows(first, m moment, apart time.Duration) bool {
	return m.At-first.At >= max(apart, first.Precision, m.Precision).Seconds()
}

// gap is how long after m its partner of another container is, and how far
// that may be off.
func (s sequence) gap(first, second string) (length, bool) {
	a := slices.IndexFunc(s.moments, func(m moment) bool { return m.container == first })
	b := slices.IndexFunc(s.moments, func(m moment) bool { return m.container == second })
	if a < 0 || b < 0 {
		return length{}, false
	}
	return length{s.moments[b].At - s.moments[a].At, max(s.moments[a].Precision, s.moments[b].Precision).Seconds()}, true
}

// relation is how second stands to first.
type relation int

const (
	before   relation = -1
	together relation = 0
	after    relation = 1
)

func (l length) relation(apart time.Duration) relation {
	least := max(apart.Seconds(), l.within)
	switch {
	case l.seconds >= least && l.seconds > 0:
		return after
	case -l.seconds >= least && l.seconds < 0:
		return before
	}
	return together
}

// sameOrder says whether no two containers are in another order in both. Being
// together is another order only where containers may be (apart is not 0), and
// the distance is another by more than the tolerance.
func sameOrder(apart time.Duration) func(a, b sequence) bool {
	return func(a, b sequence) bool {
		for i, first := range a.moments {
			for _, second := range a.moments[i+1:] {
				x, _ := a.gap(first.container, second.container)
				y, known := b.gap(first.container, second.container)
				if !known {
					continue
				}
				r, o := x.relation(apart), y.relation(apart)
				if r == o {
					continue
				}
				opposite := r == -o
				if opposite || apart > 0 && max(x.seconds-y.seconds, y.seconds-x.seconds) > max(leastSeconds, x.within+y.within) {
					return false
				}
			}
		}
		return true
	}
}

// orders compares in which order a pod's containers started and ended, and how
// long that took.
func orders(sides []side, title string, on func(side) (document.PodPicture, bool)) []Difference {
	starts := func(s side) (sequence, bool) {
		p, _ := on(s)
		seq := sequenceOf(startsOf(p), 0)
		return seq, len(seq.moments) > 1
	}
	ends := func(s side) (sequence, bool) {
		p, _ := on(s)
		seq := sequenceOf(endsOf(p), Together)
		seq.starts = startsOf(p)
		return seq, len(seq.moments) > 1
	}
	text := func(all []sequence) string { return all[0].text() }
	out := differing(KindStarts, title, grouped(sides, starts, sameOrder(0), text))
	out = append(out, differing(KindEnds, title, grouped(sides, ends, sameOrder(Together), text))...)
	return append(out, lengths(KindSpan, title, sides, func(s side) (length, bool) {
		seq, known := ends(s)
		if !known {
			return length{}, false
		}
		return between(seq.moments[0].Instant, seq.moments[len(seq.moments)-1].Instant), true
	})...)
}

// startsOf are the first starts of a pod's containers.
func startsOf(p document.PodPicture) []moment {
	var out []moment
	for _, c := range p.Containers {
		if len(c.Runs) > 0 && c.Runs[0].StartedAt != nil {
			out = append(out, moment{c.Name, c.Kind, *c.Runs[0].StartedAt})
		}
	}
	return out
}

// endsOf are the ends of a pod's containers in their newest runs.
func endsOf(p document.PodPicture) []moment {
	var out []moment
	for _, c := range p.Containers {
		if n := len(c.Runs); n > 0 && c.Runs[n-1].FinishedAt != nil {
			out = append(out, moment{c.Name, c.Kind, *c.Runs[n-1].FinishedAt})
		}
	}
	return out
}

// text is the sequence for people.
func (s sequence) text() string {
	var parts []string
	for _, g := range s.groups {
		parts = append(parts, groupText(g))
	}
	text := strings.Join(parts, arrow)
	if len(s.groups) == len(s.moments) && len(s.moments) > 2 {
		text = "one after another: " + text
	}
	if s.reversed() {
		text += " (sidecars in the reverse order of their starts)"
	}
	return text
}

// groupText are containers that have no order.
func groupText(g []moment) string {
	if len(g) == 1 {
		return g[0].container
	}
	var names []string
	coarse := false
	for _, m := range g {
		names = append(names, m.container)
		coarse = coarse || m.Precision >= time.Second
	}
	slices.Sort(names)
	text := strings.Join(names, ", ")
	if coarse {
		return text + " in unknown order"
	}
	return fmt.Sprintf("%s together (within %.2f s)", text, g[len(g)-1].At-g[0].At)
}

// reversed says whether at least two sidecars ended one after another, the last
// started first.
func (s sequence) reversed() bool {
	var ended []string
	for _, g := range s.groups {
		for _, m := range g {
			if m.kind != collectors.KindSidecar {
				continue
			}
			if len(g) > 1 {
				return false
			}
			ended = append(ended, m.container)
		}
	}
	var started []string
	for _, g := range sequenceOf(s.starts, 0).groups {
		for _, m := range g {
			if slices.Contains(ended, m.container) {
				if len(g) > 1 {
					return false
				}
				started = append(started, m.container)
			}
		}
	}
	slices.Reverse(started)
	return len(ended) > 1 && slices.Equal(ended, started)
}
