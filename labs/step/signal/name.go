package signal

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// names are the signals of Linux by name; nodes run no other system.
var names = [...]string{
	"HUP", "INT", "QUIT", "ILL", "TRAP", "ABRT", "BUS", "FPE", "KILL", "USR1", "SEGV", "USR2", "PIPE", "ALRM", "TERM",
	"STKFLT", "CHLD", "CONT", "STOP", "TSTP", "TTIN", "TTOU", "URG", "XCPU", "XFSZ", "VTALRM", "PROF", "WINCH", "IO", "PWR", "SYS",
}

// last is the highest number that a signal has, that of SIGRTMAX.
const last = 64

// Parse returns a signal as kill takes it: its name in upper case and without
// SIG, or its number where it has no name. Empty is TERM.
func Parse(text string) (string, error) {
	name := strings.TrimPrefix(strings.ToUpper(strings.TrimSpace(text)), "SIG")
	if name == "" && strings.TrimSpace(text) == "" {
		return "TERM", nil
	}
	if slices.Contains(names[:], name) {
		return name, nil
	}
	n, err := strconv.Atoi(name)
	switch {
	case err == nil && n >= 1 && n <= len(names):
		return names[n-1], nil
	case err == nil && n > len(names) && n <= last:
		return strconv.Itoa(n), nil
	case err == nil:
		return "", fmt.Errorf("there is no signal %d: they are numbered 1 to %d", n, last)
	}
	return "", fmt.Errorf("there is no signal %q: want a name such as TERM, KILL or USR1, or a number", text)
}

// title is a parsed signal as people write it: SIGTERM.
func title(name string) string {
	if _, err := strconv.Atoi(name); err == nil {
		return "signal " + name
	}
	return "SIG" + name
}
