package collectors

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// history makes a plausible run of a pod with some containers that start, end
// and restart, as the API and the runtime tell it: each in its own order.
func history(rnd *rand.Rand) (api, runtime []Record) {
	type life struct {
		c    Container
		runs int
	}
	lives := make([]life, 1+rnd.IntN(3))
	for i := range lives {
		lives[i].c = Container{Name: fmt.Sprintf("c%d", i), Kind: KindMain}
	}
	now := 1.0
	for range 5 + rnd.IntN(15) {
		now += 1.1 + 2*rnd.Float64()
		l := &lives[rnd.IntN(len(lives))]
		id := fmt.Sprintf("%s-%d", l.c.Name, l.runs)
		if l.c.State == "running" {
			code := []int{0, 1, 137}[rnd.IntN(3)]
			if code == 137 && rnd.IntN(2) == 0 {
				runtime = append(runtime, task(TypeTaskOOM, now-0.01, "u", l.c.Name, l.c.ID, 0))
			}
			runtime = append(runtime, task(TypeTaskExit, now, "u", l.c.Name, l.c.ID, code))
			done := *l.c.Current
			done.FinishedAt, done.ExitCode = whole(now), code
			l.c.State, l.c.Ready, l.c.Current = "terminated", false, &done
		} else {
			if l.c.Current != nil {
				l.c.Last, l.c.Restarts = l.c.Current, l.c.Restarts+1
			}
			runtime = append(runtime, task(TypeTaskStart, now, "u", l.c.Name, id, 0))
			l.c.State, l.c.ID, l.c.Ready = "running", id, true
			l.c.Current = &ContainerRun{ID: id, StartedAt: whole(now)}
			l.runs++
		}
		if rnd.IntN(4) == 0 {
			continue // the watch did not see this one
		}
		var all []Container
		for _, l := range lives {
			all = append(all, l.c)
		}
		api = append(api, podRecord(now+0.8, "p", "u", "Running", all...))
	}
	return api, runtime
}

// merged interleaves the API's records, in their order, with the runtime's in
// any.
func merged(rnd *rand.Rand, api, runtime []Record) []Record {
	runtime = slices.Clone(runtime)
	rnd.Shuffle(len(runtime), func(i, j int) { runtime[i], runtime[j] = runtime[j], runtime[i] })
	var all []Record
	for len(api)+len(runtime) > 0 {
		from := &api
		if len(api) == 0 || len(runtime) > 0 && rnd.IntN(2) == 0 {
			from = &runtime
		}
		all = append(all, (*from)[0])
		*from = (*from)[1:]
	}
	return all
}

func runsOf(tl *Timeline) map[string][]RunState {
	runs := map[string][]RunState{}
	for _, p := range tl.Pods() {
		for _, c := range p.Containers {
			runs[c.Name] = c.Runs
		}
	}
	return runs
}

func TestArrivalDoesNotMatter(t *testing.T) {
	for seed := range uint64(300) {
		rnd := rand.New(rand.NewPCG(seed, 1))
		api, runtime := history(rnd)
		if len(api) == 0 {
			continue
		}
		want := runsOf(fold(append(slices.Clone(api), runtime...)...))
		for range 5 {
			if diff := cmp.Diff(want, runsOf(fold(merged(rnd, api, runtime)...))); diff != "" {
				t.Fatalf("seed %d (-want +got):\n%s", seed, diff)
			}
		}
	}
}

func TestFoldOfWhatWasWrittenDown(t *testing.T) {
	for seed := range uint64(100) {
		rnd := rand.New(rand.NewPCG(seed, 2))
		api, runtime := history(rnd)
		live, again := NewTimeline(base), NewTimeline(base)
		for i, r := range merged(rnd, api, runtime) {
			r.Seq, r.Received = uint64(i+1), r.Time.Add(time.Millisecond)
			live.Add(r)
			text, err := json.Marshal(r)
			if err != nil {
				t.Fatal(err)
			}
			var back Record
			if err := json.Unmarshal(text, &back); err != nil {
				t.Fatal(err)
			}
			again.Add(back)
		}
		if diff := cmp.Diff(live.Pods(), again.Pods(), cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("seed %d (-live +again):\n%s", seed, diff)
		}
		if live.Last() != again.Last() || live.Len() != again.Len() {
			t.Fatalf("seed %d: last %v, %v", seed, live.Last(), again.Last())
		}
	}
}

func FuzzFold(f *testing.F) {
	f.Add([]byte(`{"type":"pod","object":{"uid":"u"},"pod":{"containers":[{"name":"c","last":{"id":"x"}}]}}`))
	f.Add([]byte(`{"type":"task-exit","task":{"id":"x"}}{"type":"gap","gap":{}}{"type":"step","step":{}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		tl := NewTimeline(base)
		for rest := text; len(rest) > 0; {
			var r Record
			dec := json.NewDecoder(bytes.NewReader(rest))
			if dec.Decode(&r) != nil {
				break
			}
			rest = rest[dec.InputOffset():]
			tl.Add(r)
		}
		for _, p := range tl.Pods() {
			p.StartOrder()
			p.ExitOrder()
			p.Over()
		}
		tl.Recent(func(*Record) bool { return true }, 3)
	})
}
