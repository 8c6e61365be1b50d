package value

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

func TestOverlapsOfTwoContainers(t *testing.T) {
	running := func(start float64) *Container { return &Container{State: Some("running"), StartedAt: runtime(start)} }
	ended := func(start, end float64) *Container {
		return &Container{State: Some("terminated"), StartedAt: runtime(start), FinishedAt: runtime(end)}
	}
	runs := func(times ...float64) *Container {
		c := &Container{State: Some("terminated")}
		for i := 0; i+1 < len(times); i += 2 {
			c.Runs = append(c.Runs, ContainerRun{StartedAt: runtime(times[i]), FinishedAt: runtime(times[i+1])})
		}
		return c
	}
	for _, tt := range []struct {
		name string
		a, b *Container
		want string
	}{
		{"one within the other", ended(1, 5), ended(2, 3), "true"},
		{"one after the other", ended(1, 2), ended(3, 4), "false"},
		{"one begins as the other ends", ended(1, 2), ended(2, 3), "false"},
		{"both run", running(1), running(5), "true"},
		{"one runs, the other ended before", running(3), ended(1, 2), "false"},
		{"one runs, the other ended since", running(3), ended(1, 4), "true"},
		{"one never ran", &Container{StartedAt: None[Time]()}, running(1), "false"},
		{"nothing is known of one", &Container{}, running(1), NotObserved},
		{"the end of one is not known", &Container{StartedAt: runtime(1)}, ended(3, 4), NotObserved},
		{"the end of one is not known, but it began within the other", &Container{StartedAt: runtime(3)}, ended(2, 4), "true"},
		{"an earlier run", runs(1, 2, 8, 9), ended(1.5, 3), "true"},
		{"between two runs", runs(1, 2, 8, 9), ended(3, 4), "false"},
		{"times to the second, near", &Container{StartedAt: api(1), FinishedAt: api(2)}, &Container{StartedAt: api(2), FinishedAt: api(3)}, NotObserved},
		{"times to the second, far", &Container{StartedAt: api(1), FinishedAt: api(2)}, &Container{StartedAt: api(5), FinishedAt: api(6)}, "false"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := overlapsOf(t, nil, tt.a, tt.b); got != tt.want {
				t.Errorf("is %s, want %s", got, tt.want)
			}
		})
	}
}

// overlapsOf is what overlaps() says of two containers.
func overlapsOf(t *testing.T, shared *Shared, a, b *Container) string {
	t.Helper()
	first, second := *a, *b
	first.Name, second.Name = "a", "b"
	scope := &Scope{Shared: shared, Pods: map[string]*Pod{"x": {Name: "x", Containers: []*Container{&first, &second}}}}
	v, diags := scope.Eval(parse(t, `overlaps(pod.x.container["a"], pod.x.container["b"])`))
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	return Format(v)
}

// TestOverlapsAgreesWithTheMoments holds what overlaps() says of runs that are
// all known against the moments at which both ran.
func TestOverlapsAgreesWithTheMoments(t *testing.T) {
	rnd, shared := rand.New(rand.NewPCG(6, 1)), NewShared(nil, "")
	for range 300 {
		var containers [2]*Container
		ran := [2]map[int]bool{{}, {}}
		for i := range containers {
			c, at := &Container{State: Some("terminated")}, 0
			for range 1 + rnd.IntN(3) {
				start := at + rnd.IntN(4)
				at = start + 1 + rnd.IntN(3)
				c.Runs = append(c.Runs, ContainerRun{StartedAt: runtime(float64(start)), FinishedAt: runtime(float64(at))})
				for moment := start; moment < at; moment++ {
					ran[i][moment] = true
				}
			}
			containers[i] = c
		}
		both := false
		for moment := range ran[0] {
			both = both || ran[1][moment]
		}
		if got := overlapsOf(t, shared, containers[0], containers[1]); got != fmt.Sprint(both) {
			t.Errorf("is %s, want %t where %+v %+v", got, both, containers[0].Runs, containers[1].Runs)
		}
	}
}
