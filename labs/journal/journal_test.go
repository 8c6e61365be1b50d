package journal

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kind-lab/lab/collectors"
)

var begin = time.Date(2026, 1, 2, 3, 4, 5, 6, time.UTC)

func write(t *testing.T) (string, []Entry) {
	t.Helper()
	j, err := Create(t.TempDir(), "r1")
	if err != nil {
		t.Fatal(err)
	}
	record := collectors.Record{Seq: 1, Time: begin, Received: begin, Precision: 1, Source: collectors.SourceRuntime,
		Type: collectors.TypeTaskExit, Object: collectors.Object{Kind: "Pod", Name: "p"}, Container: "main",
		Task: &collectors.Task{ID: "abc", ExitCode: 137}}
	want := []Entry{
		{At: begin, Intent: &Intent{Action: ActionCreate, Provider: "kind", ID: "lab-a"}},
		{At: begin, Run: "classic/v127", Begin: &begin, On: &Origin{Scenario: "classic", Cluster: "v127", Nodes: []string{"n1"}}},
		{At: begin, Run: "classic/v127", Record: &record},
		{At: begin, Intent: &Intent{Action: ActionCreate, Provider: "kind", ID: "lab-b"}},
		{At: begin, Intent: &Intent{Action: ActionDestroy, Provider: "kind", ID: "lab-a", Done: true}},
	}
	for _, e := range want {
		switch {
		case e.Intent != nil:
			err = j.Intent(e.At, *e.Intent)
		case e.Record != nil:
			err = j.Record(e.Run, *e.Record)
		default:
			err = j.Begin(e.Run, *e.Begin, e.On)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if alive, err := Alive(j.Dir()); err != nil || !alive {
		t.Errorf("Alive of an open journal = %v, %v; want true", alive, err)
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	return j.Dir(), want
}

func TestWhatWasWrittenIsRead(t *testing.T) {
	dir, want := write(t)
	var got []Entry
	for e, err := range Entries(dir) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, e)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("entries differ (-want +got):\n%s", diff)
	}
	if alive, err := Alive(dir); err != nil || alive {
		t.Errorf("Alive of a closed journal = %v, %v; want false", alive, err)
	}
}

func TestACutJournalIsReadUpToTheCut(t *testing.T) {
	dir, want := write(t)
	whole, err := os.ReadFile(filepath.Join(dir, File))
	if err != nil {
		t.Fatal(err)
	}
	for cut := range len(whole) + 1 {
		lines := bytes.Count(whole[:cut], []byte("\n"))
		n := 0
		for e, err := range Decode(bytes.NewReader(whole[:cut])) {
			if err != nil {
				t.Fatalf("cut at %d: %v", cut, err)
			}
			if diff := cmp.Diff(want[n], e); diff != "" {
				t.Fatalf("cut at %d, entry %d differs:\n%s", cut, n, diff)
			}
			n++
		}
		if n != lines {
			t.Fatalf("cut at %d: %d entries of %d whole lines", cut, n, lines)
		}
	}
}

func TestUnfinishedIsWhatWasNotSeenDestroyed(t *testing.T) {
	dir, _ := write(t)
	open, err := Unfinished(Entries(dir))
	if err != nil {
		t.Fatal(err)
	}
	want := []Intent{{Action: ActionCreate, Provider: "kind", ID: "lab-b"}}
	if diff := cmp.Diff(want, open); diff != "" {
		t.Errorf("unfinished differs:\n%s", diff)
	}
}

func TestAFolderInUseIsRefused(t *testing.T) {
	root := t.TempDir()
	j, err := Create(root, "r1")
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	if _, err := Create(root, "r1"); !errors.Is(err, ErrAlive) {
		t.Errorf("second Create = %v, want ErrAlive", err)
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte(`{"at":"2026-01-02T03:04:05Z","intent":{"action":"create-cluster","provider":"kind","id":"a"}}` + "\n"))
	f.Add([]byte("\n\n{}\n{"))
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, err := range Decode(bytes.NewReader(data)) {
			if err != nil {
				return
			}
		}
	})
}

func TestARunsFolderIsItsOwnersAlone(t *testing.T) {
	root := filepath.Join(t.TempDir(), "runs")
	j, err := Create(root, "1")
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	for name, want := range map[string]fs.FileMode{"1": 0o700, "1/" + File: 0o600} {
		if info, err := os.Stat(filepath.Join(root, name)); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v, %v", name, info.Mode(), err)
		}
	}
}
