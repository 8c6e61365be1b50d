package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestJudgementsOfSeveralBatches holds that batches that run at the same time lose
// nothing of one another.
func TestJudgementsOfSeveralBatches(t *testing.T) {
	h := history{path: filepath.Join(t.TempDir(), "cache", "judged.json")}
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	var wg sync.WaitGroup
	want := map[string]judgement{}
	for i := range 12 {
		name, j := fmt.Sprintf("lab-%d", i), judgement{At: at.Add(time.Duration(i) * time.Hour), Commit: "c", Result: "pass"}
		want[name] = j
		wg.Go(func() {
			if err := h.add(name, j); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	got, err := h.read()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestAHistoryThatCannotBeRead(t *testing.T) {
	for name, tt := range map[string]struct {
		content string
		folder  bool
		says    string
	}{
		"nothing":         {"", false, ""},
		"no JSON":         {"PASS", false, ""},
		"of another form": {`["a"]`, false, ""},
		"a folder":        {"", true, "reading when the labs were judged"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "judged.json")
			var err error
			if tt.folder {
				err = os.Mkdir(path, 0o755)
			} else {
				err = os.WriteFile(path, []byte(tt.content), 0o644)
			}
			if err != nil {
				t.Fatal(err)
			}
			judged, err := history{path}.read()
			if (err != nil) != (tt.says != "") || err != nil && !strings.Contains(err.Error(), tt.says) || len(judged) > 0 {
				t.Errorf("got %v, %v", judged, err)
			}
			added := history{path}.add("a", judgement{Result: "pass"})
			if (added != nil) != tt.folder || added != nil && !strings.Contains(added.Error(), "noting that lab a was judged") {
				t.Errorf("to add: %v", added)
			}
		})
	}
	none := history{}
	if judged, err := none.read(); err != nil || len(judged) > 0 || none.add("a", judgement{}) != nil {
		t.Errorf("without a file: %v, %v", judged, err)
	}
}

func TestNeedsAreReadAndWritten(t *testing.T) {
	for text, want := range map[string]needs{
		"":                           {},
		"a=i:1":                      {"a": {"i:1"}},
		"a=i:1,b=j":                  {"a": {"i:1"}, "b": {"j"}},
		" a=i , a=j,":                {"a": {"i", "j"}},
		"a=registry:5000/i@sha256:1": {"a": {"registry:5000/i@sha256:1"}},
		"a=i=j":                      {"a": {"i=j"}},
	} {
		n := needs{}
		if err := n.Set(text); err != nil {
			t.Errorf("%q: %v", text, err)
		}
		if diff := cmp.Diff(want, n); diff != "" {
			t.Errorf("%q (-want +got):\n%s", text, diff)
		}
		again := needs{}
		if err := again.Set(n.String()); err != nil {
			t.Errorf("%q: %v", n, err)
		}
		if diff := cmp.Diff(n, again); diff != "" {
			t.Errorf("%q is not what is written of it:\n%s", text, diff)
		}
	}
	for _, text := range []string{"a", "a=", "=i", "a=i,b", "="} {
		if err := (needs{}).Set(text); err == nil || !strings.Contains(err.Error(), "LAB=IMAGE") {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestHowLongAgo(t *testing.T) {
	for d, want := range map[time.Duration]string{
		-time.Hour: "0 minutes ago", 0: "0 minutes ago", 90 * time.Second: "1 minutes ago", 119 * time.Minute: "119 minutes ago",
		2 * time.Hour: "2 hours ago", 48*time.Hour - 1: "47 hours ago", 48 * time.Hour: "2 days ago", 400 * time.Hour: "16 days ago",
	} {
		if got := ago(d); got != want {
			t.Errorf("%s: %q, want %q", d, got, want)
		}
	}
}

// TestWhatChangesHowALabIsJudged holds that what is written of a lab does not.
func TestWhatChangesHowALabIsJudged(t *testing.T) {
	for file, want := range map[string]bool{
		"a/scenario.hcl": true, "a/pods/web.yaml": true, "a/README.md": false, "a/recordings/x.lab.tgz": false, "a/pods/README.md": true,
		"ab/scenario.hcl": false, "catalog.go": false, "b/a/scenario.hcl": false, "a": false, "a/recordings.hcl": true,
	} {
		if got := judgedBy("a", file); got != want {
			t.Errorf("%s: %t", file, got)
		}
	}
}
