package main

import (
	"io"
	"os"

	"github.com/kind-lab/lab/clusters/engine"
	"github.com/kind-lab/lab/labs/wiring"
)

// runMode runs the program as something else than a command line tool if the
// name that it was called by, or its environment, says so.
func runMode(args []string, stderr io.Writer) (code int, ok bool) {
	if code, ok := wiring.RunKindBuilder(os.Environ(), os.Stdout); ok {
		return code, ok
	}
	return engine.HiddenMode(args, os.Environ(), os.Stdout, stderr)
}

// thisProgram is the path of the program that runs; empty if that is unknown.
func thisProgram() string {
	path, err := os.Executable()
	if err != nil {
		return ""
	}
	return path
}
