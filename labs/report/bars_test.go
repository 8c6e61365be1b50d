package report

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/kind-lab/lab/labs/expect"
)

// instant is by the runtime where it is so fine, else by the API.
func instant(at float64) *Instant { return &Instant{At: at, Source: "runtime", Precision: 1} }

func coarse(at float64) *Instant { return &Instant{At: at, Source: "api", Precision: time.Second} }

// sampleDocument is a run of all kinds of containers on three clusters.
func sampleDocument() Document {
	containers := func(shift float64) []ContainerPicture {
		return []ContainerPicture{
			{Name: "setup", Kind: "init", Runs: []RunPicture{
				{StartedAt: instant(2 + shift), FinishedAt: instant(2.013 + shift), Exited: true, ExitCode: 1, Reason: "Error"},
				{StartedAt: instant(12 + shift), FinishedAt: instant(15.5 + shift), Exited: true},
			}},
			{Name: "proxy", Kind: "sidecar", Runs: []RunPicture{
				{StartedAt: instant(16 + shift), ReadyAt: coarse(18 + shift), KillingAt: coarse(46 + shift), FinishedAt: instant(76.2 + shift), Exited: true, ExitCode: 137, Signal: 9},
			}},
			{Name: "the-container-with-the-longest-name-of-all", Kind: "main", Runs: []RunPicture{
				{StartedAt: instant(17 + shift), FinishedAt: instant(46 + shift), Exited: true},
			}},
			{Name: "never-seen-to-start", Kind: "main", Runs: []RunPicture{{FinishedAt: coarse(30 + shift), Exited: true, ExitCode: 2}}},
			{Name: "debugger", Kind: "ephemeral", Runs: []RunPicture{{StartedAt: coarse(40 + shift)}}},
			{Name: "waiting", Kind: "main"},
		}
	}
	run := func(cluster string) Run {
		return Run{Scenario: "all | kinds", Description: "What *each* kind of container looks like.", Cluster: cluster, Status: expect.Pass,
			StartedAt: begun, FinishedAt: at(90), Steps: []Step{decided("it <ends>", "true", "true", true, 1, 2, "was true at once")}}
	}
	d := Document{Version: DocumentVersion, Reproduce: Reproduce{Command: "lab run 'a b/scenario.hcl'", Host: "linux/amd64"},
		Sources: []SourceFile{{Name: "scenario.hcl", Text: "scenario \"all | kinds\" {}\n"}}}
	d.Report = Report{Version: ModelVersion, ID: "r1", File: "a b/scenario.hcl", LabVersion: "v0.3.0", StartedAt: begun, FinishedAt: at(100), Status: expect.Pass,
		Clusters: sampleClusters()[:3], Runs: []Run{run("v127"), run("v128"), run("v128_on")}}
	d.Pictures = []Picture{
		{Scenario: "all | kinds", Cluster: "v127", Seconds: 80, Pods: []PodPicture{{Name: "web-x2c4b", Title: "web-*", Containers: containers(0)}}},
		{Scenario: "all | kinds", Cluster: "v128", Seconds: 90, Pods: []PodPicture{
			{Name: "web-x2c4c", Title: "web-*", Containers: containers(4)[:3]}, {Name: "db-0", Title: "db-0", Containers: containers(9)[3:]},
		}},
		{Scenario: "all | kinds", Cluster: "v128_on", Seconds: 3},
	}
	return d
}

func TestBars(t *testing.T) {
	for name, style := range map[string]Style{
		"80": {Width: 80}, "120": {Width: 120}, "200": {Width: 200}, "ascii": {Width: 100, ASCII: true}, "color": {Width: 100, Color: true},
	} {
		t.Run(name, func(t *testing.T) {
			var b bytes.Buffer
			if err := WriteDocumentText(&b, sampleDocument(), style); err != nil {
				t.Fatal(err)
			}
			golden(t, "bars-"+name, b.Bytes())
		})
	}
}

func TestBarsStayWithinThePage(t *testing.T) {
	d := sampleDocument()
	for _, seconds := range []float64{0, 0.001, 7, 90, 1234, 100000} {
		for columns := 60; columns <= 200; columns += 7 {
			d.Pictures[1].Seconds = seconds
			p := newPage(Style{Width: columns})
			p.pictures = d.Pictures
			p.bars("all | kinds", []string{"v127", "v128", "v128_on"})
			for line := range strings.Lines(p.String()) {
				if w := width(strings.TrimRight(line, "\n")); w > columns {
					t.Fatalf("%d columns where there are %d, for %gs:\n%s", w, columns, seconds, line)
				}
			}
		}
	}
}

// TestEveryRunHasAMark looks for each run's bar, however short it is.
func TestEveryRunHasAMark(t *testing.T) {
	x := Picture{Scenario: "s", Cluster: "c", Seconds: 1000}
	for i := range 10 {
		from := 100 * float64(i)
		x.Pods = append(x.Pods, PodPicture{Title: fmt.Sprint("p", i), Containers: []ContainerPicture{{Name: "c", Kind: "main", Runs: []RunPicture{
			{StartedAt: instant(from), FinishedAt: instant(from + 0.013), Exited: true, ExitCode: i},
		}}}})
	}
	p := newPage(Style{ASCII: true})
	p.pictures = []Picture{x}
	p.bars("s", []string{"c"})
	for i := range 10 {
		if !strings.Contains(p.String(), fmt.Sprintf("#%d\n", i)) {
			t.Errorf("no bar of run %d", i)
		}
	}
}

func TestManyBarsAreBounded(t *testing.T) {
	x := Picture{Scenario: "s", Cluster: "c", Seconds: 10}
	for i := range 100 {
		x.Pods = append(x.Pods, PodPicture{Title: fmt.Sprint("p", i), Containers: []ContainerPicture{{Name: "c", Kind: "main", Runs: []RunPicture{{StartedAt: instant(1)}}}}})
	}
	p := newPage(Style{})
	p.pictures = []Picture{x}
	p.bars("s", []string{"c"})
	if n := strings.Count(p.String(), "\n"); n > 2*mostBars+5 || !strings.Contains(p.String(), "and 52 more containers") {
		t.Errorf("%d lines:\n%s", n, p.String())
	}
}
