package store

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/kind-lab/lab/clusters"
)

func TestSpaceError(t *testing.T) {
	other := errors.New("other")
	for _, tc := range []struct {
		name string
		err  error
		full bool
	}{
		{name: "none"},
		{name: "another", err: other},
		{name: "the system's", err: &os.PathError{Op: "write", Path: "x", Err: syscall.ENOSPC}, full: true},
		{name: "a quota", err: &os.PathError{Op: "write", Path: "x", Err: syscall.EACCES}},
		{name: "a child's words", err: fmt.Errorf("making: %w", &clusters.CommandError{Output: "tar: No space left on device", Err: other}), full: true},
		{name: "a child's other words", err: &clusters.CommandError{Output: "killed", Err: other}},
	} {
		got := SpaceError(tc.err)
		if errors.Is(got, ErrNoSpace) != tc.full || !errors.Is(got, tc.err) {
			t.Errorf("%s: %v", tc.name, got)
		}
		if again := SpaceError(got); fmt.Sprint(again) != fmt.Sprint(got) {
			t.Errorf("%s: marked twice: %v", tc.name, again)
		}
	}
}

func TestDisksCheck(t *testing.T) {
	dir := t.TempDir()
	one, two := filepath.Join(dir, "one"), filepath.Join(dir, "two")
	for _, d := range []string{one, two} {
		if err := os.Mkdir(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	free := func(path string) (int64, error) {
		if strings.HasPrefix(path, one) {
			return 3 * GiB, nil
		}
		return 0, errors.New("it cannot be measured")
	}
	shared := Disks{Free: func(string) (int64, error) { return 3 * GiB, nil }, Device: func(string) (uint64, error) { return 1, nil }}
	apart := Disks{Free: free, Device: func(path string) (uint64, error) {
		return uint64(len(filepath.Base(path))) + uint64(path[len(dir)+1]), nil
	}}
	for _, tc := range []struct {
		name  string
		disks Disks
		needs []Need
		says  []string
	}{
		{name: "enough, to the byte", disks: shared, needs: []Need{{one, "a", 1 * GiB}, {two, "b", 2 * GiB}}},
		{name: "together too much", disks: shared, needs: []Need{{one, "a", 2 * GiB}, {two, "b", 2 * GiB}}, says: []string{"building needs about 4.0 GB for a in " + one + " and b in " + two + ", which share a disk, and 3.0 GB are free"}},
		{name: "apart", disks: apart, needs: []Need{{one, "a", 2 * GiB}, {two, "b", 2 * GiB}}},
		{name: "a folder that is not there yet", disks: apart, needs: []Need{{filepath.Join(one, "x", "y"), "a", 4 * GiB}}, says: []string{"4.0 GB for a in " + one + "/x/y, and 3.0 GB", "LAB_CACHE"}},
		{name: "what cannot be measured", disks: apart, needs: []Need{{two, "b", 99 * GiB}}},
		{name: "no path", disks: shared, needs: []Need{{"", "b", 99 * GiB}}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			err := tc.disks.Check("building", tc.needs...)
			if errors.Is(err, ErrNoSpace) != (len(tc.says) > 0) {
				t.Fatalf("Check: %v", err)
			}
			for _, want := range tc.says {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%q has no %q", err, want)
				}
			}
		})
	}
}

