// Command docker is the fake engine's client.
package main

import (
	"os"

	"github.com/kind-lab/lab/clusters/kind/internal/fakeengine"
)

func main() {
	os.Exit(fakeengine.Main(os.Getenv(fakeengine.State), os.Args[1:]))
}
