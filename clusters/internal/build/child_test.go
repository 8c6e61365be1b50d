package build

import (
	"context"
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
	"github.com/kind-lab/lab/clusters/internal/store"
)

func TestChildEndsWithAllItsChildren(t *testing.T) {
	pidFile := filepath.Join(t.TempDir(), "pid")
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() {
		ended <- Child{}.Stream(ctx, "sh", "-c", `sleep 300 & echo $! > `+pidFile+`.part; mv `+pidFile+`.part `+pidFile+`; wait`)
	}()
	var pid int
	deadline := time.After(10 * time.Second)
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for pid == 0 {
		select {
		case <-deadline:
			t.Fatal("the child never began")
		case <-tick.C:
			if data, err := os.ReadFile(pidFile); err == nil {
				if _, err := fmt.Sscan(string(data), &pid); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("the child ended with %v", err)
	}
	for syscall.Kill(pid, 0) == nil {
		if data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid)); err == nil && strings.Contains(string(data), ") Z ") {
			break // dead, and waiting for somebody to ask
		}
		select {
		case <-deadline:
			t.Fatal("the child's child lives on")
		case <-tick.C:
		}
	}
}

func TestChildFails(t *testing.T) {
	for _, tc := range []struct {
		name, command string
		is            error
		says          []string
		not           string
	}{
		{name: "with its words", command: "echo out; echo why >&2; exit 3", says: []string{"sh -c", "exit status 3", "out\nwhy"}},
		{name: "on a full disk", command: "echo 'cp: No space left on device' >&2; exit 1", is: store.ErrNoSpace},
		{name: "with many lines", command: "for i in $(seq 1 100); do echo line $i; done; exit 1", says: []string{"line 61", "line 100"}, not: "line 60\n"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			err := Child{}.Stream(context.Background(), "sh", "-c", tc.command)
			var failed *clusters.CommandError
			if !errors.As(err, &failed) || tc.is != nil && !errors.Is(err, tc.is) {
				t.Fatalf("stream: %v", err)
			}
			for _, says := range tc.says {
				if !strings.Contains(err.Error(), says) {
					t.Errorf("%q does not say %q", err, says)
				}
			}
			if tc.not != "" && strings.Contains(failed.Output, tc.not) {
				t.Errorf("%q still says %q", failed.Output, tc.not)
			}
		})
	}
	if err := (Child{}).Stream(context.Background(), "a-tool-that-is-not-there"); !errors.Is(err, ErrCannotBuild) || !strings.Contains(err.Error(), "a-tool-that-is-not-there") {
		t.Errorf("a tool that is not there: %v", err)
	}
}

func TestLines(t *testing.T) {
	var seen []string
	l := &lines{each: func(line string) bool {
		seen = append(seen, line)
		return line != "hide"
	}}
	for _, part := range []string{"a", "b\nhide\n\nc  \r\n", strings.Repeat("x", longestLine+10) + "\nend"} {
		if n, err := l.Write([]byte(part)); n != len(part) || err != nil {
			t.Fatal(n, err)
		}
	}
	last := l.last()
	if !slices.Equal(seen[:3], []string{"ab", "hide", "c"}) || seen[len(seen)-1] != "end" {
		t.Errorf("lines %.100q", seen)
	}
	if !strings.HasPrefix(last, "ab\nc\nxxx") || !strings.HasSuffix(last, "\nend") {
		t.Errorf("kept %.20q", last)
	}
}
