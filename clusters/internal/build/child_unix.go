//go:build unix && !linux

package build

import (
	"os/exec"
	"syscall"
)

// setGroup puts cmd into a process group of its own, which ends as a whole when
// cmd's context ends. There are no mounts of its own here; nothing that needs
// them runs on this system.
func setGroup(cmd *exec.Cmd, _ bool) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
