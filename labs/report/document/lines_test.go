package document_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/kind-lab/lab/collectors"
	"github.com/kind-lab/lab/labs/report/document"
	"github.com/kind-lab/lab/labs/report/internal/reporttest"
)

// line is a log line of a container.
func line(seconds float64, pod, container, text string) collectors.Record {
	return reporttest.LogRecord(seconds, pod, container, text, "")
}

// picture folds records, of which the lines of a container may cost share.
func picture(share int, secrets []string, records ...collectors.Record) document.Picture {
	b := document.NewPictureBuilder("s", "c", reporttest.Begun, share, document.NewCleaner(secrets))
	for _, r := range records {
		b.Add(r)
	}
	return b.Picture()
}

func texts(p document.Picture) []string {
	var all []string
	for _, l := range p.Lines {
		all = append(all, l.Text)
	}
	return all
}

func TestTheTallyCountsLongLinesAsMore(t *testing.T) {
	for name, tt := range map[string]struct {
		record collectors.Record
		want   int
	}{
		"short":        {line(1, "p", "c", "x"), 1},
		"empty":        {line(1, "p", "c", ""), 1},
		"long":         {line(1, "p", "c", strings.Repeat("x", 512)), 2},
		"beyond bound": {line(1, "p", "c", strings.Repeat("x", 10*document.MaxLine)), 1 + document.MaxLine/512},
		"no line":      {reporttest.PodRecord(1, "p", "Running", "1/1"), 0},
		"no text":      {collectors.Record{Type: collectors.TypeLog}, 0},
	} {
		tally := document.LineTally{}
		tally.Add("run", tt.record)
		got := 0
		for _, cost := range tally {
			got += cost
		}
		if got != tt.want {
			t.Errorf("%s costs %d, want %d", name, got, tt.want)
		}
	}
}

// TestSharesUseTheTotal holds of any costs that all together stay below the
// total, that nothing is left out where all fit, and that no larger share would
// do.
func TestSharesUseTheTotal(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		tally, sum := document.LineTally{}, 0
		for i := range r.IntN(6) {
			cost := 1 + r.IntN(100)
			tally[document.LineKey{Container: fmt.Sprint(i)}], sum = cost, sum+cost
		}
		total := r.IntN(300)
		share := tally.Share(total)
		spent := func(share int) int {
			all := 0
			for _, cost := range tally {
				all += min(cost, share)
			}
			return all
		}
		switch {
		case sum <= total && share != math.MaxInt:
			t.Fatalf("%v fit into %d, and the share is %d", tally, total, share)
		case sum > total && (spent(share) > total || spent(share+1) <= total):
			t.Fatalf("%v of %d: the share %d spends %d, one more %d", tally, total, share, spent(share), spent(share+1))
		}
	}
}

// TestTheFirstAndTheLastLinesAreKept holds of any number of lines and any share
// that what is kept are the first and the last, and that none is lost without
// being counted.
func TestTheFirstAndTheLastLinesAreKept(t *testing.T) {
	for n := range 14 {
		for share := range 12 {
			var records []collectors.Record
			for i := range n {
				records = append(records, line(float64(i), "p", "c", fmt.Sprint(i)))
			}
			p := picture(share, nil, records...)
			if len(p.Lines) != min(n, share) || len(p.Lines)+p.OmittedLines != n {
				t.Fatalf("%d lines, share %d: %q are kept, %d omitted", n, share, texts(p), p.OmittedLines)
			}
			var want []string
			for i := range n {
				if first := min(share/2, n); i < first || i >= n-(len(p.Lines)-first) {
					want = append(want, fmt.Sprint(i))
				}
			}
			if !slices.Equal(texts(p), want) {
				t.Errorf("%d lines, share %d: %q, want %q", n, share, texts(p), want)
			}
		}
	}
}

func TestTheShareIsOfEachContainer(t *testing.T) {
	var records []collectors.Record
	for i := range 50 {
		records = append(records, line(float64(i), "p", "noisy", "noise"))
	}
	records = append(records, line(7.5, "p", "quiet", "one word"), line(8.5, "q", "noisy", "of another pod"))
	p := picture(4, nil, records...)
	if got := texts(p); !slices.Equal(got, []string{"noise", "noise", "one word", "of another pod", "noise", "noise"}) || p.OmittedLines != 46 {
		t.Errorf("%q, %d omitted", got, p.OmittedLines)
	}
}

