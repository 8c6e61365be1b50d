package admission

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// host is a proc file system with so much memory, and so many inotify instances
// of a limit in use.
func host(t *testing.T, mib, used, limit int) string {
	t.Helper()
	proc := t.TempDir()
	write := func(name, text string) {
		path := filepath.Join(proc, name)
		err := os.MkdirAll(filepath.Dir(path), 0o755)
		if err = errors.Join(err, os.WriteFile(path, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	write("meminfo", fmt.Sprintf("MemTotal: 9 kB\nMemAvailable: %d kB\n", mib<<10))
	write("sys/fs/inotify/max_user_instances", fmt.Sprintln(limit))
	if err := os.MkdirAll(filepath.Join(proc, "7", "fd"), 0o755); err != nil {
		t.Fatal(err)
	}
	for i := range used {
		if err := os.Symlink("anon_inode:inotify", filepath.Join(proc, "7", "fd", fmt.Sprint(i))); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("/dev/null", filepath.Join(proc, "7", "fd", "1000")); err != nil {
		t.Fatal(err)
	}
	return proc
}

func quiet(string) {}

func TestLimitsAreNamedBeforehand(t *testing.T) {
	for name, c := range map[string]struct {
		mib, used, limit, nodes int
		want                    string
	}{
		"enough":                {8000, 60, 128, 1, ""},
		"memory":                {500, 0, 1024, 1, "500 MiB of memory are available, and a node takes about 600"},
		"memory for three":      {1700, 0, 1024, 3, "(3 to boot, 0 of other"},
		"inotify":               {8000, 93, 128, 1, "93 of 128 inotify instances"},
		"inotify for two nodes": {8000, 65, 128, 2, "lab engine up raises the limit"},
	} {
		t.Run(name, func(t *testing.T) {
			r := New(Options{Dir: t.TempDir(), Slots: 3, Proc: host(t, c.mib, c.used, c.limit)})
			done, err := r.Admit(t.Context(), c.nodes, quiet)
			if c.want == "" {
				if err != nil {
					t.Fatal(err)
				}
				done()
				return
			}
			if !errors.Is(err, ErrNotAdmitted) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %q", err, c.want)
			}
			if r.booting() != 0 {
				t.Error("the slot is still taken")
			}
		})
	}
}

func TestIdleClustersAreEvicted(t *testing.T) {
	proc := host(t, 8000, 100, 128)
	waiting := []string{"lab-pool-b", "lab-pool-a"}
	r := New(Options{Dir: t.TempDir(), Proc: proc, Evict: func(context.Context) (string, error) {
		if len(waiting) == 0 {
			return "", nil
		}
		id := waiting[0]
		waiting = waiting[1:]
		for i := range 28 {
			if err := os.Remove(filepath.Join(proc, "7", "fd", fmt.Sprint(i+28*len(waiting)))); err != nil {
				return "", err
			}
		}
		return id, nil
	}})
	var said []string
	done, err := r.Admit(t.Context(), 1, func(text string) { said = append(said, text) })
	if err != nil {
		t.Fatal(err)
	}
	done()
	if len(said) != 1 || !strings.HasPrefix(said[0], "removed lab-pool-b, which waited, to make room: 100 of 128 inotify") {
		t.Errorf("said %q", said)
	}
}

func TestSlotsAreTheHosts(t *testing.T) {
	dir := t.TempDir()
	var leave []func()
	for range 2 {
		done, err := New(Options{Dir: dir, Slots: 2}).Admit(t.Context(), 1, quiet)
		if err != nil {
			t.Fatal(err)
		}
		leave = append(leave, done)
	}
	r := New(Options{Dir: dir, Slots: 2})
	short, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := r.Admit(short, 1, quiet); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a third one boots: %v", err)
	}
	admitted, said := make(chan error, 1), make(chan string, 1)
	go func() {
		done, err := r.Admit(t.Context(), 1, func(text string) { said <- text })
		if err == nil {
			done()
		}
		admitted <- err
	}()
	if text := <-said; !strings.HasPrefix(text, "waiting: 2 clusters boot on this host already") {
		t.Errorf("said %q", text)
	}
	leave[0]()
	if err := <-admitted; err != nil {
		t.Error(err)
	}
	leave[1]()
}

func TestOthersThatBootAreCounted(t *testing.T) {
	dir, proc := t.TempDir(), host(t, 1500, 0, 1024)
	first, err := New(Options{Dir: dir, Slots: 4, Proc: proc}).Admit(t.Context(), 1, quiet)
	if err != nil {
		t.Fatal(err)
	}
	defer first()
	second, err := New(Options{Dir: dir, Slots: 4, Proc: proc}).Admit(t.Context(), 1, quiet)
	if err != nil {
		t.Fatal(err)
	}
	defer second()
	if _, err := New(Options{Dir: dir, Slots: 4, Proc: proc}).Admit(t.Context(), 1, quiet); err == nil || !strings.Contains(err.Error(), "2 of other clusters just booting") {
		t.Errorf("a third one: %v", err)
	}
}
