package expect

import (
	"fmt"
	"testing"

	"github.com/kind-lab/lab/collectors"
)

// crowd are so many records of a Job with 20 pods of two containers, log lines
// and changes of other pods among them.
func crowd(n int) []collectors.Record {
	records := []collectors.Record{jobRecord(1, collectors.Job{Active: 20, StartedAt: at(1)})}
	for i := len(records); i < n; i++ {
		name := fmt.Sprintf("myapp-%d", i%20)
		if i%3 == 0 {
			name = fmt.Sprintf("other-%d", i%20)
		}
		seconds := 1 + float64(i)/1000
		var r collectors.Record
		switch i % 10 {
		case 0, 1, 2, 3, 4:
			r = logRecord(seconds, "main", "working on it")
		case 5, 6:
			r = taskRecord(collectors.TypeTaskStart, seconds, "main", fmt.Sprintf("%s-%d", name, i/20000), 0)
		default:
			r = podRecord(seconds, name, name, "Running", fmt.Sprint("Running ", i/5000), mainRunning(2))
		}
		if r.Type != collectors.TypeJob {
			r.Object = collectors.Object{Kind: "Pod", Namespace: "ns", Name: name, UID: name}
		}
		records = append(records, r)
	}
	return records
}

// watchers are ten expectations that stay open.
func watchers(t testing.TB, b *fixture) []*Decider {
	var all []*Decider
	for _, condition := range []string{
		`job.myapp.complete`, `job.myapp.pod.status == "Completed"`, `job.myapp.pod.container["main"].exit_code == 0`,
		`job.myapp.succeeded == 20`, `pod["myapp-3"].phase == "Failed"`, `pod["other-6"].container["main"].restarts > 2`,
		`length(job.myapp.pods) > 2 && alltrue([for p in job.myapp.pods : p.phase == "Succeeded"])`, `job.late.complete && job.myapp.failed`,
		`pod["myapp-1"].container["main"].finished_at < pod["myapp-2"].container["main"].finished_at`,
		`length(job.myapp.pods) == 21 && job.myapp.pod.ready == "2/2"`,
	} {
		all = append(all, New(b.expect(t, condition, 1e6, 0), b.scope))
	}
	return all
}

// BenchmarkDeciders has ten expectations observe so many records.
func BenchmarkDeciders(b *testing.B) {
	for _, n := range []int{10_000, 100_000} {
		records := crowd(n)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				fixture := newRealFixture()
				all := watchers(b, fixture)
				for _, d := range all {
					d.Begin(at(1))
				}
				for i := range records {
					fixture.tl.Add(records[i])
					for _, d := range all {
						if v, done := d.Observe(records[i].Received, &records[i]); done {
							b.Fatal(v.Reason)
						}
					}
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(n*b.N), "ns/record")
		})
	}
}

// BenchmarkLogs has one expectation look for a line that does not come.
func BenchmarkLogs(b *testing.B) {
	for _, n := range []int{1000, 4000, 300_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				fixture := newRealFixture()
				fixture.tl.Add(podRecord(1, "myapp-x", "p", "Running", "Running", mainRunning(1)))
				d := New(fixture.expect(b, `logged(job.myapp.pod.container["main"], "^done")`, 1e6, 0), fixture.scope)
				fixture.tl.Add(jobRecord(1, collectors.Job{}))
				d.Begin(at(1))
				for i := range n {
					r := logRecord(1+float64(i)/1000, "main", "working on it")
					fixture.tl.Add(r)
					if v, done := d.Observe(r.Received, &r); done {
						b.Fatal(v.Reason)
					}
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(n*b.N), "ns/record")
		})
	}
}
