package reaper

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// process is one that a run started.
type process struct {
	pid  int
	args []string
}

// makes says whether the process asks an engine for a container.
func (p process) makes() bool { return len(p.args) > 1 && p.args[1] == "run" }

// command is how it was called, cut to a line.
func (p process) command() string {
	text := strings.Join(p.args, " ")
	return strings.Join(strings.Fields(text[:min(len(text), 200)]), " ")
}

// processes are those below root (/proc) whose environment names the run. There
// are none if the host has no such directory, as on macOS.
func processes(root, id string) []process {
	names, err := filepath.Glob(filepath.Join(root, "[0-9]*", "environ"))
	if err != nil {
		return nil
	}
	var found []process
	for _, name := range names {
		environ, err := os.ReadFile(name)
		if err != nil || !slices.Contains(strings.Split(string(environ), "\x00"), Variable+"="+id) {
			continue
		}
		dir := filepath.Dir(name)
		line, err := os.ReadFile(filepath.Join(dir, "cmdline"))
		if err != nil {
			continue
		}
		if pid, err := strconv.Atoi(filepath.Base(dir)); err == nil {
			found = append(found, process{pid: pid, args: strings.Split(strings.TrimSuffix(string(line), "\x00"), "\x00")})
		}
	}
	return found
}
