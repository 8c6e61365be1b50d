package kind

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// child is a process of ours that the library started for a cluster.
type child struct {
	pid  int
	args []string
}

// makes says whether the process makes a container: killing it would leave the
// engine to make it later.
func (c child) makes() bool {
	return len(c.args) > 1 && c.args[1] == "run"
}

// children are the processes of this one, below root (/proc), whose arguments
// name the cluster. There are none where the host has no such directory, as on
// macOS.
func children(root, id string) []child {
	stats, err := filepath.Glob(filepath.Join(root, "[0-9]*", "stat"))
	if err != nil {
		return nil
	}
	var found []child
	for _, path := range stats {
		stat, err := os.ReadFile(path)
		if err != nil || parent(stat) != os.Getpid() {
			continue
		}
		dir := filepath.Dir(path)
		line, err := os.ReadFile(filepath.Join(dir, "cmdline"))
		if err != nil {
			continue
		}
		args := strings.Split(strings.TrimSuffix(string(line), "\x00"), "\x00")
		pid, err := strconv.Atoi(filepath.Base(dir))
		if err == nil && slices.ContainsFunc(args, func(a string) bool { return names(a, id) }) {
			found = append(found, child{pid: pid, args: args})
		}
	}
	return found
}

// parent reads the fourth field of proc(5)'s stat; the second may hold spaces
// and parentheses.
func parent(stat []byte) int {
	end := bytes.LastIndexByte(stat, ')')
	if end < 0 {
		return 0
	}
	fields := strings.Fields(string(stat[end+1:]))
	if len(fields) < 2 {
		return 0
	}
	pid, err := strconv.Atoi(fields[1])
	if err != nil {
		return 0
	}
	return pid
}

// names says whether the argument is one that the library gives for the
// cluster: its label, or one of its nodes.
func names(arg, id string) bool {
	if strings.HasSuffix(arg, "="+id) {
		return true
	}
	for _, role := range []string{"-" + roleControlPlane, "-" + roleWorker, "-external-load-balancer"} {
		rest, found := strings.CutPrefix(arg, id+role)
		if _, err := strconv.Atoi(rest); found && (rest == "" || err == nil) {
			return true
		}
	}
	return false
}

// stopChildren kills what the library runs for the cluster, but for what makes
// containers, and says how many of those there are.
func stopChildren(id string) (making int) {
	for _, c := range children("/proc", id) {
		if c.makes() {
			making++
			continue
		}
		if process, err := os.FindProcess(c.pid); err == nil {
			// It may have ended since; then there is nothing to do.
			_ = process.Kill()
		}
	}
	return making
}
