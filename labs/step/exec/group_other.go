//go:build !unix

package exec

import osexec "os/exec"

// ownGroup is for systems without process groups: the command alone is ended.
func ownGroup(*osexec.Cmd) (end func() error) { return func() error { return nil } }
