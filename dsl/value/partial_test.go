package value

import (
	"math/rand/v2"
	"testing"
)

// forget makes some of what is known of a value unknown.
func forget[T any](rnd *rand.Rand, o Opt[T]) Opt[T] {
	if rnd.IntN(3) == 0 {
		return Opt[T]{}
	}
	return o
}

// forgetText makes a text unknown that is never empty once it was observed.
func forgetText(rnd *rand.Rand, s string) string {
	if rnd.IntN(3) == 0 {
		return ""
	}
	return s
}

// lessOf is a pod of which less is known: fields that were not observed, or were
// not seen, and lists that may lack some.
func lessOf(rnd *rand.Rand, p *Pod) *Pod {
	less := *p
	less.IP, less.Node, less.Reason = forget(rnd, p.IP), forget(rnd, p.Node), forget(rnd, p.Reason)
	less.Phase, less.Status, less.Ready, less.QOS = forgetText(rnd, p.Phase), forgetText(rnd, p.Status), forgetText(rnd, p.Ready), forgetText(rnd, p.QOS)
	less.DeletedAt, less.GoneAt = forget(rnd, p.DeletedAt), forget(rnd, p.GoneAt)
	if rnd.IntN(6) == 0 {
		less.Blind = "not seen"
	}
	if n := len(p.Statuses); n > 0 && rnd.IntN(2) == 0 {
		less.Statuses, less.StatusesLack = p.Statuses[rnd.IntN(n):], "seen late"
	}
	if rnd.IntN(3) == 0 {
		less.StartOrder = nil
	}
	less.Containers = nil
	for _, c := range p.Containers {
		less.Containers = append(less.Containers, lessOfContainer(rnd, c))
	}
	return &less
}

func lessOfContainer(rnd *rand.Rand, c *Container) *Container {
	less := *c
	less.State, less.Reason, less.Ready, less.Started = forget(rnd, c.State), forget(rnd, c.Reason), forget(rnd, c.Ready), forget(rnd, c.Started)
	less.Restarts, less.ExitCode, less.Signal, less.OOMKilled = forget(rnd, c.Restarts), forget(rnd, c.ExitCode), forget(rnd, c.Signal), forget(rnd, c.OOMKilled)
	less.StartedAt, less.FinishedAt, less.ReadyAt = forget(rnd, c.StartedAt), forget(rnd, c.FinishedAt), forget(rnd, c.ReadyAt)
	less.Image = forgetText(rnd, c.Image)
	if rnd.IntN(6) == 0 {
		less.Blind = "not seen"
	}
	if rnd.IntN(6) == 0 {
		less.EndBlind = "not seen"
	}
	if n := len(c.Runs); n > 0 && rnd.IntN(2) == 0 {
		less.Runs, less.RunsLack = c.Runs[rnd.IntN(n):], "seen late"
	}
	if c.Log != nil && rnd.IntN(2) == 0 {
		lines := c.Log.Lines()
		less.Log = partialLog{Lines(lines[rnd.IntN(len(lines)+1):]), "rotated"}
	}
	return &less
}

