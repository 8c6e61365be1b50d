package replay_test

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kind-lab/lab/collectors"
	"github.com/kind-lab/lab/labs/replay"
	"github.com/kind-lab/lab/labs/selection"
)

var noon = time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)

// placed is a record of a scenario on a cluster, with a name of its own.
type placed struct {
	name, scenario, cluster string
	r                       collectors.Record
}

// mixed are records of all kinds, a second after each other.
func mixed() []placed {
	pod := func(name string) collectors.Object { return collectors.Object{Kind: "Pod", Name: name, UID: name} }
	all := []placed{
		{"step", "native", "v128", collectors.Record{Type: collectors.TypeStep, Source: collectors.SourceLab, Object: collectors.Object{Kind: "Step", Name: "web"}}},
		{"pod", "native", "v128", collectors.Record{Type: collectors.TypePod, Source: collectors.SourceAPI, Object: pod("web-1")}},
		{"event", "native", "v128", collectors.Record{Type: collectors.TypeEvent, Source: collectors.SourceAPI, Object: pod("web-1"), Event: &collectors.Event{}}},
		{"start", "native", "v128", collectors.Record{Type: collectors.TypeTaskStart, Source: collectors.SourceRuntime, Object: pod("web-1"), Container: "main"}},
		{"line", "native", "v128", collectors.Record{Type: collectors.TypeLog, Source: collectors.SourceLog, Object: pod("web-1"), Container: "main", Log: &collectors.Log{}}},
		{"side's line", "native", "v128", collectors.Record{Type: collectors.TypeLog, Source: collectors.SourceLog, Object: pod("web-1"), Container: "side", Log: &collectors.Log{}}},
		{"lost lines", "native", "v128", collectors.Record{Type: collectors.TypeGap, Source: collectors.SourceLog, Object: pod("web-1"), Container: "main", Gap: &collectors.Gap{}}},
		{"lost changes", "native", "v128", collectors.Record{Type: collectors.TypeGap, Source: collectors.SourceAPI, Gap: &collectors.Gap{}}},
		{"Job's event", "native", "v129", collectors.Record{Type: collectors.TypeEvent, Source: collectors.SourceAPI, Object: collectors.Object{Kind: "Job", Name: "web-1"}, Event: &collectors.Event{}}},
		{"db's line", "classic", "v129", collectors.Record{Type: collectors.TypeLog, Source: collectors.SourceLog, Object: pod("db-0"), Container: "main", Log: &collectors.Log{}}},
		{"row's pod", `rows[n="1"]`, `all["1.29"]`, collectors.Record{Type: collectors.TypePod, Source: collectors.SourceAPI, Object: pod("db-0")}},
	}
	for i := range all {
		all[i].r.Received = noon.Add(time.Duration(i) * time.Second)
		all[i].r.Time = all[i].r.Received.Add(-time.Hour) // which does not count
	}
	return all
}

