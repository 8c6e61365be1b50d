package expect

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/hcl/v2"

	"github.com/kind-lab/lab/collectors"
	"github.com/kind-lab/lab/dsl"
	"github.com/kind-lab/lab/dsl/value"
)

const tick = 100 * time.Millisecond

// event is a record of a trial.
type event struct {
	// at is when it was received, in ticks.
	at int
	// kind is what it changes: the condition 'c', `when` 'w' or `outcome` 'o'
	// to t; 'x' nothing.
	kind byte
	t    truth
}

// trial is an expectation, or an invariant, with all that is observed.
type trial struct {
	begin, within, hold int
	// when and outcome are "", "true", "false" or "flag", which the records
	// tell.
	when, outcome string
	invariant     bool
	// end is an invariant's.
	end    int
	events []event
}

func (tr trial) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "begin %d, within %d, hold %d, when %q, outcome %q", tr.begin, tr.within, tr.hold, tr.when, tr.outcome)
	if tr.invariant {
		fmt.Fprintf(&b, ", an invariant until %d", tr.end)
	}
	for _, e := range tr.events {
		fmt.Fprintf(&b, "\n  %4d: %c", e.at, e.kind)
		switch {
		case e.t == wrong:
			b.WriteString(" error")
		case e.kind != 'x':
			fmt.Fprintf(&b, " %s", e.t)
		}
	}
	return b.String()
}

// newTrial is a random one.
func newTrial(rnd *rand.Rand) *trial {
	tr := &trial{begin: 1 + rnd.IntN(60), invariant: rnd.IntN(4) == 0, end: 0}
	if !tr.invariant {
		tr.within, tr.hold = rnd.IntN(2)*rnd.IntN(150), rnd.IntN(2)*rnd.IntN(80)
		tr.outcome = []string{"", "true", "false", "false", "flag"}[rnd.IntN(5)]
	}
	tr.when = []string{"", "", "", "true", "false", "flag", "flag"}[rnd.IntN(7)]
	tr.end = tr.begin + rnd.IntN(250)
	now, often := 1, 1+rnd.IntN(60)
	for range rnd.IntN(16) {
		now += rnd.IntN(3) * rnd.IntN(often) // now and then at the same time
		e := event{at: now, kind: "ccccccwwooxx"[rnd.IntN(12)], t: truth(rnd.IntN(3))}
		if rnd.IntN(40) == 0 {
			e.t = wrong
		}
		tr.events = append(tr.events, e)
	}
	return tr
}

// glances are what is known at each observation.
func (tr *trial) glances() []glance {
	know := func(setting string) int {
		switch setting {
		case "flag":
			return int(truthUnknown)
		case "false":
			return int(truthFalse)
		}
		return int(truthTrue)
	}
	g := glance{at: tr.begin, order: -1, when: know(tr.when), outcome: know(tr.outcome)}
	var all []glance
	for i, e := range tr.events {
		if e.at > tr.begin && len(all) == 0 {
			all = append(all, g)
		}
		if tr.invariant && e.at > tr.end {
			break
		}
		switch {
		case e.kind == 'c':
			g.condition = int(e.t)
		case e.kind == 'w' && tr.when == "flag":
			g.when = int(e.t)
		case e.kind == 'o' && tr.outcome == "flag":
			g.outcome = int(e.t)
		}
		g.order = i
		if e.at > tr.begin {
			g.at = e.at
			all = append(all, g)
		}
	}
	if len(all) == 0 {
		all = append(all, g)
	}
	return all
}

// flagSeen says whether the object of the condition was observed by the end.
func (tr *trial) flagSeen() bool {
	return slices.ContainsFunc(tr.events, func(e event) bool { return strings.ContainsRune("cwo", rune(e.kind)) && e.at <= tr.end })
}

// records are the events as records. The flag's Active is the condition,
// Succeeded `when` and Failed `outcome`.
func (tr *trial) records() []collectors.Record {
	var all []collectors.Record
	var job collectors.Job
	for _, e := range tr.events {
		r := flagRecord(0, 0)
		r.Time, r.Received = ticks(e.at), ticks(e.at)
		switch e.kind {
		case 'c':
			job.Active = int(e.t)
		case 'w':
			job.Succeeded = int(e.t)
		case 'o':
			job.Failed = int(e.t)
		case 'x':
			r.Object.Name, r.Object.UID = "other", "other"
		}
		now := job
		r.Job = &now
		all = append(all, r)
	}
	return all
}

func ticks(n int) time.Time { return base.Add(time.Duration(n) * tick) }

// judge is one of the two under test.
type judge interface {
	Begin(time.Time) (Verdict, bool)
	Observe(time.Time, *collectors.Record) (Verdict, bool)
	Deadline() time.Time
	Asks() bool
}

// endless is an invariant as a judge.
type endless struct{ *Invariant }

func (e endless) Deadline() time.Time { return e.d.Deadline() }

// arena holds the expressions of all trials.
type arena struct {
	src                      *source
	condition, when, outcome hcl.Expression
	literal                  map[string]hcl.Expression
}

func newArena(t testing.TB) *arena {
	a := &arena{src: newSource()}
	a.condition, a.when, a.outcome = a.src.expr(t, "job.flag.c"), a.src.expr(t, "job.flag.when"), a.src.expr(t, "job.flag.outcome")
	a.literal = map[string]hcl.Expression{"true": a.src.expr(t, "true"), "false": a.src.expr(t, "false")}
	return a
}

// truth is what the flag says of one of the arena's expressions.
func (a *arena) truth(expr hcl.Expression, job *value.Job) truth {
	switch expr {
	case a.when:
		return truth(job.Succeeded)
	case a.outcome:
		return truth(job.Failures)
	}
	return truth(job.Active)
}

// judge is what decides a trial, over a timeline of its own.
func (a *arena) judge(tr *trial) (judge, *collectors.Timeline) {
	tl := collectors.NewTimeline(base)
	s := &Scope{Timeline: tl, Namespace: "ns", Files: a.src.files, Evaluator: func(o Observed) Evaluator { return fakeEvaluator{o, a.truth} }}
	setting := func(text string, flag hcl.Expression) hcl.Expression {
		if text == "flag" {
			return flag
		}
		return a.literal[text]
	}
	if tr.invariant {
		return endless{NewInvariant(&dsl.Invariant{Condition: a.condition, When: setting(tr.when, a.when)}, s)}, tl
	}
	return New(&dsl.Expect{
		Condition: a.condition, Within: time.Duration(tr.within) * tick, Hold: time.Duration(tr.hold) * tick,
		When: setting(tr.when, a.when), Outcome: setting(tr.outcome, a.outcome),
	}, s), tl
}

// carryOut decides a trial. With a delay the caller is behind now and then by
// so much of a tick, and looks although nothing came.
func (a *arena) carryOut(tr *trial, delay func() time.Duration) (Verdict, bool) {
	j, tl := a.judge(tr)
	records := tr.records()
	for len(records) > 0 && !records[0].Received.After(ticks(tr.begin)) {
		tl.Add(records[0])
		records = records[1:]
	}
	now := ticks(tr.begin)
	told := now
	v, done := j.Begin(now)
	for !done {
		if j.Asks() { // the sources answer at once
			v, done = j.Observe(told, nil)
			continue
		}
		deadline, last := j.Deadline(), len(records) == 0 || tr.invariant && records[0].Received.After(ticks(tr.end))
		switch {
		case tr.invariant && last && (deadline.IsZero() || deadline.After(ticks(tr.end))):
			return j.(endless).End(ticks(tr.end)), true
		case last && deadline.IsZero():
			return v, false
		case last || deadline.Before(records[0].Received) && !deadline.IsZero() && delay() == 0:
			now = latest(now, deadline)
			v, done = j.Observe(now, nil)
			continue
		}
		r := records[0]
		records = records[1:]
		for range 2 {
			if d := delay(); d > 0 && now.Add(d).Before(r.Received) && (deadline.IsZero() || now.Add(d).Before(deadline)) {
				now = now.Add(d)
				v, done = j.Observe(now, nil)
			}
		}
		told = latest(told, r.Received)
		now = latest(now, r.Received).Add(delay())
		tl.Add(r)
		if !done {
			v, done = j.Observe(now, &r)
		}
	}
	return v, done
}

func prompt() time.Duration { return 0 }

// contradiction says how what was decided differs from the definition, or from
// what a caller that is behind or a replay decides; empty if it does not.
func (a *arena) contradiction(tr *trial, seed uint64) string {
	want := define(tr)
	v, done := a.carryOut(tr, prompt)
	if !done {
		return "not decided"
	}
	got := finding{v.Status, int(v.DecidedAt*10 + 0.5)}
	if got != want {
		return fmt.Sprintf("%s, want %s: %s", got, want, v.Reason)
	}
	if again, _ := a.carryOut(tr, prompt); !reflect.DeepEqual(again, v) {
		return fmt.Sprintf("a replay differs: %+v, and first %+v", again, v)
	}
	rnd := rand.New(rand.NewPCG(seed, 3))
	slow := time.Duration(1+rnd.IntN(60)) * tick
	late, done := a.carryOut(tr, func() time.Duration { return rand.N(slow) * time.Duration(rnd.IntN(2)) })
	if !done || late.Status != v.Status || late.DecidedAt != v.DecidedAt || late.Got != v.Got {
		return fmt.Sprintf("late %s at %v, got %s; in time %s at %v, got %s", late.Status, late.DecidedAt, late.Got, v.Status, v.DecidedAt, v.Got)
	}
	return ""
}

// smaller are trials a little smaller than one.
func (tr *trial) smaller() []*trial {
	var all []*trial
	change := func(f func(*trial)) {
		c := *tr
		c.events = slices.Clone(tr.events)
		f(&c)
		if !reflect.DeepEqual(&c, tr) {
			all = append(all, &c)
		}
	}
	for i := range tr.events {
		change(func(c *trial) { c.events = slices.Delete(c.events, i, i+1) })
	}
	change(func(c *trial) { c.when = "" })
	change(func(c *trial) { c.outcome = "" })
	if tr.outcome == "flag" {
		change(func(c *trial) { c.outcome = "false" })
	}
	change(func(c *trial) { c.within /= 2 })
	change(func(c *trial) { c.hold /= 2 })
	for i := range tr.events {
		change(func(c *trial) { c.events[i].t = truthTrue })
	}
	return all
}

// checkTrial holds the trial of a seed to the definition, and prints the
// smallest that differs where it does.
func (a *arena) checkTrial(t testing.TB, seed uint64) Status {
	tr := newTrial(rand.New(rand.NewPCG(seed, 0)))
	what := a.contradiction(tr, seed)
	for shrunk := what != ""; shrunk; {
		shrunk = false
		for _, c := range tr.smaller() {
			if less := a.contradiction(c, seed); less != "" {
				tr, what, shrunk = c, less, true
				break
			}
		}
	}
	if what != "" {
		t.Fatalf("seed %d: %s\n%s", seed, what, tr)
	}
	return define(tr).status
}

// TestDecidersKeepToTheDefinition holds verdicts over random timelines to the
// definition, whether the caller is behind or not.
func TestDecidersKeepToTheDefinition(t *testing.T) {
	a, found := newArena(t), map[Status]int{}
	for seed := range uint64(12000) {
		found[a.checkTrial(t, seed)]++
	}
	for s := Skip; s <= Error; s++ {
		if found[s] < 500 {
			t.Errorf("only %d of 12000 are %s: the trials do not try it", found[s], s)
		}
	}
}

func FuzzDecidersKeepToTheDefinition(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(func(t *testing.T, seed uint64) { newArena(t).checkTrial(t, seed) })
}
