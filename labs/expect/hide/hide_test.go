package hide_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"github.com/kind-lab/lab/collectors"
	"github.com/kind-lab/lab/dsl"
	"github.com/kind-lab/lab/dsl/value"
	"github.com/kind-lab/lab/labs/expect"
	"github.com/kind-lab/lab/labs/expect/hide"
)

var (
	trials = flag.Int("trials", 10000, "how many random journals are hidden and delayed")
	from   = flag.Uint64("from", 0, "the seed of the first of them")
)

const (
	mainOf = `job.myapp.pod.container["main"]`
	sideOf = `job.myapp.pod.container["side"]`
	web    = `pod.web.container["main"]`
)

// atoms are conditions over everything that a world has: present states, what
// has been, what is not there, other objects, locals and for expressions.
var atoms = []string{
	`pod.web.phase == "Running"`, `pod.web.status == "Running"`, `pod.web.conditions["Ready"]`, `pod.web.ready == "1/1"`,
	`contains(pod.web.statuses, "Error")`, `contains(job.myapp.pod.statuses, "NotReady")`, `length(job.myapp.pod.statuses) == 2`,
	`job.myapp.pod.statuses == ["Pending", "Running"]`, `pod.web.deleted_at != null`, `pod.web.gone_at > 5`,
	`job.myapp.complete`, `job.myapp.failed`, `job.myapp.active == 1`, `job.myapp.failures >= 1`, `length(job.myapp.pods) == 2`, `length(job.myapp.pods) >= 1`,
	mainOf + `.exit_code == 0`, mainOf + `.exit_code == 1`, mainOf + `.signal == 9`, mainOf + `.state == "running"`, mainOf + `.state == "terminated"`, mainOf + `.ready`,
	mainOf + `.restarts == 0`, mainOf + `.restarts >= 1`, mainOf + `.started`, `length(` + mainOf + `.runs) >= 2`, `length(` + mainOf + `.runs) == 1`,
	mainOf + `.runs[0].exit_code == 0`, mainOf + `.runs[1].started_at > 3`, mainOf + `.started_at < ` + sideOf + `.started_at`, mainOf + `.finished_at < ` + sideOf + `.finished_at`,
	mainOf + `.finished_at - ` + mainOf + `.started_at > 2`, `ordered([` + mainOf + `.started_at, ` + sideOf + `.started_at, ` + mainOf + `.finished_at])`,
	`overlaps(` + mainOf + `, ` + sideOf + `)`, mainOf + `.ready_at > 4`, mainOf + `.image == "busybox"`,
	`logged(` + mainOf + `, "ERROR")`, `logged(` + web + `, "serves")`, `log_time(` + mainOf + `, "stops") > 6`, `length(` + mainOf + `.log.lines) > 2`,
	`length(regexall("ERROR", ` + web + `.log.text)) == 0`, mainOf + `.log.lines[0].text == "works"`, `can(regex("ERROR", ` + web + `.log.text))`,
	`job.myapp.pod.start_order == ["main", "side"]`, `job.myapp.pod.exit_order[0] == "main"`, `index(job.myapp.pod.exit_order, "side") == 0`,
	`anytrue([for e in pod.web.events : e.reason == "Killing"])`, `length(pod.web.events) > 1`, `pod.web.events[0].reason == "Started"`,
	`alltrue([for c in job.myapp.pod.containers : c.ready])`, `anytrue([for c in job.myapp.pod.containers : c.exit_code == 0 if c.name != "side"])`,
	`[for c in job.myapp.pod.containers : c.exit_code] == [0, 0]`, `max(job.myapp.pod.containers[*].finished_at...) > 9`, `max([for r in ` + mainOf + `.runs : r.exit_code]...) > 0`,
	`deployment.web.status.readyReplicas == 2`, `object("apps/v1", "Deployment", "web").spec.replicas == 1`, `deployment.web.conditions["Available"]`,
	`anytrue([for c in object("apps/v1", "Deployment", "web").status.conditions : c.status == "True"])`, `object("v1", "ConfigMap", "late") != null`,
	`pod["nobody"].phase == "Running"`, `local.by[local.which].exit_code == 0`, `local.done`,
	`lower(pod.web.phase) == "running"`, `join(",", [pod.web.phase, pod.web.status]) == "Running,Running"`, `format("%s", pod.web.ready) == "1/1"`,
	`local[local.pick] == "Running"`, `local[local.one].exit_code == 1`, `logged(local[local.one], "serves")`, `local.web == "Running"`, `pod[local.name].phase == "Failed"`,
	`anytrue([for name, p in pod : p.phase == "Failed"])`, web + `.oom_killed`, `pod.web.uid == "w2"`,
}

