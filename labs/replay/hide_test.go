package replay

import (
	"cmp"
	"flag"
	"fmt"
	"hash/fnv"
	"maps"
	"math/rand/v2"
	"os"
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

// tally counts what became of verdicts.
type tally struct{ same, shy, flipped int }

// caution is the table, and the reasons of the Errors.
type caution struct {
	mu      sync.Mutex
	rows    map[row]*tally
	trials  int
	reasons map[string][]string
}

func newCaution() *caution { return &caution{rows: map[row]*tally{}, reasons: map[string][]string{}} }

func (c *caution) count(r row, before, after expect.Status, example, reason string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.trials++
	if c.rows[r] == nil {
		c.rows[r] = &tally{}
	}
	switch {
	case before == after:
		c.rows[r].same++
	case after == expect.Error:
		c.rows[r].shy++
		reason = shortReason(reason)
		c.reasons[reason] = append(c.reasons[reason], example)
	default:
		c.rows[r].flipped++
	}
}

// courses are what verdicts say of what was seen, in parts of their reasons.
var courses = []string{"still not known", "never stayed true", "still false", "never false", "for the whole", "came true", "was true", "was false"}

// shortReason is a reason without its times and the condition.
func shortReason(reason string) string {
	why, seen, _ := strings.Cut(reason, ", so that this cannot be told")
	for _, course := range courses {
		if strings.Contains(seen, course) {
			why += " … " + course
			break
		}
	}
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return -1
		}
		return r
	}, why)
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
// and delays them. A verdict stays what it is, or becomes an Error.
func TestHidingFlipsNoVerdictOfTheCatalog(t *testing.T) {
	all := newCaution()
	t.Run("labs", func(t *testing.T) {
		eachDecision(t, func(t *testing.T, d *decision) {
			d.hideAndDelay(t, all)
			d.hideTheRest(t)
		})
	})
	t.Logf("%d trials\n%s", all.trials, all)
	for _, reason := range slices.SortedFunc(maps.Keys(all.reasons), func(a, b string) int { return cmp.Compare(len(all.reasons[b]), len(all.reasons[a])) }) {
		t.Logf("%5d %s", len(all.reasons[reason]), reason)
		for i := range 40 {
			t.Logf("EX %s\n%s", reason, all.reasons[reason][i*7919%len(all.reasons[reason])])
		}
	}
	if *hideTable != "" {
		if err := os.WriteFile(*hideTable, []byte(all.String()), 0o600); err != nil {
			t.Error(err)
		}
	}
}

// hideAndDelay hides spans that begin before the decision.
func (d *decision) hideAndDelay(t *testing.T, all *caution) {
	rounds, seed := max(1, *hideRounds), d.seed()
	for i := range rounds {
		for n := range len(hiddenSources) * len(hiddenLengths) {
			if *hideRounds == 0 && uint64(n) != seed%9 {
				continue
			}
			r := row{hiddenSources[n/len(hiddenLengths)], hiddenLengths[n%len(hiddenLengths)]}
			rnd := rand.New(rand.NewPCG(seed, uint64(i*9+n)))
			from := d.run().Begin.Add(time.Duration(rnd.Int64N(int64(max(1, d.known.Sub(d.run().Begin))))))
			span := hide.Span{Source: r.source, From: from, To: from.Add(r.length)}
			after, _ := d.judge(hide.Hide(d.records, span, rnd))
			d.compare(t, after, span.String())
			if d.before.Status != expect.Skip {
				all.count(r, d.before.Status, after.Status, d.String()+"\n"+span.String()+" of "+d.run().Begin.Format("05.000")+"\n"+after.Reason, after.Reason)
			}
		}
		d.hideAnything(t, rand.New(rand.NewPCG(seed, uint64(i)<<32)))
	}
}

// hideAnything hides any span, or delays what arrived, or both.
func (d *decision) hideAnything(t *testing.T, rnd *rand.Rand) {
	records, what := d.records, "as it was"
	hides := rnd.IntN(3) > 0
	if hides {
		span := hide.RandomSpan(rnd, d.run().Begin, d.known, time.Duration(rnd.Int64N(int64(20*time.Second))))
		records, what = hide.Hide(records, span, rnd), span.String()
	}
	if !hides || rnd.IntN(3) == 0 {
		records = hide.Delay(records, rnd)
		what += ", delayed"
	}
	after, _ := d.judge(records)
	d.compare(t, after, what)
}

func (d *decision) compare(t *testing.T, after expect.Verdict, what string) {
	t.Helper()
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

// hideTheRest hides what the verdict does not rest on: other sources for all of
// the run, and each source after the decision.
func (d *decision) hideTheRest(t *testing.T) {
	begin, answered := d.run().Begin, d.known.Add(2*hide.Answer+time.Millisecond)
	for _, source := range hiddenSources {
		rnd := rand.New(rand.NewPCG(d.seed(), 1))
		if source != collectors.SourceAPI && !slices.Contains(d.sources, source) {
			span := hide.Span{Source: source, From: begin, To: begin.Add(time.Duration(rnd.Int64N(int64(time.Minute))))}
			d.unchanged(t, span, rnd)
		}
		d.unchanged(t, hide.Span{Source: source, From: answered, Open: true}, rnd)
	}
}

func (d *decision) unchanged(t *testing.T, span hide.Span, rnd *rand.Rand) {
	t.Helper()
	after, _ := d.judge(hide.Hide(d.records, span, rnd))
	if after.Status != d.before.Status || after.Reason != d.before.Reason || after.DecidedAt != d.before.DecidedAt {
		t.Errorf("%s, which rests on %v\n%s\nbefore: %s at %v: %s\nafter: %s at %v: %s", d, d.sources, span,
			d.before.Status, d.before.DecidedAt, d.before.Reason, after.Status, after.DecidedAt, after.Reason)
	}
}
