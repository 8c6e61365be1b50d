package journal

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
)

// create makes a run's folder that is closed with the test.
func create(t *testing.T) *Journal {
	t.Helper()
	j, err := Create(t.TempDir(), "r1")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = j.Close() }) // some tests close it themselves
	return j
}

// kept are the files of the scenario that the folder has.
func kept(t *testing.T, j *Journal) map[string]string {
	t.Helper()
	all := map[string]string{}
	root := filepath.Join(j.Dir(), ScenarioFolder)
	err := filepath.WalkDir(root, func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		data, err := os.ReadFile(name)
		inside, _ := filepath.Rel(root, name)
		all[filepath.ToSlash(inside)] = string(data)
		return err
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	return all
}

func TestTheScenarioIsKeptAsItWas(t *testing.T) {
	j := create(t)
	files := fstest.MapFS{"scenario.hcl": {Data: []byte("one")}, "pods/web.yaml": {Data: []byte("kind: Pod")}, "other.txt": {Data: []byte("not read")}}
	if err := j.KeepScenario(files, []string{"scenario.hcl"}, Given{Variables: []byte("a = 1\n"), ClusterSets: []byte("[]")}); err != nil {
		t.Fatal(err)
	}
	files["scenario.hcl"] = &fstest.MapFile{Data: []byte("two, edited while it ran")}
	if err := j.KeepScenario(files, []string{"scenario.hcl", "pods/web.yaml"}, Given{Rendered: []byte("[1]")}); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"scenario.hcl": "one", "pods/web.yaml": "kind: Pod", GivenFile: "a = 1\n", ClusterSetsFile: "[]", RenderedFile: "[1]"}
	got := kept(t, j)
	if len(got) != len(want) {
		t.Errorf("kept %q", got)
	}
	for name, text := range want {
		if got[name] != text {
			t.Errorf("%s is %q, want %q", name, got[name], text)
		}
	}
}

// TestAFileThatCannotBeKeptIsNotThere holds that a replay does not take a part of a
// file, or an empty one, for the scenario.
func TestAFileThatCannotBeKeptIsNotThere(t *testing.T) {
	for name, tt := range map[string]struct {
		files fstest.MapFS
		says  string
	}{
		"it is gone":     {fstest.MapFS{}, "gone.hcl"},
		"it is too long": {fstest.MapFS{"gone.hcl": {Data: bytes.Repeat([]byte("x"), maxKept+1)}}, "gone.hcl is longer than"},
		"it is a folder": {fstest.MapFS{"gone.hcl/x": {Data: []byte("x")}}, "gone.hcl"},
	} {
		t.Run(name, func(t *testing.T) {
			j := create(t)
			tt.files["scenario.hcl"] = &fstest.MapFile{Data: []byte("one")}
			err := j.KeepScenario(tt.files, []string{"gone.hcl", "scenario.hcl"}, Given{})
			if err == nil || !strings.Contains(err.Error(), tt.says) || !strings.Contains(err.Error(), "keeping the scenario") {
				t.Errorf("got %v", err)
			}
			if got := kept(t, j); len(got) != 1 || got["scenario.hcl"] != "one" {
				t.Errorf("kept %d files: %.60q", len(got), got)
			}
		})
	}
}

// TestAnIntentBehindAJournalThatWasCut cuts a journal at every byte: what is
// appended then is read again, behind every whole entry.
func TestAnIntentBehindAJournalThatWasCut(t *testing.T) {
	dir, want := write(t)
	name := filepath.Join(dir, File)
	whole, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for cut := 0; cut <= len(whole); cut += 7 {
		if err := os.WriteFile(name, whole[:cut], 0o600); err != nil {
			t.Fatal(err)
		}
		if err := Append(dir, begin, Intent{Action: ActionDestroy, ID: "appended", Done: true}); err != nil {
			t.Fatalf("cut at byte %d: %v", cut, err)
		}
		var got []Entry
		for e, err := range Entries(dir) {
			if err != nil {
				t.Fatalf("cut at byte %d: %v", cut, err)
			}
			got = append(got, e)
		}
		entries := bytes.Count(whole[:cut], []byte("\n"))
		if len(got) != entries+1 || entries > len(want) || got[entries].Intent == nil || got[entries].Intent.ID != "appended" {
			t.Errorf("cut at byte %d: %d entries, want %d", cut, len(got), entries+1)
		}
	}
}

func TestNothingIsAppendedToARunThatGoesOn(t *testing.T) {
	j := create(t)
	if err := Append(j.Dir(), begin, Intent{ID: "x"}); !errors.Is(err, ErrAlive) {
		t.Errorf("to append: %v", err)
	}
	if err := GiveUpRoom(j.Dir()); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(j.Dir(), reserveFile)); err != nil {
		t.Errorf("the room of a run that goes on is given up: %v", err)
	}
	if err := Append(filepath.Join(t.TempDir(), "nowhere"), begin, Intent{}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("to a folder that is not there: %v", err)
	}
}

func TestTheRoomOfARunThatIsGoneIsGivenUp(t *testing.T) {
	dir, _ := write(t)
	reserve := filepath.Join(dir, reserveFile)
	if err := os.WriteFile(reserve, make([]byte, 10), 0o600); err != nil {
		t.Fatal(err)
	}
	for range 2 { // the second time it is not there
		if err := GiveUpRoom(dir); err != nil {
			t.Error(err)
		}
	}
	if _, err := os.Stat(reserve); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("it is still there: %v", err)
	}
}

// TestTheLastWholeLine looks for it in files whose last line is longer than what is
// read at once.
func TestTheLastWholeLine(t *testing.T) {
	const block = 64 << 10
	for _, whole := range []int{0, 1, 2, block - 1, block, block + 1, 2 * block} {
		for _, cut := range []int{0, 1, block - 1, block, block + 1, 2*block + 5} {
			data := strings.Repeat("x", max(0, whole-1)) + strings.Repeat("\n", min(1, whole)) + strings.Repeat("y", cut)
			got, err := lastLine(strings.NewReader(data), int64(len(data)))
			if err != nil || got != int64(whole) {
				t.Errorf("%d bytes of whole lines and %d of a cut one: %d, %v", whole, cut, got, err)
			}
		}
	}
}
