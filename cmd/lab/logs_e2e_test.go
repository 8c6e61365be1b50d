//go:build e2e

package main

import (
	"bufio"
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
	extra       string // the line that the kind adds to a round, and how often
	extras      int
	round, line int // which comes next on standard output; line -1 is the round's number
	kept        int
	records     int // in the journal
	cut, errors int // those that are marked as cut, or as of standard error
	first, last time.Time
	wrong       []string
}

// next is the line of standard output that has to come.
func (s *stormed) next() string {
	switch {
	case s.round == stormRounds:
		return "no end"
	case s.line < 0:
		return fmt.Sprintf("round %d", s.round)
	case s.line < stormLines:
		return fmt.Sprintf("%d%s", s.line, stormText)
	}
	return s.extra
}

// take holds a line of the container's file to what has to come.
func (s *stormed) take(t *testing.T, line string) {
	stamp, text, _ := strings.Cut(line, " ")
	s.kept++
	if s.kept == 1 || text == "no end" {
		at, err := time.Parse(time.RFC3339Nano, stamp)
		if err != nil {
			t.Fatal(err)
		}
		if s.first.IsZero() {
			s.first = at
		}
		s.last = at
	}
	if text == "to stderr" {
		return
	}
	if want := s.next(); text != want {
		s.wrong = append(s.wrong, fmt.Sprintf("line %d is %.40q, want %.40q", s.kept, text, want))
	}
	s.line++
	if s.line == stormLines+s.extras {
		s.round, s.line = s.round+1, -1
	}
}

// written is how many lines the container wrote.
func (s *stormed) written() int {
	n := stormRounds*(1+stormLines+s.extras) + 1
	if s.kind == "errors" {
		n += stormRounds
	}
	return n
}

// TestAStormOfLogsIsRecordedToTheLine lets ten containers write as fast as
// their machine bears, with rotation, and holds what was recorded to what was
// written: line by line, and in order.
func TestAStormOfLogsIsRecordedToTheLine(t *testing.T) {
	r := runScenario(t, "logstorm", exitPass)
	containers, timeline := map[string]*stormed{}, collectors.NewTimeline(time.Now())
	for kind, count := range map[string]int{"plain": 5, "bytes": 2, "errors": 1, "long": 1, "flood": 1} {
		for i := range count {
			c := &stormed{kind: kind, line: -1}
			c.extra, c.extras = stormExtra(kind)
			containers[fmt.Sprintf("%s-%d", kind, i)] = c
		}
	}
	readStorm(t, r.Folder, containers, timeline)
	lost := map[string]int{}
	for _, g := range timeline.Gaps() {
		if g.Gap.Count < 0 || g.Gap.To.IsZero() {
			t.Errorf("a gap of %q has no count or end: %+v", g.Container, *g.Gap)
		}
		lost[g.Container] += g.Gap.Count
	}
	judgeStorm(t, containers, lost)
}

// linesOf calls take with each line of a file.
func linesOf(t *testing.T, path string, take func(line []byte)) {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 4*mostOfLine)
	for lines.Scan() {
		take(lines.Bytes())
	}
	if err := lines.Err(); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
}

// readStorm counts the journal's lines, of which there are too many to decode
// all, and takes the gaps among them; and it takes the containers' files.
func readStorm(t *testing.T, dir string, containers map[string]*stormed, timeline *collectors.Timeline) {
	t.Helper()
	linesOf(t, filepath.Join(dir, journal.File), func(line []byte) {
		switch head := line[:min(len(line), 500)]; {
		case bytes.Contains(head, []byte(`"type":"gap"`)):
			for e, err := range journal.Decode(bytes.NewReader(append(line, '\n'))) {
				if err != nil {
					t.Fatal(err)
				}
				timeline.Add(*e.Record)
			}
		case bytes.Contains(head, []byte(`"type":"log"`)):
			_, rest, _ := bytes.Cut(head, []byte(`"container":"`))
			name, _, _ := bytes.Cut(rest, []byte(`"`))
			c := containers[string(name)]
			if c == nil {
				t.Fatalf("a line of container %q is recorded", name)
			}
			c.records++
			if bytes.Contains(head, []byte(`"stream":"stderr"`)) {
				c.errors++
			}
			if bytes.HasSuffix(line, []byte(`"cut":true}}}`)) {
				c.cut++
			}
		}
	})
	for name, c := range containers {
		files, err := filepath.Glob(filepath.Join(dir, "*", "*", "logs", "storm", name+".log"))
		if err != nil || len(files) != 1 {
			t.Fatalf("the files of %s: %v, %v", name, files, err)
		}
		linesOf(t, files[0], func(line []byte) { c.take(t, string(line)) })
	}
}

func judgeStorm(t *testing.T, containers map[string]*stormed, lost map[string]int) {
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
		if c.kept+lost[name] != c.written() || c.kept != c.records {
			t.Errorf("%s: %d lines are in its file, %d are recorded and %d declared lost of %d", name, c.kept, c.records, lost[name], c.written())
		}
		if (lost[name] > 0) != (c.kind == "flood") {
			t.Errorf("%s: %d lines are declared lost", name, lost[name])
		}
		if len(c.wrong) > 0 {
			t.Errorf("%s: %d lines are wrong or out of order, first: %s", name, len(c.wrong), c.wrong[0])
		}
		if c.kind == "errors" && c.errors != stormRounds || c.kind == "long" && c.cut != stormRounds || c.kind == "plain" && c.errors+c.cut > 0 {
			t.Errorf("%s: %d lines are of standard error and %d are cut", name, c.errors, c.cut)
		}
	}
	t.Logf("%d lines written in %v: %.0f a second; %d kept", written, end.Sub(begin).Round(time.Millisecond),
		float64(written)/end.Sub(begin).Seconds(), kept)
}
