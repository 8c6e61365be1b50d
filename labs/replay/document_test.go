package replay_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kind-lab/lab/collectors"
	"github.com/kind-lab/lab/dsl"
	"github.com/kind-lab/lab/labs/journal"
	"github.com/kind-lab/lab/labs/replay"
	"github.com/kind-lab/lab/labs/report"
	"github.com/kind-lab/lab/labs/report/document"
)

// recorded writes a run's folder with a report and these records, and opens it.
func recorded(t *testing.T, files map[string]string, records ...collectors.Record) *replay.Recording {
	t.Helper()
	j, err := journal.Create(t.TempDir(), "r1")
	if err != nil {
		t.Fatal(err)
	}
	err = errors.Join(j.Head(begin, journal.Head{ID: "r1", File: "my lab/scenario.hcl", Host: "plan9/arm64"}),
		j.Begin("exits/v129", begin, &journal.Origin{Scenario: "exits", Cluster: "v129"}))
	for i, r := range records {
		r.Seq = uint64(i + 1)
		err = errors.Join(err, j.Record("exits/v129", r))
	}
	for name, text := range files {
		name = filepath.Join(j.Dir(), filepath.FromSlash(name))
		err = errors.Join(err, os.MkdirAll(filepath.Dir(name), 0o700), os.WriteFile(name, []byte(text), 0o600))
	}
	err = errors.Join(err, j.Close(), report.Save(j.Dir(), report.Report{
		Version: report.ModelVersion, ID: "r1", File: "my lab/scenario.hcl", Clusters: []report.Cluster{{Name: "v129"}, {Name: "v128"}},
		Runs: []report.ScenarioRun{
			{Scenario: "exits", Cluster: "v129", StartedAt: begin, Steps: []report.Step{{Name: "it exits 0", Verb: "expect", Detail: "hunter22 was there"}}},
			{Scenario: "exits", Cluster: "v128"},
		},
	}))
	if err != nil {
		t.Fatal(err)
	}
	rec, err := replay.Open(j.Dir())
	if err != nil {
		t.Fatal(err)
	}
	return rec
}

