package replay_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kind-lab/lab/labs/replay"
)

func TestAnArchiveIsTheRun(t *testing.T) {
	dir := record(t, true)
	if err := os.MkdirAll(filepath.Join(dir, "scenario"), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"scenario/scenario.hcl": scenario, "scenario/given.labvars": "a = 1\n", "junit.xml": "<x/>"} {
		if err := os.WriteFile(filepath.Join(dir, filepath.FromSlash(name)), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var packed, again bytes.Buffer
	for _, w := range []*bytes.Buffer{&packed, &again} {
		if err := replay.Pack(w, dir); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(packed.Bytes(), again.Bytes()) {
		t.Error("the same run gave two archives")
	}
	name := filepath.Join(t.TempDir(), "r"+replay.ArchiveSuffix)
	if err := os.WriteFile(name, packed.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	rec, remove, err := replay.OpenArchive(name)
	if err != nil {
		t.Fatal(err)
	}
	want, err := replay.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want.Runs, rec.Runs); diff != "" {
		t.Errorf("the runs differ (-want +got):\n%s", diff)
	}
	if filepath.Base(rec.Source) != "scenario.hcl" || filepath.Base(rec.Given) != "given.labvars" {
		t.Errorf("source %q, given %q", rec.Source, rec.Given)
	}
	if _, err := os.Stat(filepath.Join(rec.Dir, "junit.xml")); err == nil {
		t.Error("the archive has junit.xml too")
	}
	if err := remove(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(rec.Dir); err == nil {
		t.Error("the unpacked folder was not removed")
	}
}

func TestWhatIsNoArchive(t *testing.T) {
	for _, tt := range []struct {
		names []string
		want  string
	}{
		{[]string{"../journal.jsonl"}, "does not belong"},
		{[]string{"scenario/../../x"}, "does not belong"},
		{[]string{"/journal.jsonl"}, "does not belong"},
		{[]string{"bin/sh"}, "does not belong"},
		{[]string{"run.json"}, "no journal.jsonl"},
		{[]string{"journal.jsonl", "journal.jsonl"}, "exists"},
		{nil, "not an archive of a run"},
	} {
		var b bytes.Buffer
		if tt.names != nil {
			zipped := gzip.NewWriter(&b)
			out := tar.NewWriter(zipped)
			for _, name := range tt.names {
				if err := out.WriteHeader(&tar.Header{Name: name, Mode: 0o600, Size: 1}); err != nil {
					t.Fatal(err)
				}
				if _, err := out.Write([]byte("x")); err != nil {
					t.Fatal(err)
				}
			}
			if err := out.Close(); err != nil {
				t.Fatal(err)
			}
			if err := zipped.Close(); err != nil {
				t.Fatal(err)
			}
		}
		dir := t.TempDir()
		if err := replay.Unpack(&b, filepath.Join(dir)); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%v: %v, want an error with %q", tt.names, err, tt.want)
		}
	}
}

func FuzzUnpack(f *testing.F) {
	f.Add([]byte("no archive"))
	f.Fuzz(func(t *testing.T, data []byte) {
		above := t.TempDir()
		dir := filepath.Join(above, "in")
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		_ = replay.Unpack(bytes.NewReader(data), dir) // whatever it says, nothing may be written outside
		entries, err := os.ReadDir(above)
		if err != nil || len(entries) != 1 {
			t.Fatalf("written outside of the folder: %v, %v", entries, err)
		}
	})
}
