package ociruntime

import (
	"os"
	"path/filepath"
	"testing"
)

func TestLowestThat(t *testing.T) {
	for name, c := range map[string]struct{ wanted, current, floor, want int }{
		"higher than the current":   {wanted: 10, current: 1, floor: 0, want: 10},
		"the same":                  {wanted: 1, current: 1, floor: 0, want: 1},
		"a little lower, allowed":   {wanted: 0, current: 1, floor: 0, want: 0},
		"lower than allowed":        {wanted: -999, current: 1, floor: 0, want: 0},
		"only the current is left":  {wanted: -999, current: 5, floor: 5, want: 5},
		"a floor that is far below": {wanted: -999, current: 1000, floor: -500, want: -500},
	} {
		t.Run(name, func(t *testing.T) {
			tries := 0
			got := lowestThat(c.wanted, c.current, func(score int) bool { tries++; return score >= c.floor })
			if got != c.want || tries > 11 {
				t.Errorf("got %d after %d tries; want %d", got, tries, c.want)
			}
		})
	}
}

func TestReadLimits(t *testing.T) {
	limits, err := ReadLimits("/proc")
	if err != nil {
		t.Fatal(err)
	}
	if !limits.Bounding.Has("CAP_CHOWN") {
		t.Errorf("bounding set %x without CAP_CHOWN", limits.Bounding)
	}
	if limit, known := limits.HardLimit("RLIMIT_NOFILE"); !known || limit == 0 {
		t.Errorf("open files: %d, known %v", limit, known)
	}
	if _, known := limits.HardLimit("RLIMIT_OF_TOMORROW"); known {
		t.Error("knows a limit that is not one")
	}
}

func TestLowestOOMRestores(t *testing.T) {
	const file = "/proc/self/oom_score_adj"
	before, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	lowest, err := lowestOOM(file, -1000)
	if err != nil {
		t.Fatal(err)
	}
	after, err := os.ReadFile(file)
	if err != nil || string(after) != string(before) {
		t.Errorf("the score was %s and is %s (%v)", before, after, err)
	}
	if err := writeScore(file, lowest); err != nil {
		t.Errorf("it says that %d can be set: %v", lowest, err)
	}
	if err := os.WriteFile(file, before, 0o644); err != nil {
		t.Error(err)
	}
}

func TestReadLimitsErrors(t *testing.T) {
	proc := t.TempDir()
	if _, err := ReadLimits(proc); err == nil {
		t.Error("no error without a status")
	}
	if _, err := lowestOOM(filepath.Join(proc, "oom_score_adj"), 0); err == nil {
		t.Error("no error without a score")
	}
	if err := os.WriteFile(filepath.Join(proc, "oom_score_adj"), []byte("high"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := lowestOOM(filepath.Join(proc, "oom_score_adj"), 0); err == nil {
		t.Error("no error for a score that is no number")
	}
}
