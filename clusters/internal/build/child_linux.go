package build

import (
	"os/exec"
	"syscall"
)

// setGroup puts cmd into a process group of its own, which ends as a whole
// when cmd's context ends; alone gives it mounts of its own.
func setGroup(cmd *exec.Cmd, alone bool) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if alone {
		cmd.SysProcAttr.Unshareflags = syscall.CLONE_NEWNS
	}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
