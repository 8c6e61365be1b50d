package replay

import (
	"cmp"
	"flag"
	"fmt"
	"hash/fnv"
	"maps"
	"math/rand/v2"
	"os"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/kind-lab/lab/collectors"
	"github.com/kind-lab/lab/labs/expect"
	"github.com/kind-lab/lab/labs/expect/hide"
)

var (
	hideRounds = flag.Int("hide", 0, "how many spans of each source and length are hidden for each verdict of the catalog; a choice of spans if 0")
	hideTable  = flag.String("hide-table", "", "a file for the table of verdicts that turn to Error")
)

var (
	hiddenSources = []collectors.Source{collectors.SourceAPI, collectors.SourceRuntime, collectors.SourceLog}
	hiddenLengths = []time.Duration{time.Second, 5 * time.Second, 20 * time.Second}
)

// row is a line of the table: spans of one source and one length.
type row struct {
	source collectors.Source
	length time.Duration
}

// tally counts the result of verdicts.
type tally struct{ same, shy, flipped int }

// caution is the table, and the reasons of the Errors with an example of each.
type caution struct {
	mu       sync.Mutex
	rows     map[row]*tally
	trials   int
	reasons  map[string]int
	examples map[string]string
	// asked counts the decisions, undecided those that are Errors with nothing
	// hidden, since the sources take longer to answer than they did.
	asked, undecided int
}

func newCaution() *caution {
	return &caution{rows: map[row]*tally{}, reasons: map[string]int{}, examples: map[string]string{}}
}

func (c *caution) count(r row, before, after expect.Verdict, example string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	y := c.rows[r]
	if y == nil {
		y = &tally{}
		c.rows[r] = y
	}
	switch after.Status {
	case before.Status:
		y.same++
	case expect.Error:
		y.shy++
		reason := shortReason(after.Reason)
		c.reasons[reason]++
		c.examples[reason] = example + ": " + after.Reason
	default:
		y.flipped++
	}
}

func (c *caution) tried() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.trials++
}

// judged counts a decision with nothing hidden.
func (c *caution) judged(v expect.Verdict) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.asked++
	if v.Status == expect.Error {
		c.undecided++
	}
}

// courses are what verdicts say of what was seen, in parts of their reasons.
var courses = []string{"still unknown", "never became true", "still false", "never false", "for the whole", "became true", "was true", "was false"}

var numbers = regexp.MustCompile(`[0-9]+(\.[0-9]+)?`)

// shortReason is a reason without its times and the condition.
func shortReason(reason string) string {
	why, seen, _ := strings.Cut(reason, ", so this could not be decided")
	for _, course := range courses {
		if strings.Contains(seen, course) {
			why += " … " + course
			break
		}
	}
	return numbers.ReplaceAllString(why, "N")
}

// String is the table.
func (c *caution) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%-8s %6s %9s %7s %7s\n", "source", "hidden", "unchanged", "Error", "Error")
	for _, source := range hiddenSources {
		for _, length := range hiddenLengths {
			if y := c.rows[row{source, length}]; y != nil {
				fmt.Fprintf(&b, "%-8s %6s %9d %7d %6.1f%%\n", source, length, y.same, y.shy, 100*float64(y.shy)/float64(y.same+y.shy+y.flipped))
			}
		}
	}
	return b.String()
}

// TestHidingFlipsNoVerdictOfTheCatalog hides spans of the catalog's recordings
// and delays them. A verdict stays what it is, or becomes an Error. Where what is
// hidden is nothing that it rests on, it stays as it is in all.
func TestHidingFlipsNoVerdictOfTheCatalog(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(800))
	all := newCaution()
	t.Run("labs", func(t *testing.T) {
		eachDecision(t, all, func(t *testing.T, d *decision) {
			d.hideAndDelay(t, all)
			d.hideTheRest(t, all)
		})
	})
	t.Logf("%d decisions, %d trials\n%s", all.asked, all.trials, all)
	if all.undecided > all.asked/20 {
		t.Errorf("%d of %d decisions are Errors although nothing is hidden", all.undecided, all.asked)
	}
	of := map[collectors.Source]tally{} // one length alone has too few trials to be more than chance
	for r, y := range all.rows {
		of[r.source] = tally{same: of[r.source].same + y.same, shy: of[r.source].shy + y.shy}
	}
	for source, y := range of {
		if y.same < y.shy {
			t.Errorf("of what is hidden of the source %q more than half of the verdicts turn to Error", source)
		}
	}
	common := slices.SortedFunc(maps.Keys(all.reasons), func(a, b string) int { return cmp.Compare(all.reasons[b], all.reasons[a]) })
	for _, reason := range common[:min(len(common), 10)] {
		t.Logf("%d times: %s, such as\n%s", all.reasons[reason], reason, all.examples[reason])
	}
	if *hideTable != "" {
		if err := os.WriteFile(*hideTable, []byte(all.String()), 0o600); err != nil {
			t.Error(err)
		}
	}
}

