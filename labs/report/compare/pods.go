package compare

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/kind-lab/lab/labs/report/document"
	"github.com/kind-lab/lab/labs/report/text"
)

// arrow stands between what followed each other.
const arrow = " → "

// pods compares the pods of the sides.
func pods(sides []side) []Difference {
	var titles []string
	for _, s := range sides {
		for _, p := range s.picture.Pods {
			if !slices.Contains(titles, p.Title) {
				titles = append(titles, p.Title)
			}
		}
	}
	var out []Difference
	for _, title := range titles {
		out = append(out, pod(sides, title)...)
	}
	slices.SortStableFunc(out, func(a, b Difference) int { return rank(a.Kind) - rank(b.Kind) })
	return out
}

// rank is the place of a kind among those of pods.
func rank(k Kind) int {
	return slices.Index([]Kind{KindPod, KindStatus, KindContainer, KindStarts, KindEnds, KindExit, KindRestarts, KindDuration, KindSpan, KindQOS}, k)
}

// pod compares the pods of a title.
func pod(sides []side, title string) []Difference {
	on := func(s side) (document.PodPicture, bool) {
		i := slices.IndexFunc(s.picture.Pods, func(p document.PodPicture) bool { return p.Title == title })
		if i < 0 {
			return document.PodPicture{}, false
		}
		return s.picture.Pods[i], true
	}
	out := texts(KindPod, title, sides, func(s side) (string, bool) {
		if _, there := on(s); !there {
			return "was not seen", true
		}
		return "was there", true
	})
	out = append(out, texts(KindStatus, title, sides, func(s side) (string, bool) {
		p, there := on(s)
		return course(p), there && len(p.Statuses) > 0
	})...)
	out = append(out, texts(KindQOS, title, sides, func(s side) (string, bool) {
		p, there := on(s)
		return p.QOS, there && p.QOS != ""
	})...)
	out = append(out, orders(sides, title, on)...)
	var names []string
	for _, s := range sides {
		p, _ := on(s)
		for _, c := range p.Containers {
			if !slices.Contains(names, c.Name) {
				names = append(names, c.Name)
			}
		}
	}
	for _, name := range names {
		out = append(out, container(sides, title+"/"+name, func(s side) (found document.ContainerPicture, of, there bool) {
			p, seen := on(s)
			i := slices.IndexFunc(p.Containers, func(c document.ContainerPicture) bool { return c.Name == name })
			if i < 0 {
				return found, seen, false
			}
			return p.Containers[i], true, true
		})...)
	}
	return out
}

// course are the distinct STATUSes in their order.
func course(p document.PodPicture) string {
	var all []string
	for _, c := range p.Statuses {
		if len(all) == 0 || all[len(all)-1] != c.Status {
			all = append(all, c.Status)
		}
	}
	return strings.Join(all, arrow)
}

// container compares a container; on says whether the pod was there, and the
// container in it.
func container(sides []side, subject string, on func(side) (found document.ContainerPicture, pod, there bool)) []Difference {
	out := texts(KindPod, subject, sides, func(s side) (string, bool) {
		_, pod, there := on(s)
		if there {
			return "was there", pod
		}
		return "is not in the pod", pod
	})
	there := func(of func(document.ContainerPicture) (string, bool)) func(side) (string, bool) {
		return func(s side) (string, bool) {
			c, _, ok := on(s)
			if !ok {
				return "", false
			}
			return of(c)
		}
	}
	out = append(out, texts(KindContainer, subject, sides, there(func(c document.ContainerPicture) (string, bool) { return c.Kind, c.Kind != "" }))...)
	out = append(out, texts(KindExit, subject, sides, there(func(c document.ContainerPicture) (string, bool) { return ended(c), true }))...)
	out = append(out, texts(KindRestarts, subject, sides, there(func(c document.ContainerPicture) (string, bool) {
		return text.Plural(len(c.Runs)-1, "restart"), len(c.Runs) > 0
	}))...)
	return append(out, durations(sides, subject, func(s side) (document.ContainerPicture, bool) {
		c, _, ok := on(s)
		return c, ok
	})...)
}

// ended says how the newest run of a container ended.
func ended(c document.ContainerPicture) string {
	if len(c.Runs) == 0 {
		return "never started"
	}
	r := c.Runs[len(c.Runs)-1]
	if !r.Exited {
		return "still ran at the end"
	}
	text := "exited " + text.ExitText(r.ExitCode)
	if r.Reason != "" && !(r.Reason == "Completed" && r.ExitCode == 0) && !(r.Reason == "Error" && r.ExitCode != 0) {
		text += " (" + r.Reason + ")"
	}
	if r.OOM && r.Reason != "OOMKilled" {
		text += ", after the kernel killed a process in it for lack of memory"
	}
	return text
}

// length is a stretch of time.
type length struct {
	seconds float64
	// within is how far it may be off, in seconds.
	within float64
}

// The tolerances: lengths differ where they do by more than both, and by more
// than their sources may be off.
const (
	leastSeconds = 1.0
	leastShare   = 0.2
)

func (l length) same(o length) bool {
	apart := math.Abs(l.seconds - o.seconds)
	return apart <= max(leastSeconds, l.within+o.within) || apart <= leastShare*max(l.seconds, o.seconds)
}

// lengthText is a length, or the range of several.
func lengthText(all []length) string {
	text := func(l length) string {
		if l.within >= 0.1 {
			return fmt.Sprintf("~%.0f", l.seconds)
		}
		return fmt.Sprintf("%.1f", l.seconds)
	}
	by := func(a, b length) int { return cmp.Compare(a.seconds, b.seconds) }
	least, most := text(slices.MinFunc(all, by)), text(slices.MaxFunc(all, by))
	if least == most {
		return least + " s"
	}
	return least + " to " + most + " s"
}

// lengths compares stretches of time.
func lengths(kind Kind, subject string, sides []side, of func(side) (length, bool)) []Difference {
	return differing(kind, subject, grouped(sides, of, length.same, lengthText))
}

// between is the time from one instant to another.
func between(from, to document.Instant) length {
	return length{seconds: to.At - from.At, within: (from.Precision + to.Precision).Seconds()}
}

// mostRuns bounds how many runs of a container are compared in their lengths.
const mostRuns = 3

// durations compares how long a container ran, run by run.
func durations(sides []side, subject string, on func(side) (document.ContainerPicture, bool)) []Difference {
	several := slices.ContainsFunc(sides, func(s side) bool { c, _ := on(s); return len(c.Runs) > 1 })
	var out []Difference
	for n := range mostRuns {
		title := subject
		if several {
			title = fmt.Sprintf("%s, run %d", subject, n+1)
		}
		out = append(out, lengths(KindDuration, title, sides, func(s side) (length, bool) {
			c, _ := on(s)
			if n >= len(c.Runs) || c.Runs[n].StartedAt == nil || c.Runs[n].FinishedAt == nil {
				return length{}, false
			}
			return between(*c.Runs[n].StartedAt, *c.Runs[n].FinishedAt), true
		})...)
	}
	return out
}
