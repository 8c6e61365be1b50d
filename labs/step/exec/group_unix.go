//go:build unix

package exec

import (
	"errors"
	"fmt"
	osexec "os/exec"
	"syscall"
)

// ownGroup gives the command a process group of its own that is asked to end
// when its context does. end ends what is left of it then.
func ownGroup(cmd *osexec.Cmd) (end func() error) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }
	return func() error {
		if err := syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL); err != nil && !errors.Is(err, syscall.ESRCH) {
			return fmt.Errorf("ending what the command started: %w", err)
		}
		return nil
	}
}
