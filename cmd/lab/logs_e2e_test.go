//go:build e2e

package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kind-lab/lab/collectors"
	"github.com/kind-lab/lab/labs/journal"
)

const (
	stormRounds = 30
	stormLines  = 10_000 // of a round, beside its number and what its kind adds
	stormText   = " abcdefghijklmnopqrstuvwxyz abcdefghijklmnopqrstuvwxyz abcdefghijkl"
	mostOfLine  = 256 << 10
)

// stormExtra is what a kind of container adds to each round: the text as it is
// recorded, and how often.
func stormExtra(kind string) (string, int) {
	switch kind {
	case "long":
		return strings.Repeat("x", mostOfLine), 1
	case "flood":
		return strings.Repeat("x", mostOfLine), 10
	case "bytes":
		return "\uFFFD \x01 \x00 \x1b[31m \uFFFD", 1
	}
	return "", 0
}

// stormed is what was recorded of one container.
type stormed struct {
	kind        string
	round, line int // which comes next on standard output; line -1 is the round's number
	kept        int
	errors      int // lines of standard error
	first, last time.Time
	wrong       []string
}

// next is the line of standard output that has to come.
func (s *stormed) next() string {
	extra, _ := stormExtra(s.kind)
	switch {
	case s.round == stormRounds:
		return "no end"
	case s.line < 0:
		return fmt.Sprintf("round %d", s.round)
	case s.line < stormLines:
		return fmt.Sprintf("%d%s", s.line, stormText)
	}
	return extra
}

// take holds a line to what has to come.
func (s *stormed) take(r collectors.Record) {
	s.kept++
	if s.first.IsZero() {
		s.first = r.Time
	}
	s.last = r.Time
	if r.Log.Stream == "stderr" {
		s.errors++
		return
	}
	extra, count := stormExtra(s.kind)
	if want := s.next(); r.Log.Text != want || r.Log.Cut != (len(extra) == mostOfLine && s.line >= stormLines) {
		s.wrong = append(s.wrong, fmt.Sprintf("line %d is %.40q, want %.40q", s.kept, r.Log.Text, want))
	}
	s.line++
	if s.line == stormLines+count {
		s.round, s.line = s.round+1, -1
	}
}

// written is how many lines the container wrote.
func (s *stormed) written() int {
	_, count := stormExtra(s.kind)
	n := stormRounds*(1+stormLines+count) + 1
	if s.kind == "errors" {
		n += stormRounds
	}
	return n
}

// TestAStormOfLogsIsRecordedToTheLine lets ten containers write as fast as
// their machine bears, with rotation, and holds what was recorded to what was
// written: line by line, and in order.
func TestAStormOfLogsIsRecordedToTheLine(t *testing.T) {
	scenario, err := filepath.Abs("testdata/logstorm")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	a := &app{stdin: strings.NewReader(""), stdout: os.Stderr, stderr: os.Stderr, env: os.LookupEnv, open: openBackend}
	if code := a.main(t.Context(), []string{"run", "-no-logs", scenario}); code != exitPass {
		t.Errorf("exit code %d, want %d", code, exitPass)
	}
	found, err := filepath.Glob(".lab/runs/*")
	if err != nil || len(found) != 1 {
		t.Fatalf("runs: %v, %v", found, err)
	}
	containers, timeline := map[string]*stormed{}, collectors.NewTimeline(time.Now())
	for e, err := range journal.Entries(found[0]) {
		if err != nil {
			t.Fatal(err)
		}
		switch {
		case e.Record == nil:
		case e.Record.Type == collectors.TypeLog:
			c := containers[e.Record.Container]
			if c == nil {
				kind, _, _ := strings.Cut(e.Record.Container, "-")
				c = &stormed{kind: kind, line: -1}
				containers[e.Record.Container] = c
			}
			c.take(*e.Record)
		case e.Record.Type == collectors.TypeGap:
			timeline.Add(*e.Record)
		}
	}
	lost := map[string]int{}
	for _, g := range timeline.Gaps() {
		if g.Gap.Count < 0 || g.Gap.To.IsZero() {
			t.Errorf("a gap of %q has no count or end: %+v", g.Container, *g.Gap)
		}
		lost[g.Container] += g.Gap.Count
	}
	judgeStorm(t, found[0], containers, lost)
}

func judgeStorm(t *testing.T, dir string, containers map[string]*stormed, lost map[string]int) {
	t.Helper()
	var begin, end time.Time
	written, kept := 0, 0
	for name, c := range containers {
		written, kept = written+c.written(), kept+c.kept
		if begin.IsZero() || c.first.Before(begin) {
			begin = c.first
		}
		end = slices.MaxFunc([]time.Time{end, c.last}, time.Time.Compare)
		t.Logf("%s: %d lines written, %d kept, %d declared lost", name, c.written(), c.kept, lost[name])
		if c.kept+lost[name] != c.written() {
			t.Errorf("%s: %d lines kept and %d declared lost of %d", name, c.kept, lost[name], c.written())
		}
		if (lost[name] > 0) != (c.kind == "flood") {
			t.Errorf("%s: %d lines are declared lost", name, lost[name])
		}
		if len(c.wrong) > 0 {
			t.Errorf("%s: %d lines are wrong or out of order, first: %s", name, len(c.wrong), c.wrong[0])
		}
		files, err := filepath.Glob(filepath.Join(dir, "*", "*", "logs", "storm", name+".log"))
		if err != nil || len(files) != 1 {
			t.Fatalf("the files of %s: %v, %v", name, files, err)
		}
		text, err := os.ReadFile(files[0])
		if err != nil {
			t.Fatal(err)
		}
		if n := bytes.Count(text, []byte("\n")); n != c.kept {
			t.Errorf("%s: its file has %d lines, %d are recorded", name, n, c.kept)
		}
	}
	if len(containers) != 10 {
		t.Errorf("%d containers are recorded", len(containers))
	}
	t.Logf("%d lines written in %v: %.0f a second; %d kept", written, end.Sub(begin).Round(time.Millisecond),
		float64(written)/end.Sub(begin).Seconds(), kept)
}