// hideAndDelay hides spans that begin before the decision. What is hidden depends
// on the decision alone, so that a trial is the same in each test run.
func (d *decision) hideAndDelay(t *testing.T, all *caution) {
	rounds, seed := max(1, *hideRounds), d.seed()
	for i := range rounds {
		for n := range len(hiddenSources) * len(hiddenLengths) {
			if *hideRounds == 0 && uint64(n) != seed%9 {
				continue
			}
			r := row{hiddenSources[n/len(hiddenLengths)], hiddenLengths[n%len(hiddenLengths)]}
			rnd := rand.New(rand.NewPCG(seed, uint64(i*9+n)))
			from := d.run().Begin.Add(time.Duration(rnd.Int64N(int64(max(1, d.decided.Sub(d.run().Begin))))))
			span := hide.Span{Source: r.source, From: from, To: from.Add(r.length)}
			after, _ := d.judge(hide.Hide(d.records, span, rnd))
			d.compare(t, all, after, span.String())
			if d.before.Status != expect.Skip {
				all.count(r, d.before, after, fmt.Sprintf("%s, %s", d, span))
			}
		}
		d.hideAnything(t, all, rand.New(rand.NewPCG(seed, uint64(i)<<32)))
	}
}

// hideAnything hides any span, or delays what arrived, or both.
func (d *decision) hideAnything(t *testing.T, all *caution, rnd *rand.Rand) {
	records, what := d.records, "as it was"
	hides := rnd.IntN(3) > 0
	if hides {
		span := hide.RandomSpan(rnd, d.run().Begin, d.decided, time.Duration(rnd.Int64N(int64(20*time.Second))))
		records, what = hide.Hide(records, span, rnd), span.String()
	}
	if !hides || rnd.IntN(3) == 0 {
		records = hide.Delay(records, rnd)
		what += ", delayed"
	}
	after, _ := d.judge(records)
	d.compare(t, all, after, what)
}

func (d *decision) compare(t *testing.T, all *caution, after expect.Verdict, what string) {
	t.Helper()
	all.tried()
	if after.Status != d.before.Status && after.Status != expect.Error {
		t.Errorf("%s\n%s\nbefore: %s at %v: %s\nafter: %s at %v: %s", d, what,
			d.before.Status, d.before.DecidedAt, d.before.Reason, after.Status, after.DecidedAt, after.Reason)
	}
}

// seed is the same in each test run.
func (d *decision) seed() uint64 {
	h := fnv.New64a()
	h.Write([]byte(d.String()))
	return h.Sum64()
}

// hideTheRest hides what the verdict does not rest on: all of another source, and
// each source after the decision.
func (d *decision) hideTheRest(t *testing.T, all *caution) {
	seed := d.seed()
	for i, source := range hiddenSources {
		rnd := rand.New(rand.NewPCG(seed, 1))
		// What the API tells of says which pods there are, whatever is read of them.
		if source != collectors.SourceAPI && !slices.Contains(d.sources, source) {
			begin := d.run().Begin
			d.unchanged(t, all, hide.Span{Source: source, From: begin, To: begin.Add(time.Duration(rnd.Int64N(int64(time.Minute))))}, rnd)
		}
		if *hideRounds > 0 || seed%3 == uint64(i) {
			d.unchanged(t, all, hide.Span{Source: source, From: d.answered(), Open: true}, rnd)
		}
	}
}

// answered is when the sources have answered at the latest that are asked about
// the decision: they are asked again where a question was open at the time.
func (d *decision) answered() time.Time { return d.decided.Add(2*hide.Answer + time.Millisecond) }

func (d *decision) unchanged(t *testing.T, all *caution, span hide.Span, rnd *rand.Rand) {
	t.Helper()
	all.tried()
	after, _ := d.judge(hide.Hide(d.records, span, rnd))
	if after.Status != d.before.Status || after.Reason != d.before.Reason || after.DecidedAt != d.before.DecidedAt {
		t.Errorf("%s, which rests on %v\n%s\nbefore: %s at %v: %s\nafter: %s at %v: %s", d, d.sources, span,
			d.before.Status, d.before.DecidedAt, d.before.Reason, after.Status, after.DecidedAt, after.Reason)
	}
}