// askedOfPods are conditions about the pod of the observed scope, with all of
// what can be unknown of it.
func askedOfPods() []string {
	const main, side = `pod.myapp-x1.container["main"]`, `pod.myapp-x1.container["side-car"]`
	return []string{
		`pod.myapp-x1.phase == "Running"`, `pod.myapp-x1.phase != "Failed" && pod.myapp-x1.status == "NotReady"`, `pod.myapp-x1.reason == null`,
		`pod.myapp-x1 != null`, `pod.myapp-x1.ready == "2/2" || pod.myapp-x1.ready == "1/2"`, `contains(["Running", "Succeeded"], pod.myapp-x1.phase)`,
		`contains(pod.myapp-x1.statuses, "NotReady")`, `contains(pod.myapp-x1.statuses, "Error")`, `pod.myapp-x1.statuses == ["Init:0/1", "NotReady"]`,
		`length(pod.myapp-x1.statuses) == 2`, `length(pod.myapp-x1.statuses) > 0`, `length(pod.myapp-x1.statuses) < 2`, `pod.myapp-x1.statuses[0] == "NotReady"`,
		`index(pod.myapp-x1.statuses, "NotReady") == 1`, `length(distinct(pod.myapp-x1.statuses)) == 2`, `join(",", pod.myapp-x1.statuses) == "NotReady"`,
		`alltrue([for s in pod.myapp-x1.statuses : s != "Error"])`, `anytrue([for s in pod.myapp-x1.statuses : s == "Init:0/1"])`,
		`[for s in pod.myapp-x1.statuses : s if s != "NotReady"] == []`, `toset(pod.myapp-x1.statuses) == toset(["NotReady"])`,
		`pod.myapp-x1.start_order == ["init", "side-car", "main"]`, `index(pod.myapp-x1.start_order, "main") == 2`,
		main + `.exit_code == 0`, main + `.exit_code != 0 || ` + side + `.exit_code == 0`, main + `.signal == null`, `coalesce(` + main + `.signal, 0) == 0`,
		main + `.state == "terminated" ? ` + main + `.exit_code == 0 : false`, main + `.restarts >= 1`, main + `.started_at < ` + main + `.finished_at`,
		main + `.finished_at - ` + main + `.started_at < 6`, `ordered([` + side + `.started_at, ` + main + `.started_at, ` + main + `.finished_at])`,
		`ordered([` + main + `.finished_at, ` + side + `.started_at, ` + main + `.started_at])`, `overlaps(` + main + `, ` + side + `)`,
		`overlaps(` + main + `, pod.myapp-x1.container["init"])`, `logged(` + main + `, "done")`, `logged(` + main + `, "panic")`,
		`log_time(` + main + `, "starting") == 3.5`, `log_time(` + main + `, "done") > ` + main + `.started_at`, `length(` + main + `.log.lines) == 2`,
		`length(` + main + `.log.lines) == 1`, `length(regexall("panic", ` + main + `.log.text)) == 0`, main + `.log.text == "done: 42\n"`,
		`length(` + main + `.runs) == 2`, `length(` + main + `.runs) == 1`, `sum(` + main + `.runs[*].exit_code) == 1`, main + `.runs[0].exit_code == 1`,
		`alltrue([for r in ` + main + `.runs : r.exit_code == 0])`, `anytrue([for r in ` + main + `.runs : r.exit_code == 1])`,
		`max(` + main + `.runs[*].exit_code...) == 1`, `alltrue([for c in pod.myapp-x1.containers : c.restarts == 0 if c.kind == "main"])`,
		`anytrue([for c in pod.myapp-x1.containers : c.oom_killed])`, `[for c in pod.myapp-x1.containers : c.exit_code] == [0, 1, 0]`,
		`contains([for c in pod.myapp-x1.containers : c.state], "waiting")`, `length([for c in pod.myapp-x1.containers : c if c.ready]) == 1`,
		`sum([for c in pod.myapp-x1.containers : c.restarts]) == 1`, `one([for c in pod.myapp-x1.containers : c.state if c.name == "main"]) == "terminated"`,
		`"${pod.myapp-x1.phase}/${pod.myapp-x1.status}" == "Running/NotReady"`, `can(regex("done", ` + main + `.log.text))`,
		`try(` + main + `.runs[1].exit_code, 7) == 0`, `length(pod.myapp-x1.containers) == 3`, `contains(keys(pod.myapp-x1.container), "main")`,
	}
}

// TestKnowingLessNeverGivesAnotherVerdict evaluates each condition with all that
// is known of a pod and many times with less: a verdict that is reported of less is
// that of all.
func TestKnowingLessNeverGivesAnotherVerdict(t *testing.T) {
	shared := NewShared(nil, "")
	whole := observedScope()
	whole.Shared = shared
	told := 0
	for _, src := range askedOfPods() {
		t.Run(src, func(t *testing.T) {
			expr := parse(t, src)
			full, diags := whole.Find(expr)
			if diags.HasErrors() {
				t.Fatal(diags)
			}
			rnd := rand.New(rand.NewPCG(11, 1))
			for range 40 {
				less := observedScope()
				less.Shared = shared
				less.Pods["myapp-x1"] = lessOf(rnd, whole.Pods["myapp-x1"])
				f, diags := less.Find(expr)
				if diags.HasErrors() {
					t.Fatalf("a mistake that is none: %v", diags)
				}
				if f.Value.IsKnown() && full.Value.IsKnown() {
					told++
				}
				if f.Value.IsKnown() && full.Value.IsKnown() && !f.Value.RawEquals(full.Value) {
					t.Fatalf("is %s of less, and %s of all; less is %+v", Format(f.Value), Format(full.Value), less.Pods["myapp-x1"])
				}
			}
		})
	}
	if told < 400 {
		t.Errorf("only %d verdicts are known from less: too much is forgotten", told)
	}
}

// TestNothingObservedGivesNoVerdict evaluates the same where the pod was not
// observed: no condition about it is decided, and none is a mistake.
func TestNothingObservedGivesNoVerdict(t *testing.T) {
	for _, src := range askedOfPods() {
		f, diags := (&Scope{}).Find(parse(t, src))
		if diags.HasErrors() || f.Value.IsKnown() {
			t.Errorf("%s is %s (%v), want what is not known", src, Format(f.Value), diags)
		}
		if len(f.Reads) == 0 {
			t.Errorf("%s: nothing would make it known", src)
		}
	}
}
