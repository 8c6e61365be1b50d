//go:build !unix

package reaper

import "os/exec"

// leave does nothing where there are no sessions.
func leave(*exec.Cmd) {}
