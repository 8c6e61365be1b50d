package admission

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// inotify returns how many inotify instances a user may have, and how many root
// has: those of the processes that may be looked at.
func inotify(proc string) (limit, used int64, err error) {
	text, err := os.ReadFile(filepath.Join(proc, "sys/fs/inotify/max_user_instances"))
	if err != nil {
		return 0, 0, err
	}
	if limit, err = strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64); err != nil {
		return 0, 0, err
	}
	processes, err := filepath.Glob(filepath.Join(proc, "[0-9]*", "fd"))
	if err != nil {
		return 0, 0, err
	}
	for _, fds := range processes {
		entries, err := os.ReadDir(fds)
		if err != nil {
			continue // it ended, or is not ours to look at
		}
		for _, e := range entries {
			if target, err := os.Readlink(filepath.Join(fds, e.Name())); err == nil && target == "anon_inode:inotify" {
				used++
			}
		}
	}
	return limit, used, nil
}
