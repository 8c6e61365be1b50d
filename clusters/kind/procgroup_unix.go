//go:build unix

package kind

import (
	"os/exec"
	"syscall"
)

// detach keeps a Ctrl-C at the terminal from the command: it goes to every
// process of the terminal's foreground group, and the clean-up that it asks for
// must not die of it.
func detach(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
}
