// Command lab runs scenarios on Kubernetes clusters of its own and judges what
// happened. `lab help` says what it can do.
package main

import (
	"context"
	"os"
)

func main() {
	os.Exit(run(context.Background(), os.Args, os.Stdin, os.Stdout, os.Stderr, os.LookupEnv))
}