// impossible are conditions over one container that no course of events makes
// true, however far one of its sources is behind another.
var impossible = []string{
	`%[1]s.state == "running" && %[1]s.restarts == 0 && %[1]s.exit_code >= 0`, `%[1]s.ready && %[1]s.finished_at > %[1]s.started_at`,
	`%[1]s.ready && %[1]s.state == "terminated"`, `%[1]s.started && length(%[1]s.runs) == 1 && %[1]s.exit_code >= 0`,
	`%[1]s.restarts == 0 && length(%[1]s.runs) >= 2`, `length(%[1]s.runs) == 0 && !logged(%[1]s, "ERROR")`,
	`length(%[1]s.runs) == 0 && logged(%[1]s, "works")`,
}

// condition is a random one.
func condition(rnd *rand.Rand, depth int) string {
	pick := func() string { return atoms[rnd.IntN(len(atoms))] }
	if depth == 0 {
		return pick()
	}
	switch rnd.IntN(7) {
	case 0:
		return "!(" + condition(rnd, depth-1) + ")"
	case 1, 2:
		return "(" + condition(rnd, depth-1) + " && " + condition(rnd, depth-1) + ")"
	case 3:
		return "(" + condition(rnd, depth-1) + " || " + condition(rnd, depth-1) + ")"
	case 4:
		return "(" + pick() + " ? " + condition(rnd, depth-1) + " : " + pick() + ")"
	}
	return pick()
}

// lab is what all trials have in common.
type lab struct {
	shared *value.Shared
	locals map[string]hcl.Expression
	exprs  map[string]hcl.Expression
}

func newLab(t testing.TB) *lab {
	l := &lab{shared: value.NewShared(nil, ""), exprs: map[string]hcl.Expression{}}
	l.locals = map[string]hcl.Expression{
		"pick": l.parse(t, `"web"`), "one": l.parse(t, `"main"`), "main": l.parse(t, mainOf),
		"which": l.parse(t, `"main"`), "name": l.parse(t, `"web"`), "by": l.parse(t, `job.myapp.pod.container`),
		"done": l.parse(t, mainOf+`.exit_code == 0 && local.web != "Failed"`), "web": l.parse(t, `pod.web.phase`),
	}
	return l
}

func (l *lab) parse(t testing.TB, src string) hcl.Expression {
	if expr := l.exprs[src]; expr != nil {
		return expr
	}
	expr, diags := value.ParseExpression([]byte(src), "scenario.hcl")
	if diags.HasErrors() {
		t.Fatalf("%s: %v", src, diags)
	}
	l.exprs[src] = expr
	return expr
}

func (l *lab) scope(tl *collectors.Timeline) *expect.Scope {
	return &expect.Scope{Timeline: tl, Namespace: "ns", Locals: l.locals, Evaluator: func(o expect.Observed) expect.Evaluator {
		return &value.Scope{Shared: l.shared, Pods: o.Pods, Jobs: o.Jobs, Steps: o.Steps, Objects: o.Objects, Missed: o.Missed,
			ScenarioLocals: l.locals, Cache: o.Cache}
	}}
}

// question is an expectation or an invariant, and when it is asked.
type question struct {
	condition    string
	within, hold time.Duration
	outcome      bool
	invariant    bool
	// impossible says that the condition cannot become true, nor the invariant,
	// which is its opposite, be broken.
	impossible bool
	begin, end float64
}

func (q question) String() string {
	if q.invariant {
		return fmt.Sprintf("invariant %s, from %.1fs to %.1fs", q.condition, q.begin, q.end)
	}
	return fmt.Sprintf("%s, within %s, hold %s, outcome %t, from %.1fs on", q.condition, q.within, q.hold, q.outcome, q.begin)
}

func newQuestion(rnd *rand.Rand) question {
	q := question{condition: condition(rnd, rnd.IntN(3)), invariant: rnd.IntN(5) == 0, outcome: rnd.IntN(3) > 0, begin: rnd.Float64() * 20}
	q.end = q.begin + rnd.Float64()*20
	if rnd.IntN(3) > 0 {
		q.within = time.Duration(rnd.Int64N(int64(20 * time.Second)))
	}
	if rnd.IntN(3) == 0 {
		q.hold = time.Duration(rnd.Int64N(int64(10 * time.Second)))
	}
	if rnd.IntN(20) == 0 {
		q.impossible = true
		q.condition = fmt.Sprintf(impossible[rnd.IntN(len(impossible))], []string{mainOf, sideOf, web}[rnd.IntN(3)])
		if q.invariant {
			q.condition = "!(" + q.condition + ")"
		}
	}
	return q
}

// wrong says whether a verdict says that what cannot be was so.
func (q question) wrong(v expect.Verdict) bool {
	if !q.impossible {
		return false
	}
	return v.Status == expect.Pass && q.outcome && !q.invariant || v.Status == expect.Fail && (q.invariant || !q.outcome)
}

// judge is the verdict over a journal.
func (l *lab) judge(t testing.TB, q question, records []collectors.Record) expect.Verdict {
	tl := collectors.NewTimeline(base)
	if q.invariant {
		i := expect.NewInvariant(&dsl.Invariant{Condition: l.parse(t, q.condition)}, l.scope(tl))
		return hide.Watch(i, tl, records, at(q.begin), at(q.end))
	}
	e := &dsl.Expect{Condition: l.parse(t, q.condition), Within: q.within, Hold: q.hold}
	if !q.outcome {
		e.Outcome = hcl.StaticExpr(cty.False, hcl.Range{})
	}
	return hide.Judge(expect.New(e, l.scope(tl)), tl, records, at(q.begin))
}

// tally counts what hiding made of verdicts.
type tally struct{ same, shy, known int }

func (y *tally) count(before, after expect.Verdict) {
	if before.Status == expect.Error {
		if after.Status != expect.Error {
			y.known++
		}
		return
	}
	if after.Status == expect.Error {
		y.shy++
	} else {
		y.same++
	}
}

// flips says whether one verdict is the opposite of the other.
func flips(a, b expect.Verdict) bool {
	return a.Status != b.Status && a.Status != expect.Error && b.Status != expect.Error
}

// trial hides a span of a random journal, or delays it, and says what flipped, or cannot be.
func (l *lab) trial(t testing.TB, seed uint64, counts map[string]*tally) string {
	rnd := rand.New(rand.NewPCG(seed, 1))
	w, q := newWorld(rnd), newQuestion(rnd)
	before := l.judge(t, q, w.records)
	kind, records, what := "delay", w.records, "delayed"
	if rnd.IntN(3) > 0 {
		span := hide.RandomSpan(rnd, at(0), at(q.end+5), time.Duration(rnd.Int64N(int64(12*time.Second))))
		kind, records, what = "hide "+string(span.Source), hide.Hide(records, span, rnd), span.String()
	}
	if kind == "delay" || rnd.IntN(3) == 0 {
		records = hide.Delay(records, rnd)
		what += ", delayed"
	}
	after := l.judge(t, q, records)
	if counts[kind] == nil {
		counts[kind] = &tally{}
	}
	counts[kind].count(before, after)
	if !flips(before, after) && !q.wrong(before) && !q.wrong(after) {
		return ""
	}
	return fmt.Sprintf("seed %d: %s\n%s\nbefore: %s at %v: %s\nafter: %s at %v: %s", seed, q, what,
		before.Status, before.DecidedAt, before.Reason, after.Status, after.DecidedAt, after.Reason)
}

// TestHidingFlipsNoVerdict hides spans of random journals and delays them: a
// verdict stays what it is, or becomes an Error.
func TestHidingFlipsNoVerdict(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(800))
	var group sync.WaitGroup
	var mu sync.Mutex
	counts, flipped, first := map[string]*tally{}, 0, uint64(0)
	for part := range uint64(runtime.GOMAXPROCS(0)) {
		group.Go(func() {
			l, its := newLab(t), map[string]*tally{}
			for seed := part; seed < uint64(*trials); seed += uint64(runtime.GOMAXPROCS(0)) {
				if what := l.trial(t, seed+*from, its); what != "" {
					mu.Lock()
					if flipped++; flipped <= 4 {
						t.Error(what)
					}
					if first == 0 || seed < first {
						first = seed + 1
					}
					mu.Unlock()
				}
			}
			mu.Lock()
			defer mu.Unlock()
			for kind, y := range its {
				all := counts[kind]
				if all == nil {
					all = &tally{}
					counts[kind] = all
				}
				all.same, all.shy, all.known = all.same+y.same, all.shy+y.shy, all.known+y.known
			}
		})
	}
	group.Wait()
	if flipped > 0 {
		t.Errorf("%d of %d flipped, the first after %d", flipped, *trials, first)
	}
	for kind, y := range counts {
		t.Logf("%s: %d as before, %d turned to Error", kind, y.same, y.shy)
		if y.same < y.shy/4 {
			t.Errorf("%s: hardly a verdict is left: %d as before, %d Errors", kind, y.same, y.shy)
		}
	}
}

// TestAWholeJournalIsJudged wants verdicts where nothing is hidden.
func TestAWholeJournalIsJudged(t *testing.T) {
	l, reasons, n := newLab(t), map[string]int{}, min(*trials, 3000)
	failed := 0
	for seed := range uint64(n) {
		rnd := rand.New(rand.NewPCG(seed, 1))
		w, q := newWorld(rnd), newQuestion(rnd)
		if v := l.judge(t, q, w.records); v.Status == expect.Error {
			failed++
			reason, _, _ := strings.Cut(v.Reason, ",")
			reasons[strings.Map(func(r rune) rune {
				if r >= '0' && r <= '9' {
					return -1
				}
				return r
			}, reason)]++
		}
	}
	t.Logf("%d of %d are Errors", failed, n)
	for reason, count := range reasons {
		if count > n/200 {
			t.Logf("%5d %s", count, reason)
		}
	}
}

// FuzzHidingFlipsNoVerdict begins where the trials of the tests end.
func FuzzHidingFlipsNoVerdict(f *testing.F) {
	l := newLab(f)
	for seed := range uint64(16) {
		f.Add(uint64(*trials) + *from + seed)
	}
	f.Fuzz(func(t *testing.T, seed uint64) {
		if what := l.trial(t, seed, map[string]*tally{}); what != "" {
			t.Fatal(what)
		}
	})
}
