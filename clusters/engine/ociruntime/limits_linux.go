package ociruntime

import (
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

var rlimitNumbers = map[string]int{
	"RLIMIT_AS": unix.RLIMIT_AS, "RLIMIT_CORE": unix.RLIMIT_CORE, "RLIMIT_CPU": unix.RLIMIT_CPU,
	"RLIMIT_DATA": unix.RLIMIT_DATA, "RLIMIT_FSIZE": unix.RLIMIT_FSIZE, "RLIMIT_LOCKS": unix.RLIMIT_LOCKS,
	"RLIMIT_MEMLOCK": unix.RLIMIT_MEMLOCK, "RLIMIT_MSGQUEUE": unix.RLIMIT_MSGQUEUE, "RLIMIT_NICE": unix.RLIMIT_NICE,
	"RLIMIT_NOFILE": unix.RLIMIT_NOFILE, "RLIMIT_NPROC": unix.RLIMIT_NPROC, "RLIMIT_RSS": unix.RLIMIT_RSS,
	"RLIMIT_RTPRIO": unix.RLIMIT_RTPRIO, "RLIMIT_RTTIME": unix.RLIMIT_RTTIME, "RLIMIT_SIGPENDING": unix.RLIMIT_SIGPENDING,
	"RLIMIT_STACK": unix.RLIMIT_STACK,
}

// become is the program at path from here on.
func become(path string, argv, environ []string) error {
	return unix.Exec(path, argv, environ)
}

// ReadLimits returns what the calling process can give; proc is where the
// proc file system is mounted, usually "/proc".
func ReadLimits(proc string) (Limits, error) {
	status, err := os.ReadFile(filepath.Join(proc, "self", "status"))
	if err != nil {
		return Limits{}, fmt.Errorf("reading the capability bounding set: %w", err)
	}
	bounding, err := ParseBounding(status)
	if err != nil {
		return Limits{}, err
	}
	file := filepath.Join(proc, "self", "oom_score_adj")
	return Limits{
		Bounding:  bounding,
		LowestOOM: func(wanted int) (int, error) { return lowestOOM(file, wanted) },
		HardLimit: hardLimit,
	}, nil
}

func hardLimit(name string) (uint64, bool) {
	number, known := rlimitNumbers[name]
	if !known {
		return 0, false
	}
	var limit unix.Rlimit
	if err := unix.Getrlimit(number, &limit); err != nil {
		return 0, false
	}
	return limit.Max, true
}

// lowestOOM finds by trying: the kernel keeps the lowest score that a process
// without CAP_SYS_RESOURCE may set, and does not show it. The score is as
// before when it returns.
func lowestOOM(file string, wanted int) (int, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return 0, fmt.Errorf("reading this process's OOM score: %w", err)
	}
	current, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		return 0, fmt.Errorf("reading this process's OOM score: %w", err)
	}
	lowest := lowestThat(wanted, current, func(score int) bool { return writeScore(file, score) == nil })
	if err := writeScore(file, current); err != nil {
		return 0, fmt.Errorf("restoring this process's OOM score: %w", err)
	}
	return lowest, nil
}

// lowestThat returns the lowest score from wanted on that can be set, knowing
// that current can; where wanted is not below current, it is wanted.
func lowestThat(wanted, current int, canSet func(score int) bool) int {
	if wanted >= current {
		return wanted
	}
	return wanted + sort.Search(current-wanted, func(i int) bool { return canSet(wanted + i) })
}

func writeScore(file string, score int) error {
	return os.WriteFile(file, []byte(strconv.Itoa(score)), 0o644)
}
