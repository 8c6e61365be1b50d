package document

import (
	"cmp"
	"math"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/kind-lab/lab/collectors"
)

// The bounds of a document.
const (
	// MaxLines is how many log lines a document has; fewer where many are
	// long.
	MaxLines = 100_000
	// MaxLine is how many bytes it has of a line.
	MaxLine = 16 << 10
	// costly is for how many bytes a line counts as one more.
	costly = 512
)

// LineKey names a container of a run.
type LineKey struct {
	Run, Pod, UID, Container string
}

// LineTally counts what the log lines of each container cost: one each, and
// more where they are long.
type LineTally map[LineKey]int

// Add counts a record, where it is a line.
func (t LineTally) Add(run string, r collectors.Record) {
	if r.Type == collectors.TypeLog && r.Log != nil {
		t[LineKey{run, r.Object.Name, r.Object.UID, r.Container}] += lineCost(r.Log.Text)
	}
}

// Share is what the lines of each container may cost so that all together cost
// no more than total: who has less than that leaves the others more.
func (t LineTally) Share(total int) int {
	var costs []int
	for _, cost := range t {
		costs = append(costs, cost)
	}
	slices.Sort(costs)
	for i, cost := range costs {
		if share := total / (len(costs) - i); cost > share {
			return share
		}
		total -= cost
	}
	return math.MaxInt
}

func lineCost(text string) int { return 1 + min(len(text), MaxLine)/costly }

// keptLine is a line before it is known which of the picture's pods it is of.
type keptLine struct {
	LinePicture
	of   LineKey
	cost int
}

// lineFold keeps of each container the first lines and the last, half each.
type lineFold struct {
	share      int
	containers map[LineKey]*lineEnds
}

type lineEnds struct {
	first, last         []keptLine
	firstCost, lastCost int
	omitted             int
}

func newLineFold(share int) lineFold {
	return lineFold{share: share, containers: map[LineKey]*lineEnds{}}
}

// newLine is a line on an axis that begins there, clean.
func newLine(r collectors.Record, begin time.Time, cleaner *Cleaner) keptLine {
	text := cleaner.Line(r.Log.Text)
	l := keptLine{of: LineKey{Pod: r.Object.Name, UID: r.Object.UID, Container: r.Container}, cost: lineCost(r.Log.Text)}
	l.LinePicture = LinePicture{At: r.Time.Sub(begin).Seconds(), Run: r.Log.Run, Stream: r.Log.Stream, Cut: r.Log.Cut}
	if len(text) > MaxLine {
		end := MaxLine
		for end > 0 && !utf8.RuneStart(text[end]) {
			end--
		}
		text, l.Cut = text[:end], true
	}
	l.Text = text
	return l
}

func (f *lineFold) add(l keptLine) {
	e := f.containers[l.of]
	if e == nil {
		e = &lineEnds{}
		f.containers[l.of] = e
	}
	if len(e.last) == 0 && e.omitted == 0 && e.firstCost+l.cost <= f.share/2 {
		e.first, e.firstCost = append(e.first, l), e.firstCost+l.cost
		return
	}
	e.last, e.lastCost = append(e.last, l), e.lastCost+l.cost
	for len(e.last) > 0 && e.lastCost > f.share-e.firstCost {
		e.lastCost -= e.last[0].cost
		e.last[0] = keptLine{}
		e.last, e.omitted = e.last[1:], e.omitted+1
	}
}

// picture is what was kept, in the order of time, and how many lines were not.
func (f *lineFold) picture(pods []PodPicture) (lines []LinePicture, omitted int) {
	var all []keptLine
	for of, e := range f.containers {
		pod, container := podOf(pods, of), -1
		if pod >= 0 {
			container = slices.IndexFunc(pods[pod].Containers, func(c ContainerPicture) bool { return c.Name == of.Container })
		}
		for _, kept := range [][]keptLine{e.first, e.last} {
			for _, l := range kept {
				l.Pod, l.Container = pod, container
				all = append(all, l)
			}
		}
		omitted += e.omitted
	}
	// What is of one container came in its order, which is kept for equal times.
	slices.SortStableFunc(all, func(a, b keptLine) int {
		return cmp.Or(cmp.Compare(a.At, b.At), cmp.Compare(a.Pod, b.Pod), cmp.Compare(a.Container, b.Container),
			cmp.Compare(a.of.Container, b.of.Container), cmp.Compare(a.of.Pod, b.of.Pod), cmp.Compare(a.of.UID, b.of.UID))
	})
	for _, l := range all {
		lines = append(lines, l.LinePicture)
	}
	return lines, omitted
}

// podOf is the pod that lines are of: that UID, or the newest of that name
// if there is no UID; -1 if there is none.
func podOf(pods []PodPicture, of LineKey) int {
	for i, p := range slices.Backward(pods) {
		if of.UID != "" && p.UID == of.UID || of.UID == "" && p.Name == of.Pod {
			return i
		}
	}
	return -1
}
