package live

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/kind-lab/lab/labs/report"
	"github.com/kind-lab/lab/labs/report/layout"
	"github.com/kind-lab/lab/labs/report/text"
)

// dashboard are the lines at a terminal's bottom: a lane for each cluster.
type dashboard struct {
	lanePen
	// height is the terminal's number of lines.
	height int
	lanes  []*lane
	// drawn are the widths of the lines that stand there.
	drawn []int
}

func newDashboard(s layout.Style, clusters []string, now time.Time) dashboard {
	b := dashboard{lanePen: lanePen{Style: s, began: now}}
	for _, name := range clusters {
		b.lanes = append(b.lanes, &lane{name: name, text: "waiting", since: now})
	}
	return b
}

func (b *dashboard) event(e report.Event, now time.Time) {
	if e.Cluster == "" {
		return
	}
	i := slices.IndexFunc(b.lanes, func(l *lane) bool { return l.name == e.Cluster })
	if i < 0 {
		i, b.lanes = len(b.lanes), append(b.lanes, &lane{name: e.Cluster, since: now})
	}
	b.lanes[i].event(e, now)
}

// The terminal's height if it is not known, and what the lines above the
// dashboard keep of it at least.
const (
	defaultHeight = 24
	leastAbove    = 4
)

// room is how many lines the dashboard may have: two thirds of the terminal.
func (b *dashboard) room() int {
	height := b.height
	if height <= 0 {
		height = defaultHeight
	}
	return max(1, min(height*2/3, height-leastAbove))
}

// up goes to where the dashboard begins. A terminal that became narrower has broken
// its lines since.
func (b *dashboard) up() string {
	if len(b.drawn) == 0 {
		return ""
	}
	rows := 0
	for _, columns := range b.drawn {
		rows += max(1, (columns+b.columns())/(b.columns()+1))
	}
	b.drawn = nil
	if rows < 2 {
		return "\r"
	}
	return fmt.Sprintf("\r\x1b[%dA", rows-1)
}

// lines are the dashboard's lines: those of the lanes that have something to do
// first, if there is no room for all.
func (b *dashboard) lines(now time.Time) []string {
	room := b.room()
	shown := slices.Clone(b.lanes)
	if len(shown) > room {
		slices.SortStableFunc(shown, func(x, y *lane) int { return rank(x) - rank(y) })
		shown = shown[:max(1, room-1)]
	}
	longest := 0
	for _, l := range shown {
		longest = max(longest, min(layout.Width(layout.Clean(l.name)), layout.LongestName))
	}
	more := len(b.lanes) - len(shown)
	left := room - len(shown)
	if more > 0 {
		left--
	}
	shares, legend := shareOut(shown, left)
	var out []string
	for i, l := range shown {
		out = append(out, b.head(l, longest, now))
		out = append(out, b.pods(l.pods, shares[i], longest+4)...)
	}
	if more > 0 && room > 1 {
		out = append(out, b.Paint(layout.Dim, b.Cut("  and "+text.Plural(more, "cluster")+" more", b.columns())))
	}
	if legend {
		out = append(out, b.legend())
	}
	return out
}

// shareOut says how many lines each lane has for its pods, of those that are
// left, and whether there is one for the legend.
func shareOut(shown []*lane, left int) (shares []int, legend bool) {
	shares = make([]int, len(shown))
	for given := true; given && left > 0; {
		given = false
		for i, l := range shown {
			if shares[i] < len(l.pods) && left > 0 {
				shares[i]++
				left--
				given = true
			}
		}
	}
	return shares, left > 0 && slices.Max(append(shares, 0)) > 0
}

// pods are the lines of a lane's pods; the last says how many more there are.
func (b *dashboard) pods(pods []*lanePod, lines, indent int) []string {
	shown := len(pods)
	if shown > lines {
		shown = max(0, lines-1)
	}
	var out []string
	for _, p := range pods[len(pods)-shown:] { // the newest
		out = append(out, b.pod(p, indent))
	}
	if more := len(pods) - shown; more > 0 && lines > 0 {
		out = append(out, b.Paint(layout.Dim, b.Cut(layout.Pad("", indent)+"and "+text.Plural(more, "pod")+" more", b.columns())))
	}
	return out
}

// rank is the place of a lane among others: those that are done are last.
func rank(l *lane) int {
	if l.done {
		return 1
	}
	return 0
}

// draw returns the lines, over what stands there; the cursor is then at the
// last one's end.
func (b *dashboard) draw(now time.Time) string {
	lines := b.lines(now)
	b.drawn = nil
	for _, line := range lines {
		b.drawn = append(b.drawn, layout.Width(line))
	}
	return strings.Join(lines, "\x1b[K\n") + "\x1b[J"
}
