package ociruntime

import (
	"path/filepath"
	"strings"
)

// The flags of runc (1.0 to 1.4) that take a value, by command; "" stands for
// the flags before the command. Other flags take none.
var valueFlags = map[string]map[string]bool{
	"":        set("log", "log-format", "root", "criu", "rootless"),
	"create":  set("bundle", "b", "console-socket", "pidfd-socket", "pid-file", "preserve-fds"),
	"run":     set("bundle", "b", "console-socket", "pidfd-socket", "pid-file", "preserve-fds"),
	"exec":    set("process", "p", "console-socket", "pidfd-socket", "pid-file", "cwd", "env", "e", "user", "u", "additional-gids", "g", "process-label", "apparmor", "cap", "c", "preserve-fds", "cgroup"),
	"restore": set("bundle", "b", "console-socket", "pid-file", "image-path", "work-path", "manage-cgroups-mode", "empty-ns", "lsm-profile", "lsm-mount-context"),
}

func set(names ...string) map[string]bool {
	s := make(map[string]bool, len(names))
	for _, name := range names {
		s[name] = true
	}
	return s
}

// invocation is what a runtime's command line says that matters here.
type invocation struct {
	command string
	// flags are the last values given, of flags before and after the command.
	flags map[string]string
}

// parseArgs reads the arguments after the program's name. What stands after
// the first argument of the command (a container's name, and then perhaps the
// command line to run in it) is not looked at.
func parseArgs(args []string) invocation {
	inv := invocation{flags: map[string]string{}}
	rest := inv.parseFlags("", args)
	if len(rest) == 0 {
		return inv
	}
	inv.command = rest[0]
	inv.parseFlags(inv.command, rest[1:])
	return inv
}

// parseFlags reads the flags at the head of args and returns what follows.
func (inv invocation) parseFlags(command string, args []string) []string {
	for len(args) > 0 {
		arg := args[0]
		if arg == "--" {
			return args[1:]
		}
		name := strings.TrimPrefix(strings.TrimPrefix(arg, "-"), "-")
		if name == arg || name == "" {
			return args
		}
		args = args[1:]
		if name, value, ok := strings.Cut(name, "="); ok {
			inv.flags[name] = value
			continue
		}
		if !valueFlags[command][name] {
			inv.flags[name] = "true"
			continue
		}
		if len(args) == 0 {
			return nil
		}
		inv.flags[name], args = args[0], args[1:]
	}
	return nil
}

// specFile returns the path of the specification that the command reads and
// whether it describes a process alone; "" where it reads none.
func (inv invocation) specFile() (path string, processOnly bool) {
	switch inv.command {
	case "create", "run", "restore":
		return filepath.Join(inv.flag("bundle", "b"), "config.json"), false
	case "exec":
		return inv.flag("process", "p"), true
	}
	return "", false
}

func (inv invocation) flag(long, short string) string {
	if v, ok := inv.flags[long]; ok {
		return v
	}
	return inv.flags[short]
}
