//go:build e2e

package html

import (
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/kind-lab/lab/labs/replay"
)

// TestThePageOfARecording shows the recording that the catalogue holds.
func TestThePageOfARecording(t *testing.T) {
	files, err := filepath.Glob("../../catalog/job-sidecar/recordings/*.lab.tgz")
	if err != nil || len(files) == 0 {
		t.Fatalf("no recordings: %v", err)
	}
	rec, remove, err := replay.OpenArchive(files[0])
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := remove(); err != nil {
			t.Error(err)
		}
	})
	d, err := rec.Document(replay.DocumentOptions{Keep: func(_, cluster string) bool {
		return slices.Contains([]string{"v127", "v128", "v128_on", "v129"}, cluster)
	}})
	if err != nil {
		t.Fatal(err)
	}
	p := openPage(t, d, wide, tall)
	rows := eval[[]string](p, `[...document.querySelectorAll("#scenario-1 .matrix tbody tr")].map((tr) => tr.innerText.replace(/\s+/g, " ").trim())`)
	completes := regexp.MustCompile(`^the Job completes ≠ :\d+ ✓ false ✓ false ✓ true ✓ true$`)
	if !slices.ContainsFunc(rows, completes.MatchString) {
		t.Errorf("the matrix of native is %q", rows)
	}
	bars := eval[[]int](p, `["init", "sidecar", "main"].map((kind) => document.querySelectorAll("#scenario-1 .timeline > svg .item." + kind).length)`)
	if bars[0] != 2 || bars[1] != 2 || bars[2] != 2 {
		t.Errorf("%v bars of init containers, sidecars and main containers, want two of each", bars)
	}
	p.shoot("recording")
	narrow := openPage(t, d, 390, 844)
	if over := eval[int](narrow, `document.documentElement.scrollWidth - document.documentElement.clientWidth`); over > 0 {
		t.Errorf("the page is %d pixels wider than the screen", over)
	}
	narrow.shoot("recording-narrow")
}
