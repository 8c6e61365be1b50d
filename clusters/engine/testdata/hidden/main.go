// Command hidden has the hidden modes of the program and nothing else: what
// the end-to-end tests install as a runtime and load as a probe.
package main

import (
	"os"

	"github.com/kind-lab/lab/clusters/engine"
)

func main() {
	code, handled := engine.HiddenMode(os.Args, os.Environ(), os.Stdout, os.Stderr)
	if !handled {
		code = 2
	}
	os.Exit(code)
}