func TestFilter(t *testing.T) {
	lines := []string{"line", "side's line", "lost lines", "db's line"}
	for name, test := range map[string]struct {
		f    replay.Filter
		want []string
	}{
		"nothing is asked for":            {replay.Filter{}, []string{"step", "pod", "event", "start", "line", "side's line", "lost lines", "lost changes", "Job's event", "db's line", "row's pod"}},
		"a scenario":                      {replay.Filter{Scenarios: selection.Names{"classic"}}, []string{"db's line"}},
		"the rows of a scenario":          {replay.Filter{Scenarios: selection.Names{"rows"}}, []string{"row's pod"}},
		"scenarios by a pattern":          {replay.Filter{Scenarios: selection.Names{"c*", "r*"}}, []string{"db's line", "row's pod"}},
		"a cluster":                       {replay.Filter{Clusters: selection.Names{"v129"}}, []string{"Job's event", "db's line"}},
		"a cluster of a set":              {replay.Filter{Clusters: selection.Names{"all[1.29]"}}, []string{"row's pod"}},
		"a scenario that is not there":    {replay.Filter{Scenarios: selection.Names{"native"}, Clusters: selection.Names{"v130"}}, nil},
		"lines":                           {replay.Filter{Content: replay.LogLines}, lines},
		"everything but lines":            {replay.Filter{Content: replay.AllButLogLines}, []string{"step", "pod", "event", "start", "lost lines", "lost changes", "Job's event", "row's pod"}},
		"events":                          {replay.Filter{Content: replay.Events}, []string{"event", "Job's event"}},
		"a source":                        {replay.Filter{Sources: []collectors.Source{collectors.SourceRuntime}}, []string{"start"}},
		"sources":                         {replay.Filter{Sources: []collectors.Source{collectors.SourceRuntime, collectors.SourceLab}}, []string{"step", "start"}},
		"a source, but no lines":          {replay.Filter{Sources: []collectors.Source{collectors.SourceLog}, Content: replay.AllButLogLines}, []string{"lost lines"}},
		"pods":                            {replay.Filter{PodPrefix: "web"}, []string{"pod", "event", "start", "line", "side's line", "lost lines"}},
		"lines of pods":                   {replay.Filter{PodPrefix: "db", Content: replay.LogLines}, []string{"db's line"}},
		"a prefix that is in the middle":  {replay.Filter{PodPrefix: "eb-1"}, nil},
		"a container":                     {replay.Filter{Container: "main"}, []string{"start", "line", "lost lines", "db's line"}},
		"the beginning of a container":    {replay.Filter{Container: "mai"}, nil},
		"lines of a container of pods":    {replay.Filter{Container: "main", PodPrefix: "web", Content: replay.LogLines}, []string{"line", "lost lines"}},
		"events of an object":             {replay.Filter{Kind: "Pod", Name: "web-1", Content: replay.Events}, []string{"event"}},
		"events of an object, in capital": {replay.Filter{Kind: "JOB", Name: "web-1", Content: replay.Events}, []string{"Job's event"}},
		"events of another case's name":   {replay.Filter{Kind: "job", Name: "WEB-1", Content: replay.Events}, nil},
		"events of a name's beginning":    {replay.Filter{Kind: "pod", Name: "web", Content: replay.Events}, nil},
		"what was received from a time":   {replay.Filter{From: noon.Add(9 * time.Second)}, []string{"db's line", "row's pod"}},
		"what was received after all":     {replay.Filter{From: noon.Add(time.Minute)}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, p := range mixed() {
				if test.f.Include(p.scenario, p.cluster, p.r) {
					got = append(got, p.name)
				}
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestAFilterOnlyNarrows joins each two filters: what both include alone is what
// they include together.
func TestAFilterOnlyNarrows(t *testing.T) {
	type narrow func(*replay.Filter)
	fields := map[string]narrow{
		"scenario": func(f *replay.Filter) { f.Scenarios = selection.Names{"native"} }, "cluster": func(f *replay.Filter) { f.Clusters = selection.Names{"v128"} },
		"content": func(f *replay.Filter) { f.Content = replay.LogLines }, "source": func(f *replay.Filter) { f.Sources = []collectors.Source{collectors.SourceLog} },
		"pod": func(f *replay.Filter) { f.PodPrefix = "web" }, "container": func(f *replay.Filter) { f.Container = "main" },
		"object": func(f *replay.Filter) { f.Kind, f.Name = "pod", "web-1" }, "time": func(f *replay.Filter) { f.From = noon.Add(4 * time.Second) },
	}
	of := func(all ...narrow) (f replay.Filter) {
		for _, n := range all {
			n(&f)
		}
		return f
	}
	for a, first := range fields {
		for b, second := range fields {
			for _, p := range mixed() {
				apart := of(first).Include(p.scenario, p.cluster, p.r) && of(second).Include(p.scenario, p.cluster, p.r)
				if together := of(first, second).Include(p.scenario, p.cluster, p.r); together != apart {
					t.Errorf("%s: %s and %s: %t, want %t", p.name, a, b, together, apart)
				}
			}
		}
	}
}

// TestRecordsWithoutTheirBody are of a journal that another version wrote.
func TestRecordsWithoutTheirBody(t *testing.T) {
	for _, r := range []collectors.Record{{Type: collectors.TypeLog}, {Type: collectors.TypeEvent}, {Type: collectors.TypeGap, Source: collectors.SourceLog}} {
		for _, content := range []replay.Content{replay.LogLines, replay.Events} {
			if (replay.Filter{Content: content}).Include("s", "c", r) {
				t.Errorf("a %s without its body is included as content %d", r.Type, content)
			}
		}
	}
}

func TestTail(t *testing.T) {
	all := []string{"line", "side's line", "lost lines", "line", "db's line", "line", "on v129"}
	byName := map[string]placed{}
	for _, p := range mixed() {
		byName[p.name] = p
	}
	elsewhere := byName["line"]
	elsewhere.cluster = "v129"
	byName["on v129"] = elsewhere
	for lines, want := range map[int][]string{
		0: {"lost lines"},
		1: {"side's line", "lost lines", "db's line", "line", "on v129"},
		2: {"side's line", "lost lines", "line", "db's line", "line", "on v129"},
		9: all,
	} {
		tail := replay.NewTail(lines)
		var got []string
		for _, name := range slices.Backward(all) {
			if p := byName[name]; tail.Include(p.scenario, p.cluster, p.r) {
				got = append(got, name)
			}
		}
		slices.Reverse(got)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%d lines (-want +got):\n%s", lines, diff)
		}
	}
}

func TestWhenTheChosenRunsEnded(t *testing.T) {
	rec := &replay.Recording{Runs: []replay.ScenarioRun{
		{Scenario: "a", Cluster: "c", End: noon.Add(3 * time.Second)}, {Scenario: "b", Cluster: "c", End: noon.Add(9 * time.Second)}, {Scenario: "b", Cluster: "d", End: noon},
	}}
	for name, test := range map[string]struct {
		scenarios, clusters selection.Names
		want                time.Time
	}{
		"all":            {nil, nil, noon.Add(9 * time.Second)},
		"a scenario":     {selection.Names{"a"}, nil, noon.Add(3 * time.Second)},
		"a cluster":      {nil, selection.Names{"d"}, noon},
		"none of a name": {selection.Names{"e"}, nil, time.Time{}},
	} {
		t.Run(name, func(t *testing.T) {
			if got := rec.Ended(test.scenarios, test.clusters); !got.Equal(test.want) {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}