func TestLinesAreCutBetweenLetters(t *testing.T) {
	for name, tt := range map[string]struct {
		text string
		size int
		cut  bool
	}{
		"as long as may be": {strings.Repeat("x", document.MaxLine), document.MaxLine, false},
		"longer":            {strings.Repeat("x", document.MaxLine+1), document.MaxLine, true},
		"within a letter":   {"x" + strings.Repeat("é", document.MaxLine), document.MaxLine - 1, true},
	} {
		l := picture(1000, nil, line(1, "p", "c", tt.text)).Lines[0]
		if len(l.Text) != tt.size || l.Cut != tt.cut || !utf8.ValidString(l.Text) {
			t.Errorf("%s: %d bytes, cut %t", name, len(l.Text), l.Cut)
		}
	}
}

func TestLinesAreCleanAndOfTheirContainer(t *testing.T) {
	log := line(3, "web", "main", "the key is\nsecretsecret\x1b[2J")
	log.Log.Run, log.Log.Stream, log.Log.Cut = 2, "stderr", true
	stranger := line(4, "web", "other", "x")
	nobody := line(5, "gone", "main", "y")
	p := picture(1000, []string{"secretsecret"}, reporttest.PodRecord(1, "web", "Running", "1/1", collectors.Container{Name: "side"}, collectors.Container{Name: "main"}), stranger, nobody, log)
	want := []document.LinePicture{
		{At: 3, Pod: 0, Container: 1, Run: 2, Stream: "stderr", Text: "the key is (sensitive)", Cut: true},
		{At: 4, Pod: 0, Container: -1, Text: "x"},
		{At: 5, Pod: -1, Container: -1, Text: "y"},
	}
	if diff := cmp.Diff(want, p.Lines); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if p.Seconds != 5 {
		t.Errorf("the axis ends at %g s, before the last line", p.Seconds)
	}
}

// TestLinesWithoutAUIDAreOfTheNewestPod holds of pods that had the same name.
func TestLinesWithoutAUIDAreOfTheNewestPod(t *testing.T) {
	old, young := reporttest.PodRecord(1, "web", "Running", "1/1"), reporttest.PodRecord(5, "web", "Running", "1/1")
	young.Object.UID = "younger"
	unnamed, named := line(6, "web", "main", "new"), line(7, "web", "main", "old")
	unnamed.Object.UID = ""
	p := picture(1000, nil, old, young, unnamed, named)
	if len(p.Lines) != 2 || p.Pods[p.Lines[0].Pod].UID != "younger" || p.Pods[p.Lines[1].Pod].UID != old.Object.UID {
		t.Errorf("%+v of %+v", p.Lines, p.Pods)
	}
}

// TestLinesOfOneMomentHaveOneOrder holds that the same records give the same
// picture, also of lines of which neither the time nor the pod tells which is
// first.
func TestLinesOfOneMomentHaveOneOrder(t *testing.T) {
	records := []collectors.Record{}
	for i := range 12 {
		r := line(1, fmt.Sprintf("pod-%d", i), "main", fmt.Sprint(i))
		records = append(records, r, r)
	}
	want := picture(1000, nil, records...)
	for range 30 {
		if diff := cmp.Diff(want.Lines, picture(1000, nil, records...).Lines); diff != "" {
			t.Fatalf("(-first +second):\n%s", diff)
		}
	}
}

func TestLinesAreInTheOrderOfTheirTimes(t *testing.T) {
	p := picture(1000, nil, line(3, "p", "a", "third"), line(1, "p", "b", "first"), line(2, "p", "a", "second"), line(2, "p", "a", "same time, later"))
	if got := texts(p); !slices.Equal(got, []string{"first", "second", "same time, later", "third"}) {
		t.Errorf("%q", got)
	}
	early := line(0, "p", "a", "early")
	early.Time = early.Time.Add(-time.Second)
	if p := picture(1000, nil, early); p.Lines[0].At > -0.9 || p.Seconds != 0 {
		t.Errorf("a line before the run: %+v, axis of %g s", p.Lines[0], p.Seconds)
	}
}