// TestAProcessIsKilledBetweenTwoSteps leaves what a killed build leaves after
// each of its steps: nothing of it is found, and the next build succeeds.
func TestAProcessIsKilledBetweenTwoSteps(t *testing.T) {
	for name, leave := range map[string]func(s Store, part string) error{
		"an empty folder": func(Store, string) error { return nil },
		"half a file":     func(_ Store, part string) error { return os.WriteFile(filepath.Join(part, "f"), []byte("ha"), 0o644) },
		"all but the move": func(_ Store, part string) error {
			return os.WriteFile(filepath.Join(part, MetaFile), []byte(`{"kind":"x","key":"1"}`), 0o644)
		},
		"a folder that may not be written": func(_ Store, part string) error {
			return os.Mkdir(filepath.Join(part, "sealed"), 0o555)
		},
		"a stage that was being replaced": func(s Store, _ string) error {
			if err := os.MkdirAll(s.Path("x", "1"), 0o755); err != nil {
				return err
			}
			return os.WriteFile(filepath.Join(s.Path("x", "1"), "old"), nil, 0o644)
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := Store{Root: t.TempDir()}
			killed, err := s.Begin(NodeImages, "x", "1")
			if err != nil {
				t.Fatal(err)
			}
			if err := leave(s, killed); err != nil {
				t.Fatal(err)
			}
			if _, ok := s.Find("x", "1"); ok {
				t.Error("an unfinished stage is found")
			}
			if parts, err := s.List(); err != nil || len(parts) > 0 {
				t.Errorf("it is listed: %v, %v", parts, err)
			}
			part, err := s.Begin(NodeImages, "x", "1")
			if err != nil {
				t.Fatal(err)
			}
			if _, err := os.Stat(killed); !os.IsNotExist(err) || part == killed {
				t.Errorf("what was left is still there, or its name is used again: %v", err)
			}
			dir, err := s.Finish(part, Part{Name: "x", Kind: "x", Key: "1"})
			if err != nil {
				t.Fatal(err)
			}
			if files, err := os.ReadDir(dir); err != nil || len(files) != 1 {
				t.Errorf("the stage has %v, %v", files, err)
			}
		})
	}
}

func TestListIsByKindAndNewestFirst(t *testing.T) {
	s := Store{Root: t.TempDir()}
	day := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for i, part := range []Part{{Kind: "b", Key: "1"}, {Kind: "a", Key: "1"}, {Kind: "a", Key: "2"}, {Kind: "b", Key: "0"}} {
		dir, err := s.Begin(NodeImages, part.Kind, part.Key)
		if err != nil {
			t.Fatal(err)
		}
		part.Built = day.AddDate(0, 0, i)
		if _, err := s.Finish(dir, part); err != nil {
			t.Fatal(err)
		}
	}
	parts, err := s.List()
	var got []string
	for _, p := range parts {
		got = append(got, p.Kind+p.Key)
	}
	if err != nil || !slices.Equal(got, []string{"a2", "a1", "b0", "b1"}) {
		t.Errorf("List = %q, %v", got, err)
	}
}

func TestACacheThatCannotBeMade(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	s := Store{Root: file}
	if _, err := s.Begin(NodeImages, "x", "1"); err == nil || !strings.Contains(err.Error(), file) {
		t.Errorf("Begin: %v", err)
	}
	if _, err := s.Lock(t.Context(), NodeImages, "x", func(string) {}); err == nil || !strings.Contains(err.Error(), file) {
		t.Errorf("Lock: %v", err)
	}
	if _, err := s.List(); err == nil || !strings.Contains(err.Error(), "reading the cache") {
		t.Errorf("List: %v", err)
	}
}

func TestOpen(t *testing.T) {
	for _, tc := range []struct{ name, dir, cache, want string }{
		{name: "named", dir: "/a/b", cache: "/c", want: "/a/b"},
		{name: "of the environment", cache: "/c", want: "/c/nodeimage"},
		{name: "the user's", want: "/home/cache/lab/nodeimage"},
	} {
		t.Setenv("LAB_CACHE", tc.cache)
		t.Setenv("XDG_CACHE_HOME", "/home/cache")
		if s, err := Open(tc.dir); err != nil || s.Root != tc.want {
			t.Errorf("%s: %q, %v", tc.name, s.Root, err)
		}
	}
	if a, b := (Store{Root: "/a"}).WorkName(), (Store{Root: "/b"}).WorkName(); a == b {
		t.Errorf("two caches share the name %s", a)
	}
}

func FuzzMountBelow(f *testing.F) {
	f.Add("22 1 254:0 / /mnt\\040x rw", "/mnt x")
	f.Add("short", "/")
	f.Fuzz(func(t *testing.T, mountinfo, dir string) {
		at := mountBelow(mountinfo, dir)
		if clean := filepath.Clean(dir); at != "" && at != clean && !strings.HasPrefix(at, strings.TrimSuffix(clean, "/")+"/") {
			t.Errorf("%q is not below %q", at, dir)
		}
	})
}