func documentOf(t *testing.T, rec *replay.Recording, o replay.DocumentOptions) document.Document {
	t.Helper()
	d, err := rec.Document(o)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

var web = collectors.Object{Kind: "Pod", Namespace: "lab-exits", Name: "web-x2c4b", UID: "u1"}

func logged(at float64, container, text string) collectors.Record {
	return collectors.Record{Time: after(at), Received: after(at), Precision: 1, Source: collectors.SourceLog, Type: collectors.TypeLog,
		Object: web, Container: container, Log: &collectors.Log{Text: text}}
}

func state(at float64, version, status string, containers ...collectors.Container) collectors.Record {
	return collectors.Record{Time: after(at), Received: after(at), Precision: time.Second, Source: collectors.SourceAPI, Type: collectors.TypePod, Object: web,
		Pod: &collectors.Pod{ResourceVersion: version, Phase: "Running", Status: status, Ready: "1/1", CreatedAt: after(1), Node: "node-1", QOS: "BestEffort",
			Conditions: map[string]string{"Ready": map[bool]string{true: "True", false: "False"}[status == "Running"]}, Containers: containers}}
}

func TestADocumentIsWhatWasRecorded(t *testing.T) {
	main := func(id string, now string, restarts int) collectors.Container {
		return collectors.Container{Name: "main", Kind: collectors.KindMain, Image: "busybox:1.35", ID: id, State: now, Ready: now == "running", Restarts: restarts,
			Current: &collectors.ContainerRun{ID: id, StartedAt: after(2)}}
	}
	task := func(at float64, kind collectors.Type, id string, code int) collectors.Record {
		return collectors.Record{Time: after(at), Received: after(at), Precision: 1, Source: collectors.SourceRuntime, Type: kind, Object: web,
			Container: "main", Task: &collectors.Task{ID: id, ExitCode: code}}
	}
	event := func(at float64, reason, message string, first float64) collectors.Record {
		return collectors.Record{Time: after(at), Received: after(at), Precision: time.Second, Source: collectors.SourceAPI, Type: collectors.TypeEvent, Object: web,
			Event: &collectors.Event{Reason: reason, Message: message, EventType: "Normal", Count: 1, FirstAt: after(first)}}
	}
	rec := recorded(t, map[string]string{
		"scenario/scenario.hcl": scenario, "scenario/web.yaml": "kind: Pod\n", "scenario/data.bin": "\x00",
		"v129/exits/pods/web-x2c4b/001-Running.yaml": "metadata:\n  resourceVersion: \"7\"\n  uid: u1\nstatus: {}\n",
		"v129/exits/pods/web-x2c4b/002-Other.yaml":   "metadata:\n  resourceVersion: \"99\"\n  uid: u1\nstatus: {}\n",
	},
		state(1.5, "6", "Pending", collectors.Container{Name: "main", Kind: collectors.KindMain}),
		task(2, collectors.TypeTaskStart, "c1", 0), state(2.5, "7", "Running", main("c1", "running", 0)),
		event(4.25, "Killing", "Stopping container main", 4), task(5, collectors.TypeTaskExit, "c1", 137),
		task(6, collectors.TypeTaskStart, "c2", 0), state(6.5, "8", "Running", main("c2", "running", 1)),
		logged(3, "main", "hello"), logged(3.5, "other", "who?"),
		collectors.Record{Time: after(7), Received: after(7), Source: collectors.SourceLog, Type: collectors.TypeGap, Object: web, Container: "main",
			Gap: &collectors.Gap{From: after(6), To: after(7), Reason: "rotated", Count: 3}},
		collectors.Record{Time: after(8), Received: after(8), Source: collectors.SourceAPI, Precision: time.Second, Type: collectors.TypeJob,
			Object: collectors.Object{Kind: "Job", Name: "j", UID: "u2"}, Job: &collectors.Job{Conditions: map[string]string{"Complete": "True"}}},
	)
	d := documentOf(t, rec, replay.DocumentOptions{})
	api := func(at float64) document.Instant {
		return document.Instant{At: at, Source: "api", Precision: time.Second}
	}
	runtime := func(at float64) *document.Instant { return &document.Instant{At: at, Source: "runtime", Precision: 1} }
	ptr := func(i document.Instant) *document.Instant { return &i }
	want := []document.Picture{{
		Scenario: "exits", Cluster: "v129", Seconds: 8,
		Pods: []document.PodPicture{{
			Name: "web-x2c4b", Title: "web-*", UID: "u1", Node: "node-1", QOS: "BestEffort", CreatedAt: ptr(api(1)),
			Statuses:   []document.StatusChange{{Instant: api(1.5), Status: "Pending", Ready: "1/1", Phase: "Running"}, {Instant: api(2.5), Status: "Running", Ready: "1/1", Phase: "Running"}},
			Conditions: []document.ConditionChange{{Instant: api(1.5), Type: "Ready", Status: "False"}, {Instant: api(2.5), Type: "Ready", Status: "True"}},
			Containers: []document.ContainerPicture{{Name: "main", Kind: "main", Image: "busybox:1.35", Runs: []document.RunPicture{
				{StartedAt: runtime(2), FinishedAt: runtime(5), ReadyAt: ptr(api(2.5)), KillingAt: ptr(api(4.25)), Exited: true, ExitCode: 137, Signal: 9},
				{StartedAt: runtime(6), ReadyAt: ptr(api(6.5))},
			}}},
			Snapshots: []document.Snapshot{{Instant: api(2.5), Title: "Running", YAML: "metadata:\n  resourceVersion: \"7\"\n  uid: u1\nstatus: {}\n"}},
		}},
		Objects: []document.ObjectPicture{{Kind: "Job", Name: "j", Conditions: []document.ConditionChange{{Instant: api(8), Type: "Complete", Status: "True"}}}},
		Events:  []document.EventPicture{{Instant: api(4.25), Type: "Normal", Reason: "Killing", Object: "Pod/web-x2c4b", Message: "Stopping container main", Count: 1}},
		Gaps:    []document.GapPicture{{From: 6, To: 7, Source: "log", Reason: "rotated", Lost: 3, Object: "Pod/web-x2c4b", Container: "main"}},
		Lines:   []document.LinePicture{{At: 3, Text: "hello"}, {At: 3.5, Container: -1, Text: "who?"}},
	}, {Scenario: "exits", Cluster: "v128"}}
	if diff := cmp.Diff(want, d.Pictures); diff != "" {
		t.Errorf("pictures (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]document.SourceFile{{Name: "scenario.hcl", Text: scenario}, {Name: "web.yaml", Text: "kind: Pod\n"}}, d.Sources); diff != "" {
		t.Errorf("sources (-want +got):\n%s", diff)
	}
	if want := (document.Reproduce{Command: "lab run --cluster v129 --cluster v128 --scenario exits 'my lab/scenario.hcl'", Host: "plan9/arm64"}); d.Reproduce != want {
		t.Errorf("to run it again: %+v, want %+v", d.Reproduce, want)
	}
}

// hostile is text that a terminal or a browser would obey, and a secret.
const hostile = "<script>alert(1)</script>\x1b[2J\x1b]0;title\x07\u009b31mred\u202e back\r\xff|`hunter\x1b[1m22` `hunter22`"

func TestWhatMustNotBeShown(t *testing.T) {
	secret := "first line of it\nhunter22"
	rec := recorded(t, map[string]string{
		"scenario/scenario.hcl": "variable \"key\" {\n  type = string\n  sensitive = true\n  default = \"hunter22\"\n}\n" + scenario,
	},
		state(1.5, "6", hostile, collectors.Container{Name: hostile, Kind: collectors.KindMain}),
		logged(2, "main", hostile), logged(3, "main", strings.Repeat("ä", 1<<19)), logged(4, "main", "aHVudGVyMjI= and first line of it"),
	)
	d := documentOf(t, rec, replay.DocumentOptions{Secrets: []string{secret}})
	text, err := json.Marshal(d)
	if err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{"hunter22", "aHVudGVyMjI", "first line of it", `\u001b`, "\u009b", `\r`, `\u202e`, "\u202e", `\ufffd31m`, `\u0007`} {
		if strings.Contains(string(text), bad) {
			t.Errorf("there is %q in the document", bad)
		}
	}
	lines := d.Pictures[0].Lines
	if want := "<script>alert(1)</script>31mred back \uFFFD|`(sensitive)` `(sensitive)`"; lines[0].Text != want {
		t.Errorf("the line is %q, want %q", lines[0].Text, want)
	}
	if l := lines[1]; len(l.Text) != document.MaxLine || !l.Cut || strings.Trim(l.Text, "ä") != "" {
		t.Errorf("the long line has %d bytes, cut: %t", len(l.Text), l.Cut)
	}
	if secrets, unknown := rec.Secrets(dsl.Options{}); !cmp.Equal(secrets, []string{"hunter22"}) || !cmp.Equal(unknown, []string{"key"}) {
		t.Errorf("secrets %v, unknown %v", secrets, unknown)
	}
	given := dsl.Options{Vars: map[string]string{"key": "hunter23"}}
	if secrets, unknown := rec.Secrets(given); !cmp.Equal(secrets, []string{"hunter22", "hunter23"}) || unknown != nil {
		t.Errorf("secrets %v, unknown %v", secrets, unknown)
	}
	if rec.Report.Runs[0].Steps[0].Detail != "hunter22 was there" || d.Report.Runs[0].Steps[0].Detail != "(sensitive) was there" {
		t.Errorf("the recording's report changed, or the document's did not: %q", d.Report.Runs[0].Steps[0].Detail)
	}
}

func TestLogLinesAreBounded(t *testing.T) {
	records := []collectors.Record{state(0.5, "1", "Running", collectors.Container{Name: "quiet"}, collectors.Container{Name: "loud"})}
	for i := range 1000 {
		records = append(records, logged(1+float64(i)/1000, "loud", strings.Repeat("x", i+1)))
		if i%250 == 0 {
			records = append(records, logged(1+float64(i)/1000, "quiet", "tick"))
		}
	}
	d := documentOf(t, recorded(t, nil, records...), replay.DocumentOptions{MaxLines: 104})
	p := d.Pictures[0]
	quiet := 0
	var loud []int
	for _, l := range p.Lines {
		if p.Pods[0].Containers[l.Container].Name == "quiet" {
			quiet++
		} else {
			loud = append(loud, len(l.Text))
		}
	}
	if quiet != 4 || loud[0] != 1 || loud[len(loud)-1] != 1000 || len(loud) < 60 || len(p.Lines)+p.OmittedLines != 1004 {
		t.Errorf("%d lines of the quiet one; %d of the loud one, from %d to %d; %d left out", quiet, len(loud), loud[0], loud[len(loud)-1], p.OmittedLines)
	}
}

func TestADocumentOfAPart(t *testing.T) {
	rec := recorded(t, nil)
	d := documentOf(t, rec, replay.DocumentOptions{Keep: func(_, cluster string) bool { return cluster == "v128" }})
	if len(d.Report.Runs) != 1 || len(d.Report.Clusters) != 1 || len(d.Pictures) != 1 || d.Pictures[0].Cluster != "v128" {
		t.Errorf("%+v", d)
	}
	rec.Report = nil
	if _, err := rec.Document(replay.DocumentOptions{}); !errors.Is(err, replay.ErrNoReport) {
		t.Errorf("without a report: %v", err)
	}
}

// TestDocumentsOfTheCatalog makes documents of what real clusters did: the bars
// are those that the run's own report has.
func TestDocumentsOfTheCatalog(t *testing.T) {
	archives, err := filepath.Glob(filepath.Join("..", "catalog", "*", "recordings", "*"+replay.ArchiveSuffix))
	if err != nil || len(archives) == 0 {
		t.Fatal(archives, err)
	}
	lines := 0
	for _, archive := range archives {
		rec, remove, err := replay.OpenArchive(archive)
		if err != nil {
			t.Fatal(err)
		}
		d := documentOf(t, rec, replay.DocumentOptions{})
		if err := remove(); err != nil {
			t.Error(err)
		}
		for i, run := range d.Report.Runs {
			checkPicture(t, filepath.Base(archive), run, d.Pictures[i])
			lines += len(d.Pictures[i].Lines)
		}
		if len(d.Sources) == 0 || !strings.HasPrefix(d.Reproduce.Command, "lab run ") {
			t.Errorf("%s: %d sources, %q", archive, len(d.Sources), d.Reproduce.Command)
		}
	}
	if lines == 0 {
		t.Error("no log line is in the pictures")
	}
}

func checkPicture(t *testing.T, archive string, run report.ScenarioRun, p document.Picture) {
	t.Helper()
	where := archive + " " + run.Scenario + "/" + run.Cluster
	if p.Scenario != run.Scenario || p.Cluster != run.Cluster || len(p.Pods) != len(run.Pods) || p.OmittedLines > 0 {
		t.Fatalf("%s: the picture is of %s on %s, with %d pods and %d lines; want %d pods", where, p.Scenario, p.Cluster, len(p.Pods), len(p.Lines), len(run.Pods))
	}
	for i, pod := range run.Pods {
		for j, c := range pod.Containers {
			bars := p.Pods[i].Containers[j].Runs
			if c.StartedAt == nil && len(bars) == 0 {
				continue
			}
			last := bars[len(bars)-1]
			start, end := sameTime(last.StartedAt, c.StartedAt), sameTime(last.FinishedAt, c.FinishedAt)
			if !start || !end || last.Exited != (c.ExitCode != nil) || last.Exited && last.ExitCode != *c.ExitCode {
				t.Errorf("%s: %s/%s is %+v, want %+v", where, pod.Name, c.Name, last, c)
			}
		}
		if len(p.Pods[i].Snapshots) == 0 || len(p.Pods[i].Statuses) == 0 {
			t.Errorf("%s: %s has %d snapshots and %d statuses", where, pod.Name, len(p.Pods[i].Snapshots), len(p.Pods[i].Statuses))
		}
	}
}

// sameTime says whether a picture and a report tell the same time, or both none.
func sameTime(i *document.Instant, at *float64) bool {
	if i == nil || at == nil {
		return i == nil && at == nil
	}
	return i.At == *at
}
