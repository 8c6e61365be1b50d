package expect

import (
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/kind-lab/lab/collectors"
)

// course is a condition's truth at every tick of a run, a tick being 100 ms.
type course []truth

const tick = 100 * time.Millisecond

// settleTicks is settle in ticks.
const settleTicks = int(settle / tick)

// stays says whether the condition is true from a tick on for so many, the
// last one included.
func (c course) stays(from, ticks int) bool {
	for i := from; i <= from+ticks; i++ {
		if c[i] != truthTrue {
			return false
		}
	}
	return true
}

// met is the definition of the language, written down as it is read: whether
// the condition came true as the expectation says, begun at the tick start.
func (c course) met(start, within, hold int, outcome bool) bool {
	if within == 0 {
		for i := start; i <= start+settleTicks; i++ {
			if c[i] != truthUnknown {
				return c.stays(i, hold)
			}
		}
		return false
	}
	for i := start; i <= start+within; i++ {
		if c[i] != truthTrue {
			continue
		}
		if c.stays(i, hold) {
			return true
		}
		if outcome {
			return false // it came true, and that did not hold
		}
	}
	return false
}

// seed is that of the property tests: LAB_TEST_SEED, or one of the clock.
func seed(t *testing.T) uint64 {
	s := uint64(time.Now().UnixNano())
	if text := os.Getenv("LAB_TEST_SEED"); text != "" {
		given, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		s = given
	}
	t.Logf("LAB_TEST_SEED=%d repeats this", s)
	return s
}

// randomCourse changes now and then.
func randomCourse(rnd *rand.Rand, ticks int) course {
	c := make(course, ticks)
	now := truth(rnd.IntN(3))
	often := 2 + rnd.IntN(60)
	for i := range c {
		if rnd.IntN(often) == 0 {
			now = truth(rnd.IntN(3))
		}
		c[i] = now
	}
	return c
}

// records are what changes the truth, with records that change nothing.
func (c course) records(rnd *rand.Rand) []collectors.Record {
	var all []collectors.Record
	for i, t := range c {
		if i == 0 || c[i-1] != t || rnd.IntN(20) == 0 {
			r := flagRecord(0, t)
			r.Time, r.Received = base.Add(time.Duration(i)*tick), base.Add(time.Duration(i)*tick)
			all = append(all, r)
		}
	}
	return all
}

func TestDeciderKeepsToTheDefinition(t *testing.T) {
	rnd := rand.New(rand.NewPCG(seed(t), 0))
	met := 0
	for range 3000 {
		c := randomCourse(rnd, 600)
		start, within, hold := rnd.IntN(100), rnd.IntN(2)*rnd.IntN(150), rnd.IntN(2)*rnd.IntN(80)
		outcome := rnd.IntN(2) == 0
		b := newBench()
		e := b.expect(t, "job.flag.c", seconds(within), seconds(hold))
		e.Outcome = b.src.expr(t, strconv.FormatBool(outcome))
		v := b.run(t, e, seconds(start), c.records(rnd)...)
		want := Fail
		if c.met(start, within, hold, outcome) == outcome {
			want = Pass
			met++
		}
		if v.Status != want {
			t.Fatalf("start %d, within %d, hold %d, outcome %v: %v, want %v: %s\n%v", start, within, hold, outcome, v.Status, want, v.Reason, c[start:])
		}
	}
	if met < 300 || met > 2700 {
		t.Errorf("%d of 3000 pass: the courses do not try the definition", met)
	}
}

func seconds(ticks int) float64 { return (time.Duration(ticks) * tick).Seconds() }

// TestDelayDoesNotMatter observes with a delay, several records at once and
// without any, and wants the same verdict as an engine that is never behind.
func TestDelayDoesNotMatter(t *testing.T) {
	rnd := rand.New(rand.NewPCG(seed(t), 1))
	for range 1000 {
		c := randomCourse(rnd, 600)
		within, hold := rnd.IntN(2)*rnd.IntN(150), rnd.IntN(2)*rnd.IntN(80)
		outcome := strconv.FormatBool(rnd.IntN(2) == 0)
		records := c.records(rnd)
		prompt := newBench()
		e := prompt.expect(t, "job.flag.c", seconds(within), seconds(hold))
		e.Outcome = prompt.src.expr(t, outcome)
		want := prompt.run(t, e, 0, records...)

		late := newBench()
		late.scope.Files = prompt.scope.Files
		late.tl.Add(records[0])
		d := New(e, late.scope)
		got, done := d.Begin(base)
		now := base
		for i := 1; i < len(records) && !done; i++ {
			late.tl.Add(records[i])
			if now.Before(records[i].Received) {
				now = records[i].Received
			}
			now = now.Add(time.Duration(rnd.IntN(50)) * time.Millisecond)
			got, done = d.Observe(now, &records[i])
		}
		for !done {
			got, done = d.Observe(d.Deadline().Add(time.Duration(rnd.IntN(50))*time.Millisecond), nil)
		}
		if got.Status != want.Status || got.DecidedAt != want.DecidedAt {
			t.Fatalf("within %d, hold %d, outcome %s: late %v at %v, prompt %v at %v", within, hold, outcome, got.Status, got.DecidedAt, want.Status, want.DecidedAt)
		}
	}
}
