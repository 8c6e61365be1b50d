//go:build !unix

package reaper

import "os/exec"

// leave does nothing if there are no sessions.
func leave(*exec.Cmd) {}
