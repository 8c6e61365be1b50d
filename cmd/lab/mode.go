package main

import (
	"io"
	"os"

	"github.com/kind-lab/lab/clusters/engine"
)

// runMode runs the program as something else than a command line tool where
// the name that it was called by says so.
func runMode(args []string, stderr io.Writer) (code int, ok bool) {
	return engine.HiddenMode(args, os.Environ(), os.Stdout, stderr)
}
