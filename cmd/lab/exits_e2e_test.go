//go:build e2e

package main

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kind-lab/lab/collectors"
	"github.com/kind-lab/lab/labs/expect"
	"github.com/kind-lab/lab/labs/journal"
	"github.com/kind-lab/lab/labs/report"
)

// TestTimesAreTheRuntimes lets 80 containers end, and compares the times that
// are compared with those that the nodes' runtime keeps. It logs how long after an
// exit its verdict came, and what the API's whole seconds would have shown of
// the order.
func TestTimesAreTheRuntimes(t *testing.T) {
	r := runScenario(t, "exits", exitPass)
	var latencies []time.Duration
	compared := 0
	var order apiOrder
	for _, run := range r.Runs {
		if run.Scenario == "crowd" {
			crowd(t, r.Folder, run)
			continue
		}
		exits := exitsOf(t, r.Folder, run)
		compared += exits.compare(t)
		latencies = append(latencies, exits.latencies(run)...)
		order.add(exits)
	}
	if compared != 80 || len(latencies) != 80 {
		t.Errorf("%d exits were compared and %d verdicts timed, want 80", compared, len(latencies))
	}
	slices.Sort(latencies)
	t.Logf("from an exit to its verdict: p50 %s, p95 %s, max %s, over %d",
		latencies[len(latencies)/2], latencies[len(latencies)*95/100], latencies[len(latencies)-1], len(latencies))
	t.Logf("of %d pairs of exits in a pod the API's seconds give no order for %d and the wrong one for %d; of %d that followed each other no order for %d",
		order.pairs, order.unknown, order.wrong, order.neighbours, order.unknownNeighbours)
	if order.wrong > 0 {
		t.Errorf("%d pairs are in the wrong order by the API's seconds alone: precision of 1 s is too fine for them", order.wrong)
	}
}

// crowd holds a run of 100 pods to the runtime's start, end and line of each.
func crowd(t *testing.T, dir string, run report.ScenarioRun) {
	t.Helper()
	type key struct {
		pod  string
		kind collectors.Type
	}
	seen := map[key]int{}
	kinds := []collectors.Type{collectors.TypeTaskStart, collectors.TypeTaskExit, collectors.TypeLog}
	for entry, err := range journal.Entries(dir) {
		if err != nil {
			t.Fatal(err)
		}
		if r := entry.Record; entry.Run == run.Scenario+"/"+run.Cluster && r != nil && slices.Contains(kinds, r.Type) {
			seen[key{r.Object.Name, r.Type}]++
		}
	}
	if len(seen) != 3*100 {
		t.Errorf("of 100 pods %d starts, ends and lines were recorded, want 300", len(seen))
	}
	for k, n := range seen {
		if n != 1 {
			t.Errorf("%d records of %s of %s", n, k.kind, k.pod)
		}
	}
	t.Logf("100 pods in %s: %+v", run.FinishedAt.Sub(run.StartedAt), run.Observed)
}

// exits are the ends of a run's containers, by the container's name.
type exits struct {
	name string
	// recorded are the runtime's records; kept is what the runtime says of
	// each later: its start and its end; api the API's whole seconds.
	recorded map[string]time.Time
	started  map[string]time.Time
	kept     map[string][2]string
	api      map[string]time.Time
}

func exitsOf(t *testing.T, dir string, run report.ScenarioRun) exits {
	t.Helper()
	e := exits{name: run.Scenario, recorded: map[string]time.Time{}, started: map[string]time.Time{}, kept: map[string][2]string{}, api: map[string]time.Time{}}
	for entry, err := range journal.Entries(dir) {
		if err != nil {
			t.Fatal(err)
		}
		r := entry.Record
		if entry.Run != run.Scenario+"/"+run.Cluster || r == nil {
			continue
		}
		switch {
		case r.Type == collectors.TypeTaskStart:
			e.started[r.Container] = r.Time
		case r.Type == collectors.TypeTaskExit:
			e.recorded[r.Container] = r.Time
		case r.Pod != nil:
			for _, c := range r.Pod.Containers {
				if c.Current != nil && !c.Current.FinishedAt.IsZero() {
					e.api[c.Name] = c.Current.FinishedAt
				}
			}
		case r.Type == collectors.TypeStep && r.Step.Name == "runtime":
			for line := range strings.Lines(r.Step.Stdout) {
				f := strings.Fields(line)
				if len(f) != 4 || f[3] != "7" {
					t.Fatalf("the runtime says %q", line)
				}
				e.kept[f[0]] = [2]string{f[1], f[2]}
			}
		}
	}
	return e
}

// compare holds every recorded time to what the runtime keeps, and counts them.
func (e exits) compare(t *testing.T) int {
	t.Helper()
	n := 0
	for name, kept := range e.kept {
		for i, recorded := range []time.Time{e.started[name], e.recorded[name]} {
			at, err := time.Parse(time.RFC3339Nano, kept[i])
			if err != nil {
				t.Fatal(err)
			}
			if d := recorded.Sub(at); d != 0 && i == 1 {
				t.Errorf("%s: %s ended at %s by the runtime; recorded is %s later", e.name, name, kept[i], d)
			}
		}
		n++
	}
	return n
}

// latencies are from each exit to the end of the expectation that waited for it.
func (e exits) latencies(run report.ScenarioRun) []time.Duration {
	var found []time.Duration
	for _, s := range run.Steps {
		name, ok := strings.CutSuffix(s.Name, " exits")
		if !ok || s.Status != expect.Pass {
			continue
		}
		ended := run.StartedAt.Add(time.Duration(s.EndedAt * float64(time.Second)))
		found = append(found, ended.Sub(e.recorded[name]))
	}
	return found
}

// apiOrder counts what whole seconds tell of the order of exits.
type apiOrder struct{ pairs, unknown, wrong, neighbours, unknownNeighbours int }

func (o *apiOrder) add(e exits) {
	var names []string
	for name := range e.recorded {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int { return e.recorded[a].Compare(e.recorded[b]) })
	for i, first := range names {
		for _, second := range names[i+1:] {
			o.pairs++
			n, known := collectors.Order(collectors.APIMoment(e.api[first]), collectors.APIMoment(e.api[second]))
			switch {
			case !known:
				o.unknown++
			case n > 0:
				o.wrong++
			}
		}
		if i+1 < len(names) {
			o.neighbours++
			if _, known := collectors.Order(collectors.APIMoment(e.api[first]), collectors.APIMoment(e.api[names[i+1]])); !known {
				o.unknownNeighbours++
			}
		}
	}
}
