package value

import "testing"

// youngScope has a pod of which nothing has started yet, beside those of the
// observed scope.
func youngScope() *Scope {
	s := observedScope()
	s.Pods["young"] = &Pod{Name: "young", Phase: "Pending", Status: "Pending", Containers: []*Container{
		{Name: "main", Log: Lines{}}, {Name: "side", ExitCode: Some(0), Log: Lines{}},
	}}
	return s
}

// TestFutureElementsAreUnknown checks that elements of observed lists that may
// still come are unknown, not an error.
func TestFutureElementsAreUnknown(t *testing.T) {
	const main = `pod.young.container["main"]`
	for src, want := range map[string]string{
		main + `.runs[0].started_at`:                                       NotObserved,
		main + `.runs[1].exit_code`:                                        NotObserved,
		main + `.runs[length(` + main + `.runs)].exit_code`:                NotObserved,
		main + `.log.lines[0]`:                                             NotObserved,
		main + `.log.lines[0].text == "x"`:                                 NotObserved,
		`pod.young.events[0]`:                                              NotObserved,
		`pod.young.events[0].reason == "Started"`:                          NotObserved,
		`pod.young.exit_order[0]`:                                          NotObserved,
		`pod.young.start_order[0] == "main"`:                               NotObserved,
		`pod.young.statuses[0]`:                                            NotObserved,
		`index(pod.young.exit_order, "main")`:                              NotObserved,
		`index(pod.young.exit_order, "main") < 1`:                          NotObserved,
		`index(pod.myapp-x1.start_order, "main")`:                          `2`,
		`index(pod.myapp-x1.statuses, "Completed") == 5`:                   NotObserved,
		`max([for r in ` + main + `.runs : r.exit_code]...)`:               NotObserved,
		`min(` + main + `.runs[*].started_at...) > 1`:                      NotObserved,
		`max(pod.young.containers[*].exit_code...) > 1`:                    NotObserved,
		`regex("ERROR", ` + main + `.log.text)`:                            NotObserved,
		`regex("code ([0-9]+)", ` + main + `.log.text)[0] == "7"`:          NotObserved,
		`can(regex("ERROR", ` + main + `.log.text))`:                       NotObserved,
		`[for c in pod.young.containers : c.exit_code] == [0, 0]`:          NotObserved,
		`[for c in pod.young.containers : c.exit_code] != [0, 0]`:          NotObserved,
		`pod.young.containers[*].exit_code == [0, 0]`:                      NotObserved,
		`[for c in pod.young.containers : c.exit_code] == [0, 1]`:          `false`,
		`[for c in pod.young.containers : c.exit_code] == [0]`:             `false`,
		`[for c in pod.myapp-x1.containers : c.exit_code][2] == 0`:         `true`,
		`pod.myapp-x1.container["main"].runs[2].exit_code`:                 NotObserved,
		`regex("done: ([0-9]+)", pod.myapp-x1.container["main"].log.text)`: `["42"]`,
	} {
		v, diags := youngScope().Eval(parse(t, src))
		if diags.HasErrors() || Format(v) != want {
			t.Errorf("%s is %s (%v), want %s", src, Format(v), diags, want)
		}
	}
}

// TestMissingElementsOfLiteralListsAreMistakes checks that only observed lists can
// grow: a missing element of a literal list stays an error.
func TestMissingElementsOfLiteralListsAreMistakes(t *testing.T) {
	for _, src := range []string{`[1, 2][2]`, `index(["a"], "b")`, `max([]...)`, `regex("a", "b")`} {
		if _, diags := youngScope().Eval(parse(t, src)); !diags.HasErrors() {
			t.Errorf("%s is no error", src)
		}
	}
}
