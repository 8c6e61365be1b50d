package logfile

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

var day = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

func read(t *testing.T, elements ...string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(elements...))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestLinesAreKeptAndSorted(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "logs")
	f := New(dir)
	log := f.Of("myapp", "main")
	for _, second := range []int{2, 3, 1, 2} {
		log.Add(day.Add(time.Duration(second)*time.Second), fmt.Sprintf("s%d", second))
	}
	f.Flush()
	if got, want := read(t, dir, "myapp", "main.log"), "2026-01-02T03:04:07Z s2\n2026-01-02T03:04:08Z s3\n2026-01-02T03:04:06Z s1\n2026-01-02T03:04:07Z s2\n"; got != want {
		t.Errorf("the file has %q, want %q", got, want)
	}
	if got, want := f.Bytes(), int64(len(read(t, dir, "myapp", "main.log"))); got != want || 4*Size("s2") < want {
		t.Errorf("Bytes() = %d, want %d; Size says %d at most", got, want, 4*Size("s2"))
	}
	if err := f.Sort(); err != nil {
		t.Fatal(err)
	}
	log.Add(day.Add(9*time.Second), "late")
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if got, want := read(t, dir, "myapp", "main.log"), "2026-01-02T03:04:06Z s1\n2026-01-02T03:04:07Z s2\n2026-01-02T03:04:07Z s2\n2026-01-02T03:04:08Z s3\n2026-01-02T03:04:14Z late\n"; got != want {
		t.Errorf("the file has %q, want %q", got, want)
	}
}

func TestMoreFilesThanMayBeOpen(t *testing.T) {
	dir := t.TempDir()
	f := New(dir)
	for range 2 {
		for i := range 2 * maxOpen {
			f.Of(fmt.Sprintf("pod-%d", i), "main").Add(day, "line")
		}
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	for i := range 2 * maxOpen {
		if got := read(t, dir, fmt.Sprintf("pod-%d", i), "main.log"); strings.Count(got, " line\n") != 2 {
			t.Errorf("pod-%d has %q", i, got)
		}
	}
}

func TestWhatCannotBeKeptIsReturned(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "logs")
	if err := os.WriteFile(dir, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	f := New(dir)
	f.Of("myapp", "main").Add(day, "line")
	f.Of("myapp", "main").Add(day, "line")
	if err := f.Close(); err == nil || strings.Count(err.Error(), "container main of pod myapp") != 1 {
		t.Errorf("Close() = %v", err)
	}
	none := New("")
	none.Of("myapp", "main").Add(day, "line")
	if err := none.Close(); err != nil || none.Bytes() != 0 {
		t.Errorf("without a folder: %v, %d bytes", err, none.Bytes())
	}
}
