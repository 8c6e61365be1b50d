//go:build unix

package reaper

import (
	"os/exec"
	"syscall"
)

// leave gives the command a session of its own: what ends this one's terminal
// or process group does not end it.
func leave(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }
